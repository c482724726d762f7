// The symmetric closure of a matrix that is spread over ranks.
#include <algorithm>
#include <cstring>

#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/rank_tiles.hpp"
#include "yupana/graph/symmetric_cpu.hpp"

namespace yupana::graph {
namespace {

// Steps of k between two exchanges: one panel of cpu::MinPlus, whose in-place products would give
// floats other last bits with other panels.
constexpr std::int64_t panel_depth = cpu::min_plus_panel;
// Sub-matrices up to here are closed by every rank for itself: n / 1024 of them cost 1024^2 n / 2.
constexpr std::int64_t leaf_edge = 1024;
// Tile columns of a product above the diagonal that are worked at once; half of them in vain.
constexpr std::int64_t strip_tiles = 8;

template <class T>
class Closure {
 public:
  static constexpr std::int64_t edge = RankTiles<T>::edge;

  Closure(Context& context, Stage& stage, RankTiles<T>& tiles)
      : context_(context),
        tiles_(tiles),
        most_rows_(tiles.my_rows({0, tiles.tiles()}).size() * edge),
        most_columns_(tiles.my_columns({0, tiles.tiles()}).size() * edge),
        min_plus_(context, stage, cpu::Signs::nonnegative, std::max(leaf_edge, most_rows_)),
        left_(panel_depth * most_rows_),
        right_(panel_depth * most_columns_) {}

  // The recursion of cpu::close_symmetric.
  void close(Range v) {
    if (v.size() <= leaf_edge) return close_leaf(v);
    const Range first = {v.begin, v.begin + cpu::halfway(v.size())};
    const Range second = {first.end, v.end};
    close(first);
    product(first, first, second);
    product(second, first, second);
    close(second);
    product(first, second, second);
    product(first, second, first);
  }

 private:
  using Wanted = typename RankTiles<T>::Wanted;

  // Halves are whole tiles but for the last.
  static Range tiles_of(Range v) { return {v.begin / edge, divide_up(v.end, edge)}; }

  void close_leaf(Range v) {
    const Range tiles = tiles_of(v);
    Matrix<T> square(tiles.size() * edge, tiles.size() * edge);
    tiles_.fetch(
        context_,
        [&](int) -> Wanted {
          return {{tiles}, {tiles}};
        },
        square.view());
    cpu::close_symmetric(min_plus_, {square.data(), v.size(), v.size(), square.cols()});
    const DealtTiles rows = tiles_.my_rows(tiles);
    for (std::int64_t r = 0; r < rows.size(); ++r) {
      const std::int64_t a = rows.at(r);
      const DealtTiles columns = tiles_.my_columns({a, tiles.end});
      for (std::int64_t c = 0; c < columns.size(); ++c) {
        const std::int64_t b = columns.at(c);
        const MatrixView<T> to = tiles_.tile(a, b);
        for (std::int64_t i = 0; i < edge; ++i) {
          const T* const from = square.row((a - tiles.begin) * edge + i);
          std::copy_n(from + (b - tiles.begin) * edge, edge, to.row(i));
        }
      }
    }
  }

  // (rows, columns) = min of itself and (rows, steps) + (steps, columns); of a square on the
  // diagonal, rows = columns, the upper triangle at least. Panels are copies of before the step.
  void product(Range rows, Range steps, Range columns) {
    const DealtTiles mine_down = tiles_.my_rows(tiles_of(rows));
    const DealtTiles mine_across = tiles_.my_columns(tiles_of(columns));
    for (Range k{steps.begin, steps.begin}; k.begin < steps.end; k.begin = k.end) {
      k.end = std::min(steps.end, k.begin + panel_depth);
      const RankGrid grid = tiles_.grid();
      const MatrixView<T> left = panel(left_, k, mine_down, [&](int rank) -> DealtTiles {
        return {tiles_of(rows), rank / grid.columns, grid.rows};
      });
      const MatrixView<T> right = panel(right_, k, mine_across, [&](int rank) -> DealtTiles {
        return {tiles_of(columns), rank % grid.columns, grid.columns};
      });
      multiply(mine_down, mine_across, rows.begin == columns.begin, left, right);
    }
  }

  void multiply(const DealtTiles& down,
                const DealtTiles& across,
                bool upper,
                MatrixView<T> left,
                MatrixView<T> right) {
    for (std::int64_t at = 0, width = 0; at < across.size(); at += width) {
      DealtTiles strip = across;
      strip.range.begin = across.at(at);
      width = std::min(tiles_.side_by_side(strip), upper ? strip_tiles : across.size());
      strip.range.end = strip.at(width - 1) + 1;
      DealtTiles above = down;
      if (upper) above.range.end = std::min(down.range.end, strip.range.end);
      const MatrixView<T> c = tiles_.block(above, strip);
      if (c.rows == 0) continue;
      min_plus_.product({{left.data, left.rows, c.rows, left.stride}, cpu::Layout::transposed},
                        {{right.data + at * edge, right.rows, c.cols, right.stride}},
                        c);
    }
  }

  // Steps x tiles of this rank, and of every other what `theirs` says.
  template <class Theirs>
  MatrixView<T> panel(Array<T>& memory, Range steps, const DealtTiles& mine, const Theirs& theirs) {
    const Range depth = tiles_of(steps);
    const std::int64_t width = mine.size() * edge;
    const MatrixView<T> whole = {memory.data(), depth.size() * edge, width, width};
    tiles_.fetch(
        context_,
        [&](int rank) -> Wanted {
          return {{depth}, theirs(rank)};
        },
        whole);
    return whole;
  }

  Context& context_;
  RankTiles<T>& tiles_;
  std::int64_t most_rows_;
  std::int64_t most_columns_;
  cpu::MinPlus<T> min_plus_;
  Array<T> left_;
  Array<T> right_;
};

}  // namespace

template <class T>
void close_tiles(Context& context, RankTiles<T>& weights) {
  const auto n = static_cast<double>(weights.size());
  Stage stage(context, "shortest paths", n * n * n / 2 / weights.comm().size(), "add+min");
  if (weights.size() > 0) Closure<T>(context, stage, weights).close({0, weights.size()});
}

std::uint64_t closure_bytes(std::int64_t n, int ranks, std::int64_t value_bytes) {
  constexpr std::int64_t edge = RankTiles<float>::edge;
  const RankGrid grid = RankGrid::of(ranks);
  const std::int64_t tiles = divide_up(n, edge);
  const std::int64_t rows = divide_up(tiles, grid.rows) * edge;
  const std::int64_t columns = divide_up(tiles, grid.columns) * edge;
  // Packed operands, the panels, and as much again of the larger one as messages, there and back.
  const std::int64_t values =
      2 * std::max(leaf_edge, rows) + rows + columns + 4 * std::max(rows, columns);
  return static_cast<std::uint64_t>(values * panel_depth * value_bytes);
}

template void close_tiles(Context&, RankTiles<std::int32_t>&);
template void close_tiles(Context&, RankTiles<float>&);
template void close_tiles(Context&, RankTiles<double>&);

}  // namespace yupana::graph
