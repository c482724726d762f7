#include <algorithm>
#include <cstdint>
#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/coded.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/coded_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- Codes -------------------------------------------------------------------------------------

/// How many of the thresholds are below each of `rows` numbers.
template <class T>
void code_column(const CodedColumn<T>& column,
                 const T* x,
                 std::int64_t rows,
                 std::uint16_t* codes) {
  using K = Key<T>;
  const hn::CappedTag<K, threshold_window> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const K* thresholds = column.thresholds.data();
  const auto last = static_cast<std::int32_t>(column.buckets() - 1);
  K keys[coded_rows];
  std::int32_t buckets[coded_rows];
  for (std::int64_t i = 0; i < rows; ++i) {
    keys[i] = key_of(x[i]);
    buckets[i] = bucket_of(column, x[i], keys[i], last);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t start = column.starts[buckets[i]];
    if (column.windows == 0) {
      const std::int64_t end = column.starts[static_cast<std::size_t>(buckets[i]) + 1];
      const K* place = std::lower_bound(thresholds + start, thresholds + end, keys[i]);
      codes[i] = static_cast<std::uint16_t>(place - thresholds);
      continue;
    }
    // What follows the bucket is not below x: it does not count.
    const auto key = hn::Set(d, keys[i]);
    std::size_t below = 0;
    for (std::int64_t k = 0; k < column.windows * threshold_window; k += lanes) {
      below += hn::CountTrue(d, hn::Lt(hn::LoadU(d, thresholds + start + k), key));
    }
    codes[i] = static_cast<std::uint16_t>(static_cast<std::size_t>(start) + below);
  }
}

/// Puts missing values in their places; true if there is one.
template <class T>
bool code_missing(const T* x, std::int64_t rows, std::uint16_t* high, std::uint16_t* low) {
  bool missing = false;
  for (std::int64_t i = 0; i < rows; ++i) missing |= x[i] != x[i];
  if (low != nullptr) std::copy_n(high, coded_rows, low);
  if (!missing || low == nullptr) return missing;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (x[i] == x[i]) continue;
    high[i] = last_code;
    low[i] = 0;
  }
  return true;
}

template <class T>
bool code_groups(const std::vector<CodedColumn<T>>& columns,
                 TableView<T> table,
                 bool with_missing,
                 std::uint16_t* codes) {
  T gathered[coded_rows];
  const std::int64_t copy = std::ssize(columns) * coded_rows;
  for (std::int64_t first = 0; first < table.rows; first += coded_rows) {
    const std::int64_t count = std::min(coded_rows, table.rows - first);
    for (const CodedColumn<T>& column : columns) {
      const T* x = &table.data[column.feature * table.stride + first * table.row_stride];
      if (table.row_stride != 1) {
        for (std::int64_t i = 0; i < count; ++i) gathered[i] = x[i * table.row_stride];
        x = gathered;
      }
      code_column(column, x, count, codes);
      std::fill(codes + count, codes + coded_rows, std::uint16_t{0});
      const bool missing = code_missing(x, count, codes, with_missing ? codes + copy : nullptr);
      if (missing && !with_missing) return false;
      codes += coded_rows;
    }
    if (with_missing) codes += copy;
  }
  return true;
}

// --- Descent -----------------------------------------------------------------------------------

