#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "yupana/forest/exact.hpp"
#include "yupana/forest/median.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/tree.hpp"

/// Gains of splits, monotonic features and drawn thresholds (TreeParams). Private to the family.
namespace yupana::forest {

// A split by a monotonic feature is a candidate where what its children would predict, as doubles,
// is in the order of the feature and within the bounds of the node, and leaves its children the two
// sides of the middle of these predictions; other splits hand the bounds on. Predictions are
// clamped to their node's bounds: scikit-learn's rules.

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

/// Bounds of the children of a node that is split by a feature of a direction, 0: of none.
inline std::pair<ValueBounds, ValueBounds> child_bounds(const Problem& problem,
                                                        int direction,
                                                        const ValueBounds& node,
                                                        const Totals& left,
                                                        const Totals& right) {
  std::pair<ValueBounds, ValueBounds> children{node, node};
  if (direction == 0) return children;
  const double middle = std::midpoint(node.clamped(bounded_value(problem, left)),
                                      node.clamped(bounded_value(problem, right)));
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
/// At least `least`, below `most` where that is greater; 0 has one sign.
template <class T>
T drawn_threshold(std::uint64_t key, std::int32_t feature, T least, T most) {
  const double u = Random(key, static_cast<std::uint64_t>(feature) + 1).uniform(0);
  const auto drawn =
      static_cast<T>(static_cast<double>(least) * (1 - u) + static_cast<double>(most) * u);
  return (drawn > least && drawn < most ? drawn : least) + T{0};
}

/// A split's gain, but for what all splits of a node share: a fraction, or an integer.
struct Gain {
  Fraction fraction;
  __int128 sum = 0;

  bool operator>(const Gain& other) const {
    const int order = compare(sum, other.sum);
    return order > 0 || (order == 0 && compare(fraction, other.fraction) > 0);
  }
};

inline Gain gain_of(const Problem& problem,
                    const Totals& node,
                    const Totals& left,
                    const Totals& right) {
  Gain gain;
  if (problem.criterion == Criterion::entropy) {
    for (const Totals* side : {&left, &right}) {
      for (const std::int64_t count : side->classes) gain.sum += problem.count_log(count);
      gain.sum -= problem.count_log(side->weight);
    }
    return gain;
  }
  if (problem.criterion == Criterion::absolute_error) {
    gain.sum = -(left.labels->error() + right.labels->error());
    return gain;
  }
  if (problem.criterion == Criterion::poisson) {
    gain.sum = deviance_gain(left.moment, left.weight) + deviance_gain(right.moment, right.weight);
    return gain;
  }
  Fraction& f = gain.fraction;
  f.n = static_cast<std::uint64_t>(left.weight);
  f.m = static_cast<std::uint64_t>(right.weight);
  if (problem.criterion == Criterion::variance) {
    const std::int64_t shift = node.moment / node.weight;
    f.a = square(left.moment - shift * left.weight);
    f.b = square(right.moment - shift * right.weight);
    return gain;
  }
  for (const std::int64_t count : left.classes) f.a += square(count);
  for (const std::int64_t count : right.classes) f.b += square(count);
  return gain;
}

/// Whether both sides have what LeafLimits ask of a child.
inline bool are_large_enough(const LeafLimits& least, const Totals& left, const Totals& right) {
  return std::min(left.rows, right.rows) >= least.rows &&
         std::min(left.weight, right.weight) >= least.weight;
}

}  // namespace yupana::forest
