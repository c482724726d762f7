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

/// Of a tree whose levels are complete, so that it needs no places: the children of node i (root 1)
/// are 2i and 2i + 1, and a leaf is that of all places under it. First the thresholds of all nodes,
/// then of each a word of 16 bits, the upper half of a WideNode's: flags and the feature.
template <class T>
struct LevelNode {
  using Value = T;
  static constexpr int feature_bits = NodeFlags::bits - 16;
  static constexpr std::int64_t most_features = 1 << feature_bits;

  static constexpr std::int64_t bytes_of(int depth) {
    return round_up((std::int64_t{1} << depth) * static_cast<std::int64_t>(sizeof(T) + 2), 16);
  }
  __host__ __device__ static std::uint16_t* words(T* thresholds, int depth) {
    return reinterpret_cast<std::uint16_t*>(thresholds + (1 << depth));
  }
};

/// Where a tree is among the bytes of its forest.
struct TreeBytes {
  std::int64_t nodes;   ///< breadth first
  std::int64_t leaves;  ///< of each leaf what it adds to its rows' sums, or its number in the tree
  std::int64_t end;
};

/// What decides how the trees of a model are packed.
struct ForestShape {
  std::int64_t depth = 0;       ///< of the deepest tree
  bool has_categories = false;  ///< some node asks for one
};

/// for_each(count, body): body(i) for all i of [0, count), in any order.
template <class ForEach>
ForestShape shape_of(const Model& model, const ForEach& for_each) {
  std::vector<ForestShape> shapes(model.trees.size());
  for_each(std::ssize(model.trees), [&](std::int64_t t) {
    const auto i = static_cast<std::size_t>(t);
    const Tree& tree = model.trees[i];
    shapes[i] = {tree.depth(), splits_categories(tree)};
  });
  ForestShape all;
  for (const ForestShape& shape : shapes) {
    all.depth = std::max(all.depth, shape.depth);
    all.has_categories |= shape.has_categories;
  }
  return all;
}

inline std::size_t words_of(const CategorySet& set) { return 1 + (set.size() + 31) / 32; }

inline void put_set(const CategorySet& set, std::uint32_t* words) {
  words[0] = static_cast<std::uint32_t>(set.size());
  for (std::size_t c = 0; c < set.size(); ++c) {
    if (set[c]) words[1 + c / 32] |= 1u << (c % 32);
  }
}

/// Trees as nodes in the memory that they are packed to.
template <class T>
class NodeWriter {
 public:
  /// first_word: of the tree's sets among all words, which are 0.
  NodeWriter(const Tree& tree, std::uint32_t* words, std::size_t first_word)
      : tree_(tree), words_(words), next_word_(first_word) {}

  /// leaf(number in the tree) puts what is kept of one.
  template <class Node, class Leaf>
  void put(Node* nodes, const Leaf& leaf) {
    std::vector<std::int32_t> order{0};
    order.reserve(tree_.nodes.size());
    std::uint32_t leaves = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const forest::Node& from = node(order[i]);
      if (from.is_leaf()) {
        nodes[i] = Node::of(T{0}, NodeFlags::leaf, 0, leaves++);
        leaf(order[i]);
        continue;
      }
      const Split split = split_of(from);
      nodes[i] = Node::of(split.threshold,
                          split.flags,
                          static_cast<std::uint32_t>(from.feature),
                          static_cast<std::uint32_t>(order.size()));
      order.push_back(from.left);
      order.push_back(from.right);
    }
  }

  /// The same as LevelNodes, of node i below `place`; leaf() for each place of the last level.
  template <class Leaf>
  void put_levels(T* thresholds,
                  std::uint16_t* to,
                  int levels,
                  std::int32_t i,
                  std::int64_t place,
                  const Leaf& leaf) {
    const forest::Node& from = node(i);
    if (from.is_leaf()) {
      for (std::int64_t k = 0; k < std::int64_t{1} << levels; ++k) leaf(i);
      return;
    }
    const Split split = split_of(from);
    thresholds[place] = split.threshold;
    to[place] = static_cast<std::uint16_t>(split.flags >> 16 | from.feature);
    put_levels(thresholds, to, levels - 1, from.left, 2 * place, leaf);
    put_levels(thresholds, to, levels - 1, from.right, 2 * place + 1, leaf);
  }

 private:
  struct Split {
    T threshold;
    std::uint32_t flags;
  };

  const forest::Node& node(std::int32_t i) const {
    return tree_.nodes[static_cast<std::size_t>(i)];
  }
  Split split_of(const forest::Node& from) {
    Split split{rounded_down<T>(from.threshold), from.missing_left ? NodeFlags::missing_left : 0};
    if (from.set == forest::Node::one_category) split.flags |= NodeFlags::one_category;
    if (from.set >= 0) {
      split.flags |= NodeFlags::has_set;
      const CategorySet& set = tree_.sets[static_cast<std::size_t>(from.set)];
      put_set(set, words_ + next_word_);
      const auto first = static_cast<std::uint32_t>(next_word_);
      std::memcpy(&split.threshold, &first, sizeof(first));
      next_word_ += words_of(set);
    }
    return split;
  }

  const Tree& tree_;
  std::uint32_t* words_;
  std::size_t next_word_;
};

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

