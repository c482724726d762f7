#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/sum_range.hpp"

/// What scan and reduce fold with where plain sums, minima and maxima are not enough: totals of
/// integers that do not overflow before they are looked at.
namespace yupana::job {

/// A product of integers: its size modulo 2^64, and whether it is that.
struct IntegerProduct {
  std::uint64_t size = 1;
  bool negative = false;
  bool beyond = false;  ///< a product of the factors that are not zero passed 64 bits
  bool zero = false;
};

/// Associative: sizes of what is not zero never become smaller again.
struct TimesProduct {
  IntegerProduct operator()(const IntegerProduct& a, const IntegerProduct& b) const {
    IntegerProduct product;
    product.beyond = __builtin_mul_overflow(a.size, b.size, &product.size) || a.beyond || b.beyond;
    product.negative = a.negative != b.negative;
    product.zero = a.zero || b.zero;
    return product;
  }
};

// How numbers of T are folded: their fold, of them and back, modulo 2^64, and whether T holds it.

template <class T>
struct Summing {
  using Fold = std::conditional_t<std::is_integral_v<T>, arrays::Int128, T>;
  using Operator = arrays::Plus;
  static constexpr T identity = 0;
  static constexpr const char* name = "sum";

  static Fold of(T number) { return number; }
  static T value(const Fold& fold) { return static_cast<T>(fold); }
  static bool holds(const Fold& fold) { return std::is_floating_point_v<T> || value(fold) == fold; }
};

template <class T>
struct Multiplying {
  static constexpr bool exact = std::is_integral_v<T>;
  using Fold = std::conditional_t<exact, IntegerProduct, T>;
  using Operator = std::conditional_t<exact, TimesProduct, arrays::Multiply>;
  static constexpr T identity = 1;
  static constexpr const char* name = "product";

  static Fold of(T number) {
    if constexpr (exact) {
      const auto bits = static_cast<std::uint64_t>(number);
      const bool negative = number < 0;
      return {number == 0 ? 1 : negative ? 0 - bits : bits, negative, false, number == 0};
    } else {
      return number;
    }
  }
  static T value(const Fold& fold) {
    if constexpr (exact) {
      return static_cast<T>(fold.zero ? 0 : fold.negative ? 0 - fold.size : fold.size);
    } else {
      return fold;
    }
  }
  static bool holds(const Fold& fold) {
    if constexpr (exact) {
      if (fold.zero) return true;
      return !fold.beyond && (value(fold) < 0) == fold.negative;
    } else {
      return true;
    }
  }
};

template <class T, class Order>
struct Picking {
  using Fold = T;
  using Operator = Order;
  static constexpr T identity = 0;
  static constexpr const char* name = "extreme";

  static Fold of(T number) { return number; }
  static T value(Fold fold) { return fold; }
  static bool holds(Fold) { return true; }
};

}  // namespace yupana::job
