#include "yupana/forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/row_ranks.hpp"
#include "yupana/forest/row_sampling.hpp"
#include "yupana/forest/share_trees.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_cuda.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest {
namespace {

/// Trees of the whole forest, of which perhaps only a range is grown.
std::int64_t forest_trees(const ForestParams& params) {
  return params.all_trees > 0 ? params.all_trees : params.first_tree + params.trees;
}

/// How often each tree sees each row.
class RowSamples {
 public:
  /// here: false for a forest that grows on devices, which needs none.
  RowSamples(std::int64_t rows, const ForestParams& params, bool here)
      : rows_(rows), params_(params) {
    if (params.sampling != Sampling::partition || !here) return;
    parts_ = parts_of_rows(rows, forest_trees(params), params.tree.seed);
  }

  void of_tree(std::int64_t tree, std::uint8_t* repeats) const {
    if (params_.sampling == Sampling::bootstrap) {
      std::fill(repeats, repeats + rows_, std::uint8_t{0});
      const Random random = rows_random(params_.tree.seed, tree);
      for (std::int64_t i = 0; i < rows_; ++i) {
        std::uint8_t& count = repeats[below(random.word(static_cast<std::uint64_t>(i)), rows_)];
        count = static_cast<std::uint8_t>(count + (count < max_repeats));
      }
      return;
    }
    for (std::int64_t i = 0; i < rows_; ++i) {
      repeats[i] = params_.sampling == Sampling::all || parts_[i] == tree;
    }
  }

 private:
  std::int64_t rows_;
  const ForestParams& params_;
  Array<std::uint32_t> parts_;
};

TreeParams tree_params(const ForestParams& params, std::int64_t features, bool is_class) {
  TreeParams tree = params.tree;
  tree.max_features = params.max_features;
  if (params.max_features == root_of_features) {
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(features)));
    tree.max_features = is_class ? std::max<std::int64_t>(1, root) : 0;
  }
  return tree;
}

// A node of a forest that draws one feature of so many or more sorts what it drew; of fewer, every
// feature's list is kept in order instead. Measured (rows x features, drawn): 1.7 times as fast for
// 50,000 x 150, 12; 1.3 for 100,000 x 18, 2; 1.2 for 1,000,000 x 18, 4; the same for 200,000.
constexpr std::int64_t sparse_sampling = 4;

/// What all trees of a forest share, and how one of them grows from it.
template <class T>
class Growth {
 public:
  Growth(Context& context, TableView<T> table, const Problem& problem, const TreeParams& params)
      : context_(context), table_(table), problem_(problem) {
    if (context.backend() != Backend::cpu) return;
    Stage stage(context, "sort features");
    samples_ = params.max_features > 0 && params.max_features * sparse_sampling <= table.columns;
    if (samples_) {
      ranks_ = rank_rows(context, table, problem);
    } else {
      sorted_ = sort_table(context, table);
    }
  }

  Tree one(const std::uint8_t* repeats, const TreeParams& params) const {
    bool any = false;
    for (std::int64_t i = 0; i < table_.rows && !any; ++i) {
      any = repeats[i] > 0 && problem_.weight(i) > 0;
    }
    if (!any) {
      throw input_error("a tree drew only rows of weight 0; give fewer trees or other weights");
    }
    if (context_.backend() == Backend::reference) {
      return reference::fit_tree(context_, table_, problem_, params, repeats);
    }
    if (samples_) return grow_sampled(context_, ranks_, problem_, repeats, params);
    Lists lists = copy_lists(sorted_, problem_, repeats);
    return grow(context_, table_, problem_, lists, params, false);
  }

 private:
  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  bool samples_ = false;
  RowRanks<T> ranks_;
  SortedTable sorted_;
};

std::uint64_t seed_of(const TreeParams& params, std::int64_t tree) {
  return Random(params.seed, static_cast<std::uint64_t>(tree) + 1).key();
}

