#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/row_bits.hpp"

namespace yupana::forest {

/// Of each row and feature, the number of the value among the feature's values: what a forest that
/// draws features sorts by at each node. One for all trees.
///   key = rank << class_bits | class; without room for the class (class_bits 0) it is looked up
/// Of a column of categories (TreeParams::one_hot) the rank is the category. Features of two values
/// are bits instead, where there are enough of them.
template <class T>
struct RowRanks {
  std::int64_t rows = 0;
  std::int64_t columns = 0;          ///< that have keys
  std::vector<std::int32_t> places;  ///< of each of the table's columns, among them
  int class_bits = 0;
  std::uint32_t missing_rank = 0;      ///< of NaN: above those of values
  int key_bits = 0;                    ///< low bits in which keys differ
  Array<std::uint32_t> keys;           ///< row after row: a node reads few features of few rows
  Array<std::uint16_t> short_keys;     ///< instead, where key_bits fit: half the lines of a cache
  std::vector<std::vector<T>> values;  ///< of each of the table's columns, by rank
  std::vector<char> has_missing;       ///< of each of the table's columns
  RowBits<T> bits;

  /// body(keys of either size)
  template <class Body>
  void with_keys(const Body& body) const {
    short_keys.empty() ? body(keys.data()) : body(short_keys.data());
  }
  std::uint64_t bytes() const { return keys.bytes() + short_keys.bytes() + bits.of_rows.bytes(); }
};

/// Sorts each feature once that is no bit. memory: 2 or 4 bytes a value and the different values, a
/// bit for a value that is one; while it works 12 bytes a row and feature more, of 16 features.
template <class T>
RowRanks<T> rank_rows(Context& context,
                      TableView<T> table,
                      const Problem& problem,
                      const TreeParams& params);

/// Grows a tree of a forest that draws few of the features at a node, on one thread. A node's rows
/// are adjacent; the values that it drew are gathered and sorted there, and no list is kept.
template <class T>
Tree grow_sampled(Context& context,
                  const RowRanks<T>& ranks,
                  const Problem& problem,
                  const std::uint8_t* repeats,
                  const TreeParams& params);

}  // namespace yupana::forest