/// A model's trees in memory that goes to a device as it is. Leaf: of double, their votes; of
/// std::int32_t, their numbers in the tree.
template <class Node, class Leaf>
class PackedForest {
 public:
  /// Where all of it will be.
  PackedForest(const Model& model, const ForestShape& shape)
      : model_(model), depth_(is_complete ? static_cast<int>(shape.depth) : 0) {
    const std::int64_t width =
        std::is_same_v<Leaf, double> && model.is_class() ? std::ssize(model.classes) : 1;
    std::int64_t bytes = 0;
    for (const Tree& tree : model.trees) {
      std::int64_t nodes = std::ssize(tree.nodes), leaves = (nodes + 1) / 2;
      if constexpr (is_complete) {
        nodes = Node::bytes_of(depth_);
        leaves = std::int64_t{1} << depth_;
      } else {
        nodes *= static_cast<std::int64_t>(sizeof(Node));
      }
      leaves *= width * static_cast<std::int64_t>(sizeof(Leaf));
      const std::int64_t first_leaf = bytes + round_up(nodes, alignment);
      trees_.push_back({bytes, first_leaf, first_leaf + round_up(leaves, alignment)});
      bytes = trees_.back().end;
      first_word_.push_back(words_.size());
      for (const CategorySet& set : tree.sets) words_.resize(words_.size() + words_of(set));
    }
  }

  template <class ForEach>
  void pack(const ForEach& for_each) {
    bytes_ = Array<unsigned char>(trees_.empty() ? 0 : trees_.back().end);
    for_each(std::ssize(trees_), [&](std::int64_t t) { pack_tree(static_cast<std::size_t>(t)); });
  }

  const Array<unsigned char>& bytes() const { return bytes_; }
  /// Places are multiples of 16.
  const std::vector<TreeBytes>& trees() const { return trees_; }
  /// Of each set how many categories it has, then a bit for each: it goes left.
  const std::vector<std::uint32_t>& words() const { return words_; }
  int depth() const { return depth_; }  ///< of trees of LevelNodes
  std::uint64_t size() const {
    return static_cast<std::uint64_t>(trees_.empty() ? 0 : trees_.back().end) +
           words_.size() * sizeof(std::uint32_t);
  }

 private:
  using T = typename Node::Value;
  static constexpr bool is_complete = std::is_same_v<Node, LevelNode<T>>;
  static constexpr std::int64_t alignment = 16;

  void pack_tree(std::size_t t) {
    const Tree& tree = model_.trees[t];
    auto* leaf = reinterpret_cast<Leaf*>(bytes_.data() + trees_[t].leaves);
    const auto put_leaf = [&](std::int32_t node) {
      if constexpr (std::is_same_v<Leaf, double>) {
        leaf = put_votes(model_, tree, node, leaf);
      } else {
        *leaf++ = node;
      }
    };
    NodeWriter<T> writer(tree, words_.data(), first_word_[t]);
    unsigned char* const nodes = bytes_.data() + trees_[t].nodes;
    if constexpr (is_complete) {
      std::fill_n(nodes, Node::bytes_of(depth_), 0);  // whatever is under a leaf goes anywhere
      auto* const thresholds = reinterpret_cast<T*>(nodes);
      writer.put_levels(thresholds, Node::words(thresholds, depth_), depth_, 0, 1, put_leaf);
    } else {
      writer.put(reinterpret_cast<Node*>(nodes), put_leaf);
    }
  }

  const Model& model_;
  int depth_;
  Array<unsigned char> bytes_;
  std::vector<TreeBytes> trees_;
  std::vector<std::uint32_t> words_;
  std::vector<std::size_t> first_word_;  ///< of each tree's sets
};

/// Whether all of a model's nodes fit Node.
template <class Node>
bool fits(const Model& model) {
  return std::ssize(model.features) <= Node::most_features &&
         std::all_of(model.trees.begin(), model.trees.end(), [](const Tree& tree) {
           return std::ssize(tree.nodes) <= Node::most_nodes;
         });
}

}  // namespace yupana::forest::cuda
