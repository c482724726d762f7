#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "yupana/core/context.hpp"

namespace yupana::job {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// The exact running sum of 64-bit integers, which says where it leaves their type: the sums of
/// yupana::arrays go on modulo 2^64 there. T: std::int64_t or std::uint64_t.
template <class T>
class SumRange {
 public:
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;

  /// Adds values[0, n), n < 2^62. The magnitudes alone decide in nearly every case that no sum can
  /// leave the type.
  ///   work: one pass over the values, on all threads; where magnitudes do not decide, one more on
  ///   one thread
  void add(Context& context, const T* values, std::int64_t n);

  Wide total() const { return total_; }
  /// Numbers added so far.
  std::int64_t count() const { return count_; }
  /// Which number, counted from 0, takes the running sum out of the type for the first time.
  std::optional<std::int64_t> first_outside() const { return first_outside_; }
  /// The running sum there.
  Wide outside() const { return outside_; }
  static bool holds(Wide sum);

 private:
  void add_one_by_one(const T* values, std::int64_t n);

  Wide total_ = 0;
  Wide outside_ = 0;
  std::int64_t count_ = 0;
  std::optional<std::int64_t> first_outside_;
};

extern template class SumRange<std::int64_t>;
extern template class SumRange<std::uint64_t>;

}  // namespace yupana::job
