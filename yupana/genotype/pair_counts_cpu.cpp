// Pair counts on the CPU, cut like a matrix product: tiles of the lower triangle and ranges of
// sites are tasks; a task copies its columns, `depth` chunks at a time, into a panel that stays in
// the L2 cache, and lets each group of rows, in the L1 cache, run against it.

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/pair_counts_kernels.hpp"

namespace yupana::genotype::cpu {
namespace {

constexpr std::int64_t band = 8;  ///< tile rows whose planes stay in cache while columns pass by

/// How one block is cut into tasks: tiles x ranges of chunks.
struct Plan {
  KernelShape shape;
  bool pairwise;  ///< count shared sites
  bool het;       ///< and heterozygous ones
  int planes;     ///< of a panel
  Range rows;
  std::int64_t tiles;         ///< of the triangle up to rows.end
  std::int64_t first_tile;    ///< earlier ones lie above the rows
  std::int64_t range_chunks;  ///< chunks of a task
  std::int64_t ranges;
};

Plan make_plan(int threads, const PlaneBlock& block, const PairCounts& counts) {
  Plan plan{};
  plan.shape = kernel_shape();
  plan.pairwise = !counts.shared.empty();
  plan.het = !counts.hethet.empty();
  plan.planes = plan.pairwise ? 3 : 2;
  plan.rows = counts.rows;
  const std::int64_t edge = plan.shape.tile, depth = plan.shape.depth;
  plan.tiles = triangle_tiles(plan.rows.end, edge);
  plan.first_tile = triangle_cells(plan.rows.begin / edge / band * band);
  // Few tiles: the sites are split too, so that every thread has several tasks. A task's totals
  // are 32-bit words, so it takes less than 2^32 sites.
  constexpr std::int64_t tasks_per_thread = 8;
  constexpr std::int64_t most = (std::int64_t{1} << 31) / chunk_sites;
  const std::int64_t tiles = std::max<std::int64_t>(plan.tiles - plan.first_tile, 1);
  const std::int64_t wanted = threads > 1 ? divide_up(threads * tasks_per_thread, tiles) : 1;
  const std::int64_t panels = divide_up(block.chunks, depth);
  plan.range_chunks =
      std::min(divide_up(panels, std::min(wanted, panels)) * depth, most / depth * depth);
  plan.ranges = divide_up(block.chunks, plan.range_chunks);
  return plan;
}

/// Copies chunks of one row into a panel; plane 2 becomes ~p there, and zero where the block has no
/// missing call. Chunks past the end, up to a multiple of the kernel's step, are zero: they add
/// nothing to any count.
void copy_row(const Plan& plan,
              const PlaneBlock& block,
              std::int64_t sample,
              Range chunks,
              std::uint8_t* to) {
  const std::int64_t bytes = plan.planes * chunk_bytes;
  const std::uint8_t* from = block.chunk(sample, chunks.begin, 0);
  if (plan.planes == 2) {
    std::memcpy(to, from, static_cast<std::size_t>(chunks.size() * bytes));
  } else {
    for (std::int64_t k = 0; k < chunks.size(); ++k) {
      std::uint64_t words[24] = {};
      std::memcpy(words, from, static_cast<std::size_t>(block.planes * chunk_bytes));
      if (block.planes == 3) {
        for (int w = 16; w < 24; ++w) words[w] = ~words[w];
      }
      std::memcpy(to + k * bytes, words, sizeof(words));
      from += block.planes * chunk_bytes;
    }
  }
  const std::int64_t padded = round_up(chunks.size(), plan.shape.step);
  std::memset(
      to + chunks.size() * bytes, 0, static_cast<std::size_t>((padded - chunks.size()) * bytes));
}

/// What a task holds: panels and 32-bit totals of a tile. Kept from task to task by a thread.
struct Buffers {
  Array<std::uint8_t> columns, rows;
  Array<std::uint32_t> totals[2];  ///< of the first pass, of the het pass

