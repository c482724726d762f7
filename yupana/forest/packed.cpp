#include "yupana/forest/packed.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"

namespace yupana::forest {
namespace {

// 2^12 nodes are 32 KiB in float32: deeper, complete levels would mostly hold nodes that are none.
constexpr int max_levels = 12;

template <class T>
class Packer {
 public:
  Packer(const Tree& tree, std::int64_t features) : tree_(tree), features_(features) {}

  PackedTree<T> pack() {
    const auto nodes = static_cast<double>(tree_.nodes.size());
    const int filled = static_cast<int>(std::ceil(std::log2(2 * nodes)));
    result_.levels = std::max(vector_levels, depth_up_to(std::min(max_levels, filled)));
    const auto places = static_cast<std::size_t>(result_.places());
    result_.nodes.resize(places);
    result_.entries.resize(places);
    // Numbers in the tree of a level's nodes.
    std::vector<std::int32_t> level{0};
    for (int l = 0; l < result_.levels; ++l) level = next_level(level);
    enter(level);
    grow_deep();
    return std::move(result_);
  }

  PackedTree<T> pack_narrow() {
    result_ = pack();
    if constexpr (sizeof(T) == 4) make_narrow();
    return std::move(result_);
  }

 private:
  std::uint32_t offset(const Node& node) const {
    const std::int64_t column = node.missing_left ? node.feature + features_ : node.feature;
    return static_cast<std::uint32_t>(column * packed_lanes);
  }
  const Node& node(std::int32_t i) const { return tree_.nodes[i]; }

  /// The tree's depth, or `most` if it is deeper: that of a large tree would take a pass over it.
  int depth_up_to(int most) const {
    std::vector<std::int32_t> splits{0};
    for (int depth = 0; depth < most; ++depth) {
      std::vector<std::int32_t> below;
      for (const std::int32_t i : splits) {
        if (!node(i).is_leaf()) below.insert(below.end(), {node(i).left, node(i).right});
      }
      if (below.empty()) return depth;
      splits = std::move(below);
    }
    return most;
  }

  std::vector<std::int32_t> next_level(const std::vector<std::int32_t>& level) {
    std::vector<std::int32_t> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Node& own = node(level[i]);
      if (!own.is_leaf()) {
        result_.nodes[level.size() + i] = {key_of(rounded_down<T>(own.threshold)), offset(own)};
      }
      next.push_back(own.is_leaf() ? level[i] : own.left);
      next.push_back(own.is_leaf() ? level[i] : own.right);
    }
    return next;
  }

  void enter(const std::vector<std::int32_t>& places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      // A leaf above the last level is that of several places in a row.
      if (i == 0 || places[i] != places[i - 1]) result_.origin.push_back(places[i]);
      result_.entries[i] = static_cast<std::uint32_t>(result_.origin.size() - 1);
    }
  }

  void grow_deep() {
    auto& origin = result_.origin;
    result_.deep.resize(origin.size());
    // Branch after branch, and of a node's first the one of more rows: what most rows read next is
    // often in the same line of the cache.
    std::vector<std::uint32_t> left;
    for (std::size_t i = origin.size(); i > 0; --i) {
      left.push_back(static_cast<std::uint32_t>(i - 1));
    }
    while (!left.empty()) {
      const std::uint32_t i = left.back();
      left.pop_back();
      const Node& own = node(origin[i]);
      if (own.is_leaf()) {
        result_.deep[i] = {~Key<T>{0}, 0, i};
        continue;
      }
      result_.is_deep = true;
      const auto child = static_cast<std::uint32_t>(origin.size());
      result_.deep[i] = {key_of(rounded_down<T>(own.threshold)), offset(own), child};
      origin.push_back(own.left);
      origin.push_back(own.right);
      result_.deep.resize(origin.size());
      const std::uint32_t heavy = node(own.right).rows > node(own.left).rows ? 1 : 0;
      left.push_back(child + 1 - heavy);
      left.push_back(child + heavy);
    }
  }

  void make_narrow() {
    std::uint32_t offsets = 0;
    for (const auto& node : result_.deep) offsets |= node.offset;
    const int bits = std::bit_width(offsets / std::uint32_t{packed_lanes});
    if (!result_.is_deep || (result_.deep.size() - 1) >> (32 - bits) != 0) return;
    result_.column_bits = bits;
    result_.narrow.reserve(result_.deep.size());
    for (const auto& node : result_.deep) {
      const auto column = static_cast<std::uint32_t>(node.offset / packed_lanes);
      const std::uint32_t link = node.child << bits | column;
      result_.narrow.push_back(std::uint64_t{link} << 32 |
                               static_cast<std::uint32_t>(node.threshold));
    }
    result_.deep = {};
  }

  const Tree& tree_;
  std::int64_t features_;
  PackedTree<T> result_;
};

}  // namespace

template <class T>
PackedTree<T> packed(const Tree& tree, std::int64_t features) {
  return Packer<T>(tree, features).pack_narrow();
}

template <class T>
DirectTree<T> direct(const Tree& tree) {
  std::uint32_t columns = 0;
  for (const Node& node : tree.nodes) {
    if (!node.is_leaf()) columns = std::max(columns, static_cast<std::uint32_t>(node.feature) + 1);
  }
  DirectTree<T> result{Packer<T>(tree, columns).pack(), {}};
  std::vector<bool> is_read(columns, false);
  const auto convert = [&](auto& node) {
    if (node.threshold == ~Key<T>{0}) {  // of no node: every value goes left, a missing one too
      node.threshold = std::bit_cast<Key<T>>(std::numeric_limits<T>::infinity());
      node.offset = 0;
      return;
    }
    const auto place = static_cast<std::uint32_t>(node.offset / packed_lanes);
    const bool missing_left = place >= columns;
    const std::uint32_t column = missing_left ? place - columns : place;
    is_read[column] = true;
    node.threshold = std::bit_cast<Key<T>>(value_of<T>(node.threshold));
    node.offset = 2 * column + (missing_left ? 0 : 1);
  };
  for (auto& node : result.tree.nodes) convert(node);
  for (auto& node : result.tree.deep) convert(node);
  for (std::uint32_t column = 0; column < columns; ++column) {
    if (is_read[column]) result.columns.push_back(column);
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, packed, direct)

}  // namespace yupana::forest
