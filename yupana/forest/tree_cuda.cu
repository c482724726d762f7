#include <algorithm>
#include <functional>
#include <optional>

#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/grow_cuda.hpp"
#include "yupana/forest/plan_cuda.hpp"
#include "yupana/forest/row_samples.hpp"
#include "yupana/forest/sample_rows_cuda.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

// A warp keeps the weight of each class in shared memory: 48,000 bytes, which every GPU has.
constexpr std::int32_t most_classes = 6000;

/// The rows of trees [first, last) of disjoint parts, and the tree of each of them.
struct AssignedRows {
  ReservedArray<std::uint32_t> parts;
  // Empty where the trees have all rows.
  ReservedArray<std::uint32_t> device;
  Array<std::uint32_t> host;

  AssignedRows() = default;
  AssignedRows(std::int64_t rows,
               const ForestSamples& draws,
               TreeRange range,
               arrays::cuda::Workspace& space,
               cudaStream_t stream)
      : parts(sampled_parts(space, rows, draws.all_trees, draws.seed, stream)) {
    if (range.count() == draws.all_trees) return;
    ChosenRows chosen = chosen_rows(space,
                                    std::move(parts),
                                    draws.all_trees,
                                    draws.first_tree + range.first,
                                    draws.first_tree + range.last,
                                    stream);
    parts = std::move(chosen.parts);
    device = std::move(chosen.rows);
    host = Array<std::uint32_t>(device.size());
    yupana::cuda::check(
        cudaMemcpyAsync(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost, stream),
        "read from the device");
    yupana::cuda::check(cudaStreamSynchronize(stream), "read from the device");
  }
};

/// Trees of a forest on one device.
template <class T>
class DeviceForest {
 public:
  DeviceForest(Context& context,
               TableView<T> table,
               const T* resident,
               const Problem& problem,
               const TreeParams& params,
               const ForestSamples& draws,
               const DevicePlan& plan,
               const std::vector<std::int64_t>& categories,
               const std::function<unsigned char*()>& pieces)
      : context_(context),
        table_(table),
        problem_(problem),
        params_(params),
        samples_(draws),
        range_(plan.range),
        batch_(plan.batch),
        assigned_(draws.sampling == Sampling::partition
                      ? AssignedRows(table.rows, draws, plan.range, space_, stream_)
                      : AssignedRows()),
        upload_(context, pieces()),
        rows_{plan.rows, assigned_.host.data(), assigned_.device.data()},
        labels_(upload_, problem, rows_, 2 * rows_.count, stream_),
        ranks_(category_ranks(table, rows_, categories)),
        sorted_(sort_table(table, rows_, resident, upload_, space_, stream_)) {
    space_ = {};
  }

  void run(Stage* stage, std::vector<Tree>& trees) {
    for (std::int64_t first = range_.first; first < range_.last; first += batch_) {
      const std::int64_t end = std::min(first + batch_, range_.last);
      if (samples_.sampling == Sampling::partition) {
        assign(first, end, trees);
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
    Grower grower(
        context_, problem_, params_, labels_.view(), has_missing, ranks_, threshold(), stream_);
    Part all;
    all.size = rows_.count;
    all.seed = samples_.seeds[0];
    std::vector<Tree> tree = grower.grow(std::move(lists), std::vector<Part>(1, all), rows_.count);
    return std::move(tree[0]);
  }

 private:
  Threshold threshold() const {
    return [table = table_, rows = rows_](
               std::int32_t feature, std::uint32_t below, std::uint32_t above) {
      const T* column = table.column(feature);
      return static_cast<double>(midpoint(column[rows.row_of(below)], column[rows.row_of(above)]));
    };
  }

  void grow(OwnLists lists,
            const std::vector<Part>& parts,
            std::int64_t marks,
            std::int64_t first,
            std::vector<Tree>& trees) {
    std::vector<Tree> grown = grower().grow(std::move(lists), parts, marks);
    std::move(grown.begin(), grown.end(), trees.begin() + first);
  }

  /// One for all batches: it keeps its memory.
  Grower& grower() {
    if (!grower_) {
      grower_.emplace(context_,
                      problem_,
                      params_,
                      labels_.view(),
                      sorted_.has_missing,
                      ranks_,
                      threshold(),
                      stream_);
    }
    return *grower_;
  }

  static void check_sampled(std::int64_t size) {
    if (size > 0) return;
    throw Error(ErrorCode::bad_input,
                "a tree drew only rows of weight 0; give fewer trees or other weights");
  }

  std::vector<Part> new_parts(std::int64_t first, const std::vector<unsigned long long>& sizes) {
    std::vector<Part> parts(sizes.size());
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t].size = static_cast<std::int64_t>(sizes[t]);
      parts[t].seed = samples_.seeds[static_cast<std::size_t>(first) + t];
      check_sampled(parts[t].size);
    }
    return parts;
  }

