// The store of a distributed matrix, and its closure.
#include "yupana/graph/distributed_closure.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure.hpp"
#include "yupana/graph/distributed_closure_cuda.hpp"
#include "yupana/graph/host_blocks.hpp"

namespace yupana::graph {
namespace {

// Steps of k between two exchanges: one panel of cpu::MinPlus, whose in-place products would give
// floats other last bits with other panels.
constexpr std::int64_t panel_depth = cpu::min_plus_panel;
// Tile columns of a product above the diagonal that are worked at once; half of them in vain.
constexpr std::int64_t strip_tiles = 8;

/// The store of a distributed matrix, for the schedule of closure.hpp.
template <class T>
class DistributedBlocks {
 public:
  static constexpr std::int64_t tile_size = DistributedSymmetricMatrix<T>::tile_size;
  /// Every rank closes these blocks for itself: n / 1024 of them cost 1024^2 n / 2.
  static constexpr std::int64_t block_size = 1024;
  static_assert(tile_size == block_alignment);

  DistributedBlocks(Context& context, Stage& stage, DistributedSymmetricMatrix<T>& tiles)
      : context_(context),
        stage_(stage),
        tiles_(tiles),
        max_rows_(tiles.own_rows({0, tiles.tiles()}).size() * tile_size),
        max_columns_(tiles.own_columns({0, tiles.tiles()}).size() * tile_size),
        min_plus_(context, stage, cpu::Signs::nonnegative, std::max(block_size, max_rows_)),
        left_(panel_depth * max_rows_),
        right_(panel_depth * max_columns_) {
#ifdef YUPANA_CUDA
    if (context.backend() == Backend::cuda && tiles.size() > block_size) {
      device_ = cuda::tile_products(context, tiles.memory(), panel_depth, max_rows_, max_columns_);
    }
#endif
  }

  bool symmetric() const { return true; }

  std::int64_t close_block(Range v) {
    const Range tiles = tiles_of(v);
    Matrix<T> square(tiles.size() * tile_size, tiles.size() * tile_size);
    download({tiles, tiles}, After::all_products);
    const auto request = [&](int) -> TileRequest { return {{tiles}, {tiles}}; };
    tiles_.gather(context_, request, square.view());
    const MatrixView<T> block = {square.data(), v.size(), v.size(), square.cols()};
    cpu::HostBlocks<T> on_host(min_plus_, block, cpu::Part::upper_triangle);
    close_blocks(on_host, {0, v.size()});
    replace_tiles(tiles, square);
    return -1;
  }

  // Panels are copies of before their step. The next ones are in flight while the last are
  // multiplied; where they are cells of the product itself, these are computed first.
  void product(Range rows, Range steps, Range columns) {
    Product p = {rows, steps, columns, {}, {}, {}, {}};
    p.down = tiles_.own_rows(tiles_of(rows));
    p.across = tiles_.own_columns(tiles_of(columns));
    Range k = panel_at(steps, steps.begin);
    PendingGather pending = start_panels(p, k, After::all_products);
    for (;;) {
      const std::int64_t depth = tiles_of(k).size() * tile_size;
      const std::int64_t height = p.down.size() * tile_size, width = p.across.size() * tile_size;
      p.left = {left_.data(), depth, height, height};
      p.right = {right_.data(), depth, width, width};
      tiles_.finish_gather(context_, std::move(pending), p.left, p.right);
      if (device_ != nullptr) device_->load_panels(p.left, p.right);
      if (k.end == steps.end) return multiply(p, p.down, p.across);
      k = panel_at(steps, k.end);
      const auto [down, across] = panel_cells(p, k);
      multiply(p, down, across);
      if (device_ != nullptr) device_->record();
      const auto multiply_rest = [&, rows = down, columns = across] {
        for (const auto& [below, beside] : other_cells(p, rows, columns))
          multiply(p, below, beside);
      };
      if (device_ != nullptr) multiply_rest();  // queued
      pending = start_panels(p, k, After::recorded);
      if (device_ == nullptr) multiply_rest();
    }
  }

  /// Brings every tile back to the host.
  void fetch() {
    if (device_ == nullptr) return;
    device_->record();
    for (const MatrixView<T>& group : tiles_.memory()) device_->fetch(group);
    device_->synchronize();
  }

