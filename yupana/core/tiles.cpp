#include "yupana/core/tiles.hpp"

#include <algorithm>

namespace yupana {

Tile triangle_tile(std::int64_t index, std::int64_t side, std::int64_t band) {
  // Skip whole bands: rows [first, last) hold triangle(last) - triangle(first) tiles.
  std::int64_t first = 0;
  std::int64_t last = std::min(band, side);
  while (index >= triangle_cells(last) - triangle_cells(first)) {
    index -= triangle_cells(last) - triangle_cells(first);
    first = last;
    last = std::min(last + band, side);
  }
  // Columns up to `first` cross the whole band; then each column loses one row at the top.
  const std::int64_t rows = last - first;
  if (index < rows * (first + 1)) return {first + index % rows, index / rows};
  index -= rows * (first + 1);
  std::int64_t column = first + 1;
  while (index >= last - column) index -= last - column++;
  return {column + index, column};
}

Range triangle_band(std::int64_t first, std::int64_t n, std::int64_t cells) {
  std::int64_t last = first;
  std::int64_t held = 0;
  while (last < n && (last == first || held + last + 1 <= cells)) held += ++last;
  return {first, last};
}

}  // namespace yupana
