#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

// Rows by the hundred thousand through many trees: a value's code is how many of its feature's
// thresholds, over all trees, are below it, so that 16 bits answer every comparison exactly. Half
// the bits are twice the rows a vector, and tables of nodes that fit in registers.

/// Rows whose codes of a feature are adjacent; then the next feature's.
inline constexpr std::int64_t coded_rows = 512;
/// Levels where all nodes are compared with all rows, and those where each row finds its own.
inline constexpr int compared_levels = 5;
inline constexpr int coded_levels = 10;
/// Code of a missing value, in the copy for nodes that send it right. As a threshold: all go left.
inline constexpr std::uint16_t last_code = 0xFFFF;
/// Thresholds that are compared with a value at once.
inline constexpr std::int64_t threshold_window = 16;

/// The thresholds of a feature and what finds a value among them.
template <class T>
struct CodedColumn {
  std::int64_t feature = 0;
  std::int64_t count = 0;
  std::vector<Key<T>> thresholds;     ///< ascending; after `count` of them, the largest keys
  std::vector<std::uint16_t> starts;  ///< of each bucket of values: the thresholds before it
  T low = 0, scale = 0;               ///< bucket (x - low) x scale, unless scale is 0:
  Key<T> low_key = 0;                 ///< (key - low_key) >> shift
  int shift = 0;
  std::int64_t windows = 0;  ///< that the fullest bucket takes; 0: it is searched

  std::int64_t buckets() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

/// Never falls where x rises, in every instruction set: one difference, one product, both rounded.
template <class T>
std::int32_t bucket_of(const CodedColumn<T>& column, T x, Key<T> key, std::int32_t last) {
  if (column.scale > 0) {
    const T place = (x - column.low) * column.scale;
    const T most = static_cast<T>(last);
    return place > 0 ? static_cast<std::int32_t>(place < most ? place : most) : 0;
  }
  const Key<T> place = key > column.low_key ? (key - column.low_key) >> column.shift : 0;
  return place < static_cast<Key<T>>(last) ? static_cast<std::int32_t>(place) : last;
}

/// The columns that the trees split, by feature. Empty if one has too many thresholds for 16 bits.
template <class T>
std::vector<CodedColumn<T>> coded_columns(const std::vector<Tree>& trees, std::int64_t features);

/// Below the complete levels; a leaf is its own left child. `offset`: of the column's codes.
struct CodedNode {
  std::uint16_t threshold = last_code;
  std::uint32_t offset = 0;
  std::uint32_t child = 0;
};

/// The complete levels are in heap order from 1; place k under them is node k of `deep`, or of
/// `origin` if no tree is below. x goes right where its code is above the threshold.
struct CodedTree {
  int levels = compared_levels;
  std::vector<std::uint32_t> offsets;  ///< of the columns it splits, filled up to whole fours
  Array<std::uint16_t> thresholds;
  Array<std::uint16_t> columns;  ///< of each node: which of `offsets`
  std::vector<CodedNode> deep;   ///< empty: every place is a leaf
  std::vector<std::int32_t> origin;

  std::int32_t places() const { return std::int32_t{1} << levels; }
};

/// With missing values a second copy of all codes follows the first, see packed().
template <class T>
CodedTree coded(const Tree& tree, const std::vector<CodedColumn<T>>& columns, bool with_missing);

/// If rows go through the trees faster as codes than as keys.
bool codes_pay(const std::vector<Tree>& trees, std::int64_t rows, std::int64_t features);

namespace cpu {

/// If this processor's vectors look up 16-bit tables (AVX-512); elsewhere codes are slower.
bool codes_are_fast();

/// Codes of a table in any layout, in groups of coded_rows. False if a value is missing and
/// with_missing is not set.
template <class T>
bool code_rows(const std::vector<CodedColumn<T>>& columns,
               TableView<T> table,
               bool with_missing,
               std::uint16_t* codes);

/// The entry of `origin` in which each row of some groups ends. `group` is the codes of one.
void descend(const CodedTree& tree,
             const std::uint16_t* codes,
             std::int64_t group,
             std::int64_t groups,
             std::uint32_t* leaves);

}  // namespace cpu
}  // namespace yupana::forest
