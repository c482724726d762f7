#include <algorithm>
#include <cstdint>
#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/packed.hpp"

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

/// Rows that go on below the complete levels together: their keys stay in the first cache.
constexpr std::int64_t deep_groups = 16;

/// From their entries to the leaves of some rows, at most deep_groups x packed_lanes. Those that
/// stay where they are have arrived and leave the list: rows of a tree without a limit end at very
/// different depths, and of sixteen side by side all would wait for the last. goes_right(node, row)
/// is 0 or 1.
template <class K, class GoesRight>
HWY_INLINE void step_deep(const std::vector<DeepNode<K>>& deep,
                          std::int64_t rows,
                          std::uint32_t* leaves,
                          const GoesRight& goes_right) {
  const DeepNode<K>* const nodes = deep.data();
  std::uint16_t moving[deep_groups * packed_lanes];
  std::int64_t count = rows;
  for (std::int64_t i = 0; i < count; ++i) moving[i] = static_cast<std::uint16_t>(i);
  while (count > 0) {
    std::int64_t moved = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint16_t row = moving[i];
      const std::uint32_t at = leaves[row];
      const DeepNode<K>& node = nodes[at];
      const std::uint32_t next = node.child + goes_right(node, row);
      leaves[row] = next;
      moving[moved] = row;
      moved += next != at ? 1 : 0;
    }
    count = moved;
  }
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
  const PackedNode<K>* nodes = tree.nodes.data();
  const std::size_t first = std::size_t{1} << tree.levels;
  for (std::int64_t g = 0; g < groups; ++g, keys += group, leaves += packed_lanes) {
    HWY_ALIGN K top[packed_lanes];
    for (std::int64_t k = 0; k < packed_lanes; k += lanes) {
      hn::Store(top_levels(d, nodes, keys + k), d, top + k);
    }
    // As wide as addresses, so that no step widens them.
    std::size_t at[packed_lanes];
    for (std::size_t k = 0; k < packed_lanes; ++k) at[k] = top[k];
    for (int level = vector_levels; level < tree.levels; ++level) {
#pragma GCC unroll 16
      for (std::size_t k = 0; k < packed_lanes; ++k) {
        const PackedNode<K>& node = nodes[at[k]];
        const K value = keys[std::size_t{node.offset} + k];
        at[k] = at[k] + at[k] + (node.threshold < value ? 1 : 0);
      }
    }
    for (std::int64_t k = 0; k < packed_lanes; ++k) leaves[k] = tree.entries[at[k] - first];
  }
  if (!tree.is_deep) return;
  keys -= groups * group;
  leaves -= groups * packed_lanes;
  for (std::int64_t g = 0; g < groups; g += deep_groups) {
    const K* const own = keys + g * group;
    const auto goes_right = [&](const DeepNode<K>& node, std::uint16_t row) HWY_ATTR {
      const K key = own[row / packed_lanes * group + node.offset + row % packed_lanes];
      return key > node.threshold ? 1u : 0u;
    };
    step_deep(tree.deep,
              std::min(deep_groups, groups - g) * packed_lanes,
              leaves + g * packed_lanes,
              goes_right);
  }
}