  /// Each tree's rows with what represents them.
  void repeat(std::int64_t first, std::int64_t last, std::vector<Tree>& trees) {
    const std::int64_t rows = rows_.count;
    ReservedArray<std::uint8_t> repeats((last - first) * rows);
    ReservedArray<std::uint32_t> counts(rows);
    ReservedArray<unsigned long long> sizes(last - first);
    for (std::int64_t t = 0; t < last - first; ++t) {
      context_.check_cancelled();
      std::uint8_t* const own = repeats.data() + t * rows;
      if (samples_.sampling == Sampling::bootstrap) {
        const Random random = rows_random(samples_.seed, samples_.first_tree + first + t);
        const std::int64_t draws = samples_.rows > 0 ? samples_.rows : rows;
        launch_bootstrap(
            random, draws, rows, labels_.view(), counts.data(), own, sizes.data() + t, stream_);
      } else {
        launch_once_each(rows, labels_.view(), own, sizes.data() + t, stream_);
      }
    }
    std::vector<Part> parts = new_parts(first, downloaded(sizes, stream_));
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t].row_base = static_cast<std::uint64_t>(t) * static_cast<std::uint64_t>(rows);
    }
    grow(repeated_lists(
             sorted_, problem_, labels_.view(), repeats.data(), parts, grower().spare(), stream_),
         parts,
         (last - first) * rows,
         first,
         trees);
  }

  /// Disjoint parts: all rows are assigned out at once.
  void assign(std::int64_t first, std::int64_t last, std::vector<Tree>& trees) {
    const std::int64_t from = samples_.first_tree + first;
    ReservedArray<unsigned long long> sizes(last - first);
    launch_part_sizes(assigned_.parts.data(),
                      rows_.count,
                      labels_.view(),
                      from,
                      last - first,
                      sizes.data(),
                      stream_);
    const std::vector<Part> parts = new_parts(first, downloaded(sizes, stream_));
    grow(partition_lists(sorted_,
                         problem_,
                         labels_.view(),
                         assigned_.parts.data(),
                         from,
                         parts,
                         grower().spare(),
                         stream_),
         parts,
         rows_.count,
         first,
         trees);
  }

  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  const TreeParams& params_;
  const ForestSamples& samples_;
  TreeRange range_;
  std::int64_t batch_;
  Stream stream_;
  arrays::cuda::Workspace space_;
  AssignedRows assigned_;
  Upload upload_;
  OwnRows rows_;
  DeviceLabels labels_;
  CategoryRanks ranks_;
  DeviceSorted sorted_;
  std::optional<Grower> grower_;
};

}  // namespace

template <class T>
std::vector<Tree> fit_trees(Context& context,
                            TableView<T> table,
                            const T* resident,
                            const Problem& problem,
                            const TreeParams& params,
                            const ForestSamples& draws) {
  if (problem.classes > most_classes) {
    throw Error(ErrorCode::device,
                fmt::format("trees: at most {} classes on a GPU, {} given; use --device cpu",
                            most_classes,
                            problem.classes));
  }
  if (draws.rows > table.rows) {
    throw input_error(
        "--max-samples: expected at most the {} rows on a GPU, got {}; use --device cpu",
        table.rows,
        draws.rows);
  }
  const std::vector<std::int64_t> categories = count_categories(table, params);
  const bool alone = draws.grow_one_of_all();
  std::vector<Tree> trees(static_cast<std::size_t>(draws.trees));
  const std::vector<int>& devices = context.devices();
  const auto count = std::min<std::int64_t>(std::ssize(devices), draws.trees);
  std::vector<DevicePlan> plans;
  std::vector<std::uint64_t> uploads;
  for (std::int64_t d = 0; d < count; ++d) {
    const TreeRange range{d * draws.trees / count, (d + 1) * draws.trees / count};
    const TableShape shape{table.rows, table.columns, sizeof(T), !categories.empty()};
    plans.push_back(plan_of(context, shape, problem, draws, range));
    const bool is_there = d == 0 && resident != nullptr;
    uploads.push_back(
        is_there ? 0 : static_cast<std::uint64_t>(plans.back().rows * table.columns) * sizeof(T));
  }
  std::optional<Stage> stage;
  if (!alone) stage.emplace(context, "grow trees", static_cast<double>(draws.trees), "trees");
  const Staging staging(context, devices[0], uploads);
  run_side_by_side(static_cast<std::size_t>(count), [&](std::size_t d) {
    const DeviceScope scope(devices[d]);
    const Reserve reserve(plans[d].reserve);
    DeviceForest<T> forest(context,
                           table,
                           d == 0 ? resident : nullptr,
                           problem,
                           params,
                           draws,
                           plans[d],
                           categories,
                           [&] { return staging.of(d); });
    if (alone) {
      trees[0] = forest.only();
    } else {
      forest.run(stage ? &*stage : nullptr, trees);
    }
  });
  return trees;
}

template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const T* resident,
              const Problem& problem,
              const TreeParams& params) {
  Stage stage(context, "grow tree");
  ForestSamples draws;
  draws.seeds = {params.seed};
  return std::move(fit_trees<T>(context, table, resident, problem, params, draws)[0]);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_trees, fit_tree)

}  // namespace yupana::forest::cuda
