#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"

/// Models as the GPU's descents read them.
namespace yupana::forest::cuda {

/// The right child follows the left. child: of a leaf the complement of its number in the
/// tree. feature: with flags, and all bits turned where missing values go left. threshold: of a
/// node with a set where that is among the words, a number of 32 bits in its first bytes.
template <class T>
struct alignas(16) PackedNode {
  T threshold;
  std::int32_t feature;
  std::int32_t child;

  static constexpr std::int32_t has_set = 1 << 30, one_category = 1 << 29;
  static constexpr std::int32_t feature_mask = one_category - 1;
};

template <class T>
struct PackedForest {
  std::vector<PackedNode<T>> nodes;      ///< tree after tree, each breadth first
  std::vector<std::int64_t> first_node;  ///< of each tree
  std::vector<std::int64_t> first_vote;  ///< of each tree, nodes in its own order
  std::vector<double> votes;             ///< of each node, each output
  /// Of each set how many categories it has, then a bit for each: it goes left.
  std::vector<std::uint32_t> words;
  bool has_categories = false;  ///< some node asks for one
};

/// The largest T that is not above the threshold: x <= threshold holds for the same x.
template <class T>
T rounded_down(double threshold) {
  const T near = static_cast<T>(threshold);
  if (static_cast<double>(near) <= threshold) return near;
  return std::nextafter(near, -std::numeric_limits<T>::infinity());
}

/// Appends a set; where it is, as a threshold.
template <class T>
T append_set(const CategorySet& set, std::vector<std::uint32_t>& words) {
  const auto first = static_cast<std::uint32_t>(words.size());
  words.push_back(static_cast<std::uint32_t>(set.size()));
  words.resize(words.size() + (set.size() + 31) / 32, 0);
  for (std::size_t c = 0; c < set.size(); ++c) {
    if (set[c]) words[first + 1 + c / 32] |= 1u << (c % 32);
  }
  T threshold{0};
  std::memcpy(&threshold, &first, sizeof(first));
  return threshold;
}

template <class T>
void append_tree(const Tree& tree, PackedForest<T>& to) {
  to.first_node.push_back(std::ssize(to.nodes));
  std::vector<std::int32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes[order[i]];
    if (node.is_leaf()) {
      to.nodes.push_back({T{0}, 0, ~order[i]});
      continue;
    }
    T threshold = rounded_down<T>(node.threshold);
    std::int32_t feature = node.feature;
    if (node.set == Node::one_category) feature |= PackedNode<T>::one_category;
    if (node.set >= 0) {
      feature |= PackedNode<T>::has_set;
      threshold = append_set<T>(tree.sets[static_cast<std::size_t>(node.set)], to.words);
    }
    to.nodes.push_back({threshold,
                        node.missing_left ? ~feature : feature,
                        static_cast<std::int32_t>(order.size())});
    order.push_back(node.left);
    order.push_back(node.right);
  }
}

/// What a tree adds to the sums of a row that ends in each node: shares, a vote, or a number.
inline void append_votes(const Model& model, const Tree& tree, std::vector<double>& votes) {
  const std::int64_t outputs = tree.outputs;
  for (std::int64_t i = 0; i < std::ssize(tree.nodes); ++i) {
    const double* value = tree.value(i);
    if (!model.is_class()) {
      votes.push_back(*value);
      continue;
    }
    const std::int64_t most = std::max_element(value, value + outputs) - value;
    const double weight = std::accumulate(value, value + outputs, 0.0);
    for (std::int64_t c = 0; c < outputs; ++c) {
      votes.push_back(model.voting == Voting::hard ? c == most : value[c] / weight);
    }
  }
}

template <class T>
PackedForest<T> packed_forest(const Model& model, TableView<T> table, bool with_votes) {
  if (table.columns != std::ssize(model.features)) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the model has {} features, the table {}; give the columns it was "
                            "trained on",
                            model.features.size(),
                            table.columns));
  }
  PackedForest<T> packed;
  packed.has_categories = splits_categories(model.trees);
  std::int64_t first_vote = 0;
  for (const Tree& tree : model.trees) {
    append_tree(tree, packed);
    packed.first_vote.push_back(first_vote);
    first_vote += std::ssize(tree.nodes);
    if (with_votes) append_votes(model, tree, packed.votes);
  }
  return packed;
}

}  // namespace yupana::forest::cuda
