#include "yupana/analysis/unreachable.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

enum class RowFault { none, unreachable, invalid };

/// The worst thing in a row. Written without branches, in sixteen strands, so that it runs at the
/// speed of memory: a row is sound if its smallest entry is >= 0 and its largest is reachable, and
/// a NaN is not equal to itself.
template <class T>
RowFault row_fault(const T* row, std::int64_t n) {
  constexpr std::int64_t strands = 16;
  std::array<T, strands> low{}, high{};
  std::array<std::int32_t, strands> odd{};
  const auto look = [&](std::int64_t j, std::int64_t strand) {
    const std::size_t s = static_cast<std::size_t>(strand);
    const T value = row[j];
    low[s] = value < low[s] ? value : low[s];
    high[s] = value > high[s] ? value : high[s];
    odd[s] |= value != value;
  };
  std::int64_t j = 0;
  for (; j + strands <= n; j += strands) {
    for (std::int64_t s = 0; s < strands; ++s) look(j + s, s);
  }
  for (; j < n; ++j) look(j, j % strands);
  if (*std::max_element(odd.begin(), odd.end()) != 0) return RowFault::invalid;
  if (*std::min_element(low.begin(), low.end()) < T{}) return RowFault::invalid;
  const T largest = *std::max_element(high.begin(), high.end());
  return is_unreachable(largest) ? RowFault::unreachable : RowFault::none;
}

/// The first of `count` rows at fault, whichever thread finds one first; `count` if none is.
template <class Fault>
std::int64_t first_invalid(Context& context, std::int64_t count, const Fault& fault) {
  std::atomic<std::int64_t> invalid_row{count};
  context.parallel_for(count, 64, [&](std::int64_t i) {
    if (fault(i) != RowFault::invalid) return;
    std::int64_t first = invalid_row;
    while (i < first && !invalid_row.compare_exchange_weak(first, i)) {
    }
  });
  return invalid_row;
}

template <class T>
Error fault_in_row(MatrixView<const T> distances, std::string_view function, std::int64_t i) {
  const T* row = distances.row(i);
  std::int64_t j = 0;
  while (row[j] >= T{}) ++j;  // false for a NaN, too
  return input_error(
      "{0}: expected distances of 0 or more, got {3} at ({1}, {2}), counted from 0; remove or "
      "impute "
      "what makes it so",
      function,
      i,
      j,
      row[j]);
}

}  // namespace

template <class T>
void check_distances(Context& context,
                     MatrixView<const T> distances,
                     std::string_view function,
                     Unreachable unreachable) {
  if (distances.rows != distances.cols) {
    throw input_error(
        "{}: expected a square matrix, got {} x {}", function, distances.rows, distances.cols);
  }
  const std::int64_t n = distances.rows;
  std::atomic<bool> found_unreachable{false};
  const std::int64_t invalid_row = first_invalid(context, n, [&](std::int64_t i) {
    const RowFault fault = row_fault(distances.row(i), n);
    if (fault == RowFault::unreachable) found_unreachable = true;
    return fault;
  });
  if (invalid_row < n) throw fault_in_row(distances, function, invalid_row);
  if (unreachable == Unreachable::refused && found_unreachable) {
    std::int64_t cell = 0;
    while (!is_unreachable(distances(cell / n, cell % n))) ++cell;
    throw input_error(
        "{}: expected a distance between every two individuals, got none (infinite) in row {}, "
        "column {}, counted from 1; remove individuals without common sites, or make a Fermat "
        "matrix with a larger --knn",
        function,
        cell / n + 1,
        cell % n + 1);
  }
}

void check_pairs(Context& context, std::span<const double> distances, std::string_view function) {
  constexpr std::int64_t piece = 4096;
  const std::int64_t pieces = divide_up(std::ssize(distances), piece);
  const std::int64_t invalid = first_invalid(context, pieces, [&](std::int64_t i) {
    return row_fault(distances.data() + i * piece,
                     std::min(piece, std::ssize(distances) - i * piece));
  });
  if (invalid == pieces) return;
  auto pair = static_cast<std::size_t>(invalid * piece);
  while (distances[pair] >= 0) ++pair;  // false for a NaN, too
  throw input_error(
      "{}: expected distances of 0 or more, got {} at {} of the pairs; remove or impute what makes "
      "it so",
      function,
      distances[pair],
      pair);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, check_distances)

}  // namespace yupana::analysis
