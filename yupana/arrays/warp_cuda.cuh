#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "yupana/arrays/operators.hpp"

/// What a warp does with values of any trivially copyable type, in the order of its lanes.
namespace yupana::arrays::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// True where operands may change places without changing the result beyond rounding: folds need
/// not keep the order.
template <class T, class Op>
inline constexpr bool commutes = (std::is_integral_v<T> &&
                                  (std::is_same_v<Op, Plus> || std::is_same_v<Op, Multiply> ||
                                   std::is_same_v<Op, Min> || std::is_same_v<Op, Max>)) ||
                                 (std::is_floating_point_v<T> && std::is_same_v<Op, Plus>);

/// Elements of 16 bytes, as a lane reads them; 1 of a type that does not divide 16.
template <class T>
inline constexpr int vector_of = 16 % sizeof(T) == 0 ? static_cast<int>(16 / sizeof(T)) : 1;

/// Bytes of a value as words of 32 bits, the last one filled up.
template <class T>
struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  std::uint32_t word[count];
};

template <class T>
__host__ __device__ inline Words<T> to_words(const T& value) {
  Words<T> words{};
  memcpy(words.word, &value, sizeof(T));
  return words;
}

template <class T>
__device__ inline T from_words(const Words<T>& words) {
  // Not default constructed: T may have no such constructor.
  alignas(T) unsigned char bytes[sizeof(T)];
  memcpy(bytes, words.word, sizeof(T));
  return *reinterpret_cast<T*>(bytes);
}

/// The value of lane `from`.
template <class T>
__device__ inline T lane_value(const T& value, int from) {
  if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (sizeof(T) >= 4) return __shfl_sync(all_lanes, value, from);
  }
  Words<T> words = to_words(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i) {
    words.word[i] = __shfl_sync(all_lanes, words.word[i], from);
  }
  return from_words<T>(words);
}

/// The value of the lane `distance` below; a lane without one keeps its own.
template <class T>
__device__ inline T value_below(const T& value, int distance) {
  if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (sizeof(T) >= 4) return __shfl_up_sync(all_lanes, value, distance);
  }
  Words<T> words = to_words(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i) {
    words.word[i] = __shfl_up_sync(all_lanes, words.word[i], distance);
  }
  return from_words<T>(words);
}

/// Folds of lanes 0 to one's own.
template <class T, class Op>
__device__ inline T scan_lanes(T value, const Op& op, int lane) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T below = value_below(value, distance);
    if (lane >= distance) value = op(below, value);
  }
  return value;
}

/// The fold of all lanes in their order, in every lane. The tree is fixed: floats have the same
/// bits always.
template <class T, class Op>
__device__ inline T fold_lanes(T value, const Op& op, int lane) {
  if constexpr (commutes<T, Op> && std::is_integral_v<T> && std::is_same_v<Op, Plus> &&
                sizeof(T) == 4) {
    return static_cast<T>(__reduce_add_sync(all_lanes, static_cast<std::uint32_t>(value)));
  } else {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T other = lane_value(value, lane ^ distance);
      value = (lane & distance) != 0 ? op(other, value) : op(value, other);
    }
    return value;
  }
}

/// `vector_of<T>` neighbours at once; the address is a multiple of 16 unless the vector is one.
template <class T>
__device__ inline void load_vector(const T* from, T (&to)[vector_of<T>]) {
  if constexpr (vector_of<T> == 1) {
    to[0] = *from;
  } else {
    const uint4 bits = *reinterpret_cast<const uint4*>(from);
    memcpy(to, &bits, 16);
  }
}
template <class T>
__device__ inline void store_vector(const T (&from)[vector_of<T>], T* to) {
  if constexpr (vector_of<T> == 1) {
    *to = from[0];
  } else {
    uint4 bits;
    memcpy(&bits, from, 16);
    *reinterpret_cast<uint4*>(to) = bits;
  }
}

}  // namespace yupana::arrays::cuda
