#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/operators.hpp"

namespace yupana::arrays {

/// Private: the order of additions in running sums of floats, the same on every backend. A vector
/// is 16 bytes, a row 32 vectors, a slice 8 rows, a tile 8 slices (32 KiB), a group 32 tiles.
/// out[i] is
///   before the tile + before the slice + rows before, each added to the carry in turn,
///   + (vectors of the row before, by doubling) + (values of the vector up to i, from the left)
/// A slice's sum: columns of its rows from top to bottom, a vector's columns from the left, then
/// its 32 vectors by neighbours. Before a slice: the slices of its tile, by doubling. Before a
/// tile: whole groups, each by neighbours, added in turn; to them the tiles of its own group, by
/// doubling. Nothing depends on n or on values further right.
template <class T>
struct PrefixOrder {
  static constexpr std::int64_t vector = 16 / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t vectors = 32, row = vectors * vector;
  static constexpr std::int64_t rows = 8, slice = rows * row;
  static constexpr std::int64_t slices = 8, tile = slices * slice;
  static constexpr std::int64_t group = 32;  ///< tiles
};

/// True where running sums follow PrefixOrder.
template <class T, class Op>
inline constexpr bool has_prefix_order = (std::is_same_v<T, float> ||
                                          std::is_same_v<T, double>)&&std::is_same_v<Op, Plus>;

/// x[i] = x[0] + ... + x[i]: sums over distances 1, 2, 4, ... in turn.
template <class T, std::size_t n>
void sum_by_doubling(std::array<T, n>& x) {
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    const std::array<T, n> last = x;
    for (std::size_t i = distance; i < n; ++i) x[i] = last[i - distance] + last[i];
  }
}

/// Pairs of neighbours, then pairs of their sums, to the last; n is a power of two.
template <class T, std::size_t n>
T sum_by_neighbours(const std::array<T, n>& x) {
  if constexpr (n == 1) {
    return x[0];
  } else {
    std::array<T, n / 2> sums;
    for (std::size_t i = 0; i < n / 2; ++i) sums[i] = x[2 * i] + x[2 * i + 1];
    return sum_by_neighbours(sums);
  }
}

/// The sum before each tile, as the sums of tiles come in from the left.
template <class T>
class SumBeforeTile {
 public:
  explicit SumBeforeTile(T first) : base_(first) {}

  T value() const {
    if (count_ == 0) return base_;
    auto through = tiles_;
    sum_by_doubling(through);
    return base_ + through[count_ - 1];
  }
  void add(T tile) {
    tiles_[count_++] = tile;
    if (count_ < tiles_.size()) return;
    base_ += sum_by_neighbours(tiles_);
    count_ = 0;
  }

 private:
  T base_;
  std::array<T, PrefixOrder<T>::group> tiles_{};  // of the group that is not whole
  std::size_t count_ = 0;
};

/// What a running sum of floats begins with: -0 + x is x, where 0 + -0 would lose the sign.
template <class T>
inline constexpr T no_sum = T(-0.0);

}  // namespace yupana::arrays
