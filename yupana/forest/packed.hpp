#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "yupana/core/table.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

/// Rows that go down a tree side by side; their values of a feature are adjacent.
inline constexpr std::int64_t packed_lanes = 16;
/// The levels that are stepped through in vectors; a packed tree has at least as many.
inline constexpr int vector_levels = 4;

/// An unsigned integer of T's size, in the order of T's numbers; NaN has none.
template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
Key<T> key_of(T x) {
  // -0 + 0 is +0: both zeros are one value.
  const auto bits = std::bit_cast<Key<T>>(x + T{0});
  constexpr Key<T> sign = Key<T>{1} << (8 * sizeof(T) - 1);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// The number whose key it is.
template <class T>
T value_of(Key<T> key) {
  constexpr Key<T> sign = Key<T>{1} << (8 * sizeof(T) - 1);
  return std::bit_cast<T>((key & sign) != 0 ? key & ~sign : ~key);
}

/// x goes right where its key is above the threshold's. `offset` is where the feature's values
/// are among those of packed_lanes rows.
template <class K>
struct PackedNode {
  K threshold = ~K{0};
  K offset = 0;
};

/// Below the complete levels: children are adjacent, the right one after the left. A leaf is its
/// own left child.
template <class K>
struct DeepNode {
  K threshold = ~K{0};
  std::uint32_t offset = 0;
  std::uint32_t child = 0;
};

/// A tree as predictions go through it. The upper levels are complete, in heap order: the children
/// of i (root 1) are 2i and 2i + 1, so that a step is one comparison whose carry is added: 8 bytes
/// a node in float32. A leaf above the last level sends every value left. What is below is reached
/// through `entries`, one a place under the complete levels.
template <class T>
struct PackedTree {
  int levels = vector_levels;
  std::vector<PackedNode<Key<T>>> nodes;
  std::vector<std::uint32_t> entries;
  std::vector<DeepNode<Key<T>>> deep;
  /// Instead of `deep` where it fits, of half the lines in the second cache: a threshold and, from
  /// bit 32 on, the column; from bit 32 + column_bits on, the child.
  std::vector<std::uint64_t> narrow;
  int column_bits = 0;
  bool is_deep = false;              ///< some place is no leaf
  std::vector<std::int32_t> origin;  ///< of each of `deep`: its number in the tree

  std::int32_t places() const { return std::int32_t{1} << levels; }
};

/// `features` > 0: with missing values, which are stored twice, as larger than all others, and
/// `features` columns on as smaller: a node reads where it sends them. 0: without.
template <class T>
PackedTree<T> packed(const Tree& tree, std::int64_t features);

/// A tree that reads a table as it is: to pack it costs more than to go down one
/// tree. Thresholds are the bits of a T; `offset` is twice the column, and 1 more
/// where a missing value goes right.
template <class T>
struct DirectTree {
  PackedTree<T> tree;
  std::vector<std::uint32_t> columns;  ///< that it reads, ascending
};

template <class T>
DirectTree<T> direct(const Tree& tree);

namespace cpu {

/// Keys of a table in any layout, in groups of packed_lanes rows, in a group feature after feature;
/// places after the last row are filled. with_missing: twice, as packed() needs it. False if a
/// value is missing and with_missing is not set.
template <class T>
bool pack_rows(TableView<T> table, bool with_missing, Key<T>* keys);

/// The entry of `deep` in which each row of some groups ends. `group` is the keys of one.
template <class T>
void descend(const PackedTree<T>& tree,
             const Key<T>* keys,
             std::int64_t group,
             std::int64_t groups,
             std::uint32_t* leaves);

/// The entry of `deep` in which each row of a table in any layout ends. True if all values were
/// looked at and are finite.
template <class T>
bool descend_direct(const DirectTree<T>& tree, TableView<T> table, std::uint32_t* leaves);

}  // namespace cpu
}  // namespace yupana::forest
