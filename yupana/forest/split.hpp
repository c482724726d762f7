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

  std::int64_t size() const { return end - begin; }
};

/// What one feature could do for a node.
struct Promise {
  double score = -HUGE_VAL;  ///< of its best split, within rounding
  bool varies = false;       ///< has two values there, missing counted as one
};

template <class Sides>
double approximate_best(const Problem& problem,
                        const Totals& totals,
                        const Stretch& stretch,
                        bool missing_left) {
  if constexpr (std::is_same_v<Sides, TwoClassSides>) {
    if (stretch.class_bits == 1) {
      const std::int64_t missing = missing_left ? stretch.all - stretch.known : 0;
      std::int64_t ones = 0;
      for (std::int64_t i = 0; i < missing; ++i) ones += stretch.keys[stretch.known + i] & 1;
      const double best =
          cpu::best_of_two_classes(stretch, totals.rows, totals.classes[1], missing, ones);
      return best < 0 ? -HUGE_VAL : best;
    }
  }
  double best = -HUGE_VAL;
  each_split(stretch,
             Sides(problem, totals, stretch),
             missing_left,
             [&](std::int64_t, const Sides& sides) { best = std::max(best, sides.approximate()); });
  return best;
}

template <class Sides>
Promise promise_of(const Problem& problem, const Totals& totals, const Stretch& stretch) {
  const bool has_missing = stretch.known < stretch.all;
  Promise promise;
  promise.varies =
      stretch.known > 0 && (has_missing || stretch.keys[0] >> stretch.class_bits !=
                                               stretch.keys[stretch.all - 1] >> stretch.class_bits);
  if (!promise.varies) return promise;
  for (int side = 0; side <= (has_missing ? 1 : 0); ++side) {
    promise.score =
        std::max(promise.score, approximate_best<Sides>(problem, totals, stretch, side == 1));
  }
  return promise;
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
                const Stretch& stretch,
                double least) {
  using Exact = decltype(std::declval<Sides>().exact());
  FeatureSplit<Exact> best;
  for (const bool missing_left : {false, true}) {
    if (missing_left && stretch.known == stretch.all) break;
    each_split(stretch,
               Sides(problem, totals, stretch),
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

/// The best split of a node. features: ascending, with what each promises; stretch_of(i): the
/// stretch of features[i]. Only features that come close to the best are looked at exactly.
template <class Sides, class StretchOf>
Split best_split(const Problem& problem,
                 const Totals& totals,
                 const std::vector<std::int32_t>& features,
                 const std::vector<Promise>& promises,
                 const StretchOf& stretch_of) {
  double most = -HUGE_VAL;
  for (const Promise& promise : promises) most = std::max(most, promise.score);
  if (most == -HUGE_VAL) return {};
  const double least = most - std::fabs(most) * score_closeness;
  Split split;
  decltype(std::declval<Sides>().exact()) exact{};
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (promises[i].score < least) continue;
    const Stretch stretch = stretch_of(i);
    const auto best = exact_best<Sides>(problem, totals, stretch, least);
    if (best.known_left == 0) continue;
    if (split.feature >= 0 && compare(best.exact, exact) <= 0) continue;
    exact = best.exact;
    split = {features[i], best.known_left, best.known_left, best.missing_left};
    if (best.missing_left) split.left_rows += stretch.all - stretch.known;
  }
  return split;
}

}  // namespace yupana::forest
