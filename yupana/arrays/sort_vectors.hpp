#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/radix_key.hpp"

/// Private to the family: Highway's vectorized quicksort, where keys that compare equal have the
/// same bytes, so that any sort is stable.
namespace yupana::arrays::cpu {

/// Whether it is faster on this processor than radix passes, for keys of 4 or 8 bytes.
bool has_fast_vectors(std::size_t bytes);

/// Sorts ascending, in place, on the calling thread. Integers alone: Highway 1.0.3 makes the
/// largest number of an infinity.
void sort_vectors(std::uint32_t* keys, std::int64_t n);
void sort_vectors(std::uint64_t* keys, std::int64_t n);

template <class K>
inline constexpr bool has_vectors = has_radix<K> && (sizeof(K) == 4 || sizeof(K) == 8);

/// Whether keys of [begin, end) that compare equal have the same bytes: no NaN and no -0.
template <class K>
bool are_plain(const K* begin, const K* end) {
  bool odd = false;
  if constexpr (std::is_floating_point_v<K>) {
    using U = UnsignedOf<sizeof(K)>;
    constexpr U negative_zero = U{1} << (8 * sizeof(K) - 1);
    for (; begin != end; ++begin) {
      odd |= (*begin != *begin) | (std::bit_cast<U>(*begin) == negative_zero);
    }
  }
  return !odd;
}

/// The key, neither NaN nor -0, of a radix key.
template <class Order, class K>
K key_of(UnsignedOf<sizeof(K)> word) {
  using U = UnsignedOf<sizeof(K)>;
  constexpr U sign = U{1} << (8 * sizeof(K) - 1);
  if constexpr (!std::is_same_v<Order, Less>) word = ~word;
  if constexpr (std::is_floating_point_v<K>) {
    return std::bit_cast<K>((word & sign) != 0 ? word ^ sign : ~word);
  } else {
    return static_cast<K>(std::is_signed_v<K> ? word ^ sign : word);
  }
}

/// Sorts keys of which are_plain() holds by their radix keys, which take their places meanwhile.
template <class Order, class K>
void sort_plain(K* keys, std::int64_t n) {
  using U = UnsignedOf<sizeof(K)>;
  constexpr bool same = std::is_unsigned_v<K> && std::is_same_v<Order, Less>;
  for (std::int64_t i = 0; !same && i < n; ++i) {
    keys[i] = std::bit_cast<K>(radix_key<Order>(keys[i]));
  }
  sort_vectors(reinterpret_cast<U*>(keys), n);
  for (std::int64_t i = 0; !same && i < n; ++i) {
    keys[i] = key_of<Order, K>(std::bit_cast<U>(keys[i]));
  }
}

}  // namespace yupana::arrays::cpu
