#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "yupana/forest/forest.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

/// What trees keep to besides TreeParams. They grow on the CPU, under a CUDA context too.
struct GrowthRules {
  /// Of each feature, whether predictions may only rise (1) or only fall (-1) with its value, all
  /// else equal: numbers, or the share of the second of two classes. 0: either. Empty: all 0.
  std::vector<std::int8_t> monotonic = {};
  /// Of each feature one threshold is drawn at a node, uniform between the least and the greatest
  /// value there, and the best of these is taken.
  ///   source: Geurts, Ernst, Wehenkel, Extremely randomized trees, Machine Learning 63, 2006
  bool random_splits = false;

  bool any() const { return random_splits || !monotonic.empty(); }
  int direction(std::int32_t feature) const {
    return monotonic.empty() ? 0 : monotonic[static_cast<std::size_t>(feature)];
  }
};

/// fit_tree and fit_forest of trees that keep to rules. A split by a monotonic feature is a
/// candidate where what its children would predict, as doubles, is in the order of the feature and
/// within the bounds of the node, and leaves its children the two sides of the middle of these
/// predictions; other splits hand the bounds on. Predictions are clamped to their node's bounds:
/// scikit-learn's rules. One-hot columns are made features.
///   determinism: the same for any threads, run and backend; predictions are monotonic as doubles
///   errors: usage for more than two classes, absolute errors or categorical features with
///   monotonic features, categorical features with random splits
template <class T>
Tree fit_ruled_tree(Context& context,
                    TableView<T> table,
                    const Target& target,
                    const TreeParams& params,
                    const GrowthRules& rules);
template <class T>
ForestResult fit_ruled_forest(Context& context,
                              TableView<T> table,
                              const Target& target,
                              const ForestParams& params,
                              const GrowthRules& rules);

/// What a node may predict.
struct ValueBounds {
  double low = -HUGE_VAL;
  double high = HUGE_VAL;

  bool has(double value) const { return value >= low && value <= high; }
  double clamped(double value) const { return std::clamp(value, low, high); }
};

/// The prediction that bounds are about, of sums over rows: the share of the second of two classes,
/// or the mean.
inline double share_of(std::int64_t second, std::int64_t weight) {
  return static_cast<double>(second) / static_cast<double>(weight);
}
inline double mean_of(const Problem& problem, std::int64_t moment, std::int64_t weight) {
  return problem.center + static_cast<double>(moment) * problem.moment_unit /
                              (static_cast<double>(weight) * problem.weight_unit);
}
inline double bounded_value(const Problem& problem, const Totals& totals) {
  return problem.classes > 0 ? share_of(totals.classes[1], totals.weight)
                             : mean_of(problem, totals.moment, totals.weight);
}

/// What splits of a node by one feature keep to.
struct SplitRule {
  int direction = 0;
  ValueBounds bounds = {};  ///< of a feature that has a direction
  bool has_place = false;
  std::int64_t place = 0;  ///< the only number of known values to the left, if has_place

  bool binds() const { return direction != 0 || has_place; }
  bool allows(double left, double right) const {
    return direction == 0 ||
           (bounds.has(left) && bounds.has(right) && direction * (right - left) >= 0);
  }
};

/// Bounds of the children of a node that is split by a feature of a direction.
inline std::pair<ValueBounds, ValueBounds> child_bounds(const ValueBounds& node,
                                                        int direction,
                                                        double left,
                                                        double right) {
  std::pair<ValueBounds, ValueBounds> children{node, node};
  if (direction == 0) return children;
  const double middle = std::midpoint(node.clamped(left), node.clamped(right));
  (direction > 0 ? children.first.high : children.first.low) = middle;
  (direction > 0 ? children.second.low : children.second.high) = middle;
  return children;
}

/// Puts what a new node predicts within bounds: the number, or the share of the second of two
/// classes.
inline void clamp_value(const ValueBounds& bounds, std::int32_t node, Tree& tree) {
  double* const value = tree.values.data() + std::int64_t{node} * tree.outputs;
  if (tree.outputs == 1) *value = bounds.clamped(*value);
  if (tree.outputs != 2) return;
  const double weight = value[0] + value[1], share = value[1] / weight;
  if (bounds.has(share)) return;
  // Of a power of two, so that the shares of these are the bound, without rounding.
  const double own = bounds.clamped(share), scale = std::ldexp(1.0, std::ilogb(weight));
  value[0] = (1 - own) * scale;
  value[1] = own * scale;
}

/// The threshold that a node (its key) draws between the least and the greatest value of a feature.
/// At least `least`, below `most` where that is greater.
template <class T>
T drawn_threshold(std::uint64_t key, std::int32_t feature, T least, T most) {
  const double u = Random(key, static_cast<std::uint64_t>(feature) + 1).uniform(0);
  const auto drawn =
      static_cast<T>(static_cast<double>(least) * (1 - u) + static_cast<double>(most) * u);
  return drawn > least && drawn < most ? drawn : least;
}

/// Throws usage for rules that do not go together with the rest.
void check_rules(const GrowthRules& rules,
                 const TreeParams& params,
                 const Target& target,
                 std::int64_t features);

}  // namespace yupana::forest
