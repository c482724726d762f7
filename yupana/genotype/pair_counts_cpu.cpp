// Pair counts on the CPU, cut like a matrix product: tiles of the lower triangle and ranges of
// sites are tasks. A task goes through its tile in strips of columns; it copies a strip, `depth`
// chunks at a time, into a panel that stays in the L2 cache, and lets each group of rows, in the L1
// cache, run against it.

#include <algorithm>
#include <array>
#include <atomic>
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
  std::int64_t edge;          ///< rows and columns of a tile, a multiple of the strips' columns
  std::int64_t tiles;         ///< of the triangle up to rows.end
  std::int64_t first_tile;    ///< earlier ones are above the rows
  std::int64_t range_chunks;  ///< chunks of a task
  std::int64_t ranges;
};

Plan make_plan(int threads, Range rows, std::int64_t block_chunks, bool pairwise, bool het) {
  Plan plan{};
  plan.shape = kernel_shape();
  plan.pairwise = pairwise;
  plan.het = het;
  plan.planes = plan.pairwise ? 3 : 2;
  plan.rows = rows;
  // Rows share the cost of copying a strip: tall tiles if enough of them remain for all
  // threads. (One core, n = 4,096: copying takes 6 % of the time with 128 rows, 2 % with 512.)
  constexpr std::int64_t tasks_per_thread = 8;
  const std::int64_t depth = plan.shape.depth,
                     min_tasks = threads > 1 ? threads * tasks_per_thread : 1;
  const std::int64_t cells = triangle_cells(plan.rows.end) - triangle_cells(plan.rows.begin);
  plan.edge = 4 * plan.shape.strip;
  while (plan.edge > plan.shape.strip && cells / (plan.edge * plan.edge) < min_tasks)
    plan.edge /= 2;
  plan.tiles = triangle_tiles(plan.rows.end, plan.edge);
  plan.first_tile = triangle_cells(plan.rows.begin / plan.edge / band * band);
  // Few tiles: the sites are split too, so that every thread has several tasks. A task's totals
  // are 32-bit words, so it takes less than 2^32 sites.
  constexpr std::int64_t most = (std::int64_t{1} << 31) / chunk_sites;
  const std::int64_t tiles = std::max<std::int64_t>(plan.tiles - plan.first_tile, 1);
  const std::int64_t pieces = divide_up(min_tasks, tiles);
  const std::int64_t panels = divide_up(block_chunks, depth);
  plan.range_chunks =
      std::min(divide_up(panels, std::min(pieces, panels)) * depth, most / depth * depth);
  plan.ranges = divide_up(block_chunks, plan.range_chunks);
  return plan;
}

/// Copies chunks of one row into a panel. Where the block has no missing call but the panel wants
/// plane p, p is made: every site is called. Chunks past the end, up to a multiple of the kernel's
/// step, are zero and add nothing to any count.
void copy_row(const Plan& plan,
              const PlaneBlock& block,
              std::int64_t sample,
              Range chunks,
              std::uint8_t* to) {
  const std::int64_t bytes = plan.planes * chunk_bytes;
  const std::uint8_t* const from = block.chunk(sample, chunks.begin, 0);
  if (plan.planes == block.planes) {
    std::memcpy(to, from, static_cast<std::size_t>(chunks.size() * bytes));
  } else {
    for (std::int64_t k = 0; k < chunks.size(); ++k) {
      std::memcpy(to + k * bytes, from + k * 2 * chunk_bytes, 2 * chunk_bytes);
      const std::int64_t left = block.sites - (chunks.begin + k) * chunk_sites;
      std::uint8_t* const called = to + k * bytes + 2 * chunk_bytes;
      for (std::int64_t byte = 0; byte < chunk_bytes; ++byte) {
        const std::int64_t bits = std::clamp<std::int64_t>(left - 8 * byte, 0, 8);
        called[byte] = static_cast<std::uint8_t>((1 << bits) - 1);
      }
    }
  }
  const std::int64_t padding = round_up(chunks.size(), plan.shape.step) - chunks.size();
  std::memset(to + chunks.size() * bytes, 0, static_cast<std::size_t>(padding * bytes));
}

