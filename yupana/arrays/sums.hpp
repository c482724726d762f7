#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "yupana/arrays/operators.hpp"

namespace yupana::arrays::cpu {

/// The types that sum() knows; prefix_sums() knows the integers of them.
template <class T>
inline constexpr bool has_sums = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                 (std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                  (sizeof(T) == 4 || sizeof(T) == 8));

/// True where SIMD sums replace the operator.
template <class T, class Op>
inline constexpr bool sums_fit = std::is_same_v<Op, Plus>&& has_sums<T>;

/// The sum of values[0, n); T: float, double, std::uint32_t, std::uint64_t. Floats are added in an
/// order that depends on n alone: the bits are the same on every processor.
template <class T>
T sum(const T* values, std::int64_t n);

struct PrefixParams {
  bool exclusive = false;
  bool past_cache = false;  ///< out is 64-byte aligned and not read soon: write around the cache
  const void* ahead = nullptr;  ///< prefetched while reading: where the next tile begins; or null
};

/// out[i] = carry + in[0] + ... + in[i] (exclusive: without in[i]); out may be in. T:
/// std::uint32_t, std::uint64_t; floats: scan_cpu.hpp.
template <class T>
void prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);

/// Integers are summed as unsigned ones of the same width.
template <class T>
using SumType =
    std::conditional_t<std::is_floating_point_v<T>,
                       T,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
auto as_sums(T* values) {
  using S = SumType<std::remove_const_t<T>>;
  using P = std::conditional_t<std::is_const_v<T>, const S, S>;
  return reinterpret_cast<P*>(values);
}

/// The types that sum() is compiled for, and those of prefix_sums().
#define YUPANA_SUMMED(make, name) YUPANA_FLOATS(make, name) YUPANA_PREFIXED(make, name)
#define YUPANA_PREFIXED(make, name) make(name, std::uint32_t) make(name, std::uint64_t)

/// prefix_sums() in vectors of 16 bytes, which every processor has.
template <class T>
void narrow_prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);

/// prefix_sums() of each type, for one processor.
template <class T>
using PrefixFunction = void (*)(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);
using PrefixFunctions = std::tuple<PrefixFunction<std::uint32_t>, PrefixFunction<std::uint64_t>>;

}  // namespace yupana::arrays::cpu
