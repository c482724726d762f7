#include <algorithm>
#include <optional>

#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/draw_cuda.hpp"
#include "yupana/forest/forest_draw.hpp"
#include "yupana/forest/grow_cuda.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::DeviceArray;
using yupana::cuda::DeviceScope;
using yupana::cuda::run_side_by_side;
using yupana::cuda::Stream;

namespace {

// Places in lists are numbers of 32 bits, and one of them stands for nowhere.
constexpr std::int64_t most_entries = (std::int64_t{1} << 31) - 1;
// A warp keeps the weight of each class in shared memory; four warps a block.
constexpr std::int32_t most_classes = 6000;

struct Need {
  double sorted = 0;  ///< bytes of the sorted features, and what sorting needs
  double labels = 0;
  double entry = 0;  ///< bytes of an entry (of all features) of a tree

  double of(std::int64_t entries) const {
    return sorted + labels + entry * static_cast<double>(entries);
  }
};

template <class T>
Need need_of(TableView<T> table, const Problem& problem, bool shares_memory) {
  const auto features = static_cast<double>(table.columns), rows = static_cast<double>(table.rows);
  const double channels = problem.classes > 2 ? problem.classes : 2;
  Need need;
  // Beside what is sorted: keys and columns, or later what parts are drawn with.
  need.sorted = features * rows * (shares_memory ? 0 : 8) +
                rows * std::max<std::size_t>(4 * sizeof(T) + 8, 32);
  need.labels = rows * (problem.classes > 0 ? 4 : 24) + (problem.weights.empty() ? 0 : rows * 8) +
                (problem.criterion == Criterion::entropy ? rows * 8 : 0);
  // Two lists, a bit an entry, sums of strips; node numbers and marks. Of two classes, up to 5 more
  // numbers a strip: the next level's sums, strips in reach with and without missing values.
  need.entry = features * (16 + 0.125 + (channels + 1 + 5) * 8 / strip_size) + 5 + 4;
  return need;
}

std::string megabytes(double bytes) { return fmt::format("{:.0f} MB", bytes * 0x1p-20 + 0.5); }

void check_size(const Context& context,
                const Need& need,
                std::int64_t rows,
                std::int64_t features) {
  if (rows <= most_entries && need.of(rows) <= static_cast<double>(context.gpu_memory())) return;
  throw Error(
      ErrorCode::out_of_resources,
      fmt::format("trees: {} rows of {} features want {} on the device ({} sorted, {} lists of one "
                  "tree, {} labels; at most 2^31 - 1 rows), --gpu-memory allows {}; use --device "
                  "cpu",
                  rows,
                  features,
                  megabytes(need.of(rows)),
                  megabytes(need.sorted),
                  megabytes(need.entry * static_cast<double>(rows)),
                  megabytes(need.labels),
                  megabytes(static_cast<double>(context.gpu_memory()))));
}

/// Trees [first, last) of a forest on one device.
template <class T>
class DeviceForest {
 public:
  DeviceForest(Context& context,
               TableView<T> table,
               const T* resident,
               const Problem& problem,
               const TreeParams& params,
               const ForestDraws& draws,
               const Need& need)
      : context_(context),
        table_(table),
        problem_(problem),
        params_(params),
        draws_(draws),
        need_(need),
        upload_(context,
                resident == nullptr
                    ? static_cast<std::uint64_t>(table.rows * table.columns) * sizeof(T)
                    : 0),
        labels_(upload_, problem, 2 * table.rows, stream_),
        sorted_(sort_table(table, resident, upload_, space_, stream_)) {
    space_ = {};
  }

  void run(std::int64_t first, std::int64_t last, Stage* stage, std::vector<Tree>& trees) {
    std::int64_t batch = most_dealt;
    if (draws_.sampling == Sampling::partition) {
      parts_ = drawn_parts(space_, table_.rows, draws_.all_trees, draws_.seed, stream_);
      space_ = {};
    } else {
      const auto room = static_cast<double>(context_.gpu_memory()) - need_.of(0);
      const double own = (need_.entry + 1) * static_cast<double>(table_.rows);
      batch = std::clamp<std::int64_t>(
          std::min(static_cast<std::int64_t>(room / own), most_entries / table_.rows), 1, 1024);
    }
    for (; first < last; first += batch) {
      const std::int64_t end = std::min(first + batch, last);
      if (draws_.sampling == Sampling::partition) {
        deal(first, end, trees);
      } else {
        repeat(first, end, trees);
      }
      if (stage != nullptr) stage->advance(static_cast<double>(end - first));
    }
  }

  Tree only() {
    const bool dropped =
        std::find(problem_.weights.begin(), problem_.weights.end(), 0) != problem_.weights.end();
    if (dropped) {
      std::vector<Tree> tree(1);
      repeat(0, 1, tree);
      return std::move(tree[0]);
    }
    const auto has_missing = sorted_.has_missing;
    OwnLists lists = take_lists(std::move(sorted_), problem_, labels_.view(), stream_);
    Grower grower(context_, problem_, params_, labels_.view(), has_missing, threshold(), stream_);
    Part all;
    all.size = table_.rows;
    all.seed = draws_.seeds[0];
    std::vector<Tree> tree = grower.grow(std::move(lists), std::vector<Part>(1, all), table_.rows);
    return std::move(tree[0]);
  }

 private:
  Threshold threshold() const {
    return [table = table_](std::int32_t feature, std::uint32_t below, std::uint32_t above) {
      const T* column = table.column(feature);
      return static_cast<double>(midpoint(column[below], column[above]));
    };
  }

