#include <algorithm>
#include <cstdint>
#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/step_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/packed_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What each lane takes of the 2^level nodes of a level, of_node(i): the turns taken above it halve
/// the choice one after the other.
template <int level, class Mask, class OfNode>
HWY_INLINE auto choose(const Mask* turns, const OfNode& of_node) {
  constexpr int width = 1 << level;
  decltype(of_node(width)) own[width];
  for (int i = 0; i < width; ++i) own[i] = of_node(width + i);
  for (int l = level - 1; l >= 0; --l) {
    for (int i = 0; i < 1 << l; ++i) {
      own[i] = hn::IfThenElse(turns[l], own[2 * i + 1], own[2 * i]);
    }
  }
  return own[0];
}

/// Places after the first levels, counted as in heaps from 1.
template <class D, class Mask>
HWY_INLINE hn::Vec<D> places_after(D d, const Mask* turns) {
  const auto one = hn::Set(d, 1);
  auto at = one;
  for (int l = 0; l < vector_levels; ++l) {
    at = hn::Add(hn::Add(at, at), hn::IfThenElseZero(hn::RebindMask(d, turns[l]), one));
  }
  return at;
}

/// The first four levels: with 15 nodes it is faster to compare all and choose than to gather.
template <class D, class Node>
HWY_INLINE hn::Vec<D> top_levels(D d, const Node* nodes, const hn::TFromD<D>* keys) {
  static_assert(vector_levels == 4);
  const auto value = [&](int i) HWY_ATTR { return hn::Load(d, keys + nodes[i].offset); };
  const auto threshold = [&](int i) HWY_ATTR { return hn::Set(d, nodes[i].threshold); };
  hn::Mask<D> turns[4];
  turns[0] = hn::Gt(choose<0>(turns, value), choose<0>(turns, threshold));
  turns[1] = hn::Gt(choose<1>(turns, value), choose<1>(turns, threshold));
  turns[2] = hn::Gt(choose<2>(turns, value), choose<2>(turns, threshold));
  turns[3] = hn::Gt(choose<3>(turns, value), choose<3>(turns, threshold));
  return places_after(d, turns);
}

/// From a level on to the places below the complete ones. turn(node, k): 0 or 1, of row k.
template <class T, class Turn>
HWY_INLINE void step_levels(const PackedTree<T>& tree,
                            int level,
                            std::size_t* at,
                            const Turn& turn) {
  const PackedNode<Key<T>>* const nodes = tree.nodes.data();
  for (; level < tree.levels; ++level) {
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < packed_lanes; ++k) {
      at[k] = at[k] + at[k] + turn(nodes[at[k]], k);
    }
  }
}

/// From the places below the complete levels to the leaves.
template <class T>
HWY_INLINE void descend_deep(const PackedTree<T>& tree,
                             const Key<T>* keys,
                             std::int64_t group,
                             std::int64_t rows,
                             std::uint32_t* leaves) {
  using K = Key<T>;
  const auto row_at = [&](std::uint16_t row) HWY_ATTR {
    return keys + row / packed_lanes * group + row % packed_lanes;
  };
  if (!tree.narrow.empty()) {
    const std::uint64_t* const nodes = tree.narrow.data();
    const int bits = tree.column_bits;
    const std::size_t column = (std::size_t{1} << bits) - 1;
    step_rows(rows, leaves, row_at, [=](std::size_t at, const K* row) HWY_ATTR {
      const std::uint64_t node = nodes[at];
      const std::size_t link = node >> 32;
      const K key = row[(link & column) * packed_lanes];
      return (link >> bits) + (key > static_cast<std::uint32_t>(node) ? 1u : 0u);
    });
    return;
  }
  const DeepNode<K>* const nodes = tree.deep.data();
  step_rows(rows, leaves, row_at, [=](std::size_t at, const K* row) HWY_ATTR {
    const DeepNode<K>& node = nodes[at];
    return node.child + (row[node.offset] > node.threshold ? 1u : 0u);
  });
}

/// All of a group's rows take a step before any takes the next, so that their loads overlap:
/// gathers of 16 lanes were measured three times as slow (Zen 4).
template <class T>
void descend_groups(const PackedTree<T>& tree,
                    const Key<T>* keys,
                    std::int64_t group,
                    std::int64_t groups,
                    std::uint32_t* leaves) {
  using K = Key<T>;
  const hn::CappedTag<K, packed_lanes> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::size_t first = std::size_t{1} << tree.levels;
  for (std::int64_t g = 0; g < groups; ++g, keys += group, leaves += packed_lanes) {
    HWY_ALIGN K top[packed_lanes];
    for (std::int64_t k = 0; k < packed_lanes; k += lanes) {
      hn::Store(top_levels(d, tree.nodes.data(), keys + k), d, top + k);
    }
    // As wide as addresses, so that no step widens them.
    std::size_t at[packed_lanes];
    for (std::size_t k = 0; k < packed_lanes; ++k) at[k] = top[k];
    step_levels(tree, vector_levels, at, [&](const PackedNode<K>& node, std::size_t k) HWY_ATTR {
      return keys[std::size_t{node.offset} + k] > node.threshold ? 1u : 0u;
    });
    for (std::int64_t k = 0; k < packed_lanes; ++k) leaves[k] = tree.entries[at[k] - first];
  }
  if (!tree.is_deep) return;
  keys -= groups * group;
  leaves -= groups * packed_lanes;
  for (std::int64_t g = 0; g < groups; g += deep_groups) {
    const std::int64_t rows = std::min(deep_groups, groups - g) * packed_lanes;
    descend_deep(tree, keys + g * group, group, rows, leaves + g * packed_lanes);
  }
}

