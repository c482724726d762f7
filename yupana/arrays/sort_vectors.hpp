#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/radix_key.hpp"

/// Private to the family: Highway's vectorized quicksort, where the order of keys is their order
/// as numbers and equal ones have the same bytes.
namespace yupana::arrays::cpu {

/// Whether it is faster on this processor than radix passes, for keys of 4 or 8 bytes.
bool has_fast_vectors(std::size_t bytes);

/// Sorts in place, on the calling thread. No NaN.
void sort_vectors(std::uint32_t* keys, std::int64_t n, bool descending);
void sort_vectors(std::int32_t* keys, std::int64_t n, bool descending);
void sort_vectors(float* keys, std::int64_t n, bool descending);
void sort_vectors(std::uint64_t* keys, std::int64_t n, bool descending);
void sort_vectors(std::int64_t* keys, std::int64_t n, bool descending);
void sort_vectors(double* keys, std::int64_t n, bool descending);

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

/// Of keys of which are_plain() holds.
template <class Order, class K>
void sort_plain(K* keys, std::int64_t n) {
  constexpr bool descending = !std::is_same_v<Order, Less>;
  if constexpr (std::is_floating_point_v<K>) {
    sort_vectors(keys, n, descending);
  } else {
    // long and long long are two types of one size.
    using U = UnsignedOf<sizeof(K)>;
    using Same = std::conditional_t<std::is_signed_v<K>, std::make_signed_t<U>, U>;
    sort_vectors(reinterpret_cast<Same*>(keys), n, descending);
  }
}

}  // namespace yupana::arrays::cpu
