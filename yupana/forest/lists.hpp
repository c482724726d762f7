#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/problem.hpp"

namespace yupana::forest {

/// Features that are 0 where they have no entry: entries by feature, value and row, their different
/// values numbered in that order.
struct SortedEntries {
  std::int64_t size = 0;
  Array<std::uint32_t> numbers, rows;    ///< of each entry
  std::vector<double> values;            ///< of each number
  std::vector<std::uint32_t> firsts;     ///< of each feature its first number; at last their count
  std::vector<std::uint32_t> positives;  ///< of each feature its first number of a value above 0
};

/// The rows of a table in order of each feature, the same rows for every tree.
struct SortedTable {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  Array<std::uint32_t> ranks;  ///< of each feature, in order: number of the value, from 0
  Array<std::uint32_t> order;  ///< of each feature, in order: the row
  std::uint32_t max_rank = 0;  ///< the largest rank of a value, or number of an entry's
  SortedEntries entries;       ///< of a sparse table, whose column is of zeros
};

inline constexpr std::uint32_t missing_rank = ~std::uint32_t{0};

/// Sorts every feature; NaN last, with missing_rank. Equal values keep the order of rows. The ranks
/// of one-hot columns (TreeParams::one_hot) are their categories.
template <class T>
SortedTable sort_table(Context& context,
                       TableView<T> table,
                       const std::vector<std::int32_t>& one_hot);

/// Attribute lists of one tree: of each feature, the tree's rows in order of its values. A node's
/// rows are adjacent in each list, at the same places.
///   key = rank << class_bits | class; without room for the class (class_bits 0) it is looked up
struct Lists {
  std::int64_t size = 0;  ///< entries a feature
  std::int64_t features = 0;
  int class_bits = 0;
  Array<std::uint32_t> keys;
  Array<std::uint32_t> rows;
  SortedEntries entries;  ///< of a sparse table: keys instead of numbers

  std::uint32_t* key(std::int64_t feature) { return keys.data() + feature * size; }
  std::uint32_t* row(std::int64_t feature) { return rows.data() + feature * size; }
  double bytes() const { return static_cast<double>(keys.bytes() + rows.bytes()); }
  const std::uint32_t* key(std::int64_t feature) const { return keys.data() + feature * size; }
  const std::uint32_t* row(std::int64_t feature) const { return rows.data() + feature * size; }
  /// Keys from here on are missing values.
  std::uint32_t missing_key() const { return missing_rank >> class_bits << class_bits; }
};

/// Lists of all rows of weight, each once, made from the table's own memory.
Lists take_lists(Context& context, SortedTable&& sorted, const Problem& problem);
/// Lists where row i appears `repeats[i]` times (none where it has no weight).
Lists copy_lists(const SortedTable& sorted, const Problem& problem, const std::uint8_t* repeats);

/// Grows a tree from its lists, which it uses up. `parallel`: with all of the context's threads.
template <class T>
Tree grow(Context& context,
          TableView<T> table,
          const Problem& problem,
          Lists& lists,
          const TreeParams& params,
          bool parallel);

/// A table most of whose values are 0, column after column: the others of feature f are entries
/// [starts[f], starts[f + 1]), of each row one at most. No value is missing. Does not own.
template <class T>
struct SparseColumns {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  const std::int64_t* starts = nullptr;
  const std::uint32_t* entry_rows = nullptr;
  const T* values = nullptr;

  std::int64_t entries() const { return starts[features]; }
};

/// What is 0 has no entry; a table of one column of zeros is kept in its place, next to the
/// entries.
///   errors: bad_input for starts that descend, rows beyond the table and NaN
template <class T>
SortedTable sort_sparse(Context& context, const SparseColumns<T>& table);

/// The column of zeros and the parameters that grow from the entries.
template <class T>
TableView<T> column_of_zeros(const SparseColumns<T>& table) {
  return {nullptr, table.rows, 1, table.rows};
}
template <class T>
TreeParams on_entries(const SparseColumns<T>& table, TreeParams params) {
  params.one_hot = {static_cast<std::int32_t>(table.features)};
  return params;
}

template <class T>
Table<T> with_zeros(const SparseColumns<T>& table);

/// The trees of the table with its zeros, bit for bit. On the processor in memory and time of the
/// entries, elsewhere of all values.
template <class T>
Tree fit_sparse_tree(Context& context,
                     const SparseColumns<T>& table,
                     const Target& target,
                     const TreeParams& params = {});
template <class T>
std::vector<Tree> fit_sparse_forest(Context& context,
                                    const SparseColumns<T>& table,
                                    const Target& target,
                                    const ForestParams& params = {});

}  // namespace yupana::forest
