#include "yupana/io/table.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

/// Puts values of one column of the file into the table.
template <class T>
class Putter {
 public:
  Putter(const std::string& path,
         const TableColumns& columns,
         std::int64_t first_row,
         TableFile<T>& file,
         Array<double>& labels)
      : path_(path), columns_(columns), first_row_(first_row), file_(file), labels_(labels) {}

  template <class Own>
  void operator()(std::int64_t row, std::size_t column, Own own) const {
    if (columns_.uses[column] == ColumnUse::skipped) return;
    if constexpr (std::is_integral_v<Own>) {
      if (!fits_double(own)) refuse_rounding(row, column, fmt::format("{}", own));
    }
    put(row, column, static_cast<double>(own));
  }

 private:
  void put(std::int64_t row, std::size_t column, double value) const {
    switch (columns_.uses[column]) {
      case ColumnUse::number:
      case ColumnUse::category:
        if (static_cast<double>(static_cast<T>(value)) != value &&
            (std::isinf(static_cast<T>(value)) || static_cast<T>(value) == 0)) {
          fail(row, column, beyond_range(fmt::format("{}", value), sizeof(T), way_out(column)));
        }
        file_.table.column(columns_.places[column])[row] = static_cast<T>(value);
        return;
      case ColumnUse::label:
      case ColumnUse::label_number:
        if (value != value)
          fail(row,
               column,
               "the value is missing; every row needs one here: fill it in or drop the row");
        if (columns_.uses[column] == ColumnUse::label_number && std::isinf(value)) {
          fail(row, column, fmt::format("expected a finite number, got {}", value));
        }
        labels_[row] = value;
        return;
      case ColumnUse::weight:
        if (!(value >= 0 && value <= std::numeric_limits<double>::max())) {
          fail(row, column, fmt::format("expected a weight of 0 or more, got {}", value));
        }
        file_.weights[row] = value;
        return;
      case ColumnUse::skipped:
      case ColumnUse::id:
        return;
    }
  }

  [[noreturn]] void refuse_rounding(std::int64_t row,
                                    std::size_t column,
                                    std::string_view value) const {
    fail(row,
         column,
         fmt::format("{} is an integer beyond 2^53 and between two doubles; save it as f8 if it "
                     "may be rounded, or {}",
                     value,
                     way_out(column)));
  }
  const char* way_out(std::size_t column) const {
    return leave_out(columns_, columns_.uses[column]);
  }
  [[noreturn]] void fail(std::int64_t row, std::size_t column, std::string_view what) const {
    throw bad_file(path_, "row {}, column {}: {}", first_row_ + row + 1, column + 1, what);
  }
  const std::string& path_;
  const TableColumns& columns_;
  std::int64_t first_row_;
  TableFile<T>& file_;
  Array<double>& labels_;
};

/// Rows [first_row, first_row + rows), which become those from 0, of a file of Own.
template <class Own, class T>
void read_values(Context& context,
                 const NpyFile& npy,
                 std::int64_t first_row,
                 std::int64_t rows,
                 const Putter<T>& put) {
  // Of a C-order file some rows at a time; of a Fortran-order file some columns, or of one the
  // rows.
  const bool fortran = npy.layout().fortran;
  const bool whole = rows == npy.rows();
  const std::int64_t inner = fortran ? rows : npy.cols();
  const std::int64_t outer = fortran ? npy.cols() : rows;
  const std::int64_t some = std::max<std::int64_t>(1, (std::int64_t{1} << 17) / inner);
  const std::int64_t step = fortran && !whole ? 1 : some;
  context.parallel_for((outer + step - 1) / step, 1, [&](std::int64_t begin, std::int64_t end) {
    Array<Own> values(step * inner);
    for (std::int64_t block = begin; block < end; ++block) {
      context.check_cancelled();
      const std::int64_t first = block * step;
      const std::int64_t count = std::min(step, outer - first);
      const std::int64_t offset =
          fortran ? first * npy.rows() + first_row : (first_row + first) * inner;
      npy.read(offset, count * inner, values.data());
      for (std::int64_t j = 0; j < inner; ++j) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = fortran ? j : first + i;
          const std::int64_t column = fortran ? first + i : j;
          put(row, column, values[i * inner + j]);
        }
      }
    }
  });
}

/// Numbers become classes or categories, in order of value. `values` may hold NaN: left alone.
template <class T, class Code>
std::vector<std::string> numbered(T* values, std::int64_t rows, Code* codes) {
  std::map<double, std::int32_t> places;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (values[i] == values[i]) places.emplace(static_cast<double>(values[i]), 0);
  }
  std::vector<std::string> names;
  for (auto& [value, place] : places) {
    place = static_cast<std::int32_t>(names.size());
    append_number(names.emplace_back(), value + 0.0);  // -0 is the class 0, whichever comes first
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    if (values[i] == values[i]) codes[i] = static_cast<Code>(places.at(values[i]));
  }
  return names;
}

}  // namespace

