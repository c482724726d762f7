#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "yupana/core/array.hpp"
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
  Array<PackedNode<T>> nodes;            ///< tree after tree, each breadth first
  std::vector<std::int64_t> first_node;  ///< of each tree, in `nodes` and in `votes`
  Array<double> votes;                   ///< of each node in the tree's own order, each output
  /// Of each set how many categories it has, then a bit for each: it goes left.
  std::vector<std::uint32_t> words;
  bool has_categories = false;  ///< some node asks for one
};

inline std::size_t words_of(const CategorySet& set) { return 1 + (set.size() + 31) / 32; }

inline void put_set(const CategorySet& set, std::uint32_t* words) {
  words[0] = static_cast<std::uint32_t>(set.size());
  for (std::size_t c = 0; c < set.size(); ++c) {
    if (set[c]) words[1 + c / 32] |= 1u << (c % 32);
  }
}

/// first_word: of the tree's sets among all words, which are 0.
template <class T>
void put_tree(const Tree& tree,
              PackedNode<T>* nodes,
              std::uint32_t* words,
              std::size_t first_word) {
  std::vector<std::int32_t> order{0};
  order.reserve(tree.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes[static_cast<std::size_t>(order[i])];
    if (node.is_leaf()) {
      nodes[i] = {T{0}, 0, ~order[i]};
      continue;
    }
    T threshold = rounded_down<T>(node.threshold);
    std::int32_t feature = node.feature;
    if (node.set == Node::one_category) feature |= PackedNode<T>::one_category;
    if (node.set >= 0) {
      feature |= PackedNode<T>::has_set;
      const CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
      put_set(set, words + first_word);
      const auto first = static_cast<std::uint32_t>(first_word);
      std::memcpy(&threshold, &first, sizeof(first));
      first_word += words_of(set);
    }
    nodes[i] = {
        threshold, node.missing_left ? ~feature : feature, static_cast<std::int32_t>(order.size())};
    order.push_back(node.left);
    order.push_back(node.right);
  }
}

/// What a tree adds to the sums of a row that ends in each node: shares, a vote, or a number.
inline void put_votes(const Model& model, const Tree& tree, double* votes) {
  const std::int64_t outputs = tree.outputs;
  for (std::int64_t i = 0; i < std::ssize(tree.nodes); ++i) {
    const double* value = tree.value(i);
    if (!model.is_class()) {
      *votes++ = *value;
      continue;
    }
    const std::int64_t most = std::max_element(value, value + outputs) - value;
    const double weight = std::accumulate(value, value + outputs, 0.0);
    for (std::int64_t c = 0; c < outputs; ++c) {
      *votes++ = model.voting == Voting::hard ? c == most : value[c] / weight;
    }
  }
}

/// for_each(count, body): body(i) for all i of [0, count), in any order.
template <class T, class ForEach>
PackedForest<T> packed_forest(const Model& model,
                              TableView<T> table,
                              bool with_votes,
                              const ForEach& for_each) {
  if (table.columns != std::ssize(model.features)) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the model has {} features, the table {}; give the columns it was "
                            "trained on",
                            model.features.size(),
                            table.columns));
  }
  PackedForest<T> packed;
  packed.has_categories = splits_categories(model.trees);
  std::int64_t nodes = 0;
  std::size_t words = 0;
  std::vector<std::size_t> first_word;
  for (const Tree& tree : model.trees) {
    packed.first_node.push_back(nodes);
    first_word.push_back(words);
    nodes += std::ssize(tree.nodes);
    for (const CategorySet& set : tree.sets) words += words_of(set);
  }
  const std::int64_t outputs = model.trees.empty() ? 1 : model.trees.front().outputs;
  packed.nodes = Array<PackedNode<T>>(nodes);
  if (with_votes) packed.votes = Array<double>(nodes * outputs);
  packed.words.resize(words);
  for_each(std::ssize(model.trees), [&](std::int64_t t) {
    const auto i = static_cast<std::size_t>(t);
    const Tree& tree = model.trees[i];
    const std::int64_t first = packed.first_node[i];
    put_tree(tree, packed.nodes.data() + first, packed.words.data(), first_word[i]);
    if (with_votes) put_votes(model, tree, packed.votes.data() + first * outputs);
  });
  return packed;
}

}  // namespace yupana::forest::cuda