  explicit Buffers(const Plan& plan) {
    const KernelShape& s = plan.shape;
    const std::int64_t pitch = s.depth * plan.planes * chunk_bytes;
    columns = Array<std::uint8_t>(pitch * (s.tile + s.rows));
    rows = Array<std::uint8_t>(pitch * s.rows);
    totals[0] = Array<std::uint32_t>(2 * (plan.pairwise ? 2 : 1) * s.tile * s.tile);
    if (plan.het) totals[1] = Array<std::uint32_t>(2 * s.tile * s.tile);
  }
};

/// One task: the pairs of a tile over a range of chunks.
class TileTask {
 public:
  TileTask(const Plan& plan, const PlaneBlock& block, Tile tile, Range chunks, Buffers& buffers)
      : plan_(plan), block_(block), chunks_(chunks), buffers_(buffers) {
    const std::int64_t edge = plan.shape.tile;
    rows_ = {std::max(tile.row * edge, plan.rows.begin),
             std::min((tile.row + 1) * edge, plan.rows.end)};
    columns_ = {tile.column * edge, std::min((tile.column + 1) * edge, plan.rows.end)};
    diagonal_ = tile.row == tile.column;
  }

  bool empty() const { return rows_.size() <= 0; }
  double work() const {
    const std::int64_t pairs = diagonal_ ? triangle_cells(rows_.end - columns_.begin) -
                                               triangle_cells(rows_.begin - columns_.begin)
                                         : rows_.size() * columns_.size();
    return static_cast<double>(pairs) * static_cast<double>(sites());
  }

  void count(Context& context) {
    for (Array<std::uint32_t>& totals : buffers_.totals) {
      if (!totals.empty()) std::memset(totals.data(), 0, totals.bytes());
    }
    for (std::int64_t k = chunks_.begin; k < chunks_.end; k += plan_.shape.depth) {
      context.check_cancelled();
      count_panel({k, std::min(k + plan_.shape.depth, chunks_.end)});
    }
  }

  void add_to_counts(PairCounts& counts) const;

 private:
  std::int64_t sites() const {
    return std::min(chunks_.end * chunk_sites, block_.sites) - chunks_.begin * chunk_sites;
  }
  std::int64_t pitch() const { return plan_.shape.depth * plan_.planes * chunk_bytes; }
  void count_panel(Range chunks);
  void add_sample_sums(Range chunks);
  std::uint64_t total(int pass, std::int64_t row, std::int64_t column, int word) const;

