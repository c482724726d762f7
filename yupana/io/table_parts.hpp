#pragma once

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

/// Each kind of file a table may stand in; see read_table.
template <class T>
TableFile<T> read_text_table(Context& context, const TableText& text, const TableParams& params);
template <class T>
TableFile<T> read_libsvm_table(Context& context, const TableText& text, const TableParams& params);
template <class T>
TableFile<T> read_npy_table(Context& context, const std::string& path, const TableParams& params);

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
    throw Error(ErrorCode::out_of_resources,
                fmt::format("a table of {} x {} takes {}; memory is limited to {}",
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