/// Whether a row goes right at a node of a direct tree. row: its value in the first column.
template <class T, class Node>
HWY_INLINE std::uint32_t turn_of(const Node& node, const T* row, std::int64_t stride) {
  const T x = row[static_cast<std::int64_t>(node.offset >> 1) * stride];
  const T threshold = std::bit_cast<T>(node.threshold);
  const auto missing_right = static_cast<std::uint32_t>(node.offset & 1);
  // Not above, missing, above: 0, 1, 2. A sum takes no branch and one instruction less than bits.
  const std::uint32_t place = std::uint32_t{x > threshold} + std::uint32_t{!(x <= threshold)};
  return (place + missing_right) >> 1;
}

/// Places of packed_lanes rows after the first levels. False, and none, if a value is missing.
template <class T>
HWY_INLINE bool top_levels(const PackedNode<Key<T>>* nodes,
                           const T* rows,
                           std::int64_t stride,
                           Key<T>* top) {
  const hn::CappedTag<T, packed_lanes> d;
  const hn::RebindToUnsigned<decltype(d)> places;
  const auto threshold = [&](int i)
                             HWY_ATTR { return hn::Set(d, std::bit_cast<T>(nodes[i].threshold)); };
  for (std::size_t k = 0; k < packed_lanes; k += hn::Lanes(d)) {
    const auto value = [&](int i) HWY_ATTR {
      return hn::LoadU(d, rows + static_cast<std::int64_t>(nodes[i].offset >> 1) * stride + k);
    };
    hn::Mask<decltype(d)> turns[4];
    const auto x0 = choose<0>(turns, value);
    turns[0] = hn::Gt(x0, choose<0>(turns, threshold));
    const auto x1 = choose<1>(turns, value);
    turns[1] = hn::Gt(x1, choose<1>(turns, threshold));
    const auto x2 = choose<2>(turns, value);
    turns[2] = hn::Gt(x2, choose<2>(turns, threshold));
    const auto x3 = choose<3>(turns, value);
    turns[3] = hn::Gt(x3, choose<3>(turns, threshold));
    // NaN is also the sum of infinite values of both signs: no harm, only slower.
    if (!hn::AllFalse(d, hn::IsNaN(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3))))) return false;
    hn::Store(places_after(places, turns), places, top + k);
  }
  return true;
}

/// The complete levels of the rows after the last whole group.
template <class T>
void descend_last(const DirectTree<T>& direct,
                  TableView<T> table,
                  std::int64_t begin,
                  std::uint32_t* leaves) {
  const std::size_t first = std::size_t{1} << direct.tree.levels;
  for (; begin < table.rows; ++begin) {
    const T* const own = table.data + begin * table.row_stride;
    std::size_t at = 1;
    while (at < first) at = at + at + turn_of(direct.tree.nodes[at], own, table.stride);
    leaves[begin] = direct.tree.entries[at - first];
  }
}

/// known: no value is missing, and a row's are adjacent.
template <class T>
HWY_INLINE void descend_deep(const PackedTree<T>& tree,
                             const TableView<T>& table,
                             bool known,
                             std::uint32_t* leaves) {
  const T* const data = table.data;
  const std::int64_t stride = table.stride, row_stride = table.row_stride;
  const DeepNode<Key<T>>* const nodes = tree.deep.data();
  const auto row_at = [=](std::uint16_t row) HWY_ATTR { return data + row * row_stride; };
  if (known) {
    return step_rows(table.rows, leaves, row_at, [=](std::size_t at, const T* row) HWY_ATTR {
      const T x = row[nodes[at].offset >> 1];
      return nodes[at].child + (x > std::bit_cast<T>(nodes[at].threshold) ? 1u : 0u);
    });
  }
  step_rows(table.rows, leaves, row_at, [=](std::size_t at, const T* row) HWY_ATTR {
    return nodes[at].child + turn_of(nodes[at], row, stride);
  });
}

/// Rows from those that go down to those whose values come nearer meanwhile.
constexpr std::int64_t ahead = 8 * packed_lanes;

