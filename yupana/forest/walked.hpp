#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/step_rows.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

// Trees that split categories. No order of the values answers all comparisons, as keys and codes
// do: a node compares a value or looks up a bit of its set, without a branch, and some rows go
// down side by side, so that one's loads hide behind the others'.

/// Categories whose bits, and that of missing values after them, one word holds.
inline constexpr std::size_t narrow_categories = 63;

/// Children are adjacent, the right one after the left. A leaf is its own left child, for any
/// value.
struct WalkedNode {
  /// Of narrow trees a threshold's key, or a set. Of others a threshold's bits; or how many
  /// categories a set has and, from bit 32 on, its first word.
  std::uint64_t bits = 0;
  std::uint32_t cell = missing_left;  ///< of the row's, from bit `flags` on; and flags
  std::uint32_t child = 0;

  static constexpr std::uint32_t has_set = 1, missing_left = 2, one_category = 4, flags = 3;
};

template <class T>
struct WalkedTree {
  std::vector<WalkedNode> nodes;
  /// Bits of the sets, in each, after those of its categories, that of missing values.
  std::vector<std::uint64_t> words{0};
  std::vector<std::int32_t> origin;  ///< of each node: its number in the tree
  int first_steps = 1;               ///< to the leaves of most rows
  bool narrow = false;               ///< no set has more than narrow_categories

  std::uint32_t child_if_narrow(const WalkedNode& node, const Key<T>* row) const {
    const Key<T> cell = row[node.cell >> WalkedNode::flags];
    // NaN has the largest key, and one more is the least.
    const auto key = static_cast<Key<T>>(cell + (node.cell >> 1 & 1));
    const auto by_value = static_cast<std::uint64_t>(key <= static_cast<Key<T>>(node.bits));
    const std::uint64_t by_set = node.bits >> (cell & narrow_categories);
    const std::uint64_t sets = 0 - std::uint64_t{node.cell & WalkedNode::has_set};
    const std::uint64_t left = (by_set & sets) | (by_value & ~sets);
    return node.child + static_cast<std::uint32_t>(~left & 1);
  }
  std::uint32_t child_of(const WalkedNode& node, const Key<T>* row) const {
    const Key<T> cell = row[node.cell >> WalkedNode::flags];
    const auto x = std::bit_cast<T>(cell);
    const auto threshold = std::bit_cast<T>(static_cast<Key<T>>(node.bits));
    const std::uint32_t sets = node.cell & WalkedNode::has_set, values = sets ^ 1;
    // Of one category: x < threshold or x > threshold.
    const std::uint32_t not_below = std::uint32_t{x >= threshold} & node.cell >> 2;
    const std::uint32_t by_value =
        (std::uint32_t{x <= threshold} ^ not_below) | (std::uint32_t{x != x} & node.cell >> 1);
    // Of a node without a set the first word, whatever it is.
    const std::uint64_t set = node.bits & (0 - std::uint64_t{sets});
    const std::uint64_t category = std::min<std::uint64_t>(cell, static_cast<std::uint32_t>(set));
    const std::uint64_t word = words[(set >> 32) + category / 64];
    const auto by_set = static_cast<std::uint32_t>(word >> (category % 64));
    return node.child + (1 ^ ((sets & by_set) | (values & by_value)));
  }
};

/// What a node reads of a row.
inline std::uint32_t cell_of(const Node& node, bool narrow) {
  const bool is_category = node.set >= 0 || (narrow && node.set == Node::one_category);
  return static_cast<std::uint32_t>(2 * node.feature + (is_category ? 1 : 0));
}

/// The children of a narrow tree's set, by bits.
inline std::uint64_t word_of(const Tree& tree, const Node& node) {
  std::uint64_t word = node.missing_left ? ~std::uint64_t{0} : 0;
  if (node.set == Node::one_category) {
    const std::uint64_t others =
        ~std::uint64_t{0} >> 1 & ~(std::uint64_t{1} << static_cast<int>(node.threshold));
    return others | (word & std::uint64_t{1} << narrow_categories);
  }
  const CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
  for (std::size_t c = 0; c < set.size(); ++c) {
    const std::uint64_t bit = std::uint64_t{1} << c;
    word = set[c] ? word | bit : word & ~bit;
  }
  return word;
}

/// places: of each cell_of() among a row's cells.
template <class T>
WalkedTree<T> walked(const Tree& tree, const std::vector<std::uint32_t>& places, bool narrow) {
  const auto bits_of = [&](T threshold) {
    return std::uint64_t{narrow ? key_of(threshold) : std::bit_cast<Key<T>>(threshold)};
  };
  WalkedTree<T> result;
  result.narrow = narrow;
  result.nodes.reserve(tree.nodes.size());
  result.origin.reserve(tree.nodes.size());
  result.words.reserve(2 * tree.sets.size() + 1);
  result.origin.push_back(0);
  double depths = 0;  // of the leaves of all rows, added up
  for (std::size_t i = 0; i < result.origin.size(); ++i) {
    const Node& node = tree.nodes[result.origin[i]];
    WalkedNode& own = result.nodes.emplace_back();
    own.bits = narrow ? ~std::uint64_t{0} : bits_of(std::numeric_limits<T>::infinity());
    own.child = static_cast<std::uint32_t>(i);
    if (node.is_leaf()) continue;
    depths += static_cast<double>(node.rows);
    own.child = static_cast<std::uint32_t>(result.origin.size());
    result.origin.push_back(node.left);
    result.origin.push_back(node.right);
    own.cell = places[cell_of(node, narrow)] << WalkedNode::flags |
               (node.missing_left ? WalkedNode::missing_left : 0) |
               (cell_of(node, narrow) % 2 != 0 ? WalkedNode::has_set : 0) |
               (node.set == Node::one_category ? WalkedNode::one_category : 0);
    own.bits = bits_of(rounded_down<T>(node.threshold));
    if (narrow) own.bits += node.missing_left ? 1 : 0;
    if (narrow && node.set != -1) own.bits = word_of(tree, node);
    if (narrow || node.set < 0) continue;
    const CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
    const std::size_t first = result.words.size();
    own.bits = first << 32 | set.size();
    result.words.resize(first + set.size() / 64 + 1, 0);
    for (std::size_t c = 0; c <= set.size(); ++c) {
      const bool left = c < set.size() ? set[c] : node.missing_left;
      result.words[first + c / 64] |= std::uint64_t{left} << (c % 64);
    }
  }
  // Models may be edited: any number of rows, below 0 too.
  const double mean = depths / std::max(1.0, static_cast<double>(tree.nodes[0].rows));
  result.first_steps = 2 + static_cast<int>(std::clamp(mean, 0.0, 64.0));
  return result;
}

