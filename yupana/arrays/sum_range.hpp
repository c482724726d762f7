#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "yupana/core/context.hpp"

namespace yupana::arrays {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// Private: sum modulo 2^64, and bits of which every magnitude is made: |value| <=
/// 2^bit_width(bits).
struct SumMeasure {
  std::uint64_t sum = 0;
  std::uint64_t bits = 0;
};

template <class T>
SumMeasure sum_measure(const T* values, std::int64_t n) {
  SumMeasure result;
  for (std::int64_t i = 0; i < n; ++i) {
    result.sum += static_cast<std::uint64_t>(values[i]);
    // Of a negative value -x - 1, one less than its magnitude.
    constexpr int sign = 8 * sizeof(T) - 1;
    const T bits = std::is_signed_v<T> ? values[i] ^ (values[i] >> sign) : values[i];
    result.bits |= static_cast<std::uint64_t>(bits);
  }
  return result;
}

template <class T>
SumMeasure sum_measure(Context& context, const T* values, std::int64_t n) {
  constexpr std::int64_t grain = std::int64_t{1} << 16;
  if (n <= grain) return sum_measure(values, n);
  std::atomic<std::uint64_t> sum{0}, bits{0};
  context.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    const SumMeasure part = sum_measure(values + begin, end - begin);
    sum.fetch_add(part.sum, std::memory_order_relaxed);
    bits.fetch_or(part.bits, std::memory_order_relaxed);
  });
  return {sum.load(), bits.load()};
}

/// The exact running sum of integers, which says where it leaves their type: the sums of scan and
/// reduce continue modulo 2^bits there. T: std::int32_t, std::int64_t and their unsigned kin.
template <class T>
class SumRange {
 public:
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;

  explicit SumRange(T first = 0) : total_(first) {}

  /// Adds values[0, n), n < 2^62. The magnitudes alone decide in nearly every case that no sum can
  /// leave the type.
  ///   work: one pass over the values, on all threads; where magnitudes do not decide, one more on
  ///   one thread
  void add(Context& context, const T* values, std::int64_t n);
  /// The same for the total alone, which the second pass is seldom needed for: of 32 bits never.
  void add_to_total(Context& context, const T* values, std::int64_t n);

  Wide total() const { return total_; }
  /// Numbers added so far.
  std::int64_t count() const { return count_; }
  /// Which number, counted from 0, takes the running sum out of the type for the first time; -1:
  /// none does.
  std::int64_t first_outside() const { return first_outside_; }
  /// The running sum there.
  Wide outside() const { return outside_; }
  static bool holds(Wide sum) {
    return sum >= Wide{std::numeric_limits<T>::min()} && sum <= Wide{std::numeric_limits<T>::max()};
  }

 private:
  void add_one_by_one(const T* values, std::int64_t n);

  Wide total_ = 0;
  Wide outside_ = 0;
  std::int64_t count_ = 0;
  std::int64_t first_outside_ = -1;
};

template <class T>
void SumRange<T>::add(Context& context, const T* values, std::int64_t n) {
  const SumMeasure chunk = sum_measure(context, values, n);
  // No running sum of the chunk is further from the total than this.
  const Wide reach = static_cast<Wide>(n) << std::bit_width(chunk.bits);
  const bool inside = holds(total_) && holds(total_ + reach) &&
                      (std::is_unsigned_v<T> || holds(total_ - reach)) && holds(reach);
  if (inside) {
    total_ += static_cast<T>(chunk.sum);  // which is below the reach and therefore exact
    count_ += n;
  } else {
    add_one_by_one(values, n);
  }
}

template <class T>
void SumRange<T>::add_to_total(Context& context, const T* values, std::int64_t n) {
  const SumMeasure chunk = sum_measure(context, values, n);
  using Sum = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  if ((static_cast<Wide>(n) << std::bit_width(chunk.bits)) <= std::numeric_limits<Sum>::max()) {
    total_ += static_cast<Sum>(chunk.sum);
    count_ += n;
  } else {
    add_one_by_one(values, n);
  }
}

template <class T>
void SumRange<T>::add_one_by_one(const T* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    total_ += values[i];
    if (first_outside_ >= 0 || holds(total_)) continue;
    first_outside_ = count_ + i;
    outside_ = total_;
  }
  count_ += n;
}

}  // namespace yupana::arrays
