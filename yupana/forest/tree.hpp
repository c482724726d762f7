#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"

namespace yupana::forest {

/// What is measured at a node with class shares p, or with labels y:
///   gini: 1 - sum p^2; entropy: -sum p log2 p; variance: mean of (y - mean y)^2
///   absolute_error: mean of |y - median y|, the leaf's value is the median; poisson: half the
///   deviance, mean of y ln(y / mean y), y >= 0: no child whose mean would be 0
enum class Criterion { gini, entropy, variance, absolute_error, poisson };

inline constexpr std::int64_t unlimited_depth = -1;

struct TreeParams {
  Criterion criterion = Criterion::gini;     ///< of classes; of numbers then variance
  std::int64_t max_depth = unlimited_depth;  ///< edges from the root to the deepest leaf
  std::int64_t min_samples_split = 2;        ///< a node of fewer rows is a leaf
  std::int64_t min_samples_leaf = 1;         ///< rows in each child, at least
  double min_weight_fraction_leaf = 0;       ///< of the tree's weight in each child, at least
  std::int64_t max_leaf_nodes = 0;           ///< leaves, see best_first(); 0: unlimited
  double min_impurity_decrease = 0;          ///< of gain x (node's weight / all weight), at least
  double min_gain = 0;                       ///< of gain = I - (W_l I_l + W_r I_r) / W, at least
  std::int64_t max_features = 0;             ///< features drawn at each node; 0: all of them
  std::uint64_t seed = 0;                    ///< of the draws
  /// Of each feature, whether its values number categories that have no order; empty: none do.
  std::vector<bool> categorical = {};
  /// Of each column of the table, how many features of 0 and 1 it stands for, one for each of the
  /// categories that number its rows; 0: it is a feature itself. Empty: columns are features.
  std::vector<std::int32_t> one_hot = {};
  /// Of each feature, whether predictions may only rise (1) or only fall (-1) with its value, all
  /// else equal: numbers, or the share of the second of two classes. 0: either. Empty: all 0.
  std::vector<std::int8_t> monotonic = {};
  /// Of each feature one threshold is drawn at a node, uniform between the least and the greatest
  /// value there, and the best of these is taken.
  ///   source: Geurts, Ernst, Wehenkel, Extremely randomized trees, Machine Learning 63, 2006
  bool random_splits = false;

  bool is_categorical(std::int64_t feature) const {
    return !categorical.empty() && categorical[static_cast<std::size_t>(feature)];
  }
  int direction(std::int32_t feature) const {
    return monotonic.empty() ? 0 : monotonic[static_cast<std::size_t>(feature)];
  }
  /// Rules by which some splits are no candidates.
  bool has_rules() const { return random_splits || !monotonic.empty(); }
  /// Such trees grow on the CPU under a CUDA context too.
  bool needs_cpu() const {
    return has_rules() || criterion == Criterion::absolute_error || criterion == Criterion::poisson;
  }
};

/// The largest T that is not above the threshold: x <= threshold holds for the same x.
template <class T>
T rounded_down(double threshold) {
  const T near = static_cast<T>(threshold);
  if (static_cast<double>(near) <= threshold) return near;
  return std::nextafter(near, -std::numeric_limits<T>::infinity());
}

/// Categories are numbers from 0 to this.
inline constexpr std::int64_t max_category = (std::int64_t{1} << 20) - 1;

/// What a tree is to predict: a class or a number of each row. Does not own.
struct Target {
  const std::int32_t* codes = nullptr;  ///< classes from 0, if these are predicted
  std::int32_t classes = 0;             ///< how many there are, some perhaps without a row
  const double* values = nullptr;       ///< numbers, if these are predicted
  const double* weights = nullptr;      ///< of the rows, 0 or more; null: each 1

  bool is_class() const { return codes != nullptr; }
};

struct Node {
  std::int32_t feature = -1;  ///< -1: a leaf
  std::int32_t left = -1;     ///< rows with x <= threshold
  std::int32_t right = -1;
  bool missing_left = false;  ///< where a missing value goes
  double threshold = 0;
  std::int64_t rows = 0;  ///< training rows that reached the node
  double weight = 0;      ///< and their weight
  double impurity = 0;
  std::int32_t set = -1;  ///< of the tree's sets, which decides then; -1: the threshold does

  /// As `set`, of trees that read columns for the features of 0 and 1 that the columns stand for
  /// (one_hot.hpp): the category `threshold` goes right, all others left.
  static constexpr std::int32_t one_category = -2;