void add_sample(
    PairCounts& counts, std::int64_t i, int planes, std::int64_t sites, const SampleSums& sums) {
  const auto sample = static_cast<std::size_t>(i);
  const auto& [u, w, p] = sums.planes;
  counts.called[sample] += planes == 3 ? p : static_cast<std::uint64_t>(sites);
  counts.heterozygous[sample] += w;
  counts.homozygous[sample] += u - w;
}

/// What a task holds: panels and 32-bit totals of a tile. Kept from task to task by a thread.
struct Buffers {
  Array<std::uint8_t> columns, rows;
  Array<std::uint32_t> totals[2];  ///< of the first pass, of the het pass

  explicit Buffers(const Plan& plan) {
    const KernelShape& s = plan.shape;
    const std::int64_t pitch = s.depth * plan.planes * chunk_bytes;
    columns = Array<std::uint8_t>(pitch * (s.strip + s.rows));
    rows = Array<std::uint8_t>(pitch * s.rows);
    totals[0] = Array<std::uint32_t>(2 * (plan.pairwise ? 2 : 1) * plan.edge * s.strip);
    if (plan.het) totals[1] = Array<std::uint32_t>(2 * plan.edge * s.strip);
  }
};

/// Bytes of Buffers that a block of so many chunks fills: of a row of the panel its chunks, in
/// whole pages.
std::uint64_t buffer_bytes(const Plan& plan, std::int64_t block_chunks) {
  constexpr std::int64_t page = 4096;
  const KernelShape& s = plan.shape;
  const std::int64_t chunk = plan.planes * chunk_bytes;
  const std::int64_t row = std::min(s.depth * chunk, block_chunks * chunk + page);
  const std::int64_t columns = std::min<std::int64_t>(s.strip, plan.rows.end) + 2 * s.rows;
  const std::int64_t words = (plan.pairwise ? 2 : 1) + (plan.het ? 1 : 0);
  return static_cast<std::uint64_t>(row * columns + 8 * words * plan.edge * s.strip);
}

/// The pairs of some rows and a strip of columns over a range of chunks. The rows are a part of the
/// strip (on the diagonal) or all come after it.
class StripTask {
 public:
  StripTask(const Plan& plan,
            const PlaneBlock& block,
            Range rows,
            Range columns,
            Range chunks,
            Buffers& buffers)
      : plan_(plan),
        block_(block),
        chunks_(chunks),
        buffers_(buffers),
        rows_(rows),
        columns_(columns),
        diagonal_(rows.begin < columns.end) {}

  /// Pairs, without those of a sample and itself, times sites.
  double work() const {
    const std::int64_t pairs = diagonal_
                                   ? triangle_cells(rows_.end - columns_.begin) -
                                         triangle_cells(rows_.begin - columns_.begin) - rows_.size()
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
  void place_rows(Range group, Range chunks, RowsCall& call);
  void add_sample_sums(Range chunks);
  template <class To>
  void for_each_total(int pass, std::int64_t i, std::int64_t first_cell, const To& to) const;

  const Plan& plan_;
  const PlaneBlock& block_;
  Range chunks_;
  Buffers& buffers_;
  Range rows_, columns_;
  bool diagonal_;
  std::vector<SampleSums> sums_;  ///< of the rows, on the diagonal
};

void StripTask::count_panel(Range chunks) {
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
    place_rows({i, last}, chunks, call);
    // On the diagonal columns past the group's last row are left out. Rows and columns that fill
    // up a register block hold old bytes; nobody reads their totals.
    const std::int64_t end = diagonal_ ? last : columns_.end;
    call.columns = round_up(end - columns_.begin, s.columns);
    const std::int64_t group = (i - rows_.begin) * s.strip * 2;
    call.totals = buffers_.totals[0].data() + group * (plan_.pairwise ? 2 : 1);
    count_rows(plan_.pairwise ? PassKind::pairwise : PassKind::complete, call);
    if (plan_.het) {
      call.totals = buffers_.totals[1].data() + group;
      count_rows(PassKind::het, call);
    }
  }
}