/// False: not all values are looked at.
template <class T>
bool descend_columns(const DirectTree<T>& direct, TableView<T> table, std::uint32_t* leaves) {
  using K = Key<T>;
  const PackedTree<T>& tree = direct.tree;
  const T* const data = table.data;
  const std::int64_t rows = table.rows, stride = table.stride;
  const std::size_t first = std::size_t{1} << tree.levels;
  std::int64_t begin = 0;
  for (; begin + packed_lanes <= rows; begin += packed_lanes) {
    const T* const own = data + begin;
    if (begin + ahead < rows) {
      for (const std::uint32_t column : direct.columns) {
        __builtin_prefetch(own + std::int64_t{column} * stride + ahead);
      }
    }
    HWY_ALIGN K top[packed_lanes];
    std::size_t at[packed_lanes];
    int level = vector_levels;
    if (top_levels(tree.nodes.data(), own, stride, top)) {
      std::copy_n(top, packed_lanes, at);
    } else {
      std::fill_n(at, packed_lanes, std::size_t{1});
      level = 0;
    }
    step_levels(tree, level, at, [&](const PackedNode<K>& node, std::int64_t k) HWY_ATTR {
      return turn_of(node, own + k, stride);
    });
    for (std::int64_t k = 0; k < packed_lanes; ++k) leaves[begin + k] = tree.entries[at[k] - first];
  }
  descend_last(direct, table, begin, leaves);
  for (begin = 0; tree.is_deep && begin < rows; begin += deep_rows) {
    descend_deep(tree, table.part(begin, std::min(deep_rows, rows - begin)), false, leaves + begin);
  }
  return false;
}

/// If all values of packed_lanes rows are finite, where that is found faster than not to know. What
/// is looked at next comes nearer meanwhile.
template <class T>
HWY_INLINE bool all_finite(const T* rows, std::int64_t columns, std::int64_t row_stride) {
  constexpr std::int64_t max_columns = 64;
  if (columns > max_columns) return false;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool dense = row_stride == columns;
  const std::int64_t runs = dense ? 1 : packed_lanes,
                     run = dense ? columns * packed_lanes : columns;
  auto sum = hn::Zero(d);
  for (std::int64_t r = 0; r < runs; ++r, rows += row_stride) {
    std::int64_t i = 0;
    for (; i + lanes <= run; i += lanes) {
      __builtin_prefetch(rows + ahead * row_stride + i);
      const auto x = hn::LoadU(d, rows + i);
      sum = hn::Add(sum, hn::Sub(x, x));  // 0, or NaN for ever
    }
    for (; i < run; ++i) {
      if (rows[i] - rows[i] != 0) return false;
    }
  }
  return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

/// At most deep_rows rows of a table in any layout. Their values cannot be loaded as vectors, and
/// need not: nearly all of a row's are in one or two lines of the cache. True if all are finite.
template <class T>
bool descend_rows(const DirectTree<T>& direct, TableView<T> table, std::uint32_t* leaves) {
  const PackedTree<T>& tree = direct.tree;
  const std::int64_t stride = table.stride, row_stride = table.row_stride;
  bool finite = true;
  std::int64_t begin = 0;
  for (; begin + packed_lanes <= table.rows; begin += packed_lanes) {
    const T* const own = table.data + begin * row_stride;
    std::size_t at[packed_lanes];
    std::fill_n(at, packed_lanes, std::size_t{1});
    if (stride == 1 && all_finite(own, table.columns, row_stride)) {
      step_levels(tree, 0, at, [&](const auto& node, std::int64_t k) HWY_ATTR {
        const T x = own[k * row_stride + static_cast<std::int64_t>(node.offset >> 1)];
        return x > std::bit_cast<T>(node.threshold) ? 1u : 0u;
      });
    } else {
      finite = false;
      step_levels(tree, 0, at, [&](const auto& node, std::int64_t k) HWY_ATTR {
        return turn_of(node, own + k * row_stride, stride);
      });
    }
    for (std::int64_t k = 0; k < packed_lanes; ++k) {
      leaves[begin + k] = tree.entries[at[k] - tree.places()];
    }
  }
  descend_last(direct, table, begin, leaves);
  finite = finite && begin == table.rows;
  if (tree.is_deep) descend_deep(tree, table, finite, leaves);
  return finite;
}

template <class T>
bool descend_table(const DirectTree<T>& direct, TableView<T> table, std::uint32_t* leaves) {
  if (table.row_stride == 1) return descend_columns(direct, table, leaves);
  bool finite = true;
  for (std::int64_t i = 0; i < table.rows; i += deep_rows) {
    finite &= descend_rows(direct, table.part(i, std::min(deep_rows, table.rows - i)), leaves + i);
  }
  return finite;
}

/// Highway's tables hold plain functions: these have those of every type.
auto descents() { return std::make_tuple(descend_groups<float>, descend_groups<double>); }
auto direct_descents() { return std::make_tuple(descend_table<float>, descend_table<double>); }

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(descents);
HWY_EXPORT(direct_descents);

template <class T>
void descend(const PackedTree<T>& tree,
             const Key<T>* keys,
             std::int64_t group,
             std::int64_t groups,
             std::uint32_t* leaves) {
  std::get<decltype(&descend<T>)>(HWY_DYNAMIC_DISPATCH(descents)())(
      tree, keys, group, groups, leaves);
}

template <class T>
bool descend_direct(const DirectTree<T>& tree, TableView<T> table, std::uint32_t* leaves) {
  return std::get<decltype(&descend_direct<T>)>(HWY_DYNAMIC_DISPATCH(direct_descents)())(
      tree, table, leaves);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, descend, descend_direct)

}  // namespace yupana::forest::cpu
#endif