  void grow(OwnLists lists,
            const std::vector<Part>& parts,
            std::int64_t marks,
            std::int64_t first,
            std::vector<Tree>& trees) {
    Grower grower(
        context_, problem_, params_, labels_.view(), sorted_.has_missing, threshold(), stream_);
    std::vector<Tree> grown = grower.grow(std::move(lists), parts, marks);
    std::move(grown.begin(), grown.end(), trees.begin() + first);
  }

  static void check_drawn(std::int64_t size) {
    if (size > 0) return;
    throw Error(ErrorCode::bad_input,
                "a tree drew only rows of weight 0; give fewer trees or other weights");
  }

  std::vector<Part> new_parts(std::int64_t first, const std::vector<unsigned long long>& sizes) {
    std::vector<Part> parts(sizes.size());
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t].size = static_cast<std::int64_t>(sizes[t]);
      parts[t].seed = draws_.seeds[static_cast<std::size_t>(first) + t];
      check_drawn(parts[t].size);
    }
    return parts;
  }

  /// Each tree's rows with what stands for them.
  void repeat(std::int64_t first, std::int64_t last, std::vector<Tree>& trees) {
    const std::int64_t rows = table_.rows;
    DeviceArray<std::uint8_t> repeats((last - first) * rows);
    DeviceArray<std::uint32_t> counts(rows);
    DeviceArray<unsigned long long> sizes(last - first);
    for (std::int64_t t = 0; t < last - first; ++t) {
      context_.check_cancelled();
      std::uint8_t* const own = repeats.data() + t * rows;
      if (draws_.sampling == Sampling::bootstrap) {
        const Random random = rows_random(draws_.seed, draws_.first_tree + first + t);
        launch_bootstrap(
            random, rows, labels_.view(), counts.data(), own, sizes.data() + t, stream_);
      } else {
        launch_once_each(rows, labels_.view(), own, sizes.data() + t, stream_);
      }
    }
    std::vector<Part> parts = new_parts(first, downloaded(sizes, stream_));
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t].row_base = static_cast<std::uint64_t>(t) * static_cast<std::uint64_t>(rows);
    }
    grow(repeated_lists(sorted_, problem_, labels_.view(), repeats.data(), parts, stream_),
         parts,
         (last - first) * rows,
         first,
         trees);
  }

  /// Disjoint parts: all rows are dealt out at once.
  void deal(std::int64_t first, std::int64_t last, std::vector<Tree>& trees) {
    const std::int64_t from = draws_.first_tree + first;
    DeviceArray<unsigned long long> sizes(last - first);
    launch_part_sizes(
        parts_.data(), table_.rows, labels_.view(), from, last - first, sizes.data(), stream_);
    const std::vector<Part> parts = new_parts(first, downloaded(sizes, stream_));
    grow(dealt_lists(sorted_, problem_, labels_.view(), parts_.data(), from, parts, stream_),
         parts,
         table_.rows,
         first,
         trees);
  }

  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  const TreeParams& params_;
  const ForestDraws& draws_;
  const Need& need_;
  Stream stream_;
  arrays::cuda::Workspace space_;
  Upload upload_;
  DeviceLabels labels_;
  DeviceSorted sorted_;
  DeviceArray<std::uint32_t> parts_;  ///< of each row
};

}  // namespace

template <class T>
std::vector<Tree> fit_trees(Context& context,
                            TableView<T> table,
                            const T* resident,
                            const Problem& problem,
                            const TreeParams& params,
                            const ForestDraws& draws) {
  if (problem.classes > most_classes) {
    throw Error(ErrorCode::device,
                fmt::format("trees: at most {} classes on a GPU, {} given; use --device cpu",
                            most_classes,
                            problem.classes));
  }
  const bool alone = draws.trees == 1 && draws.sampling == Sampling::all;
  const Need need = need_of(table, problem, alone);
  check_size(context, need, table.rows, table.columns);
  std::vector<Tree> trees(static_cast<std::size_t>(draws.trees));
  const std::vector<int>& devices = context.devices();
  const auto count = std::min<std::int64_t>(std::ssize(devices), draws.trees);
  std::optional<Stage> stage;
  if (!alone) stage.emplace(context, "grow trees", static_cast<double>(draws.trees), "trees");
  run_side_by_side(static_cast<std::size_t>(count), [&](std::size_t d) {
    const DeviceScope scope(devices[d]);
    DeviceForest<T> forest(
        context, table, d == 0 ? resident : nullptr, problem, params, draws, need);
    if (alone) {
      trees[0] = forest.only();
      return;
    }
    const auto first = static_cast<std::int64_t>(d) * draws.trees / count;
    const auto last = static_cast<std::int64_t>(d + 1) * draws.trees / count;
    forest.run(first, last, stage ? &*stage : nullptr, trees);
  });
  return trees;
}

template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params) {
  Stage stage(context, "grow tree");
  ForestDraws draws;
  draws.seeds = {params.seed};
  return std::move(fit_trees<T>(context, table, nullptr, problem, params, draws)[0]);
}

template std::vector<Tree> fit_trees(Context&,
                                     TableView<float>,
                                     const float*,
                                     const Problem&,
                                     const TreeParams&,
                                     const ForestDraws&);
template std::vector<Tree> fit_trees(Context&,
                                     TableView<double>,
                                     const double*,
                                     const Problem&,
                                     const TreeParams&,
                                     const ForestDraws&);
template Tree fit_tree(Context&, TableView<float>, const Problem&, const TreeParams&);
template Tree fit_tree(Context&, TableView<double>, const Problem&, const TreeParams&);

}  // namespace yupana::forest::cuda
