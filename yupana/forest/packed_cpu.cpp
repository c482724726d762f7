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

/// Values and thresholds of the 2^level nodes of a level, of which each lane takes its own: the
/// turns taken above it halve the choice one after the other.
template <int level, class D, class Node, class Mask>
HWY_INLINE Mask turn_of(D d, const Node* nodes, const hn::TFromD<D>* keys, const Mask* turns) {
  constexpr int width = 1 << level;
  hn::Vec<D> x[width], t[width];
  for (int i = 0; i < width; ++i) {
    x[i] = hn::Load(d, keys + nodes[width + i].offset);
    t[i] = hn::Set(d, nodes[width + i].threshold);
  }
  for (int l = level - 1; l >= 0; --l) {
    for (int i = 0; i < 1 << l; ++i) {
      x[i] = hn::IfThenElse(turns[l], x[2 * i + 1], x[2 * i]);
      t[i] = hn::IfThenElse(turns[l], t[2 * i + 1], t[2 * i]);
    }
  }
  return hn::Gt(x[0], t[0]);
}

/// The first four levels: with 15 nodes it is faster to compare all and choose than to gather.
template <class D, class Node>
HWY_INLINE hn::Vec<D> top_levels(D d, const Node* nodes, const hn::TFromD<D>* keys) {
  static_assert(vector_levels == 4);
  hn::Mask<D> turns[4];
  turns[0] = turn_of<0>(d, nodes, keys, turns);
  turns[1] = turn_of<1>(d, nodes, keys, turns);
  turns[2] = turn_of<2>(d, nodes, keys, turns);
  turns[3] = turn_of<3>(d, nodes, keys, turns);
  const auto one = hn::Set(d, 1);
  auto at = one;
  for (int l = 0; l < vector_levels; ++l) {
    at = hn::Add(hn::Add(at, at), hn::IfThenElseZero(turns[l], one));
  }
  return at;
}

/// Rows that go on below the complete levels together: their keys stay in the first cache.
constexpr std::int64_t deep_groups = 16;

/// From the entries of `groups` groups, at most deep_groups, to their leaves. Those that stay where
/// they are have arrived and leave the list: rows of a tree without a limit end at very different
/// depths, and of sixteen side by side all would wait for the last.
template <class K>
HWY_INLINE void step_deep(const std::vector<DeepNode<K>>& deep,
                          const K* keys,
                          std::int64_t group,
                          std::int64_t groups,
                          std::uint32_t* leaves) {
  const DeepNode<K>* const nodes = deep.data();
  std::uint16_t moving[deep_groups * packed_lanes];
  std::int64_t count = groups * packed_lanes;
  for (std::int64_t i = 0; i < count; ++i) moving[i] = static_cast<std::uint16_t>(i);
  while (count > 0) {
    std::int64_t moved = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint16_t row = moving[i];
      const std::uint32_t at = leaves[row];
      const DeepNode<K>& node = nodes[at];
      const K key = keys[row / packed_lanes * group + node.offset + row % packed_lanes];
      const std::uint32_t next = node.child + (key > node.threshold ? 1u : 0u);
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
    step_deep(tree.deep,
              keys + g * group,
              group,
              std::min(deep_groups, groups - g),
              leaves + g * packed_lanes);
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

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(packings);
HWY_EXPORT(descents);

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

YUPANA_FUNCTIONS(YUPANA_FLOATS, pack_rows, descend)

}  // namespace yupana::forest::cpu
#endif