#ifdef YUPANA_CUDA
template <class T>
std::vector<Tree> fit_on_devices(Context& context,
                                 TableView<T> table,
                                 const T* resident,
                                 const Problem& problem,
                                 const TreeParams& params,
                                 const ForestParams& forest) {
  cuda::ForestSamples draws;
  draws.sampling = forest.sampling;
  draws.seed = forest.tree.seed;
  draws.first_tree = forest.first_tree;
  draws.all_trees = forest_trees(forest);
  draws.trees = forest.trees;
  for (std::int64_t t = 0; t < forest.trees; ++t) {
    draws.seeds.push_back(seed_of(params, forest.first_tree + t));
  }
  return cuda::fit_trees<T>(context, table, resident, problem, params, draws);
}
#endif

/// Scores each row by the trees that did not see it.
template <class T>
void score_out_of_bag(Context& context,
                      TableView<T> table,
                      const Target& target,
                      const ForestParams& params,
                      const RowSamples& draws,
                      ForestResult& result) {
  const std::int64_t outputs = result.trees[0].outputs;
  auto sums = Array<double>::zeros(table.rows * outputs);
  auto voters = Array<std::int32_t>::zeros(table.rows);
  Array<std::uint8_t> repeats(table.rows);
  for (std::int64_t t = 0; t < params.trees; ++t) {
    const Tree& tree = result.trees[t];
    draws.of_tree(params.first_tree + t, repeats.data());
    context.parallel_for(table.rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
      context.check_cancelled();
      for (std::int64_t i = begin; i < end; ++i) {
        if (repeats[i] > 0) continue;
        const double* value =
            tree.value(leaf_of(tree, [&](std::int64_t f) { return table(i, f); }));
        double* sum = sums.data() + i * outputs;
        ++voters[i];
        const double weight = std::accumulate(value, value + outputs, 0.0);
        if (!target.is_class()) {
          *sum += *value;
        } else if (params.voting == Voting::hard) {
          ++sum[std::max_element(value, value + outputs) - value];
        } else {
          for (std::int64_t c = 0; c < outputs; ++c) sum[c] += value[c] / weight;
        }
      }
    });
  }
  double right = 0, mean = 0, errors = 0, spread = 0;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (voters[i] == 0) continue;
    ++result.out_of_bag_rows;
    const double* sum = sums.data() + i * outputs;
    if (target.is_class()) right += std::max_element(sum, sum + outputs) - sum == target.codes[i];
    if (!target.is_class()) mean += target.values[i];
  }
  for (std::int64_t i = 0; i < table.rows; ++i) {
    double* sum = sums.data() + i * outputs;
    for (std::int64_t c = 0; c < outputs; ++c) {
      sum[c] = voters[i] > 0 ? sum[c] / voters[i] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  const double count = static_cast<double>(std::max<std::int64_t>(1, result.out_of_bag_rows));
  result.out_of_bag = right / count;
  result.out_of_bag_values = std::move(sums);
  if (target.is_class()) return;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    if (voters[i] == 0) continue;
    const double error = result.out_of_bag_values[i] - target.values[i];
    const double distance = target.values[i] - mean / count;
    errors += error * error;
    spread += distance * distance;
  }
  result.out_of_bag = spread > 0 ? 1 - errors / spread : errors == 0;
}

}  // namespace

Array<std::uint32_t> parts_of_rows(std::int64_t rows, std::int64_t trees, std::uint64_t seed) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  const Random random = parts_random(seed);
  const auto place = [&](std::int64_t i) {
    return order.data() + below(random.word(static_cast<std::uint64_t>(i)), i + 1);
  };
  // Words do not depend on each other: memory can be prefetched.
  constexpr std::int64_t ahead = 24;
  for (std::int64_t i = rows - 1; i > 0; --i) {
    if (i > ahead) __builtin_prefetch(place(i - ahead), 1);
    std::swap(order[i], *place(i));
  }
  Array<std::uint32_t> parts(rows);
  std::int64_t part = 0;  // i trees / rows
  for (std::int64_t i = 0; i < rows; ++i) {
    while ((part + 1) * rows <= i * trees) ++part;
    parts[order[i]] = static_cast<std::uint32_t>(part);
  }
  return parts;
}

