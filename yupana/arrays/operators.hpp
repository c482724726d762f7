#pragma once

#include <type_traits>

namespace yupana::arrays {

// Operators and orders as plain constexpr function objects, so that host and device code share
// them. Any other function object serves as well, provided that it is associative (operators) or a
// strict weak order (orders) and does not change between calls.

/// a + b; integers wrap around, as on every backend.
struct Plus {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  }
};

/// a * b; integers wrap around.
struct Multiply {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      // At least 32 bits without sign: products of short types would otherwise be signed ints.
      using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

/// The order of the sorts. Floats: -inf < ... < -0 = +0 < ... < +inf < NaN, all NaN equal; this is
/// a strict weak order, which plain < is not where NaN occur, and NumPy's.
struct Less {
  template <class T>
  constexpr bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return (a < b) | ((b != b) & (a == a));
    } else {
      return a < b;
    }
  }
};

/// The opposite order: NaN first.
struct Greater {
  template <class T>
  constexpr bool operator()(const T& a, const T& b) const {
    return Less{}(b, a);
  }
};

/// From the greatest down, NaN last all the same; equal keys as in Less.
struct Descending {
  template <class T>
  constexpr bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return (a > b) | ((b != b) & (a == a));
    } else {
      return b < a;
    }
  }
};

/// Equal in the order of Less: -0 equals +0, NaN equals NaN.
struct Equal {
  template <class T>
  constexpr bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return (a == b) | ((a != a) & (b != b));
    } else {
      return a == b;
    }
  }
};

/// The lesser by Less, the first of equals: NaN counts as the greatest value, which keeps the
/// operator associative.
struct Min {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return Less{}(b, a) ? b : a;
  }
};

/// The greater by Less, the first of equals: a NaN anywhere gives NaN.
struct Max {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return Less{}(a, b) ? b : a;
  }
};

}  // namespace yupana::arrays
