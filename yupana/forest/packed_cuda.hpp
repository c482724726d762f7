#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/packed.hpp"

/// Models as the GPU's descents read them. Only files that nvcc compiles include this.
namespace yupana::forest::cuda {

/// In the highest bits of a node's word.
struct NodeFlags {
  static constexpr int bits = 28;
  static constexpr std::uint32_t missing_left = 1u << bits, has_set = 2u << bits,
                                 one_category = 4u << bits, leaf = 8u << bits,
                                 rest = missing_left - 1;
};

/// The right child follows the left. place: of the left child; of a leaf its number among the
/// tree's leaves. threshold: of a node with a set where that is among the words, a number of 32
/// bits in its first bytes.
template <class T>
struct alignas(16) WideNode {
  using Value = T;
  static constexpr std::int64_t most_features = std::int64_t{1} << NodeFlags::bits;
  static constexpr std::int64_t most_nodes = std::int64_t{1} << 31;

  T threshold;
  std::uint32_t word;  ///< flags and the feature
  std::uint32_t next;

  static WideNode of(T threshold, std::uint32_t flags, std::uint32_t feature, std::uint32_t place) {
    return {threshold, flags | feature, place};
  }
  __host__ __device__ std::uint32_t feature() const { return word & NodeFlags::rest; }
  __host__ __device__ std::uint32_t place() const { return next; }
};

/// The same in 8 bytes, of small trees and few features.
struct alignas(8) NarrowNode {
  using Value = float;
  static constexpr int feature_bits = 8;
  static constexpr std::int64_t most_features = 1 << feature_bits;
  static constexpr std::int64_t most_nodes = 1 << (NodeFlags::bits - feature_bits);

  float threshold;
  std::uint32_t word;  ///< flags, place and feature

  static NarrowNode of(float threshold,
                       std::uint32_t flags,
                       std::uint32_t feature,
                       std::uint32_t place) {
    return {threshold, flags | place << feature_bits | feature};
  }
  __host__ __device__ std::uint32_t feature() const { return word & (most_features - 1); }
  __host__ __device__ std::uint32_t place() const {
    return (word & NodeFlags::rest) >> feature_bits;
  }
};

/// Where a tree is among the bytes of its forest.
struct TreeBytes {
  std::int64_t nodes;   ///< breadth first
  std::int64_t leaves;  ///< of each leaf what it adds to its rows' sums, or its number in the tree
  std::int64_t end;
};

template <class Node>
struct PackedForest {
  static constexpr std::int64_t alignment = 16;

  Array<unsigned char> bytes;
  std::vector<TreeBytes> trees;  ///< places are multiples of `alignment`
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

/// leaf(number in the tree) puts what is kept of one. first_word: of the tree's sets among all
/// words, which are 0.
template <class Node, class Leaf>
void put_tree(
    const Tree& tree, Node* nodes, const Leaf& leaf, std::uint32_t* words, std::size_t first_word) {
  using T = typename Node::Value;
  std::vector<std::int32_t> order{0};
  order.reserve(tree.nodes.size());
  std::uint32_t leaves = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const forest::Node& from = tree.nodes[static_cast<std::size_t>(order[i])];
    if (from.is_leaf()) {
      nodes[i] = Node::of(T{0}, NodeFlags::leaf, 0, leaves++);
      leaf(order[i]);
      continue;
    }
    T threshold = rounded_down<T>(from.threshold);
    std::uint32_t flags = from.missing_left ? NodeFlags::missing_left : 0;
    if (from.set == forest::Node::one_category) flags |= NodeFlags::one_category;
    if (from.set >= 0) {
      flags |= NodeFlags::has_set;
      const CategorySet& set = tree.sets[static_cast<std::size_t>(from.set)];
      put_set(set, words + first_word);
      const auto first = static_cast<std::uint32_t>(first_word);
      std::memcpy(&threshold, &first, sizeof(first));
      first_word += words_of(set);
    }
    nodes[i] = Node::of(threshold,
                        flags,
                        static_cast<std::uint32_t>(from.feature),
                        static_cast<std::uint32_t>(order.size()));
    order.push_back(from.left);
    order.push_back(from.right);
  }
}

/// What a tree adds to the sums of a row that ends in a node: shares, a vote, or a number. Returns
/// their end.
inline double* put_votes(const Model& model, const Tree& tree, std::int64_t node, double* votes) {
  const double* const value = tree.value(node);
  if (!model.is_class()) {
    *votes = *value;
    return votes + 1;
  }
  const double* const end = value + tree.outputs;
  const std::int64_t most = std::max_element(value, end) - value;
  const double weight = std::accumulate(value, end, 0.0);
  for (std::int64_t c = 0; c < tree.outputs; ++c) {
    *votes++ = model.voting == Voting::hard ? c == most : value[c] / weight;
  }
  return votes;
}

/// Leaf: double, their votes; std::int32_t, their numbers in the tree. for_each(count, body):
/// body(i) for all i of [0, count), in any order.
template <class Node, class Leaf, class ForEach>
PackedForest<Node> packed_forest(const Model& model, const ForEach& for_each) {
  using Packed = PackedForest<Node>;
  Packed packed;
  packed.has_categories = splits_categories(model.trees);
  const auto padded = [](std::int64_t bytes) {
    return divide_up(bytes, Packed::alignment) * Packed::alignment;
  };
  const std::int64_t width =
      std::is_same_v<Leaf, double> && model.is_class() ? std::ssize(model.classes) : 1;
  std::int64_t bytes = 0;
  std::size_t words = 0;
  std::vector<std::size_t> first_word;
  for (const Tree& tree : model.trees) {
    const std::int64_t nodes = std::ssize(tree.nodes), leaves = (nodes + 1) / 2;
    const std::int64_t leaf_bytes = leaves * width * static_cast<std::int64_t>(sizeof(Leaf));
    const std::int64_t first_leaf = bytes + padded(nodes * static_cast<std::int64_t>(sizeof(Node)));
    packed.trees.push_back({bytes, first_leaf, first_leaf + padded(leaf_bytes)});
    bytes = packed.trees.back().end;
    first_word.push_back(words);
    for (const CategorySet& set : tree.sets) words += words_of(set);
  }
  packed.bytes = Array<unsigned char>(bytes);
  packed.words.resize(words);
  for_each(std::ssize(model.trees), [&](std::int64_t t) {
    const auto i = static_cast<std::size_t>(t);
    const Tree& tree = model.trees[i];
    auto* leaf = reinterpret_cast<Leaf*>(packed.bytes.data() + packed.trees[i].leaves);
    const auto put_leaf = [&](std::int32_t node) {
      if constexpr (std::is_same_v<Leaf, double>) {
        leaf = put_votes(model, tree, node, leaf);
      } else {
        *leaf++ = node;
      }
    };
    auto* const nodes = reinterpret_cast<Node*>(packed.bytes.data() + packed.trees[i].nodes);
    put_tree(tree, nodes, put_leaf, packed.words.data(), first_word[i]);
  });
  return packed;
}

/// Whether all of a model's nodes fit Node.
template <class Node>
bool fits(const Model& model) {
  return std::ssize(model.features) <= Node::most_features &&
         std::all_of(model.trees.begin(), model.trees.end(), [](const Tree& tree) {
           return std::ssize(tree.nodes) <= Node::most_nodes;
         });
}

}  // namespace yupana::forest::cuda