  const Plan& plan_;
  const PlaneBlock& block_;
  Range chunks_;
  Buffers& buffers_;
  Range rows_, columns_;
  bool diagonal_ = false;
  std::vector<SampleSums> sums_;  ///< of the rows, in a tile on the diagonal
};

void TileTask::count_panel(Range chunks) {
  const KernelShape& s = plan_.shape;
  for (std::int64_t j = columns_.begin; j < columns_.end; ++j) {
    copy_row(plan_, block_, j, chunks, buffers_.columns.data() + (j - columns_.begin) * pitch());
  }
  if (diagonal_) add_sample_sums(chunks);
  RowsCall call{};
  call.column_panel = buffers_.columns.data();
  call.chunks = round_up(chunks.size(), s.step);
  for (std::int64_t i = rows_.begin; i < rows_.end; i += s.rows) {
    const std::int64_t last = std::min(i + s.rows, rows_.end);
    call.row_panel = buffers_.rows.data();
    if (diagonal_) {
      call.row_panel = buffers_.columns.data() + (i - columns_.begin) * pitch();
    } else {
      for (std::int64_t r = i; r < last; ++r) {
        copy_row(plan_, block_, r, chunks, buffers_.rows.data() + (r - i) * pitch());
      }
    }
    // On the diagonal columns past the group's last row are left out. Rows and columns that fill
    // up a register block hold old bytes; nobody reads their totals.
    const std::int64_t end = diagonal_ ? last : columns_.end;
    call.columns = round_up(end - columns_.begin, s.columns);
    const std::int64_t group = (i - rows_.begin) * s.tile * 2;
    call.totals = buffers_.totals[0].data() + group * (plan_.pairwise ? 2 : 1);
    count_rows(plan_.pairwise ? PassKind::pairwise : PassKind::complete, call);
    if (plan_.het) {
      call.totals = buffers_.totals[1].data() + group;
      count_rows(PassKind::het, call);
    }
  }
}

void TileTask::add_sample_sums(Range chunks) {
  sums_.resize(static_cast<std::size_t>(rows_.size()));
  for (std::int64_t i = rows_.begin; i < rows_.end; ++i) {
    const std::uint8_t* const row = buffers_.columns.data() + (i - columns_.begin) * pitch();
    const SampleSums sum = sum_sample(row, chunks.size(), plan_.planes);
    for (int plane = 0; plane < 3; ++plane) {
      sums_[static_cast<std::size_t>(i - rows_.begin)].planes[plane] += sum.planes[plane];
    }
  }
}

/// The two 32-bit counts of a word of a pair; row and column count from the tile's corner.
std::uint64_t TileTask::total(int pass, std::int64_t row, std::int64_t column, int word) const {
  const KernelShape& s = plan_.shape;
  const std::int64_t words = pass == 0 && plan_.pairwise ? 2 : 1, pairs = s.rows * s.columns;
  const std::int64_t block = row / s.rows * (s.tile / s.columns) + column / s.columns;
  const std::int64_t pair = row % s.rows * s.columns + column % s.columns;
  std::uint64_t both;
  std::memcpy(&both,
              buffers_.totals[pass].data() + ((block * words + word) * pairs + pair) * 2,
              sizeof(both));
  return both;
}

void TileTask::add_to_counts(PairCounts& counts) const {
  constexpr std::uint64_t low = 0xffffffff;
  // Bits of the range's chunks: ~p is set past the last site, in ~q and g alike.
  const auto bits = static_cast<std::uint64_t>(chunks_.size() * chunk_sites);
  for (std::int64_t i = rows_.begin; i < rows_.end; ++i) {
    const std::int64_t row = i - rows_.begin;
    for (std::int64_t j = columns_.begin; j < std::min(columns_.end, i + 1); ++j) {
      const std::int64_t cell = counts.ibs1.offset(i) + j, column = j - columns_.begin;
      const std::uint64_t first = total(0, row, column, 0);
      const std::uint64_t unshared = plan_.pairwise ? total(0, row, column, 1) : 0;
      add_to(counts.ibs1, cell, (first & low) - unshared);
      add_to(counts.ibs0, cell, first >> 32);
      if (plan_.pairwise) {
        const auto shared = block_.planes == 3 ? bits : static_cast<std::uint64_t>(sites());
        add_to(counts.shared, cell, shared - unshared);
      }
      if (plan_.het) {
        const std::uint64_t het = total(1, row, column, 0);
        add_to(counts.hethet, cell, het & low);
        add_to(counts.het, cell, het >> 32);
      }
    }
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const auto sample = static_cast<std::size_t>(rows_.begin) + i;
    const auto& [u, w, np] = sums_[i].planes;
    counts.called[sample] += (block_.planes == 3 ? bits : static_cast<std::uint64_t>(sites())) - np;
    counts.heterozygous[sample] += w;
    counts.homozygous[sample] += u - w;
  }
}

/// Sums of samples that are no row of the band.
void add_other_samples(Context& context, const PlaneBlock& block, PairCounts& counts) {
  context.parallel_for(block.samples, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i >= counts.rows.begin && i < counts.rows.end) continue;
      context.check_cancelled();
      const SampleSums sums = sum_sample(block.row(i), block.chunks, block.planes);
      const auto sample = static_cast<std::size_t>(i);
      counts.called[sample] +=
          block.planes == 3 ? sums.planes[2] : static_cast<std::uint64_t>(block.sites);
      counts.heterozygous[sample] += sums.planes[1];
      counts.homozygous[sample] += sums.planes[0] - sums.planes[1];
    }
  });
}

}  // namespace

void add_pairs(Context& context, const PlaneBlock& block, PairCounts& counts, Stage* stage) {
  const Plan plan = make_plan(context.threads(), block, counts);
  if (counts.rows.size() < block.samples) add_other_samples(context, block, counts);
  const std::int64_t side = divide_up(plan.rows.end, plan.shape.tile);
  std::array<std::mutex, 64> locks;  // tasks of one tile share a lock
  tbb::enumerable_thread_specific<Buffers> buffers([&] { return Buffers(plan); });
  const std::int64_t tiles = plan.tiles - plan.first_tile;
  context.parallel_for(tiles * plan.ranges, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t tile = plan.first_tile + task / plan.ranges;
      const std::int64_t from = task % plan.ranges * plan.range_chunks;
      const Range chunks = {from, std::min(from + plan.range_chunks, block.chunks)};
      TileTask work(plan, block, triangle_tile(tile, side, band), chunks, buffers.local());
      if (work.empty()) continue;
      work.count(context);
      {
        const std::lock_guard lock(locks[static_cast<std::size_t>(tile) % locks.size()]);
        work.add_to_counts(counts);
      }
      if (stage != nullptr) stage->advance(work.work());
    }
  });
}

}  // namespace yupana::genotype::cpu
