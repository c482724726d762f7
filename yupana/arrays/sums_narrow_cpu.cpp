#include <cstring>

#include "yupana/arrays/stream.hpp"
#include "yupana/arrays/sums.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::arrays::cpu {
namespace {

// Vectors of 16 bytes, which every processor has: the order of additions, and with it the bits of a
// float sum, must not depend on the machine.
template <class T>
struct Vector {
  static constexpr std::int64_t lanes = 16 / sizeof(T);
  using Type __attribute__((vector_size(16))) = T;
};
template <class T>
using V = typename Vector<T>::Type;

template <class T>
V<T> load(const T* from) {
  V<T> v;
  std::memcpy(&v, from, 16);
  return v;
}

template <class T>
V<T> same(T value) {
  return value - V<T>{};  // not a sum: 0 + -0 would lose the sign
}

/// What changes no sum: for floats -0, since 0 + -0 would lose the sign.
template <class T>
V<T> none() {
  return same(std::is_floating_point_v<T> ? T(-0.0) : T(0));
}

/// Inclusive sums inside one vector.
template <class T>
V<T> inside(V<T> v) {
  const V<T> zero{};
  if constexpr (sizeof(T) == 4) {
    v += __builtin_shufflevector(zero, v, 3, 4, 5, 6);
    v += __builtin_shufflevector(zero, v, 2, 3, 4, 5);
  } else {
    v += __builtin_shufflevector(zero, v, 1, 2);
  }
  return v;
}

template <class T>
V<T> last_lane(V<T> v) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_shufflevector(v, v, 3, 3, 3, 3);
  } else {
    return __builtin_shufflevector(v, v, 1, 1);
  }
}

/// The last lane of `before`, then the lanes of v but its last.
template <class T>
V<T> moved_up(V<T> before, V<T> v) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_shufflevector(before, v, 3, 4, 5, 6);
  } else {
    return __builtin_shufflevector(before, v, 1, 2);
  }
}

/// Four vectors a step, so that the chain through the carry is one addition for all four.
template <class T, bool exclusive, bool past_cache>
void prefix_loop(const T* in, std::int64_t n, T start, T* out) {
  constexpr std::int64_t lanes = Vector<T>::lanes;
  V<T> carry = same(start);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    V<T> v0 = inside<T>(load(in + i));
    V<T> v1 = inside<T>(load(in + i + lanes));
    V<T> v2 = inside<T>(load(in + i + 2 * lanes));
    V<T> v3 = inside<T>(load(in + i + 3 * lanes));
    v1 += last_lane<T>(v0);
    v3 += last_lane<T>(v2);
    const V<T> half = last_lane<T>(v1);
    v2 += half;
    v3 += half;
    const V<T> next = carry + last_lane<T>(v3);
    v0 += carry;
    v1 += carry;
    v2 += carry;
    v3 += carry;
    alignas(64) V<T> line[4] = {v0, v1, v2, v3};
    if constexpr (exclusive) {
      line[0] = moved_up<T>(carry, v0);
      line[1] = moved_up<T>(v0, v1);
      line[2] = moved_up<T>(v1, v2);
      line[3] = moved_up<T>(v2, v3);
    }
    if constexpr (past_cache) {
      stream_line(out + i, line);
    } else {
      std::memcpy(out + i, line, 64);
    }
    carry = next;
  }
  T running = carry[0];
  for (; i < n; ++i) {
    const T value = in[i];
    if constexpr (exclusive) out[i] = running;
    running += value;
    if constexpr (!exclusive) out[i] = running;
  }
  if constexpr (past_cache) finish_streams();
}

}  // namespace

template <class T>
T sum(const T* values, std::int64_t n) {
  constexpr std::int64_t lanes = Vector<T>::lanes;
  V<T> sums[8];
  for (V<T>& lane_sums : sums) lane_sums = none<T>();
  std::int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
    for (std::int64_t k = 0; k < 8; ++k) sums[k] += load(values + i + k * lanes);
  }
  const V<T> even = (sums[0] + sums[2]) + (sums[4] + sums[6]);
  const V<T> odd = (sums[1] + sums[3]) + (sums[5] + sums[7]);
  const V<T> all = even + odd;
  T total = all[0];
  for (std::int64_t lane = 1; lane < lanes; ++lane) total += all[lane];
  for (; i < n; ++i) total += values[i];
  return total;
}

template <class T>
void narrow_prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params) {
  if (params.past_cache) {
    params.exclusive ? prefix_loop<T, true, true>(in, n, carry, out)
                     : prefix_loop<T, false, true>(in, n, carry, out);
  } else {
    params.exclusive ? prefix_loop<T, true, false>(in, n, carry, out)
                     : prefix_loop<T, false, false>(in, n, carry, out);
  }
}

YUPANA_FUNCTIONS(YUPANA_SUMMED, sum)
YUPANA_FUNCTIONS(YUPANA_PREFIXED, narrow_prefix_sums)

}  // namespace yupana::arrays::cpu
