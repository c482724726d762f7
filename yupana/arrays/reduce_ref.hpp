#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/tile.hpp"
#include "yupana/core/text.hpp"

namespace yupana::arrays::reference {

/// The sum of n floats in the order of every backend. The values are rows of 128 bytes, C = 32
/// floats or 16 doubles, and a rest. Column c is added from top to bottom, to s[c]. With L = C / 8,
///   t[l] = ((s[l] + s[l + 2L]) + (s[l + 4L] + s[l + 6L]))
///        + ((s[l + L] + s[l + 3L]) + (s[l + 5L] + s[l + 7L]))
/// and the result is t[0] + t[1] + ... + t[L - 1], then the rest, from left to right.
template <class T>
T sum_by_columns(const T* in, std::int64_t n) {
  constexpr std::int64_t columns = 128 / static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t lanes = columns / 8;
  std::array<T, columns> s;
  s.fill(T(-0.0));  // + x is x, -0 too
  const std::int64_t whole = n / columns * columns;
  for (std::int64_t i = 0; i < whole; ++i) s[static_cast<std::size_t>(i % columns)] += in[i];
  const auto at = [&](std::int64_t l, std::int64_t k) {
    return s[static_cast<std::size_t>(l + k * lanes)];
  };
  const auto joined = [&](std::int64_t l) {
    return ((at(l, 0) + at(l, 2)) + (at(l, 4) + at(l, 6))) +
           ((at(l, 1) + at(l, 3)) + (at(l, 5) + at(l, 7)));
  };
  T total = joined(0);
  for (std::int64_t l = 1; l < lanes; ++l) total += joined(l);
  for (std::int64_t i = whole; i < n; ++i) total += in[i];
  return total;
}

/// n > 0 values of one tile: sums of floats by columns, all else from left to right.
template <class T, class Op>
T fold_tile(const T* in, std::int64_t n, const Op& op) {
  if constexpr ((std::is_same_v<T, float> || std::is_same_v<T, double>)&&std::is_same_v<Op, Plus>) {
    return sum_by_columns(in, n);
  } else {
    T total = in[0];
    for (std::int64_t i = 1; i < n; ++i) total = op(total, in[i]);
    return total;
  }
}

/// Tiles [begin, end) of n values, by halves: floor((end - begin) / 2) of them and the others.
template <class T, class Op>
T fold_tiles(const T* in, std::int64_t n, std::int64_t begin, std::int64_t end, const Op& op) {
  if (end - begin == 1) {
    const std::int64_t first = begin * tile_size<T>;
    return fold_tile(in + first, std::min(tile_size<T>, n - first), op);
  }
  const std::int64_t middle = begin + (end - begin) / 2;
  return op(fold_tiles(in, n, begin, middle, op), fold_tiles(in, n, middle, end, op));
}

template <class T, class Op>
T reduce(const T* in, std::int64_t n, T init, Op op) {
  return op(init, fold_tiles(in, n, 0, (n + tile_size<T> - 1) / tile_size<T>, op));
}

/// A run is folded in pieces, one for each tile of keys that it reaches; the pieces from left to
/// right.
template <class K, class V, class Op, class Same>
std::int64_t reduce_by_key(
    const K* keys, const V* values, std::int64_t n, K* out_keys, V* out_values, Op op, Same equal) {
  std::int64_t runs = 0;
  for (std::int64_t i = 0; i < n;) {
    const bool begins = i == 0 || !equal(keys[i - 1], keys[i]);
    const std::int64_t tile_end = std::min(n, (i / tile_size<K> + 1) * tile_size<K>);
    const std::int64_t first = i;
    V piece = values[i++];
    for (; i < tile_end && equal(keys[i - 1], keys[i]); ++i) piece = op(piece, values[i]);
    if (begins) {
      out_keys[runs] = keys[first];
      out_values[runs++] = piece;
    } else {
      out_values[runs - 1] = op(out_values[runs - 1], piece);
    }
  }
  return runs;
}

}  // namespace yupana::arrays::reference