/// Below the complete levels.
HWY_INLINE void step_deep(const CodedTree& tree,
                          const std::uint16_t* codes,
                          std::uint32_t* leaves) {
  constexpr std::int64_t side_by_side = 16;
  for (std::int64_t i = 0; i < coded_rows; i += side_by_side) {
    std::uint32_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (std::int64_t k = i; k < i + side_by_side; ++k) {
        const CodedNode node = tree.deep[leaves[k]];
        const std::uint32_t turn = codes[node.offset + k] > node.threshold ? 1 : 0;
        moved |= (node.child + turn) ^ leaves[k];
        leaves[k] = node.child + turn;
      }
    }
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr bool fast = true;

using D16 = hn::CappedTag<std::uint16_t, 32>;
using D32 = hn::CappedTag<std::uint32_t, 16>;
using V16 = hn::Vec<D16>;
constexpr D16 d16;
constexpr D32 d32;
constexpr int lanes = 32;
constexpr int vectors = coded_rows / lanes;
/// Vectors of rows that go down together: tables of nodes are loaded once for all of them.
constexpr int width = 4;

/// Entries of two vectors side by side, by the low six bits of the places.
HWY_INLINE V16 looked_up(V16 places, V16 low, V16 high) {
  return V16{_mm512_permutex2var_epi16(low.raw, places.raw, high.raw)};
}

/// table[place] of 2^level entries.
template <int level>
HWY_INLINE void look_up(const std::uint16_t* table, const V16* places, V16* found) {
  if constexpr (level <= 6) {
    const V16 low = hn::Load(d16, table);
    const V16 high = level == 5 ? low : hn::Load(d16, table + lanes);
    for (int v = 0; v < width; ++v) found[v] = looked_up(places[v], low, high);
  } else {
    constexpr int quads = 1 << (level - 7);
    for (int q = 0; q < quads; ++q, table += 4 * lanes) {
      const V16 a = hn::Load(d16, table), b = hn::Load(d16, table + lanes);
      const V16 c = hn::Load(d16, table + 2 * lanes), e = hn::Load(d16, table + 3 * lanes);
      const V16 own = hn::Set(d16, static_cast<std::uint16_t>(q));
      for (int v = 0; v < width; ++v) {
        const auto upper = hn::TestBit(places[v], hn::Set(d16, 64));
        const V16 entry =
            hn::IfThenElse(upper, looked_up(places[v], c, e), looked_up(places[v], a, b));
        if (q == 0) {
          found[v] = entry;
        } else {
          const auto here = hn::Eq(hn::ShiftRight<7>(places[v]), own);
          found[v] = hn::IfThenElse(here, entry, found[v]);
        }
      }
    }
  }
}

/// Each row's code of its own column. Gathers would take one load a row; here four columns are
/// loaded for 32 rows and chosen from by the low bits of the column's number.
HWY_INLINE void choose_codes(const std::vector<std::uint32_t>& offsets,
                             const std::uint16_t* codes,
                             V16* columns,
                             V16* chosen) {
  hn::Mask<D16> odd[width], second[width];
  for (int v = 0; v < width; ++v) {
    odd[v] = hn::TestBit(columns[v], hn::Set(d16, 1));
    second[v] = hn::TestBit(columns[v], hn::Set(d16, 2));
    columns[v] = hn::ShiftRight<2>(columns[v]);
    chosen[v] = hn::Zero(d16);
  }
  const std::uint32_t* offset = offsets.data();
  const std::size_t fours = offsets.size() / 4;
  for (std::size_t f = 0; f < fours; ++f, offset += 4) {
    const V16 own = hn::Set(d16, static_cast<std::uint16_t>(f));
    for (int v = 0; v < width; ++v) {
      const std::uint16_t* x = codes + v * lanes;
      const V16 a =
          hn::IfThenElse(odd[v], hn::Load(d16, x + offset[1]), hn::Load(d16, x + offset[0]));
      const V16 b =
          hn::IfThenElse(odd[v], hn::Load(d16, x + offset[3]), hn::Load(d16, x + offset[2]));
      const V16 best = hn::IfThenElse(second[v], b, a);
      chosen[v] = hn::IfThenElse(hn::Eq(columns[v], own), best, chosen[v]);
    }
  }
}

template <int level>
HWY_INLINE void own_nodes(const CodedTree& tree, const std::uint16_t* codes, V16* places) {
  if (level == tree.levels) return;
  V16 columns[width], x[width], thresholds[width];
  look_up<level>(tree.columns.data() + (1 << level), places, columns);
  choose_codes(tree.offsets, codes, columns, x);
  look_up<level>(tree.thresholds.data() + (1 << level), places, thresholds);
  const V16 one = hn::Set(d16, 1);
  for (int v = 0; v < width; ++v) {
    const auto right = hn::Gt(x[v], thresholds[v]);
    places[v] = hn::Add(hn::Add(places[v], places[v]), hn::IfThenElseZero(right, one));
  }
  if constexpr (level + 1 < coded_levels) own_nodes<level + 1>(tree, codes, places);
}

/// Turns of all rows at each upper node, a bit a row, and from them the turns that each took: what
/// is chosen is bits of 512 rows at once.
HWY_INLINE void upper_turns(const CodedTree& tree,
                            const std::uint16_t* codes,
                            std::uint32_t (*turns)[vectors]) {
  HWY_ALIGN std::uint32_t bits[1 << compared_levels][vectors];
  for (int i = 1; i < 1 << compared_levels; ++i) {
    const V16 threshold = hn::Set(d16, tree.thresholds[i]);
    const std::uint16_t* x = codes + tree.offsets[tree.columns[i]];
    for (int v = 0; v < vectors; ++v) {
      const auto right = hn::Gt(hn::Load(d16, x + v * lanes), threshold);
      bits[i][v] = static_cast<std::uint32_t>(right.raw);
    }
  }
  hn::Vec<D32> taken[compared_levels];
  for (int level = 0; level < compared_levels; ++level) {
    hn::Vec<D32> turn[1 << (compared_levels - 1)];
    for (int i = 0; i < 1 << level; ++i) turn[i] = hn::Load(d32, bits[(1 << level) + i]);
    for (int half = level - 1; half >= 0; --half) {
      for (int i = 0; i < 1 << half; ++i) {
        turn[i] = hn::IfVecThenElse(taken[level - 1 - half], turn[i + (1 << half)], turn[i]);
      }
    }
    taken[level] = turn[0];
    hn::Store(turn[0], d32, turns[level]);
  }
}

void descend_groups(const CodedTree& tree,
                    const std::uint16_t* codes,
                    std::int64_t group,
                    std::int64_t groups,
                    std::uint32_t* leaves) {
  if (tree.offsets.empty()) {
    std::fill_n(leaves, groups * coded_rows, 0);
    return;
  }
  HWY_ALIGN std::uint32_t turns[compared_levels][vectors];
  for (std::int64_t g = 0; g < groups; ++g, codes += group, leaves += coded_rows) {
    upper_turns(tree, codes, turns);
    for (int first = 0; first < vectors; first += width) {
      V16 places[width];
      for (int v = 0; v < width; ++v) {
        places[v] = hn::Zero(d16);
        for (int level = 0; level < compared_levels; ++level) {
          const hn::Mask<D16> right{turns[level][first + v]};
          const V16 bit = hn::Set(d16, static_cast<std::uint16_t>(16 >> level));
          places[v] = hn::Or(places[v], hn::IfThenElseZero(right, bit));
        }
      }
      own_nodes<compared_levels>(tree, codes + first * lanes, places);
      for (int v = 0; v < width; ++v) {
        std::uint32_t* to = leaves + (first + v) * lanes;
        hn::StoreU(hn::PromoteTo(d32, hn::LowerHalf(places[v])), d32, to);
        hn::StoreU(
            hn::PromoteTo(d32, hn::UpperHalf(hn::Half<D16>(), places[v])), d32, to + lanes / 2);
      }
    }
    if (!tree.deep.empty()) step_deep(tree, codes, leaves);
  }
}
#else
constexpr bool fast = false;

void descend_groups(const CodedTree& tree,
                    const std::uint16_t* codes,
                    std::int64_t group,
                    std::int64_t groups,
                    std::uint32_t* leaves) {
  const auto places = static_cast<std::uint32_t>(tree.places());
  for (std::int64_t g = 0; g < groups; ++g, codes += group, leaves += coded_rows) {
    for (std::int64_t i = 0; i < coded_rows; ++i) {
      std::uint32_t at = 1;
      while (at < places && !tree.offsets.empty()) {
        const std::uint16_t x = codes[tree.offsets[tree.columns[at]] + i];
        at = 2 * at + (x > tree.thresholds[at] ? 1 : 0);
      }
      leaves[i] = tree.offsets.empty() ? 0 : at - places;
    }
    if (!tree.deep.empty()) step_deep(tree, codes, leaves);
  }
}
#endif

bool are_fast() { return fast; }

/// Highway's tables hold plain functions: this one has those of every type.
auto codings() { return std::make_tuple(code_groups<float>, code_groups<double>); }

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(are_fast);
HWY_EXPORT(codings);
HWY_EXPORT(descend_groups);

bool codes_are_fast() { return HWY_DYNAMIC_DISPATCH(are_fast)(); }

template <class T>
bool code_rows(const std::vector<CodedColumn<T>>& columns,
               TableView<T> table,
               bool with_missing,
               std::uint16_t* codes) {
  const auto code = std::get<decltype(&code_rows<T>)>(HWY_DYNAMIC_DISPATCH(codings)());
  return code(columns, table, with_missing, codes);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, code_rows)

void descend(const CodedTree& tree,
             const std::uint16_t* codes,
             std::int64_t group,
             std::int64_t groups,
             std::uint32_t* leaves) {
  HWY_DYNAMIC_DISPATCH(descend_groups)(tree, codes, group, groups, leaves);
}

}  // namespace yupana::forest::cpu
#endif
