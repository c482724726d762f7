#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"

namespace yupana::arrays::cpu {

/// The orders and types that sort by radix: integers, float and double.
template <class Order>
inline constexpr bool has_radix_order =
    std::is_same_v<Order, Less> || std::is_same_v<Order, Greater> ||
    std::is_same_v<Order, Descending>;
template <class K>
inline constexpr bool has_radix = (std::is_integral_v<K> && !std::is_same_v<K, bool>) ||
                                  std::is_same_v<K, float> || std::is_same_v<K, double>;

template <std::size_t bytes>
using UnsignedOf = std::conditional_t<
    bytes == 1,
    std::uint8_t,
    std::conditional_t<bytes == 2,
                       std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// An unsigned number in the order of Less, equal where Less holds keys equal. Floats: a set sign
/// turns all bits around, a clear one is set (the order of IEEE 754 bit patterns); -0 + 0 is +0;
/// every NaN becomes the greatest number. The key itself is what moves, so its bits survive.
template <class K>
constexpr UnsignedOf<sizeof(K)> ascending_radix_key(K key) {
  using U = UnsignedOf<sizeof(K)>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(K) - 1));
  if constexpr (std::is_floating_point_v<K>) {
    const K positive_zero = key + K{0};
    const U bits = std::bit_cast<U>(positive_zero);
    using S = std::make_signed_t<U>;
    const U mask = static_cast<U>(static_cast<S>(bits) >> (8 * sizeof(K) - 1)) | sign;
    return key != key ? static_cast<U>(~U{0}) : static_cast<U>(bits ^ mask);
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<U>(static_cast<U>(key) ^ sign);
  } else {
    return key;
  }
}

/// The same for any order of has_radix_order.
template <class Order, class K>
constexpr UnsignedOf<sizeof(K)> radix_key(K key) {
  using U = UnsignedOf<sizeof(K)>;
  const U up = ascending_radix_key(key);
  if constexpr (std::is_same_v<Order, Less>) return up;
  // No number but a NaN has all bits set: -inf, the last of them, has others clear.
  if constexpr (std::is_same_v<Order, Descending> && std::is_floating_point_v<K>) {
    if (key != key) return up;
  }
  return static_cast<U>(~up);
}

}  // namespace yupana::arrays::cpu
