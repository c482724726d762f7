#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/sort_vectors.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays::cpu {

/// Floats that compare equal without having the same bytes: NaNs and, if one is -0, zeros. Their
/// places receive one NaN and +0 while vectors sort; then they follow in the order they were in.
template <class Order, class K>
class OddFloats {
 public:
  OddFloats(Context& context, K* keys, std::int64_t n)
      : context_(context), tiles_((n + tile - 1) / tile), nans_(tiles_ + 1), zeros_(tiles_ + 1) {
    nans_[0] = zeros_[0] = 0;
    each_tile(n, [&](std::int64_t t, std::int64_t begin, std::int64_t end) {
      std::int64_t nans = 0, zeros = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        nans += keys[i] != keys[i];
        zeros += keys[i] == 0;
      }
      nans_[t + 1] = nans;
      zeros_[t + 1] = zeros;
    });
    for (std::int64_t t = 0; t < tiles_; ++t) {
      nans_[t + 1] += nans_[t];
      zeros_[t + 1] += zeros_[t];
    }
    // Every key is written where the next odd one goes: no branch to mispredict, one place too
    // many.
    Array<K> saved_nans(nans_[tiles_] + tiles_), saved_zeros(zeros_[tiles_] + tiles_);
    each_tile(n, [&](std::int64_t t, std::int64_t begin, std::int64_t end) {
      K* nan = saved_nans.data() + nans_[t] + t;
      K* zero = saved_zeros.data() + zeros_[t] + t;
      for (std::int64_t i = begin; i < end; ++i) {
        const K key = keys[i];
        *nan = *zero = key;
        nan += key != key;
        zero += key == 0;
        keys[i] = key != key ? extreme_nan() : key + K{0};
      }
    });
    saved_nans_ = std::move(saved_nans);
    saved_zeros_ = std::move(saved_zeros);
  }

  /// To sorted keys.
  void restore(K* keys, std::int64_t n) {
    constexpr bool nan_first = std::is_same_v<Order, Greater>;
    K* const first_nan = nan_first ? keys : keys + n - nans_[tiles_];
    K* const first_zero = std::lower_bound(keys, keys + n, K{0}, Order{});
    each_tile(n, [&](std::int64_t t, std::int64_t, std::int64_t) {
      std::copy_n(saved_nans_.data() + nans_[t] + t, nans_[t + 1] - nans_[t], first_nan + nans_[t]);
      std::copy_n(
          saved_zeros_.data() + zeros_[t] + t, zeros_[t + 1] - zeros_[t], first_zero + zeros_[t]);
    });
  }

 private:
  static constexpr std::int64_t tile = std::int64_t{1} << 18;

  /// The NaN whose code is the last in the order, the first in Greater.
  static K extreme_nan() {
    using U = UnsignedOf<sizeof(K)>;
    return std::bit_cast<K>(std::is_same_v<Order, Descending> ? ~U{0} : U{~U{0} >> 1});
  }
  template <class Body>
  void each_tile(std::int64_t n, const Body& body) {
    context_.parallel_for(tiles_, 1, [&](std::int64_t begin, std::int64_t end) {
      context_.check_cancelled();
      for (std::int64_t t = begin; t < end; ++t) body(t, t * tile, std::min(n, (t + 1) * tile));
    });
  }

  Context& context_;
  const std::int64_t tiles_;
  Array<std::int64_t> nans_, zeros_;  ///< In front of each tile.
  Array<K> saved_nans_, saved_zeros_;
};

/// Sorts by vectors, into the bytes of the stable order.
template <class Order, class K>
void sort_by_vectors(Context& context, K* keys, std::int64_t n) {
  auto* const words = reinterpret_cast<UnsignedOf<sizeof(K)>*>(keys);
  if constexpr (std::is_floating_point_v<K>) {
    if (!are_plain(context, keys, n)) {
      OddFloats<Order, K> odd(context, keys, n);
      sort_words(context, words, n, key_code<Order, K>());
      return odd.restore(keys, n);
    }
  }
  sort_words(context, words, n, key_code<Order, K>());
}

}  // namespace yupana::arrays::cpu
