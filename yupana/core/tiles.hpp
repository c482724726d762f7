#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace yupana {

/// Half-open range of rows or columns.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};

/// 0, 1, ..., count - 1.
template <class Integer>
std::vector<Integer> first_integers(std::int64_t count) {
  std::vector<Integer> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), Integer{0});
  return list;
}

/// Tile (row, column) of a lower triangle, row >= column.
struct Tile {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

/// Tiles of an n x n lower triangle cut into squares of `edge`.
inline std::int64_t triangle_tiles(std::int64_t n, std::int64_t edge) {
  const std::int64_t side = divide_up(n, edge);
  return side * (side + 1) / 2;
}

/// Tile number `index` of a lower triangle of `side` tiles a side, in the one order every backend
/// uses: bands of `band` tile rows, column by column inside a band, so that the rows of a band stay
/// in cache while the columns pass by.
Tile triangle_tile(std::int64_t index, std::int64_t side, std::int64_t band);

/// Cells of the lower triangle with diagonal in rows [0, n).
inline std::int64_t triangle_cells(std::int64_t n) { return n * (n + 1) / 2; }

/// The next band of rows of a lower triangle, starting at `first`, holding at most `cells` cells
/// (at least one row, at most to n). Bands are how a matrix larger than memory is cut.
Range triangle_band(std::int64_t first, std::int64_t n, std::int64_t cells);

}  // namespace yupana