 private:
  using TileRequest = typename DistributedSymmetricMatrix<T>::TileRequest;
  using PanelRequest = typename DistributedSymmetricMatrix<T>::PanelRequest;
  using PendingGather = typename DistributedSymmetricMatrix<T>::PendingGather;

  /// A product as this rank computes it: its own tiles, and the panels of some steps for them.
  struct Product {
    Range rows, steps, columns;
    CyclicTiles down, across;
    MatrixView<T> left, right;
    /// On the diagonal the upper triangle at least is computed.
    bool upper() const { return rows.begin == columns.begin; }
  };
  /// Tiles of rows x columns.
  struct Area {
    Range rows, columns;
  };
  /// The products that a copy from the GPUs waits for.
  enum class After { all_products, recorded };

  // Calls body(block, tile columns before it) for the tiles down x across that are stored, at most
  // `widest` tile columns at once.
  template <class Body>
  void for_each_block(const CyclicTiles& down,
                      const CyclicTiles& across,
                      std::int64_t widest,
                      const Body& body) {
    for (std::int64_t at = 0, width = 0; at < across.size(); at += width) {
      CyclicTiles strip = across;
      strip.range.begin = across.at(at);
      width = std::min(tiles_.contiguous(strip), widest);
      strip.range.end = strip.at(width - 1) + 1;
      CyclicTiles above = down;  // the diagonal's last column of the strip
      above.range.end = std::min(down.range.end, strip.range.end);
      const MatrixView<T> block = tiles_.block(above, strip);
      if (block.rows > 0) body(block, at);
    }
  }

  // Updates the host's copy of an area from the GPUs.
  void download(const Area& area, After after) {
    if (device_ == nullptr) return;
    if (after == After::all_products) device_->record();
    for_each_block(tiles_.own_rows(area.rows),
                   tiles_.own_columns(area.columns),
                   tiles_.tiles(),
                   [&](MatrixView<T> block, auto) { device_->fetch(block); });
    device_->synchronize();
  }

  // Halves are whole tiles but for the last.
  static Range tiles_of(Range v) { return {v.begin / tile_size, divide_up(v.end, tile_size)}; }

  // The tiles of a diagonal block become those of `square`, on the GPUs too.
  void replace_tiles(Range tiles, const Matrix<T>& square) {
    const CyclicTiles rows = tiles_.own_rows(tiles);
    for (std::int64_t r = 0; r < rows.size(); ++r) {
      const std::int64_t a = rows.at(r);
      const CyclicTiles columns = tiles_.own_columns({a, tiles.end});
      for (std::int64_t c = 0; c < columns.size(); ++c) {
        const std::int64_t b = columns.at(c);
        const MatrixView<T> to = tiles_.tile(a, b);
        for (std::int64_t i = 0; i < tile_size; ++i) {
          const T* const from = square.row((a - tiles.begin) * tile_size + i);
          std::copy_n(from + (b - tiles.begin) * tile_size, tile_size, to.row(i));
        }
      }
    }
    if (device_ == nullptr) return;
    for_each_block(rows, tiles_.own_columns(tiles), tiles.size(), [&](MatrixView<T> block, auto) {
      device_->store(block);
    });
    device_->synchronize();
  }

  static Range panel_at(Range steps, std::int64_t begin) {
    return {begin, std::min(steps.end, begin + panel_depth)};
  }

  PendingGather start_panels(const Product& p, Range k, After after) {
    const Range steps = tiles_of(k);
    if (device_ != nullptr && after == After::all_products) device_->record();
    for (const Range side : {tiles_of(p.rows), tiles_of(p.columns)}) {
      // Stored is what lies above the diagonal: either side of the steps.
      download({{side.begin, std::min(side.end, steps.end)}, steps}, After::recorded);
      download({steps, {std::max(side.begin, steps.begin), side.end}}, After::recorded);
    }
    const ProcessGrid grid = tiles_.grid();
    return tiles_.start_gather(context_, [&, grid](int rank) -> PanelRequest {
      const CyclicTiles down = {tiles_of(p.rows), rank / grid.columns, grid.rows};
      const CyclicTiles across = {tiles_of(p.columns), rank % grid.columns, grid.columns};
      return {TileRequest{{steps}, down}, TileRequest{{steps}, across}};
    });
  }

