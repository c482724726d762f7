#include <algorithm>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/level_cuda.hpp"
#include "yupana/forest/lists_cuda.hpp"
#include "yupana/forest/plan_cuda.hpp"
#include "yupana/forest/sample_rows_cuda.hpp"

namespace yupana::forest::cuda {
namespace {

// Places in lists are numbers of 32 bits, and one of them means nowhere.
constexpr std::int64_t most_entries = (std::int64_t{1} << 31) - 1;
// Trees that draw rows grow several at once, while their lists on all devices take no more than
// this: a few fill a device, and asking for memory and giving it back take 1 ms a GB, one device
// after the other, while the levels of a batch more take their time on all devices at once.
constexpr double most_list_bytes = 18.0 * (1 << 30);

std::int64_t own_rows(std::int64_t rows, const ForestSamples& draws, TreeRange range) {
  if (draws.sampling != Sampling::partition) return rows;
  return rows_of_parts(
      rows, draws.all_trees, draws.first_tree + range.first, draws.first_tree + range.last);
}

struct Need {
  double sorted = 0;  ///< bytes of the sorted features, and what sorting needs
  double labels = 0;
  double entry = 0;  ///< bytes of an entry (of all features) of a tree
  std::int64_t rows = 0;

  double of(std::int64_t entries) const {
    return sorted + labels + entry * static_cast<double>(entries);
  }
};

/// own: rows of the table that the device holds.
Need need_of(const TableShape& table,
             std::int64_t own,
             const Problem& problem,
             bool shares_memory) {
  const auto features = static_cast<double>(table.features), rows = static_cast<double>(own);
  const double channels = problem.classes > 2 ? problem.classes : 2;
  Need need;
  need.rows = own;
  // Beside what is sorted: keys, columns and the list of rows, or before what parts are drawn with.
  // The table's values are gone before there are lists, which take more.
  need.sorted = features * rows * (shares_memory ? 0 : 8) +
                std::max(rows * static_cast<double>(4 * table.value_size + 16),
                         static_cast<double>(table.rows) * 32);
  need.labels = rows * (problem.classes > 0 ? 4 : 24) + (problem.weights.empty() ? 0 : rows * 8) +
                (problem.criterion == Criterion::entropy ? rows * 8 : 0);
  // Two lists, a bit an entry, sums of tiles; node numbers and marks. Of two classes, up to 5 more
  // numbers a tile: the next level's sums, candidate tiles with and without missing values.
  need.entry = features * (16 + 0.125 + (channels + 1 + 5) * 8 / tile_size) + 5 + 4;
  // Of one feature at a time: runs of categories with their sums, entries that move.
  if (table.has_categories) need.entry += 44 + (problem.weights.empty() ? 0 : 8);
  return need;
}

void check_size(const Context& context, const Need& need, const TableShape& table) {
  const std::int64_t rows = need.rows;
  if (table.rows > most_entries) {
    throw resource_error("trees: a GPU takes at most 2^31 - 1 rows, got {}; use --device cpu",
                         table.rows);
  }
  if (need.of(rows) <= static_cast<double>(context.gpu_memory())) return;
  throw gpu_memory_error(fmt::format("a tree of {} rows and {} features", rows, table.features),
                         need.of(rows),
                         context.gpu_memory());
}

/// Trees that grow at once, as many in each batch where they are several.
std::int64_t batch_of(const Context& context,
                      const Need& need,
                      std::int64_t features,
                      Sampling sampling,
                      TreeRange range) {
  std::int64_t most = max_partition_trees;
  if (sampling != Sampling::partition) {
    const auto rows = static_cast<double>(need.rows);
    const double room = static_cast<double>(context.gpu_memory()) - need.of(0);
    const double lists = 16.0 * static_cast<double>(features) * rows;
    const double share = most_list_bytes / static_cast<double>(context.devices().size());
    const double fit = std::min({room / ((need.entry + 1) * rows),
                                 share / lists,
                                 static_cast<double>(most_entries) / rows});
    most = std::clamp<std::int64_t>(static_cast<std::int64_t>(fit), 1, 1024);
  }
  return divide_up(range.count(), divide_up(range.count(), most));
}

/// What to allocate at once, for all that trees need, of which `batch` grow at a time. 0 where it
/// is so much that what is left over might be missed.
std::uint64_t reserve_of(const Context& context,
                         const Need& need,
                         Sampling sampling,
                         std::int64_t batch) {
  const std::int64_t entries = sampling == Sampling::partition ? need.rows : batch * need.rows;
  const double wanted = need.of(entries) + static_cast<double>(entries);
  const double bytes = wanted * 1.0625 + (16 << 20);  // tables of nodes, gaps
  return bytes > static_cast<double>(context.gpu_memory()) / 2 ? 0
                                                               : static_cast<std::uint64_t>(bytes);
}

}  // namespace

DevicePlan plan_of(const Context& context,
                   const TableShape& table,
                   const Problem& problem,
                   const ForestSamples& draws,
                   TreeRange range) {
  DevicePlan plan;
  plan.range = range;
  plan.rows = own_rows(table.rows, draws, range);
  const Need need = need_of(table, plan.rows, problem, draws.grow_one_of_all());
  check_size(context, need, table);
  plan.batch = batch_of(context, need, table.features, draws.sampling, range);
  plan.reserve = reserve_of(context, need, draws.sampling, plan.batch);
  return plan;
}

}  // namespace yupana::forest::cuda
