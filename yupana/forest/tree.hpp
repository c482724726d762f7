#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"

namespace yupana::forest {

/// What is measured at a node with class shares p, or with labels y:
///   gini: 1 - sum p^2; entropy: -sum p log2 p; variance: mean of (y - mean y)^2
enum class Criterion { gini, entropy, variance };

inline constexpr std::int64_t unlimited_depth = -1;

struct TreeParams {
  Criterion criterion = Criterion::gini;     ///< of classes; numbers are split by variance
  std::int64_t max_depth = unlimited_depth;  ///< edges from the root to the deepest leaf
  std::int64_t min_samples_split = 2;        ///< a node of fewer rows is a leaf
  std::int64_t min_samples_leaf = 1;         ///< rows in each child, at least
  double min_weight_fraction_leaf = 0;       ///< of the tree's weight in each child, at least
  std::int64_t max_leaf_nodes = 0;           ///< leaves, see best_first(); 0: unlimited
  double min_impurity_decrease = 0;          ///< of gain x (node's weight / all weight), at least
  double min_gain = 0;                       ///< of gain = I - (W_l I_l + W_r I_r) / W, at least
  std::int64_t max_features = 0;             ///< features drawn at each node; 0: all of them
  std::uint64_t seed = 0;                    ///< of the draws
};

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

  bool is_leaf() const { return feature < 0; }
  /// The child that a row with value x of the feature goes to.
  std::int32_t child_of(double x) const {
    return (x != x ? missing_left : x <= threshold) ? left : right;
  }
  bool operator==(const Node&) const = default;
};

/// Nodes in preorder: the root is 0, a left child follows its parent.
struct Tree {
  std::vector<Node> nodes;
  std::int32_t outputs = 1;    ///< values a node: one a class, or 1
  std::vector<double> values;  ///< node after node: weight of each class, or the mean

  const double* value(std::int64_t node) const { return values.data() + node * outputs; }
  std::int64_t leaves() const;
  std::int64_t depth() const;
  /// Makes a node the left or right child of `parent`; the root (parent -1) is none.
  void set_child(std::int32_t parent, bool is_right, std::int32_t child) {
    if (parent >= 0) (is_right ? nodes[parent].right : nodes[parent].left) = child;
  }
  bool operator==(const Tree&) const = default;
};

/// Grows an exact CART. At each node every midpoint of consecutive different values of every
/// feature is tried, and the split with the greatest gain is kept; ties go to the lowest feature,
/// then the lowest threshold. The midpoint is rounded to T, and is the lower value where it would
/// not stay below the upper one. Missing values (NaN) go to the side that gains more, right if
/// equal; where a node saw none, to its larger child, right if equal.
///   exact: class weights are integers (of the weights' sum divided by 2^40), moments of numbers
///   integers of 2^-61 of their sum, n log2 n of 2^-61 of the largest; gains are compared as
///   fractions of such integers, in doubles first, and as exact integers where doubles are closer
///   than their rounding. Weights that are whole numbers below 2^40 in all lose nothing.
///   work: one sort a feature, then a pass over all values a level
///   memory: 8 bytes a value of the table, and 16 a row and thread
///   determinism: the same tree for any threads and backend; it depends on the order of rows
///   nowhere (with max_features neither)
///   errors: bad_input for an empty table, labels missing or out of range, NaN or infinite numbers,
///   weights below 0 or all 0, 2^32 rows or more; usage for parameters without sense; interrupted
///   source: Breiman, Friedman, Olshen, Stone 1984; attribute lists: Shafer, Agrawal, Mehta,
///   SPRINT, VLDB 1996
template <class T>
Tree fit_tree(Context& context, TableView<T> table, const Target& target, const TreeParams& = {});

/// The node that a row ends in. `at(feature)` is its value.
template <class At>
std::int32_t leaf_of(const Tree& tree, const At& at) {
  std::int32_t node = 0;
  while (!tree.nodes[node].is_leaf()) {
    const Node& split = tree.nodes[node];
    node = split.child_of(static_cast<double>(at(split.feature)));
  }
  return node;
}

}  // namespace yupana::forest