/// Rows of the diagonal are in the panel; others are read where they are if the kernel can: their
/// pieces are contiguous and few, so that the distance between them does no harm.
void StripTask::place_rows(Range group, Range chunks, RowsCall& call) {
  const KernelShape& s = plan_.shape;
  call.row_pitch = pitch();
  call.next_rows = nullptr;
  call.next_pitch = block_.stride;
  const bool same_layout = block_.planes == plan_.planes && group.size() == s.rows;
  if (diagonal_) {
    call.rows = buffers_.columns.data() + (group.begin - columns_.begin) * pitch();
    // Small cohorts are all diagonal: fetch what the next panel will be copied from.
    if (same_layout && chunks.end + s.depth <= chunks_.end) {
      call.next_rows = block_.chunk(group.begin, chunks.end, 0);
    }
  } else if (same_layout && chunks.size() == call.chunks) {
    call.rows = block_.chunk(group.begin, chunks.begin, 0);
    call.row_pitch = block_.stride;
    if (group.end + s.rows <= rows_.end) call.next_rows = call.rows + s.rows * block_.stride;
  } else {
    call.rows = buffers_.rows.data();
    for (std::int64_t r = group.begin; r < group.end; ++r) {
      copy_row(plan_, block_, r, chunks, buffers_.rows.data() + (r - group.begin) * pitch());
    }
  }
}

void StripTask::add_sample_sums(Range chunks) {
  sums_.resize(static_cast<std::size_t>(rows_.size()));
  for (std::int64_t i = rows_.begin; i < rows_.end; ++i) {
    const std::uint8_t* const row = buffers_.columns.data() + (i - columns_.begin) * pitch();
    const SampleSums sum = sum_sample(row, chunks.size(), plan_.planes);
    for (int plane = 0; plane < 3; ++plane) {
      sums_[static_cast<std::size_t>(i - rows_.begin)].planes[plane] += sum.planes[plane];
    }
  }
}

/// Adds a row's totals of one pass: `to` is called with each cell and its words of two counts.
template <class To>
void StripTask::for_each_total(int pass,
                               std::int64_t i,
                               std::int64_t first_cell,
                               const To& to) const {
  const KernelShape& s = plan_.shape;
  const std::int64_t row = i - rows_.begin, words = pass == 0 && plan_.pairwise ? 2 : 1;
  const std::int64_t word = 2 * s.rows * s.columns;  // counts from one word of a block to the next
  const std::uint32_t* from = buffers_.totals[pass].data() +
                              row / s.rows * (s.strip / s.columns) * words * word +
                              row % s.rows * s.columns * 2;
  const std::int64_t end = std::min(columns_.end, i + 1);
  for (std::int64_t j = columns_.begin; j < end; j += s.columns, from += words * word) {
    const std::int64_t count = std::min<std::int64_t>(s.columns, end - j);
    for (std::int64_t c = 0; c < count; ++c) to(first_cell + j + c, from + 2 * c, word);
  }
}

/// A triangle's words, at hand: stores to them could, for all the compiler knows, move them.
class Cells {
 public:
  explicit Cells(CountTriangle& triangle) : low_(triangle.low()), high_(triangle.high()) {}
  void add(std::int64_t cell, std::uint32_t count) const {
    const std::uint32_t sum = low_[cell] + count;
    if (high_ != nullptr) high_[cell] += sum < count;
    low_[cell] = sum;
  }

 private:
  std::uint32_t* const low_;
  std::uint32_t* const high_;
};

