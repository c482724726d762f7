#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/scratch_scope.hpp"
#include "yupana/io/names.hpp"
#include "yupana/io/table.hpp"
#include "yupana/io/table_columns.hpp"
#include "yupana/io/table_text.hpp"

namespace yupana::io {

/// Each kind of file a table may stand in; see read_table_parts.
template <class T>
void read_text_table(Context& context,
                     const TableText& text,
                     const TableParams& params,
                     std::int64_t bytes,
                     const TakeTable<T>& take);
template <class T>
void read_libsvm_table(Context& context,
                       const TableText& text,
                       const TableParams& params,
                       std::int64_t bytes,
                       const TakeTable<T>& take);
template <class T>
void read_npy_table(Context& context,
                    const std::string& path,
                    const TableParams& params,
                    std::int64_t bytes,
                    const TakeTable<T>& take);

/// Rows of a part whose features take at most `bytes`; at least one.
template <class T>
std::int64_t rows_of_part(const TableColumns& columns, std::int64_t bytes) {
  const auto row = static_cast<std::int64_t>(columns.features.size() * sizeof(T));
  return std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, row));
}

/// A table without values, in the shape that the columns and the rows give it; out_of_resources
/// where it does not fit in the context's memory and there is no `scratch`.
template <class T>
TableFile<T> shaped_table(Context& context,
                          const TableColumns& columns,
                          std::int64_t rows,
                          const std::string& scratch) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(columns.features.size()) *
                       static_cast<double>(sizeof(T));
  const bool fits = bytes <= static_cast<double>(context.memory());
  if (!fits && scratch.empty()) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("a table of {} x {} takes {}; memory is limited to {}; give more --memory "
                    "or read fewer columns",
                    rows,
                    columns.features.size(),
                    human_bytes(bytes),
                    human_bytes(static_cast<double>(context.memory()))));
  }
  TableFile<T> file;
  const ScratchScope scope(fits ? std::string() : scratch);
  file.table = Table<T>(rows, columns.features);
  file.categories.resize(columns.features.size());
  if (columns.label >= 0) file.label = columns.names[static_cast<std::size_t>(columns.label)];
  for (const ColumnUse use : columns.uses) {
    if (use == ColumnUse::label) file.codes = Array<std::int32_t>(rows);
    if (use == ColumnUse::label_number) file.values = Array<double>(rows);
    if (use == ColumnUse::weight) file.weights = Array<double>(rows);
  }
  return file;
}

/// Fills missing and infinite.
template <class T>
void count_unusual(Context& context, TableFile<T>& file);

}  // namespace yupana::io