void check_kind(const std::string& path, const TableParams& params, bool text, bool libsvm) {
  const auto refuse = [&](const char* option, const char* kind) {
    throw usage_error("{}: is for {}, and {} is none; leave it out", option, kind, path);
  };
  const TableParams plain;
  if (libsvm && !params.categorical.empty()) refuse("--categorical", "text and .npy tables");
  if (!libsvm && params.zero_based) refuse("--zero-based", "libsvm files");
  if (text) return;
  if (params.header != plain.header) refuse("--header", "tables of text");
  if (params.delimiter != plain.delimiter) refuse("--delimiter", "tables of text");
  if (params.comment != plain.comment) refuse("--comment", "tables of text");
}

template <class T>
void read_npy_table(Context& context,
                    const std::string& path,
                    const TableParams& params,
                    std::int64_t bytes,
                    const TakeTable<T>& take) {
  refuse_ids(path, params);
  const InputFile input(path);
  const NpyFile npy(input, {.shape = "rows and columns", .with_bool = true, .with_half = true});
  if (npy.count() == 0) {
    throw bad_file(path, ".npy of {} x {} is an empty table", npy.rows(), npy.cols());
  }
  TableColumns columns;
  for (std::int64_t c = 0; c < npy.cols(); ++c) columns.names.push_back(std::to_string(c + 1));
  use_columns(path, params, columns);
  const std::int64_t most = rows_of_part<T>(columns, bytes);
  for (std::int64_t first = 0; first < npy.rows(); first += most) {
    const std::int64_t rows = std::min(most, npy.rows() - first);
    auto file = shaped_table<T>(context, columns, rows, params);
    Array<double> labels;
    if (columns.label >= 0) {
      const bool fits = static_cast<std::uint64_t>(rows) * sizeof(double) <= context.memory();
      const ScratchScope scope(fits ? std::string() : params.scratch);
      labels = Array<double>(rows);
    }
    const Putter<T> put(path, columns, first, file, labels);
    with_file_type(npy.type(),
                   [&](auto zero) { read_values<decltype(zero)>(context, npy, first, rows, put); });
    if (!file.values.empty()) file.values = std::move(labels);
    if (!file.codes.empty()) file.classes = numbered(labels.data(), rows, file.codes.data());
    for (std::size_t c = 0; c < columns.uses.size(); ++c) {
      if (columns.uses[c] != ColumnUse::category) continue;
      T* column = file.table.column(columns.places[c]);
      file.categories[columns.places[c]] = numbered(column, rows, column);
    }
    take(std::move(file));
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, read_npy_table)

/// Fills missing and infinite.
template <class T>
void count_unusual(Context& context, TableFile<T>& file) {
  std::atomic<std::int64_t> missing{0}, infinite{0};
  const std::int64_t rows = file.table.rows();
  context.parallel_for(file.table.columns(), 1, [&](std::int64_t c) {
    const T* column = file.table.column(c);
    std::int64_t nans = 0, infinities = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      nans += column[i] != column[i];
      infinities += std::fabs(column[i]) == HUGE_VAL;
    }
    missing += nans;
    infinite += infinities;
  });
  file.missing = missing;
  file.infinite = infinite;
}

bool is_libsvm(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".zst")) name.remove_suffix(4);
  if (name.ends_with(".libsvm") || name.ends_with(".svm") || name.ends_with(".svmlight")) {
    return true;
  }
  constexpr std::int64_t head = 1 << 16;
  return name.starts_with("/proc/self/fd/") && begins_as_libsvm(head_of(InputFile(path), head));
}

template <class T>
void read_table_parts(Context& context,
                      const std::string& path,
                      const TableParams& params,
                      std::int64_t bytes,
                      const TakeTable<T>& take) {
  const TakeTable<T> counted = [&](TableFile<T>&& part) {
    count_unusual(context, part);
    take(std::move(part));
  };
  if (is_npy(InputFile(path))) {
    check_kind(path, params, false, false);
    return read_npy_table<T>(context, path, params, bytes, counted);
  }
  const bool libsvm = is_libsvm(path);
  check_kind(path, params, !libsvm, libsvm);
  const TableText text(path, context.memory(), params.scratch);
  libsvm ? read_libsvm_table<T>(context, text, params, bytes, counted)
         : read_text_table<T>(context, text, params, bytes, counted);
}

template <class T>
TableFile<T> read_table(Context& context, const std::string& path, const TableParams& params) {
  Stage stage(context, "read " + path);
  TableFile<T> file;
  const TakeTable<T> take = [&](TableFile<T>&& whole) { file = std::move(whole); };
  read_table_parts(context, path, params, std::numeric_limits<std::int64_t>::max(), take);
  return file;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, read_table_parts, read_table)

}  // namespace yupana::io
