// The symmetric closure of a matrix that is spread over ranks.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/rank_tiles.hpp"
#include "yupana/graph/rank_tiles_cuda.hpp"
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
        stage_(stage),
        tiles_(tiles),
        most_rows_(tiles.my_rows({0, tiles.tiles()}).size() * edge),
        most_columns_(tiles.my_columns({0, tiles.tiles()}).size() * edge),
        min_plus_(context, stage, cpu::Signs::nonnegative, std::max(leaf_edge, most_rows_)),
        left_(panel_depth * most_rows_),
        right_(panel_depth * most_columns_) {
#ifdef YUPANA_CUDA
    if (context.backend() == Backend::cuda && tiles.size() > leaf_edge) {
      device_ =
          cuda::tile_products(context, tiles.memory(), panel_depth, most_rows_, most_columns_);
    }
#endif
  }

  void close_all() {
    close({0, tiles_.size()});
    if (device_ == nullptr) return;
    device_->mark();
    for (const MatrixView<T>& group : tiles_.memory()) device_->fetch(group);
    device_->settle();
  }

 private:
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

  using Wanted = typename RankTiles<T>::Wanted;
  using WantedTwo = typename RankTiles<T>::WantedTwo;

  /// (rows, columns) += (rows, steps) + (steps, columns), as this rank sees it: its own tiles, and
  /// the panels of one stretch of steps for them.
  struct Product {
    Range rows, steps, columns;
    DealtTiles down, across;
    MatrixView<T> left, right;
    /// Of a square on the diagonal the upper triangle at least is worked out.
    bool upper() const { return rows.begin == columns.begin; }
  };
  /// Tiles of rows x columns.
  struct Area {
    Range rows, columns;
  };

  // body(block, tile columns before it) for the tiles down x across that are stored, at most
  // `widest` tile columns at once.
  template <class Body>
  void each_block(const DealtTiles& down,
                  const DealtTiles& across,
                  std::int64_t widest,
                  const Body& body) {
    for (std::int64_t at = 0, width = 0; at < across.size(); at += width) {
      DealtTiles strip = across;
      strip.range.begin = across.at(at);
      width = std::min(tiles_.side_by_side(strip), widest);
      strip.range.end = strip.at(width - 1) + 1;
      DealtTiles above = down;  // the diagonal's last column of the strip
      above.range.end = std::min(down.range.end, strip.range.end);
      const MatrixView<T> block = tiles_.block(above, strip);
      if (block.rows > 0) body(block, at);
    }
  }

  // The host's copy of an area is made that of the GPUs, all products so far in it if `all`.
  void refresh(const Area& area, bool all) {
    if (device_ == nullptr) return;
    if (all) device_->mark();
    each_block(tiles_.my_rows(area.rows),
               tiles_.my_columns(area.columns),
               tiles_.tiles(),
               [&](MatrixView<T> block, auto) { device_->fetch(block); });
    device_->settle();
  }

  // Halves are whole tiles but for the last.
  static Range tiles_of(Range v) { return {v.begin / edge, divide_up(v.end, edge)}; }

  void close_leaf(Range v) {
    const Range tiles = tiles_of(v);
    Matrix<T> square(tiles.size() * edge, tiles.size() * edge);
    refresh({tiles, tiles}, true);
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
    if (device_ == nullptr) return;
    each_block(rows, tiles_.my_columns(tiles), tiles.size(), [&](MatrixView<T> block, auto) {
      device_->store(block);
    });
    device_->settle();
  }

  // (rows, columns) = min of itself and (rows, steps) + (steps, columns). Panels are copies of
  // before their step. The next ones travel while the last are multiplied; where they are cells of
  // the product itself, these are worked out first.
  void product(Range rows, Range steps, Range columns) {
    Product p = {rows, steps, columns, {}, {}, {}, {}};
    p.down = tiles_.my_rows(tiles_of(rows));
    p.across = tiles_.my_columns(tiles_of(columns));
    Range k = panel_at(steps, steps.begin);
    Coming coming = ask_panels(p, k, true);
    for (;;) {
      const std::int64_t depth = tiles_of(k).size() * edge;
      const std::int64_t height = p.down.size() * edge, width = p.across.size() * edge;
      p.left = {left_.data(), depth, height, height};
      p.right = {right_.data(), depth, width, width};
      tiles_.place(context_, std::move(coming), p.left, p.right);
      if (device_ != nullptr) device_->take_panels(p.left, p.right);
      if (k.end == steps.end) return multiply(p, p.down, p.across);
      k = panel_at(steps, k.end);
      const auto [down, across] = first_of(p, k);
      multiply(p, down, across);
      if (device_ != nullptr) device_->mark();
      const auto multiply_rest = [&] {
        for (const auto& [below, beside] : rest_of(p, down, across)) multiply(p, below, beside);
      };
      if (device_ != nullptr) multiply_rest();  // queued
      coming = ask_panels(p, k, false);
      if (device_ == nullptr) multiply_rest();
    }
  }

  static Range panel_at(Range steps, std::int64_t begin) {
    return {begin, std::min(steps.end, begin + panel_depth)};
  }

  using Coming = typename RankTiles<T>::Coming;
  // `all`: whatever is queued must be done first.
  Coming ask_panels(const Product& p, Range k, bool all) {
    const Range steps = tiles_of(k);
    if (device_ != nullptr && all) device_->mark();
    for (const Range side : {tiles_of(p.rows), tiles_of(p.columns)}) {
      // Stored is what lies above the diagonal: either side of the steps.
      refresh({{side.begin, std::min(side.end, steps.end)}, steps}, false);
      refresh({steps, {std::max(side.begin, steps.begin), side.end}}, false);
    }
    const RankGrid grid = tiles_.grid();
    return tiles_.ask(context_, [&, grid](int rank) -> WantedTwo {
      const DealtTiles down = {tiles_of(p.rows), rank / grid.columns, grid.rows};
      const DealtTiles across = {tiles_of(p.columns), rank % grid.columns, grid.columns};
      return {Wanted{{steps}, down}, Wanted{{steps}, across}};
    });
  }

  using Part = std::pair<DealtTiles, DealtTiles>;
  static DealtTiles within(DealtTiles tiles, Range range) {
    tiles.range = range;
    return tiles;
  }

  // What the panels of the steps k take from the product itself; nothing where they are of others.
  Part first_of(const Product& p, Range k) const {
    if (p.rows.begin == p.steps.begin) return {within(p.down, tiles_of(k)), p.across};
    if (p.columns.begin == p.steps.begin) return {p.down, within(p.across, tiles_of(k))};
    return {within(p.down, {}), within(p.across, {})};
  }

  std::array<Part, 2> rest_of(const Product& p,
                              const DealtTiles& down,
                              const DealtTiles& across) const {
    const auto before = [](const DealtTiles& all, const DealtTiles& part) {
      return within(all, {all.range.begin, part.range.begin});
    };
    const auto behind = [](const DealtTiles& all, const DealtTiles& part) {
      return within(all, {part.range.end, all.range.end});
    };
    if (p.rows.begin == p.steps.begin) {
      return {Part{before(p.down, down), p.across}, Part{behind(p.down, down), p.across}};
    }
    if (p.columns.begin == p.steps.begin) {
      return {Part{p.down, before(p.across, across)}, Part{p.down, behind(p.across, across)}};
    }
    return {Part{p.down, p.across}, Part{within(p.down, {}), p.across}};
  }

  // The tiles down x across of the product.
  void multiply(const Product& p, const DealtTiles& down, const DealtTiles& across) {
    if (down.size() == 0 || across.size() == 0) return;
    const std::int64_t top = (down.first() - p.down.first()) / down.parts;
    const std::int64_t begin = (across.first() - p.across.first()) / across.parts;
    const std::int64_t widest = p.upper() ? strip_tiles : across.size();
    each_block(down, across, widest, [&](MatrixView<T> c, std::int64_t at) {
      if (device_ != nullptr) {
        device_->multiply(c, top * edge, (begin + at) * edge);
        return stage_.advance(static_cast<double>(c.rows * c.cols) *
                              static_cast<double>(p.left.rows));
      }
      const MatrixView<T> left = {p.left.data + top * edge, p.left.rows, c.rows, p.left.stride};
      const MatrixView<T> right = {
          p.right.data + (begin + at) * edge, p.right.rows, c.cols, p.right.stride};
      min_plus_.product({left, cpu::Layout::transposed}, {right}, c);
    });
  }

  Context& context_;
  Stage& stage_;
  RankTiles<T>& tiles_;
  std::int64_t most_rows_;
  std::int64_t most_columns_;
  cpu::MinPlus<T> min_plus_;
  Array<T> left_;
  Array<T> right_;
  std::unique_ptr<cuda::TileProducts<T>> device_;  ///< null where CPUs multiply
};

}  // namespace

template <class T>
void close_tiles(Context& context, RankTiles<T>& weights) {
  const auto n = static_cast<double>(weights.size());
  Stage stage(context, "shortest paths", n * n * n / 2 / weights.comm().size(), "add+min");
  if (weights.size() > 0) Closure<T>(context, stage, weights).close_all();
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

YUPANA_FUNCTIONS(YUPANA_DISTANCES, close_tiles)

}  // namespace yupana::graph
