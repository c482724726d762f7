#include <algorithm>
#include <limits>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/growth_rules.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest::reference {
namespace {

using Rows = std::vector<std::uint32_t>;

struct Split {
  bool found = false;
  std::int32_t feature = -1;
  double threshold = 0;
  bool missing_left = false;
  CategorySet set;  ///< empty: the threshold decides
  Gain gain;
  Rows left, right;
};

template <class T>
class Grower {
 public:
  Grower(Context& context, TableView<T> table, const Problem& problem, const TreeParams& params)
      : context_(context),
        table_(table),
        problem_(problem),
        params_(params),
        memory_(context, problem.outputs(), bytes_of(table)),
        categories_(count_categories(table, params)) {}

  Tree grow(const std::uint8_t* repeats) {
    tree_.outputs = problem_.outputs();
    Rows rows;
    for (std::int64_t i = 0; i < table_.rows; ++i) {
      const std::size_t times = problem_.weight(i) == 0 ? 0 : repeats == nullptr ? 1 : repeats[i];
      rows.insert(rows.end(), times, static_cast<std::uint32_t>(i));
    }
    all_weight_ = totals(rows).weight;
    add_node(rows, {}, 0, root_key(params_.seed), -1, false);
    return std::move(tree_);
  }

 private:
  Totals totals(const Rows& rows) const {
    return totals_of(problem_, rows.data(), std::ssize(rows));
  }

  void add_node(const Rows& rows,
                const ValueBounds& bounds,
                std::int64_t depth,
                std::uint64_t key,
                std::int32_t parent,
                bool is_right) {
    context_.check_cancelled();
    const Totals node = totals(rows);
    memory_.add(1);
    const std::int32_t index = add_leaf(problem_, node, parent, is_right, tree_);
    clamp_value(bounds, index, tree_);
    if (is_leaf(params_, node, depth)) return;
    const Split split = best_split(rows, node, bounds, key);
    if (!split.found) return;
    const Totals left = totals(split.left), right = totals(split.right);
    if (!gains_enough(problem_, params_, node, left, right, all_weight_)) return;
    tree_.nodes[index].feature = split.feature;
    tree_.nodes[index].threshold = split.threshold;
    tree_.nodes[index].missing_left = split.missing_left;
    if (!split.set.empty()) {
      memory_.add(split.set);
      tree_.nodes[index].set = static_cast<std::int32_t>(tree_.sets.size());
      tree_.sets.push_back(split.set);
    }
    const int direction = params_.direction(split.feature);
    const auto sides = child_bounds(problem_, direction, bounds, left, right);
    add_node(split.left, sides.first, depth + 1, child_key(key, false), index, false);
    add_node(split.right, sides.second, depth + 1, child_key(key, true), index, true);
  }

  Split best_split(const Rows& rows,
                   const Totals& node,
                   const ValueBounds& bounds,
                   std::uint64_t key) const {
    std::vector<std::int32_t> features;
    FeatureSampler draw(key, table_.columns);
    const bool all = params_.max_features == 0 || params_.max_features == table_.columns;
    bool varies = false;
    while (!draw.empty() && (all || std::ssize(features) < params_.max_features || !varies)) {
      features.push_back(draw.next());
      const T* column = table_.column(features.back());
      for (const std::uint32_t row : rows) {
        const bool both_missing = column[row] != column[row] && column[rows[0]] != column[rows[0]];
        varies = varies || (column[row] != column[rows[0]] && !both_missing);
      }
    }
    std::sort(features.begin(), features.end());
    Split best;
    for (const std::int32_t feature : features) {
      try_feature(feature, rows, node, {params_.direction(feature), bounds}, key, best);
    }
    return best;
  }

