#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>

#include "yupana/core/error.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

struct NpyTable {
  NpyLayout layout;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

NpyTable opened(const InputFile& file) {
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
  file.read_at(0, head.data(), head.size());
  NpyTable table{npy_layout(file.path(), head)};
  const NpyLayout& layout = table.layout;
  const bool plain =
      (layout.kind == 'f' && (layout.width == 2 || layout.width == 4 || layout.width == 8)) ||
      (layout.kind == 'b' && layout.width == 1) ||
      ((layout.kind == 'i' || layout.kind == 'u') && layout.width != 3 &&
       (layout.width <= 2 || layout.width == 4 || layout.width == 8));
  if (!plain) {
    throw bad_file(file.path(),
                   fmt::format(".npy holds values of type {}{}; wanted floats, integers or bool",
                               layout.kind,
                               layout.width));
  }
  if (layout.shape.size() != 2) {
    throw bad_file(
        file.path(),
        fmt::format(".npy has {} dimensions; wanted 2, rows and columns", layout.shape.size()));
  }
  table.rows = layout.shape[0];
  table.columns = layout.shape[1];
  if (table.rows == 0 || table.columns == 0) {
    throw bad_file(file.path(),
                   fmt::format(".npy of {} x {} is an empty table", table.rows, table.columns));
  }
  const std::int64_t bytes = file.size() - layout.data;
  // In this order nothing overflows.
  if (bytes / layout.width / table.columns < table.rows ||
      bytes != table.rows * table.columns * layout.width) {
    throw bad_file(file.path(),
                   fmt::format(".npy announces {} x {} values of {} bytes and holds {} bytes; copy "
                               "the file again",
                               table.rows,
                               table.columns,
                               layout.width,
                               bytes));
  }
  return table;
}

/// The value of an IEEE 754 half: sign, 5 bits of exponent, 10 of fraction.
double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  double size = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) size = std::ldexp(fraction, -24);
  if (exponent == 31) {
    size = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Numbers as they stand in the file become doubles; 64-bit integers are rounded, truths 0 or 1.
void converted(const NpyLayout& layout, char* raw, std::int64_t count, double* to) {
  const int width = layout.width;
  if (layout.swapped) {
    for (std::int64_t i = 0; i < count; ++i) std::reverse(raw + i * width, raw + (i + 1) * width);
  }
  if (layout.kind == 'f' && width == 2) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, raw + 2 * i, 2);
      to[i] = value_of_half(bits);
    }
    return;
  }
  with_number_type({layout.kind == 'b' ? 'u' : layout.kind, width}, [&](auto zero) {
    using Own = decltype(zero);
    for (std::int64_t i = 0; i < count; ++i) {
      Own value;
      std::memcpy(&value, raw + i * width, sizeof(Own));
      to[i] = static_cast<double>(value);
    }
  });
}

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

  void operator()(std::int64_t row, std::size_t column, double value) const {
    switch (columns_.uses[column]) {
      case ColumnUse::number:
      case ColumnUse::category:
        file_.table.column(columns_.places[column])[row] = static_cast<T>(value);
        return;
      case ColumnUse::label:
      case ColumnUse::label_number:
        if (value != value) fail(row, column, "the value is missing; every row needs one here");
        if (columns_.uses[column] == ColumnUse::label_number && std::isinf(value)) {
          fail(row, column, fmt::format("a finite number wanted, {} given", value));
        }
        labels_[row] = value;
        return;
      case ColumnUse::weight:
        if (!(value >= 0 && value <= std::numeric_limits<double>::max())) {
          fail(row, column, fmt::format("a weight of 0 or more wanted, {} given", value));
        }
        file_.weights[row] = value;
        return;
      case ColumnUse::skipped:
        return;
    }
  }

 private:
  [[noreturn]] void fail(std::int64_t row, std::size_t column, std::string_view what) const {
    throw bad_file(path_,
                   fmt::format("row {}, column {}: {}", first_row_ + row + 1, column + 1, what));
  }
  const std::string& path_;
  const TableColumns& columns_;
  std::int64_t first_row_;
  TableFile<T>& file_;
  Array<double>& labels_;
};

