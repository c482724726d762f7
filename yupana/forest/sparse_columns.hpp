#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/lists.hpp"

namespace yupana::forest {

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

/// What is 0 has no entry; a table of one column of zeros stands for it beside the entries.
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