  bool is_leaf() const { return feature < 0; }
  bool operator==(const Node&) const = default;
};

/// Of each category, by its number, whether it goes left. Those that a node did not see, in the set
/// or beyond it, go where missing values go.
using CategorySet = std::vector<bool>;

/// Nodes in preorder: the root is 0, a left child follows its parent.
struct Tree {
  std::vector<Node> nodes;
  std::int32_t outputs = 1;            ///< values a node: one a class, or 1
  std::vector<double> values;          ///< node after node: weight of each class, or the number
  std::vector<CategorySet> sets = {};  ///< of nodes that split categories, in order of the nodes

  /// The child that a row with value x of the node's feature goes to.
  std::int32_t child_of(const Node& node, double x) const {
    return goes_left(node, x) ? node.left : node.right;
  }
  bool goes_left(const Node& node, double x) const {
    if (x != x) return node.missing_left;
    if (node.set == Node::one_category) return x != node.threshold;
    if (node.set < 0) return x <= node.threshold;
    const CategorySet& set = sets[static_cast<std::size_t>(node.set)];
    if (!(x >= 0 && x < static_cast<double>(set.size()))) return node.missing_left;
    const auto category = static_cast<std::size_t>(x);
    return static_cast<double>(category) == x ? set[category] : node.missing_left;
  }
  const double* value(std::int64_t node) const { return values.data() + node * outputs; }
  std::int64_t leaves() const;
  std::int64_t depth() const;
  /// Makes a node the left or right child of `parent`; the root (parent -1) is none.
  void set_child(std::int32_t parent, bool is_right, std::int32_t child) {
    if (parent >= 0) (is_right ? nodes[parent].right : nodes[parent].left) = child;
  }
  /// Gives a node that comes from another tree its set here, if it has one.
  void take_set(Node& node, const Tree& from) {
    if (node.set < 0) return;
    sets.push_back(from.sets[static_cast<std::size_t>(node.set)]);
    node.set = static_cast<std::int32_t>(sets.size()) - 1;
  }
  bool operator==(const Tree&) const = default;
};

/// Grows an exact CART. At each node every midpoint of consecutive different values of every
/// feature is tried, and the split with the greatest gain is kept; ties go to the lowest feature,
/// then the lowest threshold. The midpoint is rounded to T, and is the lower value where it would
/// not stay below the upper one. Missing values (NaN) go to the side that gains more, right if
/// equal; where a node saw none, to its larger child, right if equal. Of a categorical feature
/// every parting of a node's categories in two is a candidate, see category_order.hpp: all of them
/// for numbers, for two classes at the node and for up to 10 categories; else those of some orders.
/// Trees by absolute errors or Poisson's deviance, with monotonic features or drawn thresholds grow
/// on the CPU under a CUDA context too. Absolute errors, monotonic features and drawn thresholds
/// take no categorical features, absolute errors and more than two classes no monotonic ones. One
/// of these predicts as its rules say (growth_rules.hpp), monotonically as doubles.
/// Columns that stand for features of 0 and 1 give the tree of a table that has these features, bit
/// for bit, whose nodes name features and not columns.
///   exact: class weights are integers (of the weights' sum divided by 2^40), moments of numbers
///   integers of 2^-61 of their sum, n log2 n of 2^-61 of the largest; gains are compared as
///   fractions of such integers, in doubles first, and as exact integers where doubles are closer
///   than their rounding; of Poisson's deviance log2 is a multiple of 2^-57. Medians are of numbers
///   as integers of 2^-61 of the largest. Weights that are whole numbers below 2^40 in all lose
///   nothing.
///   work: one sort a feature, then a pass over all values a level
///   memory: 8 bytes a value of the table, and 16 a row and thread
///   determinism: the same tree for any threads, backend and order of rows, with max_features too
///   errors: bad_input for an empty table, labels missing or out of range, NaN or infinite labels,
///   weights below 0 or all 0, 2^32 rows or more; usage for parameters without sense; interrupted
///   source: Breiman, Friedman, Olshen, Stone 1984; attribute lists: Shafer, Agrawal, Mehta,
///   SPRINT, VLDB 1996
template <class T>
Tree fit_tree(Context& context, TableView<T> table, const Target& target, const TreeParams& = {});

/// Whether a node of a tree asks for a category.
inline bool splits_categories(const Tree& tree) {
  return !tree.sets.empty() ||
         std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const Node& node) {
           return node.set == Node::one_category;
         });
}
inline bool splits_categories(const std::vector<Tree>& trees) {
  return std::any_of(
      trees.begin(), trees.end(), [](const Tree& tree) { return splits_categories(tree); });
}

/// The node that a row ends in. `at(feature)` is its value.
template <class At>
std::int32_t leaf_of(const Tree& tree, const At& at) {
  std::int32_t node = 0;
  while (!tree.nodes[node].is_leaf()) {
    const Node& split = tree.nodes[node];
    node = tree.child_of(split, static_cast<double>(at(split.feature)));
  }
  return node;
}

}  // namespace yupana::forest
