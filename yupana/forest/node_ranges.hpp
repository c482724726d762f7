#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/split.hpp"

/// Private to the family.
namespace yupana::forest {

/// The ranges of a node's features in the lists of their columns.
class NodeRanges {
 public:
  const Problem& problem;
  const Lists& lists;
  const FeatureColumns& features;
  LeafLimits least = {};

  NodeRange range_of_column(const Segment& segment, std::int64_t column) const {
    NodeRange range;
    range.keys = lists.key(column) + segment.begin;
    range.rows = lists.row(column) + segment.begin;
    range.class_bits = lists.class_bits;
    range.all = range.known = segment.size();
    range.least = least;
    const std::uint32_t missing = lists.missing_key();
    if (range.keys[range.all - 1] >= missing) {
      range.known = first_from(range, range.all, missing >> lists.class_bits);
    }
    range.is_sparse = features.is_one_hot(column);
    range.missing_at = range.known;
    if (lists.entries.firsts.empty()) return range;
    range.keys = lists.entries.numbers.data() + segment.first_entry;
    range.rows = lists.entries.rows.data() + segment.first_entry;
    return range;
  }

  /// The first of `count` entries of a rank that is not below `rank`.
  static std::int64_t first_from(const NodeRange& range, std::int64_t count, std::uint32_t rank) {
    const auto below = [&](std::uint32_t key, std::uint32_t own) {
      return key >> range.class_bits < own;
    };
    return std::lower_bound(range.keys, range.keys + count, rank, below) - range.keys;
  }

  NodeRange range_of(const Segment& segment, std::int32_t feature) const {
    const std::int32_t column = features.column(feature);
    NodeRange range = range_of_column(segment, column);
    if (!range.is_sparse) return range;
    const SortedEntries& all = lists.entries;
    const std::int64_t count = entries_in(segment, range);
    const auto category = static_cast<std::uint32_t>(feature - features.first(column));
    const bool numbered = !all.firsts.empty();
    range.first = first_from(range, count, numbered ? all.firsts[category] : category);
    range.last = first_from(range, count, numbered ? all.firsts[category + 1] : category + 1);
    range.positive = numbered ? first_from(range, count, all.positives[category]) : range.first;
    return range;
  }

  /// The value of an entry of a sparse feature.
  double value_at(const NodeRange& range, std::int64_t entry) const {
    return lists.entries.firsts.empty()
               ? 1
               : lists.entries.values[range.keys[entry] >> range.class_bits];
  }

  /// visit(feature, range) for each feature of a one-hot column that is not 0 in all of a node. Of
  /// missing values all say the same: the first is visited.
  template <class Visit>
  void each_category(const Segment& segment, std::int64_t column, const Visit& visit) const {
    NodeRange range = range_of_column(segment, column);
    const std::int32_t first = features.first(column);
    Totals missing;
    if (range.known < range.all) {
      missing = totals_in(problem, range, range.known, range.all);
      range.missing = &missing;
      if (range.known == 0 || range.keys[0] >> range.class_bits > 0) visit(first, range);
    }
    if (!lists.entries.firsts.empty()) return each_feature_with_entries(segment, range, visit);
    for (std::int64_t i = 0; i < range.known; ++i) {
      if (i + 1 < range.known && !range.changes_after(i)) continue;
      range.first = range.positive = range.last;
      range.last = i + 1;
      visit(first + static_cast<std::int32_t>(range.keys[i] >> range.class_bits), range);
    }
  }

 private:
  /// How many entries a column's list has for the features of 0 and others.
  std::int64_t entries_in(const Segment& segment, const NodeRange& range) const {
    return lists.entries.firsts.empty() ? range.known : segment.last_entry - segment.first_entry;
  }