/// Whether a row goes right at a node of a direct tree. row: its value in the first column.
template <class T, class Node>
HWY_INLINE std::uint32_t turn_of(const Node& node, const T* row, std::size_t stride) {
  const T x = row[(node.offset >> 1) * stride];
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
                           std::size_t stride,
                           Key<T>* top) {
  const hn::CappedTag<T, packed_lanes> d;
  const hn::RebindToUnsigned<decltype(d)> places;
  const auto threshold = [&](int i)
                             HWY_ATTR { return hn::Set(d, std::bit_cast<T>(nodes[i].threshold)); };
  for (std::size_t k = 0; k < packed_lanes; k += hn::Lanes(d)) {
    const auto value = [&](int i) HWY_ATTR {
      return hn::LoadU(d, rows + (nodes[i].offset >> 1) * stride + k);
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

/// Rows from those that go down to those whose values come nearer meanwhile.
constexpr std::int64_t ahead = 8 * packed_lanes;

template <class T>
void descend_columns(const DirectTree<T>& direct,
                     const T* data,
                     std::int64_t signed_stride,
                     std::int64_t rows,
                     std::uint32_t* leaves) {
  using K = Key<T>;
  const PackedTree<T>& tree = direct.tree;
  const auto stride = static_cast<std::size_t>(signed_stride);
  const PackedNode<K>* nodes = tree.nodes.data();
  const std::size_t first = std::size_t{1} << tree.levels;
  std::int64_t begin = 0;
  for (; begin + packed_lanes <= rows; begin += packed_lanes) {
    const T* const own = data + begin;
    if (begin + ahead < rows) {
      for (const std::uint32_t column : direct.columns) {
        __builtin_prefetch(own + column * stride + ahead);
      }
    }
    HWY_ALIGN K top[packed_lanes];
    std::size_t at[packed_lanes];
    int level = vector_levels;
    if (top_levels(nodes, own, stride, top)) {
      std::copy_n(top, packed_lanes, at);
    } else {
      std::fill_n(at, packed_lanes, std::size_t{1});
      level = 0;
    }
    for (; level < tree.levels; ++level) {
#pragma GCC unroll 16
      for (std::size_t k = 0; k < packed_lanes; ++k) {
        at[k] = at[k] + at[k] + turn_of(nodes[at[k]], own + k, stride);
      }
    }
    for (std::int64_t k = 0; k < packed_lanes; ++k) {
      leaves[begin + k] = tree.entries[at[k] - first];
    }
  }
  for (; begin < rows; ++begin) {
    std::size_t at = 1;
    while (at < first) at = at + at + turn_of(nodes[at], data + begin, stride);
    leaves[begin] = tree.entries[at - first];
  }
  if (!tree.is_deep) return;
  constexpr std::int64_t deep_rows = deep_groups * packed_lanes;
  for (begin = 0; begin < rows; begin += deep_rows) {
    const T* const own = data + begin;
    const auto goes_right = [&](const DeepNode<K>& node, std::uint16_t row)
                                HWY_ATTR { return turn_of(node, own + row, stride); };
    step_deep(tree.deep, std::min(deep_rows, rows - begin), leaves + begin, goes_right);
  }
}

template <class T>
bool pack_groups(const T* data,
                 std::int64_t stride,
                 std::int64_t columns,
                 std::int64_t rows,
                 bool with_missing,
                 Key<T>* keys) {
  using K = Key<T>;
  bool missing = false;
  const std::int64_t group = columns * packed_lanes * (with_missing ? 2 : 1);
  for (std::int64_t f = 0; f < columns; ++f) {
    const T* column = data + f * stride;
    K* to = keys + f * packed_lanes;
    for (std::int64_t i = 0; i < rows; i += packed_lanes, to += group) {
      T x[packed_lanes] = {};
      if (rows - i >= packed_lanes) {
        std::copy_n(column + i, packed_lanes, x);  // a known count: vectors, no call
      } else {
        std::copy_n(column + i, rows - i, x);
      }
      bool none = false;
      for (std::int64_t k = 0; k < packed_lanes; ++k) {
        none |= x[k] != x[k];
        to[k] = key_of(x[k]);
      }
      missing |= none;
      if (!with_missing) continue;
      K* low = to + columns * packed_lanes;
      for (std::int64_t k = 0; k < packed_lanes; ++k) {
        low[k] = x[k] != x[k] ? K{0} : to[k];
        to[k] = x[k] != x[k] ? ~K{0} : to[k];
      }
    }
  }
  return with_missing || !missing;
}

/// Highway's tables hold plain functions: these have those of every type.
auto packings() { return std::make_tuple(pack_groups<float>, pack_groups<double>); }
auto descents() { return std::make_tuple(descend_groups<float>, descend_groups<double>); }
auto direct_descents() { return std::make_tuple(descend_columns<float>, descend_columns<double>); }

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(packings);
HWY_EXPORT(descents);
HWY_EXPORT(direct_descents);

template <class T>
bool pack_rows(const T* data,
               std::int64_t stride,
               std::int64_t columns,
               std::int64_t rows,
               bool with_missing,
               Key<T>* keys) {
  const auto pack = std::get<decltype(&pack_rows<T>)>(HWY_DYNAMIC_DISPATCH(packings)());
  return pack(data, stride, columns, rows, with_missing, keys);
}

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
void descend_direct(const DirectTree<T>& tree,
                    const T* data,
                    std::int64_t stride,
                    std::int64_t rows,
                    std::uint32_t* leaves) {
  std::get<decltype(&descend_direct<T>)>(HWY_DYNAMIC_DISPATCH(direct_descents)())(
      tree, data, stride, rows, leaves);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, pack_rows, descend, descend_direct)

}  // namespace yupana::forest::cpu
#endif
