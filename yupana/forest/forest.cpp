#include "yupana/forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/row_ranks.hpp"
#include "yupana/forest/row_samples.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_cuda.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest {
namespace {

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
// 50,000 x 150, 12; 1.3 for 100,000 x 18, 2; 1.2 for 1,000,000 x 18, 4; the same for 200,000. Of
// one-hot columns, whose lists find a drawn category in log n steps, 1.08 (32,561 x 105 of 14
// columns, 10).
constexpr std::int64_t sparse_sampling = 4;

bool gathers(const TreeParams& params, std::int64_t columns) {
  const FeatureColumns features(columns, params.one_hot);
  const std::int64_t drawn = params.max_features;
  return drawn > 0 && drawn * sparse_sampling <= features.count() && drawn <= 4 * columns;
}

bool grows_on_devices(const Context& context, const TreeParams& params) {
  return context.backend() == Backend::cuda && !params.needs_cpu();
}

/// What all trees of a forest share, and how one of them grows from it.
template <class T>
class Growth {
 public:
  Growth(Context& context,
         TableView<T> table,
         const SparseColumns<T>* sparse,
         const Problem& problem,
         const TreeParams& params)
      : context_(context), table_(table), problem_(problem) {
    if (context.backend() == Backend::reference || grows_on_devices(context, params)) return;
    Stage stage(context, "sort features");
    samples_ = sparse == nullptr && gathers(params, table.columns);
    if (samples_) {
      ranks_ = rank_rows(context, table, problem, params);
    } else if (sparse != nullptr) {
      sorted_ = sort_sparse(context, *sparse);
    } else {
      sorted_ = sort_table(context, table, params.one_hot);
    }
  }

  /// What trees are grown from, besides the table.
  double bytes() const {
    return static_cast<double>(sorted_.ranks.bytes() + sorted_.order.bytes() + ranks_.bytes());
  }

  Tree one(const std::uint8_t* repeats, const TreeParams& params) const {
    bool any = false;
    for (std::int64_t i = 0; i < table_.rows && !any; ++i) {
      any = repeats[i] > 0 && problem_.weight(i) > 0;
    }
    if (!any) {
      throw input_error("a tree drew only rows of weight 0; give fewer trees or other weights");
    }
    return grow_best_first(params, [&](const TreeParams& own) { return grow(repeats, own); });
  }

 private:
  Tree grow(const std::uint8_t* repeats, const TreeParams& params) const {
    if (context_.backend() == Backend::reference) {
      return reference::fit_tree(context_, table_, problem_, params, repeats);
    }
    if (samples_) return grow_sampled(context_, ranks_, problem_, repeats, params);
    Lists lists = copy_lists(sorted_, problem_, repeats);
    return forest::grow(context_, table_, problem_, lists, params, false);
  }

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
  draws.rows = forest.max_samples;
  for (std::int64_t t = 0; t < forest.trees; ++t) {
    draws.seeds.push_back(seed_of(params, forest.first_tree + t));
  }
  return cuda::fit_trees<T>(context, table, resident, problem, params, draws);
}
#endif

/// resident: the table once more, in the first device's memory; null: not there.
/// sparse: what the table of one column stands for; null: the table.
template <class T>
std::vector<Tree> fit(Context& context,
                      TableView<T> table,
                      const SparseColumns<T>* sparse,
                      [[maybe_unused]] const T* resident,
                      const Target& target,
                      const ForestParams& params) {
  const FeatureColumns features(table.columns, params.tree.one_hot);
  const TreeParams tree = tree_params(params, features.count(), target.is_class());
  check_tree_params(tree, table.rows, features.count());
  check_rules(tree, target, features.count());
  check_trees(params, table.rows);
  const std::int64_t draws_a_tree =
      params.sampling == Sampling::bootstrap ? rows_drawn(params, table.rows) : 0;
  if (features.has_one_hot() && makes_features(context, tree)) {
    ForestParams plain = params;
    plain.tree.one_hot.clear();
    const Table<T> made = with_features(table, params.tree.one_hot);
    return fit<T>(context, made.view(), nullptr, nullptr, target, plain);
  }
  const Problem problem = make_problem(table.rows, target, tree.criterion, draws_a_tree);
  note_rounded_weights(context, table.rows, target, problem);
  const Growth<T> growth(context, table, sparse, problem, tree);
  const bool on_devices = grows_on_devices(context, tree);
  const RowSamples draws(table.rows, params, !on_devices);
  TreeMemory memory(context, params, problem.outputs(), bytes_of(table) + growth.bytes());
  std::vector<Tree> trees(params.trees);
#ifdef YUPANA_CUDA
  if (on_devices) {
    const std::int64_t rows = params.sampling == Sampling::all ? table.rows : draws_a_tree;
    const TreeParams own = with_weight_in_rows(tree, problem, rows);
    trees = fit_on_devices(context, table, resident, problem, own, params);
    for (Tree& grown : trees) {
      if (tree.max_leaf_nodes == 0) break;
      grown = *best_first(grown, tree.max_leaf_nodes, unlimited_depth);
    }
  }
#endif
  if (!on_devices) {
    const std::int64_t rank = context.rank(), ranks = context.ranks();
    const std::int64_t mine = divide_up(std::max<std::int64_t>(params.trees - rank, 0), ranks);
    Stage stage(context, "grow trees", static_cast<double>(mine), "trees");
    context.parallel_for(mine, 1, [&](std::int64_t begin, std::int64_t end) {
      Array<std::uint8_t> repeats(table.rows);
      for (std::int64_t t = rank + begin * ranks; t < rank + end * ranks; t += ranks) {
        draws.of_tree(params.first_tree + t, repeats.data());
        TreeParams own = tree;
        own.seed = seed_of(tree, params.first_tree + t);
        Tree& grown = trees[t];
        grown = growth.one(repeats.data(), own);
        memory.add(grown);
        stage.advance(1);
      }
    });
    if (context.comm() != nullptr) share_trees(*context.comm(), trees);
  }
  return trees;
}

using Bytes = std::vector<std::byte>;

template <class T>
void put(const std::vector<T>& values, Bytes& to) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t count = values.size();
  const auto* const head = reinterpret_cast<const std::byte*>(&count);
  to.insert(to.end(), head, head + sizeof(count));
  const auto* const body = reinterpret_cast<const std::byte*>(values.data());
  to.insert(to.end(), body, body + count * sizeof(T));
}