  template <class Visit>
  void each_feature_with_entries(const Segment& segment,
                                 NodeRange range,
                                 const Visit& visit) const {
    const SortedEntries& all = lists.entries;
    const std::int64_t count = entries_in(segment, range);
    while (range.last < count) {
      const std::uint32_t number = range.keys[range.last] >> range.class_bits;
      const auto feature =
          std::upper_bound(all.firsts.begin(), all.firsts.end(), number) - all.firsts.begin() - 1;
      range.first = range.positive = range.last;
      for (; range.last < count; ++range.last) {
        const std::uint32_t own = range.keys[range.last] >> range.class_bits;
        if (own >= all.firsts[feature + 1]) break;
        range.positive += own < all.positives[feature] ? 1 : 0;
      }
      visit(static_cast<std::int32_t>(feature), range);
    }
  }
};

/// Entries that go to the right while a list is parted, one block a thread at work.
class ListScratch {
 public:
  /// Stable partition of a part of a list by a byte a row, 1: it goes left. Returns how many do.
  std::int64_t partition(const std::uint8_t* goes_left,
                         std::uint32_t* keys,
                         std::uint32_t* rows,
                         std::int64_t n) {
    if (n == 0) return 0;
    auto block = take(n);
    std::uint32_t* right_keys = block->keys.data();
    std::uint32_t* right_rows = block->rows.data();
    std::int64_t left = 0, right = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t key = keys[i], row = rows[i];
      const std::int64_t is_left = goes_left[row];
      keys[left] = key;
      rows[left] = row;
      right_keys[right] = key;
      right_rows[right] = row;
      left += is_left;
      right += 1 - is_left;
    }
    std::memcpy(keys + left, right_keys, static_cast<std::size_t>(right) * sizeof(*keys));
    std::memcpy(rows + left, right_rows, static_cast<std::size_t>(right) * sizeof(*rows));
    give_back(std::move(block));
    return left;
  }

 private:
  struct Block {
    Array<std::uint32_t> keys, rows;
  };
  std::unique_ptr<Block> take(std::int64_t size) {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) {
        block = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!block) block = std::make_unique<Block>();
    if (block->keys.size() < size) {
      block->keys = Array<std::uint32_t>(size);
      block->rows = Array<std::uint32_t>(size);
    }
    return block;
  }
  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard guard(lock_);
    free_.push_back(std::move(block));
  }

  std::mutex lock_;
  std::vector<std::unique_ptr<Block>> free_;
};

/// Puts the branches under the top's nodes and brings all into preorder.
inline Tree grafted(Tree top, const std::vector<Segment>& places, std::vector<Tree> branches) {
  if (top.nodes.empty()) return std::move(branches[0]);
  // Children that are branches: -2 - number.
  for (std::size_t i = 0; i < places.size(); ++i) {
    top.set_child(places[i].parent, places[i].is_right, -2 - static_cast<std::int32_t>(i));
  }
  Tree tree;
  tree.outputs = top.outputs;
  struct Step {
    std::int32_t child, parent;
    bool is_right;
  };
  std::vector<Step> stack{{0, -1, false}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const auto index = static_cast<std::int32_t>(tree.nodes.size());
    tree.set_child(step.parent, step.is_right, index);
    if (step.child < -1) {
      Tree& branch = branches[-2 - step.child];
      for (Node node : branch.nodes) {
        if (!node.is_leaf()) {
          node.left += index;
          node.right += index;
        }
        tree.take_set(node, branch);
        tree.nodes.push_back(node);
      }
      tree.values.insert(tree.values.end(), branch.values.begin(), branch.values.end());
      continue;
    }
    Node node = top.nodes[step.child];
    tree.take_set(node, top);
    tree.nodes.push_back(node);
    tree.values.insert(
        tree.values.end(), top.value(step.child), top.value(step.child) + top.outputs);
    if (node.is_leaf()) continue;
    stack.push_back({node.right, index, true});
    stack.push_back({node.left, index, false});
  }
  return tree;
}

}  // namespace yupana::forest
