#pragma once

#include <cstdint>
#include <vector>

namespace yupana::som {

enum class Lattice { rectangular, hexagonal };

/// The neurons of a map: R x C of them, neuron = row * cols + column. In a hexagonal lattice odd
/// rows are shifted half a column to the right and rows are sqrt(3) / 2 apart, so that all six
/// neighbours are at distance 1. A toroidal map wraps around at its edges.
struct Grid {
  std::int64_t rows = 8;
  std::int64_t cols = 8;
  Lattice lattice = Lattice::rectangular;
  bool toroidal = false;

  std::int64_t size() const { return rows * cols; }
};

/// Offset of two neurons: rows apart, and half columns apart (what a hexagonal lattice needs).
struct GridOffset {
  std::int64_t rows = 0;
  std::int64_t half_cols = 0;
};
GridOffset offset_between(const Grid& grid, std::int64_t a, std::int64_t b);

/// Four times the squared distance on the grid, an integer: 4 (rows^2 + columns^2) or, hexagonal,
/// 3 rows^2 + (half columns)^2.
inline std::int64_t four_squares(const Grid& grid, const GridOffset& offset) {
  const std::int64_t vertical = grid.lattice == Lattice::hexagonal ? 3 : 4;
  return vertical * offset.rows * offset.rows + offset.half_cols * offset.half_cols;
}

/// Which neurons count as adjacent: 4 or 8 in a rectangular lattice, 6 in a hexagonal one.
bool adjacent(const Grid& grid, std::int64_t a, std::int64_t b, int neighbors);
/// The adjacent neurons, ascending.
std::vector<std::int64_t> neighbors_of(const Grid& grid, std::int64_t neuron, int neighbors);
/// 8 or, hexagonal, 6.
int default_neighbors(const Grid& grid);

/// Throws usage unless there is at least one row and column, and rows are even where a hexagonal
/// map is toroidal.
void check_grid(const Grid& grid);

}  // namespace yupana::som