template <class T>
void take(const std::byte*& from, std::vector<T>& values) {
  std::uint64_t count = 0;
  std::memcpy(&count, from, sizeof(count));
  from += sizeof(count);
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
  from += count * sizeof(T);
}

constexpr std::uint8_t end_of_set = 2;

std::vector<std::uint8_t> packed(const std::vector<CategorySet>& sets) {
  std::vector<std::uint8_t> bytes;
  for (const CategorySet& set : sets) {
    bytes.insert(bytes.end(), set.begin(), set.end());
    bytes.push_back(end_of_set);
  }
  return bytes;
}

std::vector<CategorySet> unpacked(const std::vector<std::uint8_t>& bytes) {
  std::vector<CategorySet> sets;
  CategorySet set;
  for (const std::uint8_t byte : bytes) {
    if (byte != end_of_set) {
      set.push_back(byte != 0);
      continue;
    }
    sets.push_back(std::move(set));
    set.clear();
  }
  return sets;
}

}  // namespace

void check_trees(const ForestParams& params, std::int64_t rows) {
  if (params.trees < 1) throw usage_error("trees: expected at least 1, got {}", params.trees);
  const std::int64_t all = forest_trees(params);
  check_max_samples(params, rows);
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
std::vector<Tree> fit_forest(Context& context,
                             TableView<T> table,
                             const Target& target,
                             const ForestParams& params) {
  return fit<T>(context, table, nullptr, nullptr, target, params);
}

template <class T>
std::vector<Tree> fit_sparse_forest(Context& context,
                                    const SparseColumns<T>& table,
                                    const Target& target,
                                    const ForestParams& params) {
  if (makes_features(context, params.tree)) {
    return fit_forest(context, with_zeros(table).view(), target, params);
  }
  ForestParams own = params;
  own.tree = on_entries(table, params.tree);
  return fit<T>(context, column_of_zeros(table), &table, nullptr, target, own);
}

#ifdef YUPANA_CUDA
template <class T>
std::vector<Tree> cuda::fit_resident_forest(Context& context,
                                            TableView<T> table,
                                            const T* resident,
                                            const Target& target,
                                            const ForestParams& params) {
  return fit<T>(context, table, nullptr, resident, target, params);
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, cuda::fit_resident_forest)
#endif

std::vector<double> importances(std::span<const Tree> trees, std::int64_t features) {
  std::vector<double> mean(features, 0.0);
  const auto split = static_cast<double>(std::count_if(
      trees.begin(), trees.end(), [](const Tree& tree) { return tree.nodes.size() > 1; }));
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
      if (sum > 0) mean[f] += own[f] / sum / split;
    }
  }
  return mean;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_forest, fit_sparse_forest)

void share_trees(Comm& comm, std::vector<Tree>& trees) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  Bytes mine;
  for (auto t = static_cast<std::size_t>(comm.rank()); t < trees.size(); t += ranks) {
    put(trees[t].nodes, mine);
    put(std::vector<std::int32_t>{trees[t].outputs}, mine);
    put(trees[t].values, mine);
    put(packed(trees[t].sets), mine);
  }
  const std::vector<Bytes> received = comm.exchange(std::vector<Bytes>(ranks, mine));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::byte* next = received[rank].data();
    std::vector<std::int32_t> outputs;
    std::vector<std::uint8_t> sets;
    for (std::size_t t = rank; t < trees.size(); t += ranks) {
      take(next, trees[t].nodes);
      take(next, outputs);
      trees[t].outputs = outputs.front();
      take(next, trees[t].values);
      take(next, sets);
      trees[t].sets = unpacked(sets);
    }
  }
}

}  // namespace yupana::forest
