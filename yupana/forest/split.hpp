#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "yupana/forest/scan.hpp"

namespace yupana::forest {

// Doubles of a score are within 2^-44 of it; splits closer than twice that are compared exactly.
inline constexpr double score_closeness = 0x1p-42;

/// A node's split. Of the feature's entries in order, the first known_left go left.
struct Split {
  std::int32_t feature = -1;  ///< -1: none
  std::int64_t known_left = 0;
  std::int64_t left_rows = 0;  ///< known_left and the missing ones, if these go left
  bool missing_left = false;
};

/// Where missing values go: with the larger child if the node saw none.
inline bool sends_missing_left(const Split& split, const NodeRange& range) {
  return range.known < range.all ? split.missing_left : 2 * split.left_rows > range.all;
}

/// A node that is to be split: its rows, [begin, end) of the tree's list or of every list, and what
/// is known of them.
struct Segment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t depth = 0;
  std::uint64_t key = 0;
  Totals totals;
  std::int32_t parent = -1;
  bool is_right = false;
  std::int64_t first_entry = 0;  ///< its rows' entries of a sparse table's list
  std::int64_t last_entry = 0;
  ValueBounds bounds = {};

  std::int64_t size() const { return end - begin; }
};

/// What one feature could do for a node.
struct SplitBound {
  double score = -HUGE_VAL;  ///< of its best split, within rounding
  bool varies = false;       ///< has two values there, missing counted as one
};

template <class Sides>
double approximate_best(const Problem& problem,
                        const Totals& totals,
                        const NodeRange& range,
                        bool missing_left) {
  if constexpr (std::is_same_v<Sides, TwoClassSides>) {
    if (range.class_bits == 1 && !range.is_sparse && !range.rule.binds()) {
      const std::int64_t missing = missing_left ? range.all - range.known : 0;
      std::int64_t ones = 0;
      for (std::int64_t i = 0; i < missing; ++i) ones += range.keys[range.known + i] & 1;
      const double best =
          cpu::best_of_two_classes(range, totals.rows, totals.classes[1], missing, ones);
      return best < 0 ? -HUGE_VAL : best;
    }
  }
  double best = -HUGE_VAL;
  each_split(
      range, Sides(problem, totals, range), missing_left, [&](std::int64_t, const Sides& sides) {
        best = std::max(best, sides.approximate());
      });
  return best;
}

template <class Sides>
SplitBound bound_of(const Problem& problem, const Totals& totals, const NodeRange& range) {
  const bool has_missing = range.known < range.all;
  SplitBound bound;
  bound.varies = range.varies();
  if (!bound.varies) return bound;
  for (int side = 0; side <= (has_missing ? 1 : 0); ++side) {
    bound.score = std::max(bound.score, approximate_best<Sides>(problem, totals, range, side == 1));
  }
  return bound;
}

/// The same of a feature of two values, by sums of the rows that have the greater.
inline SplitBound bound_of_sums(const Problem& problem,
                                const Totals& totals,
                                const Totals& ones,
                                const LeafLimits& least) {
  const std::int64_t with = ones.rows, without = totals.rows - with;
  SplitBound bound;
  bound.varies = with > 0 && without > 0;
  if (!bound.varies || std::min(with, without) < least.rows) return bound;
  const NodeRange none;
  TwoClassSides sides(problem, totals, none);
  sides.move(with, ones.classes[1]);
  bound.score = sides.approximate();
  return bound;
}

/// The best split by one feature.
template <class Exact>
struct FeatureSplit {
  std::int64_t known_left = 0;  ///< 0: none
  bool missing_left = false;
  Exact exact{};
};

/// The best split by one feature among those that reach `least`, exactly.
template <class Sides>
auto exact_best(const Problem& problem,
                const Totals& totals,
                const NodeRange& range,
                double least) {
  using Exact = decltype(std::declval<Sides>().exact());
  FeatureSplit<Exact> best;
  for (const bool missing_left : {false, true}) {
    if (missing_left && range.known == range.all) break;
    each_split(range,
               Sides(problem, totals, range),
               missing_left,
               [&](std::int64_t known_left, const Sides& sides) {
                 if (sides.approximate() < least) return;
                 const Exact exact = sides.exact();
                 const int order = best.known_left == 0 ? 1 : compare(exact, best.exact);
                 if (order > 0 || (order == 0 && known_left < best.known_left)) {
                   best = {known_left, missing_left, exact};
                 }
               });
  }
  return best;
}

/// Splits below this score need no exact look where the best has `most`.
inline double least_score(double most) {
  return most == -HUGE_VAL ? HUGE_VAL : most - std::fabs(most) * score_closeness;
}
inline double least_score(const std::vector<SplitBound>& bounds) {
  double most = -HUGE_VAL;
  for (const SplitBound& bound : bounds) most = std::max(most, bound.score);
  return least_score(most);
}

/// The best split of a node. features: ascending, with what each bounds; range_of(i): the
/// range of features[i]. Only features that come close to the best are looked at exactly.
template <class Sides, class RangeOf>
Split best_split(const Problem& problem,
                 const Totals& totals,
                 const std::vector<std::int32_t>& features,
                 const std::vector<SplitBound>& bounds,
                 const RangeOf& range_of) {
  const double least = least_score(bounds);
  Split split;
  decltype(std::declval<Sides>().exact()) exact{};
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (bounds[i].score < least) continue;
    const NodeRange range = range_of(i);
    const auto best = exact_best<Sides>(problem, totals, range, least);
    if (best.known_left == 0) continue;
    if (split.feature >= 0 && compare(best.exact, exact) <= 0) continue;
    exact = best.exact;
    split = {features[i], best.known_left, best.known_left, best.missing_left};
    if (best.missing_left) split.left_rows += range.all - range.known;
  }
  return split;
}

}  // namespace yupana::forest