void StripTask::add_to_counts(PairCounts& counts) const {
  const Cells ibs1(counts.ibs1), ibs0(counts.ibs0), shared(counts.shared), hethet(counts.hethet);
  const Cells het(counts.het);
  using Totals = const std::uint32_t*;
  for (std::int64_t i = rows_.begin; i < rows_.end; ++i) {
    const std::int64_t cell = counts.ibs1.offset(i);
    if (plan_.pairwise) {
      for_each_total(0, i, cell, [&](std::int64_t at, Totals first, std::int64_t word) {
        ibs1.add(at, first[word] - first[0]);
        ibs0.add(at, first[1]);
        shared.add(at, first[word]);
      });
    } else {
      for_each_total(0, i, cell, [&](std::int64_t at, Totals first, std::int64_t) {
        ibs1.add(at, first[0]);
        ibs0.add(at, first[1]);
      });
    }
    if (plan_.het) {
      for_each_total(1, i, cell, [&](std::int64_t at, Totals first, std::int64_t) {
        hethet.add(at, first[0]);
        het.add(at, first[1]);
      });
    }
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    add_sample(counts, rows_.begin + static_cast<std::int64_t>(i), plan_.planes, sites(), sums_[i]);
  }
}

/// Calls body(rows, columns) for the strips of a tile; on the diagonal the rows of the strip itself
/// and those below it come one after the other.
template <class Body>
void for_each_strip(const Plan& plan, Tile tile, const Body& body) {
  const Range rows = {std::max(tile.row * plan.edge, plan.rows.begin),
                      std::min((tile.row + 1) * plan.edge, plan.rows.end)};
  const std::int64_t end = std::min((tile.column + 1) * plan.edge, plan.rows.end);
  for (std::int64_t j = tile.column * plan.edge; j < end; j += plan.shape.strip) {
    const Range columns = {j, std::min(j + plan.shape.strip, end)};
    const Range within = {std::max(rows.begin, columns.begin), std::min(rows.end, columns.end)};
    const Range below = {std::max(rows.begin, columns.end), rows.end};
    if (within.size() > 0) body(within, columns);
    if (below.size() > 0) body(below, columns);
  }
}

/// Sums of samples that are no row of the band.
void add_other_samples(Context& context, const PlaneBlock& block, PairCounts& counts) {
  context.parallel_for(block.samples, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i >= counts.rows.begin && i < counts.rows.end) continue;
      context.check_cancelled();
      const SampleSums sums = sum_sample(block.row(i), block.chunks, block.planes);
      add_sample(counts, i, block.planes, block.sites, sums);
    }
  });
}

}  // namespace

std::uint64_t thread_bytes(
    const Context& context, Range rows, std::int64_t sites, bool pairwise, bool het) {
  const std::int64_t chunks = divide_up(std::max<std::int64_t>(sites, 1), chunk_sites);
  return buffer_bytes(make_plan(context.threads(), rows, chunks, pairwise, het), chunks);
}

void add_pairs(
    Context& context, const PlaneBlock& block, PairCounts& counts, int threads, Stage* stage) {
  const Plan plan = make_plan(
      context.threads(), counts.rows, block.chunks, !counts.shared.empty(), !counts.hethet.empty());
  if (counts.rows.size() < block.samples) add_other_samples(context, block, counts);
  const std::int64_t side = divide_up(plan.rows.end, plan.edge);
  std::array<std::mutex, 64> locks;  // tasks of one tile share a lock
  const std::int64_t tasks = (plan.tiles - plan.first_tile) * plan.ranges;
  std::atomic<std::int64_t> next{0};
  // So many pieces go through the tasks, each with buffers of its own.
  context.parallel_for(std::min(threads, context.threads()), 1, [&](std::int64_t) {
    Buffers buffers(plan);
    for (std::int64_t task = next++; task < tasks; task = next++) {
      const std::int64_t tile = plan.first_tile + task / plan.ranges;
      const std::int64_t from = task % plan.ranges * plan.range_chunks;
      const Range chunks = {from, std::min(from + plan.range_chunks, block.chunks)};
      for_each_strip(plan, triangle_tile(tile, side, band), [&](Range rows, Range columns) {
        StripTask work(plan, block, rows, columns, chunks, buffers);
        work.count(context);
        {
          const std::lock_guard lock(locks[static_cast<std::size_t>(tile) % locks.size()]);
          work.add_to_counts(counts);
        }
        if (stage != nullptr) stage->advance(work.work());
      });
    }
  });
}

}  // namespace yupana::genotype::cpu