namespace {

/// resident: the table once more, in the first device's memory; null: not there.
template <class T>
ForestResult fit(Context& context,
                 TableView<T> table,
                 [[maybe_unused]] const T* resident,
                 const Target& target,
                 const ForestParams& params) {
  check_backend(context);
  const TreeParams tree = tree_params(params, table.columns, target.is_class());
  check_tree_params(tree, table.rows, table.columns);
  check_trees(params, table.rows);
  const bool repeated = params.sampling == Sampling::bootstrap;
  const Problem problem = make_problem(table.rows, target, tree.criterion, repeated);
  const Growth<T> growth(context, table, problem, tree);
  const RowSamples draws(
      table.rows, params, context.backend() != Backend::cuda || params.out_of_bag);
  ForestResult result;
  TreeMemory memory(context, params, problem.outputs(), bytes_of(table));
  result.trees.resize(params.trees);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    result.trees = fit_on_devices(context, table, resident, problem, tree, params);
  }
#endif
  if (context.backend() != Backend::cuda) {
    const std::int64_t rank = context.rank(), ranks = context.ranks();
    const std::int64_t mine = divide_up(std::max<std::int64_t>(params.trees - rank, 0), ranks);
    Stage stage(context, "grow trees", static_cast<double>(mine), "trees");
    context.parallel_for(mine, 1, [&](std::int64_t begin, std::int64_t end) {
      Array<std::uint8_t> repeats(table.rows);
      for (std::int64_t t = rank + begin * ranks; t < rank + end * ranks; t += ranks) {
        draws.of_tree(params.first_tree + t, repeats.data());
        TreeParams own = tree;
        own.seed = seed_of(tree, params.first_tree + t);
        Tree& grown = result.trees[t];
        grown = growth.one(repeats.data(), own);
        memory.add(grown);
        stage.advance(1);
      }
    });
    if (context.comm() != nullptr) share_trees(*context.comm(), result.trees);
  }
  if (params.out_of_bag && params.sampling != Sampling::all) {
    Stage stage(context, "score out of bag");
    score_out_of_bag(context, table, target, params, draws, result);
  }
  return result;
}

}  // namespace

void check_trees(const ForestParams& params, std::int64_t rows) {
  if (params.trees < 1) {
    throw usage_error("trees: expected at least 1, got {}", params.trees);
  }
  const std::int64_t all = forest_trees(params);
  if (params.first_tree < 0 || params.first_tree + params.trees > all) {
    throw usage_error("trees [{}, {}) are not among a forest's {}",
                      params.first_tree,
                      params.first_tree + params.trees,
                      all);
  }
  if (params.sampling == Sampling::partition && all > rows) {
    throw input_error(
        "{} parts of {} rows: some tree would have none; give at most {} trees", all, rows, rows);
  }
}

TreeParams params_of_tree(const ForestParams& params,
                          std::int64_t tree,
                          std::int64_t features,
                          bool is_class) {
  TreeParams own = tree_params(params, features, is_class);
  own.seed = seed_of(own, params.first_tree + tree);
  return own;
}

template <class T>
ForestResult fit_forest(Context& context,
                        TableView<T> table,
                        const Target& target,
                        const ForestParams& params) {
  return fit<T>(context, table, nullptr, target, params);
}

#ifdef YUPANA_CUDA
template <class T>
ForestResult cuda::fit_resident_forest(Context& context,
                                       TableView<T> table,
                                       const T* resident,
                                       const Target& target,
                                       const ForestParams& params) {
  return fit<T>(context, table, resident, target, params);
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, cuda::fit_resident_forest)
#endif

std::vector<double> importances(const std::vector<Tree>& trees, std::int64_t features) {
  std::vector<double> mean(features, 0.0);
  for (const Tree& tree : trees) {
    std::vector<double> own(mean.size(), 0.0);
    for (const Node& node : tree.nodes) {
      if (node.is_leaf()) continue;
      const auto part = [&](std::int32_t child) {
        const Node& below = tree.nodes[child];
        return below.weight * below.impurity;
      };
      own[node.feature] += node.weight * node.impurity - part(node.left) - part(node.right);
    }
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    for (std::size_t f = 0; f < mean.size(); ++f) {
      if (sum > 0) mean[f] += own[f] / sum / static_cast<double>(trees.size());
    }
  }
  return mean;
}

template ForestResult fit_forest(Context&, TableView<float>, const Target&, const ForestParams&);
template ForestResult fit_forest(Context&, TableView<double>, const Target&, const ForestParams&);

}  // namespace yupana::forest
