#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace yupana::arrays {

/// Stands where keys come without values.
struct NoValue {};

/// Keys, and values that move with them. Values may be absent (V = NoValue). Does not own.
template <class K, class V = NoValue>
struct Columns {
  static_assert(
      std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>,
      "keys and values move as bytes: sort indices of std::string and such, by an order of "
      "one's own");
  static constexpr bool has_values = !std::is_same_v<std::remove_const_t<V>, NoValue>;

  K* keys = nullptr;
  V* values = nullptr;

  // constexpr: device code calls these too.
  template <class Const>
  requires(std::is_same_v<Const, Columns<const K, const V>> && !std::is_const_v<K>) constexpr
  operator Const() const {
    return {keys, values};
  }
  constexpr Columns operator+(std::int64_t i) const {
    if constexpr (has_values) return {keys + i, values + i};
    return {keys + i, nullptr};
  }
};

/// to[0, n) = from[0, n); the two do not overlap.
template <class K, class V>
void copy_columns(Columns<const K, const V> from, std::int64_t n, Columns<K, V> to) {
  if (n <= 0) return;
  std::memcpy(static_cast<void*>(to.keys), from.keys, static_cast<std::size_t>(n) * sizeof(K));
  if constexpr (Columns<K, V>::has_values) {
    std::memcpy(
        static_cast<void*>(to.values), from.values, static_cast<std::size_t>(n) * sizeof(V));
  }
}

}  // namespace yupana::arrays