  using Cells = std::pair<CyclicTiles, CyclicTiles>;
  static CyclicTiles within(CyclicTiles tiles, Range range) {
    tiles.range = range;
    return tiles;
  }

  // The cells of the product that the panels of the steps k are; none where these are of others.
  Cells panel_cells(const Product& p, Range k) const {
    if (p.rows.begin == p.steps.begin) return {within(p.down, tiles_of(k)), p.across};
    if (p.columns.begin == p.steps.begin) return {p.down, within(p.across, tiles_of(k))};
    return {within(p.down, {}), within(p.across, {})};
  }

  std::array<Cells, 2> other_cells(const Product& p,
                                   const CyclicTiles& down,
                                   const CyclicTiles& across) const {
    const auto before = [](const CyclicTiles& all, const CyclicTiles& part) {
      return within(all, {all.range.begin, part.range.begin});
    };
    const auto after = [](const CyclicTiles& all, const CyclicTiles& part) {
      return within(all, {part.range.end, all.range.end});
    };
    if (p.rows.begin == p.steps.begin) {
      return {Cells{before(p.down, down), p.across}, Cells{after(p.down, down), p.across}};
    }
    if (p.columns.begin == p.steps.begin) {
      return {Cells{p.down, before(p.across, across)}, Cells{p.down, after(p.across, across)}};
    }
    return {Cells{p.down, p.across}, Cells{within(p.down, {}), p.across}};
  }

  // Computes the tiles down x across of the product.
  void multiply(const Product& p, const CyclicTiles& down, const CyclicTiles& across) {
    if (down.size() == 0 || across.size() == 0) return;
    const std::int64_t top = (down.first() - p.down.first()) / down.parts * tile_size;
    const std::int64_t begin = (across.first() - p.across.first()) / across.parts * tile_size;
    const std::int64_t widest = p.upper() ? strip_tiles : across.size();
    for_each_block(down, across, widest, [&](MatrixView<T> c, std::int64_t before) {
      const std::int64_t column = begin + before * tile_size;
      if (device_ != nullptr) {
        device_->multiply(c, top, column);
        return stage_.advance(static_cast<double>(c.rows * c.cols) *
                              static_cast<double>(p.left.rows));
      }
      const MatrixView<T> left = {p.left.data + top, p.left.rows, c.rows, p.left.stride};
      const MatrixView<T> right = {p.right.data + column, p.right.rows, c.cols, p.right.stride};
      min_plus_.product({left, cpu::Layout::transposed}, {right}, c);
    });
  }

  Context& context_;
  Stage& stage_;
  DistributedSymmetricMatrix<T>& tiles_;
  std::int64_t max_rows_;
  std::int64_t max_columns_;
  cpu::MinPlus<T> min_plus_;
  Array<T> left_;
  Array<T> right_;
  std::unique_ptr<cuda::TileProducts<T>> device_;  ///< null where CPUs multiply
};

}  // namespace

template <class T>
bool compute_closure(Context& context, DistributedSymmetricMatrix<T>& weights) {
  const auto n = static_cast<double>(weights.size());
  Stage stage(context, "shortest paths", n * n * n / 2 / weights.comm().size(), "add+min");
  if (weights.size() == 0) return false;
#ifdef YUPANA_CUDA
  if (cuda::close_on_gpus_of_ranks(context, stage, weights)) return true;
#endif
  DistributedBlocks<T> blocks(context, stage, weights);
  close_blocks(blocks, {0, weights.size()});
  blocks.fetch();
  return false;
}

std::uint64_t closure_bytes(std::int64_t n, int ranks, std::int64_t value_bytes) {
  constexpr std::int64_t tile_size = DistributedSymmetricMatrix<float>::tile_size;
  const ProcessGrid grid = ProcessGrid::of(ranks);
  const std::int64_t tiles = divide_up(n, tile_size);
  const std::int64_t rows = divide_up(tiles, grid.rows) * tile_size;
  const std::int64_t columns = divide_up(tiles, grid.columns) * tile_size;
  // Packed operands, the panels, and as much again of the larger one as messages, there and back.
  const std::int64_t values = 2 * std::max(DistributedBlocks<float>::block_size, rows) + rows +
                              columns + 4 * std::max(rows, columns);
  return static_cast<std::uint64_t>(values * panel_depth * value_bytes);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, compute_closure)

}  // namespace yupana::graph