  void try_feature(std::int32_t feature,
                   const Rows& rows,
                   const Totals& node,
                   const SplitRule& rule,
                   std::uint64_t key,
                   Split& best) const {
    const T* column = table_.column(feature);
    Rows known, missing;
    for (const std::uint32_t row : rows) {
      (column[row] == column[row] ? known : missing).push_back(row);
    }
    const bool is_categorical = params_.is_categorical(feature);
    std::stable_sort(known.begin(), known.end(), [&](std::uint32_t a, std::uint32_t b) {
      return column[a] < column[b];
    });
    if (is_categorical) known = ordered(column, known, missing, node);
    const bool draws =
        params_.random_splits && !known.empty() && column[known.front()] != column[known.back()];
    const T drawn =
        draws ? drawn_threshold(key, feature, column[known.front()], column[known.back()]) : T{};
    for (std::size_t i = 1; i <= known.size(); ++i) {
      const bool is_last = i == known.size();
      if (is_last ? missing.empty() : column[known[i - 1]] == column[known[i]]) continue;
      if (draws && (is_last || column[known[i - 1]] > drawn || column[known[i]] <= drawn)) continue;
      Split split;
      split.feature = feature;
      split.left.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(i));
      split.right.assign(known.begin() + static_cast<std::ptrdiff_t>(i), known.end());
      if (!is_categorical) {
        split.threshold =
            is_last && params_.random_splits ? static_cast<double>(column[known.back()]) + 0.0
            : is_last                        ? std::numeric_limits<double>::infinity()
                                             : static_cast<double>(
                            draws ? drawn : midpoint(column[known[i - 1]], column[known[i]]));
      }
      for (const bool left : {false, true}) {
        if (left && (missing.empty() || is_last)) continue;
        Split side = split;
        side.missing_left = missing.empty() ? side.left.size() > side.right.size() : left;
        if (is_categorical)
          side.set = set_of(column, known, i, side.missing_left, categories_[feature]);
        Rows& to = left ? side.left : side.right;
        to.insert(to.end(), missing.begin(), missing.end());
        keep_better(side, node, rule, best);
      }
    }
  }

  /// Rows of known categories, category after category in the order that is cut.
  Rows ordered(const T* column, const Rows& known, const Rows& missing, const Totals& node) const {
    std::vector<Rows> rows;
    for (const std::uint32_t row : known) {
      if (rows.empty() || column[rows.back().back()] != column[row]) rows.emplace_back();
      rows.back().push_back(row);
    }
    CategoryTotals categories;
    for (const Rows& own : rows) categories.known.push_back(totals(own));
    categories.missing = totals(missing);
    const LeafLimits least = leaf_limits(problem_, params_, all_weight_);
    Rows result;
    for (const std::int32_t k : reference::category_order(problem_, node, categories, least)) {
      result.insert(result.end(), rows[k].begin(), rows[k].end());
    }
    return result;
  }

  static CategorySet set_of(const T* column,
                            const Rows& known,
                            std::size_t known_left,
                            bool missing_left,
                            std::int64_t categories) {
    CategorySet set(static_cast<std::size_t>(categories), missing_left);
    for (std::size_t i = 0; i < known.size(); ++i) {
      set[static_cast<std::size_t>(column[known[i]])] = i < known_left;
    }
    return set;
  }

  void keep_better(Split& split, const Totals& node, const SplitRule& rule, Split& best) const {
    if (std::ssize(split.left) < params_.min_samples_leaf) return;
    if (std::ssize(split.right) < params_.min_samples_leaf) return;
    const Totals left = totals(split.left), right = totals(split.right);
    const double least = params_.min_weight_fraction_leaf * static_cast<double>(all_weight_);
    if (static_cast<double>(std::min(left.weight, right.weight)) < least) return;
    const bool poisson = problem_.criterion == Criterion::poisson;
    if (poisson && std::min(left.moment, right.moment) == 0) return;
    if (rule.direction != 0 &&
        !rule.allows(bounded_value(problem_, left), bounded_value(problem_, right))) {
      return;
    }
    split.found = true;
    split.gain = gain_of(problem_, node, left, right);
    if (!best.found || split.gain > best.gain) best = std::move(split);
  }

  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  const TreeParams& params_;
  TreeMemory memory_;
  std::vector<std::int64_t> categories_;
  Tree tree_;
  std::int64_t all_weight_ = 0;
};

}  // namespace

template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params,
              const std::uint8_t* repeats) {
  return Grower<T>(context, table, problem, params).grow(repeats);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_tree)

}  // namespace yupana::forest::reference
