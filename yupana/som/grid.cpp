#include "yupana/som/grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "yupana/core/messages.hpp"

namespace yupana::som {
namespace {

std::int64_t around(std::int64_t distance, std::int64_t circumference, bool toroidal) {
  return toroidal ? std::min(distance, circumference - distance) : distance;
}

}  // namespace

GridOffset offset_between(const Grid& grid, std::int64_t a, std::int64_t b) {
  const std::int64_t shift = grid.lattice == Lattice::hexagonal ? 1 : 0;
  const auto half = [&](std::int64_t neuron) {
    return 2 * (neuron % grid.cols) + shift * (neuron / grid.cols % 2);
  };
  return {around(std::abs(a / grid.cols - b / grid.cols), grid.rows, grid.toroidal),
          around(std::abs(half(a) - half(b)), 2 * grid.cols, grid.toroidal)};
}

bool adjacent(const Grid& grid, std::int64_t a, std::int64_t b, int neighbors) {
  if (a == b) return false;
  const GridOffset offset = offset_between(grid, a, b);
  if (neighbors == 6) return four_squares(grid, offset) == 4;
  if (neighbors == 4) return offset.rows + offset.half_cols / 2 == 1;
  return offset.rows <= 1 && offset.half_cols <= 2;
}

std::vector<std::int64_t> neighbors_of(const Grid& grid, std::int64_t neuron, int neighbors) {
  std::vector<std::int64_t> found;
  const std::int64_t row = neuron / grid.cols;
  const std::int64_t column = neuron % grid.cols;
  for (std::int64_t r = row - 1; r <= row + 1; ++r) {
    for (std::int64_t c = column - 1; c <= column + 1; ++c) {
      const bool inside = r >= 0 && r < grid.rows && c >= 0 && c < grid.cols;
      if (!inside && !grid.toroidal) continue;
      const std::int64_t other =
          (r + grid.rows) % grid.rows * grid.cols + (c + grid.cols) % grid.cols;
      if (adjacent(grid, neuron, other, neighbors)) found.push_back(other);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

int default_neighbors(const Grid& grid) { return grid.lattice == Lattice::hexagonal ? 6 : 8; }

void check_grid(const Grid& grid) {
  constexpr std::int64_t most_side = 1 << 20, most = std::numeric_limits<std::int32_t>::max();
  if (grid.rows < 1 || grid.cols < 1) {
    throw usage_error(
        "map: expected rows and cols of at least 1, got {} x {}", grid.rows, grid.cols);
  }
  if (grid.rows > most_side || grid.cols > most_side || grid.size() > most) {
    throw usage_error("map: expected at most {} neurons and {} a side, got {} x {}",
                      most,
                      most_side,
                      grid.rows,
                      grid.cols);
  }
  if (grid.toroidal && grid.lattice == Lattice::hexagonal && grid.rows % 2 != 0) {
    throw usage_error("map: expected an even number of rows of a toroidal hexagonal map, got {}",
                      grid.rows);
  }
}

}  // namespace yupana::som
