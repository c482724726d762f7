#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/radix_key.hpp"
#include "yupana/core/context.hpp"

/// Private to the family: quicksort by vectors of keys that compare equal only where their bytes
/// are equal, so that any sort is stable.
namespace yupana::arrays::cpu {

#define YUPANA_WORDS(make, name) make(name, std::uint32_t) make(name, std::uint64_t)

/// Whether it is faster on this processor than radix passes, for keys of 4 or 8 bytes.
bool has_fast_vectors(std::size_t bytes);

/// Whether Highway's quicksort sorts all keys in one call: one thread, and no more keys than are
/// sorted before one looks for Ctrl-C again.
bool sorts_at_once(const Context& context, std::int64_t n);

template <class K>
inline constexpr bool has_vectors = has_radix<K> && (sizeof(K) == 4 || sizeof(K) == 8);

/// The radix key of a key's bits and back, with two constants for every type and order: bits of
/// negative keys are turned by `fold`, those of all by `flip`.
template <class U>
struct KeyCode {
  U fold = 0;
  U flip = 0;

  static U sign_mask(U word) {
    using S = std::make_signed_t<U>;
    return static_cast<U>(static_cast<S>(word) >> (8 * sizeof(U) - 1));
  }
  U encode(U word) const { return word ^ (sign_mask(word) & fold) ^ flip; }
  U decode(U word) const {
    word ^= flip;
    return word ^ (sign_mask(word) & fold);
  }
  bool changes() const { return fold != 0 || flip != 0; }
};

template <class Order, class K>
constexpr KeyCode<UnsignedOf<sizeof(K)>> key_code() {
  using U = UnsignedOf<sizeof(K)>;
  constexpr U sign = U{1} << (8 * sizeof(K) - 1);
  const U flip = std::is_signed_v<K> ? sign : U{0};
  return {std::is_floating_point_v<K> ? U{sign - 1} : U{0},
          std::is_same_v<Order, Less> ? flip : static_cast<U>(~flip)};
}

/// Sorts words in place by their codes.
///   errors: interrupted
template <class U>
void sort_words(Context& context, U* words, std::int64_t n, KeyCode<U> code);

/// Whether no float is NaN or -0: keys that compare equal then have the same bytes.
template <class F>
bool are_plain(Context& context, const F* keys, std::int64_t n);

}  // namespace yupana::arrays::cpu
