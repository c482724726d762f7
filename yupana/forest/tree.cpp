#include "yupana/forest/tree.hpp"

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::forest {

std::int64_t Tree::leaves() const {
  return std::count_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.is_leaf(); });
}

std::int64_t Tree::depth() const {
  std::vector<std::int64_t> depths(nodes.size(), 0);
  std::int64_t deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    deepest = std::max(deepest, depths[i]);
    if (nodes[i].is_leaf()) continue;
    depths[nodes[i].left] = depths[i] + 1;
    depths[nodes[i].right] = depths[i] + 1;
  }
  return deepest;
}

void check_tree_params(const TreeParams& params, std::int64_t rows, std::int64_t features) {
  const auto wanted = [](bool holds, const char* name, const char* what, auto given) {
    if (holds) return;
    throw usage_error("{}: expected {}, got {}", name, what, given);
  };
  wanted(params.max_depth >= 1 || params.max_depth == unlimited_depth,
         "max_depth",
         "at least 1 (a tree of depth 0 splits nothing)",
         params.max_depth);
  wanted(
      params.min_samples_split >= 2, "min_samples_split", "at least 2", params.min_samples_split);
  wanted(params.min_samples_leaf >= 1, "min_samples_leaf", "at least 1", params.min_samples_leaf);
  wanted(params.min_weight_fraction_leaf >= 0 && params.min_weight_fraction_leaf <= 0.5,
         "min_weight_fraction_leaf",
         "0 to 0.5",
         params.min_weight_fraction_leaf);
  wanted(params.max_leaf_nodes == 0 || params.max_leaf_nodes >= 2,
         "max_leaf_nodes",
         "at least 2 (0: unlimited)",
         params.max_leaf_nodes);
  wanted(params.min_impurity_decrease >= 0,
         "min_impurity_decrease",
         "0 or more",
         params.min_impurity_decrease);
  wanted(params.min_gain >= 0, "min_gain", "0 or more", params.min_gain);
  wanted(params.max_features >= 0 && params.max_features <= features,
         "max_features",
         fmt::format("1 to {} (0: all)", features).c_str(),
         params.max_features);
  wanted(params.categorical.empty() || std::ssize(params.categorical) == features,
         "categorical",
         fmt::format("an entry for each of {} features", features).c_str(),
         params.categorical.size());
  if (!params.categorical.empty() && !params.one_hot.empty()) {
    throw usage_error("categorical: expected none beside one_hot columns, got {} features",
                      params.categorical.size());
  }
  if (!params.categorical.empty() && params.criterion == Criterion::absolute_error) {
    throw usage_error(
        "categorical: expected none with absolute errors, whose best parting no order has; make "
        "a feature of each category, or take another criterion");
  }
  if (rows == 0 || features == 0) {
    throw input_error("a table of {} rows and {} features is empty", rows, features);
  }
}

TreeParams with_weight_in_rows(TreeParams params, const Problem& problem, std::int64_t rows) {
  if (params.min_weight_fraction_leaf == 0) return params;
  if (!problem.weights.empty() || rows == 0) {
    throw usage_error(
        "min_weight_fraction_leaf: expected, on a GPU, rows that weigh alike and no disjoint "
        "parts; give min_samples_leaf or --device cpu");
  }
  params.min_samples_leaf = leaf_limits(problem, params, rows).rows;
  return params;
}

void check_rules(const TreeParams& params, const Target& target, std::int64_t features) {
  if (!params.has_rules()) return;
  if (!params.categorical.empty()) {
    throw usage_error(
        "categorical: expected none with monotonic features or random splits; make a feature of "
        "each category");
  }
  if (params.monotonic.empty()) return;
  if (std::ssize(params.monotonic) != features) {
    throw usage_error("monotonic: expected an entry for each of {} features, got {}",
                      features,
                      params.monotonic.size());
  }
  if (target.is_class() && target.classes != 2) {
    throw usage_error("monotonic: expected numbers or two classes to predict, got {} classes",
                      target.classes);
  }
  if (params.criterion == Criterion::absolute_error) {
    throw usage_error("monotonic: expected another criterion than absolute errors");
  }
}

template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Target& target,
              const TreeParams& params) {
  const FeatureColumns features(table.columns, params.one_hot);
  check_tree_params(params, table.rows, features.count());
  check_rules(params, target, features.count());
  if (features.has_one_hot() && makes_features(context, params)) {
    TreeParams plain = params;
    plain.one_hot.clear();
    return fit_tree(context, with_features(table, params.one_hot).view(), target, plain);
  }
  const Problem problem = make_problem(table.rows, target, params.criterion);
  note_rounded_weights(context, table.rows, target, problem);
  return grow_best_first(params, [&](const TreeParams& own) {
    if (context.backend() == Backend::reference) {
      return reference::fit_tree(context, table, problem, own, nullptr);
    }
#ifdef YUPANA_CUDA
    if (context.backend() == Backend::cuda && !params.needs_cpu()) {
      const TreeParams there = with_weight_in_rows(own, problem, table.rows);
      return cuda::fit_tree<T>(context, table, nullptr, problem, there);
    }
#endif
    return cpu::fit_tree(context, table, problem, own);
  });
}

#ifdef YUPANA_CUDA
template <class T>
Tree cuda::fit_resident_tree(Context& context,
                             TableView<T> table,
                             const T* resident,
                             const Target& target,
                             const TreeParams& params) {
  if (params.needs_cpu()) return forest::fit_tree(context, table, target, params);
  check_tree_params(params, table.rows, table.columns);
  const Problem problem = make_problem(table.rows, target, params.criterion);
  return grow_best_first(with_weight_in_rows(params, problem, table.rows), [&](const auto& own) {
    return fit_tree(context, table, resident, problem, own);
  });
}
YUPANA_FUNCTIONS(YUPANA_FLOATS, cuda::fit_resident_tree)
#endif

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_tree)

}  // namespace yupana::forest