/// Rows [first_row, first_row + rows), which become those from 0.
template <class T>
void read_values(Context& context,
                 const InputFile& input,
                 const NpyTable& npy,
                 std::int64_t first_row,
                 std::int64_t rows,
                 const Putter<T>& put) {
  // Of a C-order file some rows at a time; of a Fortran-order file some columns, or of one the
  // rows.
  const bool fortran = npy.layout.fortran;
  const bool whole = rows == npy.rows;
  const std::int64_t inner = fortran ? rows : npy.columns;
  const std::int64_t outer = fortran ? npy.columns : rows;
  const std::int64_t width = npy.layout.width;
  const std::int64_t some = std::max<std::int64_t>(1, (std::int64_t{1} << 17) / inner);
  const std::int64_t step = fortran && !whole ? 1 : some;
  context.parallel_for((outer + step - 1) / step, 1, [&](std::int64_t begin, std::int64_t end) {
    Array<char> raw(step * inner * width);
    Array<double> values(step * inner);
    for (std::int64_t block = begin; block < end; ++block) {
      context.check_cancelled();
      const std::int64_t first = block * step;
      const std::int64_t count = std::min(step, outer - first);
      const std::int64_t offset =
          fortran ? first * npy.rows + first_row : (first_row + first) * inner;
      input.read_at(npy.layout.data + offset * width,
                    raw.data(),
                    static_cast<std::size_t>(count * inner * width));
      converted(npy.layout, raw.data(), count * inner, values.data());
      for (std::int64_t j = 0; j < inner; ++j) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = fortran ? j : first + i;
          const std::int64_t column = fortran ? first + i : j;
          put(row, static_cast<std::size_t>(column), values[i * inner + j]);
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
    char text[number_text_bytes];
    names.emplace_back(text, write_shortest(value, text));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    if (values[i] == values[i]) codes[i] = static_cast<Code>(places.at(values[i]));
  }
  return names;
}

}  // namespace

template <class T>
void read_npy_table(Context& context,
                    const std::string& path,
                    const TableParams& params,
                    std::int64_t bytes,
                    const TakeTable<T>& take) {
  const InputFile input(path);
  const NpyTable npy = opened(input);
  TableColumns columns;
  for (std::int64_t c = 0; c < npy.columns; ++c) columns.names.push_back(std::to_string(c + 1));
  use_columns(path, params, columns);
  const std::int64_t most = rows_of_part<T>(columns, bytes);
  for (std::int64_t first = 0; first < npy.rows; first += most) {
    const std::int64_t rows = std::min(most, npy.rows - first);
    auto file = shaped_table<T>(context, columns, rows, params.scratch);
    Array<double> labels;
    if (columns.label >= 0) {
      const bool fits = static_cast<std::uint64_t>(rows) * sizeof(double) <= context.memory();
      const ScratchScope scope(fits ? std::string() : params.scratch);
      labels = Array<double>(rows);
    }
    const Putter<T> put(path, columns, first, file, labels);
    read_values<T>(context, input, npy, first, rows, put);
    if (!file.values.empty()) file.values = std::move(labels);
    if (!file.codes.empty()) file.classes = numbered(labels.data(), rows, file.codes.data());
    for (std::size_t c = 0; c < columns.uses.size(); ++c) {
      if (columns.uses[c] != ColumnUse::category) continue;
      T* column = file.table.column(columns.places[c]);
      file.categories[static_cast<std::size_t>(columns.places[c])] = numbered(column, rows, column);
    }
    take(std::move(file));
  }
}

template void read_npy_table(
    Context&, const std::string&, const TableParams&, std::int64_t, const TakeTable<float>&);
template void read_npy_table(
    Context&, const std::string&, const TableParams&, std::int64_t, const TakeTable<double>&);

}  // namespace yupana::io