/// Rows one after the other, of each the cells that nodes read: a value's bits, or what category it
/// is, of what is none the largest number.
template <class T>
struct WalkedForm {
  using Cell = Key<T>;
  using TreeForm = WalkedTree<T>;
  static constexpr std::int64_t lanes = packed_lanes;
  static constexpr std::int64_t max_rows = 8192;
  std::vector<std::uint32_t> cells_read;  ///< cell_of() of each, ascending
  std::vector<std::uint32_t> places;
  bool narrow = true;

  WalkedForm(const std::vector<Tree>& trees, std::int64_t columns)
      : places(static_cast<std::size_t>(2 * columns), 0) {
    for (const Tree& tree : trees) {
      for (const CategorySet& set : tree.sets) narrow = narrow && set.size() <= narrow_categories;
      for (const Node& node : tree.nodes) {
        narrow = narrow && !(node.set == Node::one_category && node.threshold >= narrow_categories);
      }
    }
    std::vector<bool> is_read(places.size(), false);
    for (const Tree& tree : trees) {
      for (const Node& node : tree.nodes) {
        if (!node.is_leaf()) is_read[cell_of(node, narrow)] = true;
      }
    }
    for (std::uint32_t cell = 0; cell < is_read.size(); ++cell) {
      if (!is_read[cell]) continue;
      places[cell] = static_cast<std::uint32_t>(cells_read.size());
      cells_read.push_back(cell);
    }
  }

  /// All trees are read anew for a block, from the third cache or beyond where they are many: the
  /// more rows the better, while their cells stay in the second one. 8,192 rows go down 100 trees
  /// of 7,650 nodes 2.1 times as fast as 1,024.
  std::int64_t block_rows() const {
    const std::int64_t rows = (std::int64_t{1} << 17) / std::max<std::int64_t>(1, width());
    return std::clamp(rows / lanes * lanes, lanes, max_rows);
  }
  std::int64_t width() const { return std::ssize(cells_read); }
  TreeForm make(const Tree& tree, bool) const { return walked<T>(tree, places, narrow); }
  bool fill(TableView<T> table, bool, Cell* cells) const {
    std::fill_n(cells, round_up(table.rows, lanes) * width(), Cell{0});
    for (std::int64_t c = 0; c < width(); ++c) {
      const bool is_category = cells_read[c] % 2 != 0;
      for (std::int64_t i = 0; i < table.rows; ++i) {
        const T x = table(i, cells_read[c] / 2);
        cells[i * width() + c] = is_category ? category_of(x) : value_of(x);
      }
    }
    return true;
  }
  Cell value_of(T x) const {
    if (!narrow) return std::bit_cast<Cell>(x);
    return x != x ? ~Cell{0} : key_of(x);
  }
  Cell category_of(T x) const {
    const auto most = narrow ? static_cast<T>(narrow_categories - 1) : static_cast<T>(max_category);
    if (!(x >= 0 && x <= most)) return ~Cell{0};
    const auto category = static_cast<Cell>(x);
    return static_cast<T>(category) == x ? category : ~Cell{0};
  }
};

namespace cpu {

/// The node in which each row of some groups ends. `group`: the cells of one.
template <class T>
void descend(const WalkedTree<T>& tree,
             const Key<T>* cells,
             std::int64_t group,
             std::int64_t groups,
             std::uint32_t* leaves) {
  const std::int64_t width = group / packed_lanes;
  std::fill_n(leaves, groups * packed_lanes, 0);
  for (std::int64_t g = 0; g < groups; g += deep_groups, leaves += deep_rows) {
    const std::int64_t rows = std::min(deep_groups, groups - g) * packed_lanes;
    const auto row_at = [first = cells + g * group, width](std::uint16_t row) {
      return first + row * width;
    };
    if (tree.narrow) {
      step_rows(
          rows,
          leaves,
          row_at,
          [&](std::size_t at, const Key<T>* row) {
            return tree.child_if_narrow(tree.nodes[at], row);
          },
          tree.first_steps);
    } else {
      step_rows(
          rows,
          leaves,
          row_at,
          [&](std::size_t at, const Key<T>* row) { return tree.child_of(tree.nodes[at], row); },
          tree.first_steps);
    }
  }
}

}  // namespace cpu
}  // namespace yupana::forest
