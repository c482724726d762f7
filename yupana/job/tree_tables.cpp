#include "yupana/job/tree_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "yupana/core/counted.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/names.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

using forest::Encoding;
using forest::Target;

/// Some rows of a part, their columns of text as features.
template <class T>
io::TableFile<T> encoded_rows(const io::TableFile<T>& part,
                              std::int64_t first,
                              std::int64_t count,
                              const std::vector<Encoding>& encodings,
                              std::int64_t& unknown) {
  TableView<T> view = part.table.view();
  view.data += first;
  view.rows = count;
  const auto rows_of = [&]<class V>(const Array<V>& all) {
    Array<V> some(all.empty() ? 0 : count);
    if (!all.empty()) std::copy_n(all.data() + first, count, some.data());
    return some;
  };
  io::TableFile<T> rows;
  rows.table = encoded(part, view, encodings, &unknown);
  for (std::int64_t c = 0; c < rows.table.columns(); ++c) {
    const T* const column = rows.table.column(c);
    rows.missing += std::count_if(column, column + count, [](T cell) { return std::isnan(cell); });
  }
  rows.label = part.label;
  rows.classes = part.classes;
  rows.codes = rows_of(part.codes);
  rows.values = rows_of(part.values);
  rows.weights = rows_of(part.weights);
  rows.ids.names = part.ids.names;
  const auto begin = part.ids.rows.begin() + (part.ids.rows.empty() ? 0 : first);
  rows.ids.rows.assign(begin, part.ids.rows.empty() ? begin : begin + count);
  return rows;
}

}  // namespace

template <class T>
void check_missing(const TreeTable& table, const io::TableFile<T>& part, std::int64_t before) {
  if (!table.refuse_missing || part.missing == 0) return;
  for (std::int64_t row = 0; row < part.table.rows(); ++row) {
    for (std::int64_t c = 0; c < part.table.columns(); ++c) {
      if (!std::isnan(part.table.column(c)[row])) continue;
      throw bad_file(table.path,
                     "row {} (from 1, without the header), column '{}': the value is missing, and "
                     "--missing error; fill it in or let trees learn where such rows go",
                     before + row + 1,
                     io::printable(part.table.names()[static_cast<std::size_t>(c)]));
    }
  }
}

void check_classes(Context& context,
                   const TreeTable& table,
                   const std::vector<std::string>& classes) {
  constexpr std::size_t believable = 100;
  note_equal_classes(context, table.path, classes);
  if (classes.size() <= believable || are_whole_numbers(classes).value_or(true)) {
    return note_number_classes(context, table.path, classes, "--regression predicts numbers");
  }
  const std::string& label = table.columns.label;
  throw bad_file(table.path,
                 "{}: {} different numbers as classes, and not all integers; "
                 "--regression predicts numbers",
                 label.empty() ? "label" : "column '" + io::printable(label) + "'",
                 classes.size());
}

template <class T>
io::TableFile<T> read_tree_table(Context& context, const TreeTable& table) {
  auto file = io::read_table<T>(context, table.path, table.columns);
  check_missing(table, file);
  return file;
}

template <class T>
Target target_of(const io::TableFile<T>& file) {
  Target target;
  if (!file.codes.empty()) {
    target.codes = file.codes.data();
    target.classes = static_cast<std::int32_t>(file.classes.size());
  } else {
    target.values = file.values.data();
  }
  if (!file.weights.empty()) target.weights = file.weights.data();
  return target;
}

template <class T>
void read_parts_for_model(Context& context,
                          const forest::Model& model,
                          TreeTable table,
                          std::int64_t bytes,
                          const io::TakeTable<T>& take) {
  table.columns.label_is_number = !model.is_class();
  const io::ModelColumns columns = columns_of(model);
  const io::TableParams reading =
      io::reading_for_model(context, table.path, table.columns, columns);
  // Values of a row as read and as the model's features.
  const auto values = static_cast<std::int64_t>(columns.features.size() + model.features.size());
  const std::int64_t at_a_time =
      std::max<std::int64_t>(1, bytes / (values * static_cast<std::int64_t>(sizeof(T))));
  std::int64_t unknown = 0, rows = 0;
  const io::TakeTable<T> take_encoded = [&](io::TableFile<T>&& part) {
    check_missing(table, part, rows);
    rows += part.table.rows();
    if (model.encodings.empty()) return take(std::move(part));
    // A part has a piece of text at least, whose features may take many times as much.
    for (std::int64_t first = 0; first < part.table.rows(); first += at_a_time) {
      const std::int64_t count = std::min(at_a_time, part.table.rows() - first);
      check_memory(
          context,
          fmt::format("a part of {} with their columns of text as features", counted(count, "row")),
          static_cast<std::uint64_t>(count * values) * sizeof(T));
      take(encoded_rows(part, first, count, model.encodings, unknown));
    }
  };
  io::read_table_parts<T>(context, table.path, reading, bytes, take_encoded);
  if (unknown > 0 && table.refuse_missing) {
    throw bad_file(table.path,
                   "{} of categories that the model does not know, which are missing "
                   "values, and --missing error; leave such rows out",
                   counted(unknown, "cell"));
  }
  if (unknown > 0) {
    context.note(fmt::format("{}: {} of categories that the model does not know; taken as missing",
                             table.path,
                             counted(unknown, "cell")));
  }
}

template <class T>
io::TableFile<T> read_for_model(Context& context, const forest::Model& model, TreeTable table) {
  Stage stage(context, "read " + table.path);
  io::TableFile<T> file;
  const io::TakeTable<T> take = [&](io::TableFile<T>&& whole) { file = std::move(whole); };
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  read_parts_for_model(context, model, std::move(table), all, take);
  return file;
}

template <class T>
void use_classes(io::TableFile<T>& file,
                 const std::string& path,
                 const std::vector<std::string>& classes) {
  const auto codes = io::places_of(file.classes, classes);
  const auto unknown = std::find(codes.begin(), codes.end(), -1) - codes.begin();
  if (unknown < std::ssize(codes)) {
    throw bad_file(path,
                   "has the class '{}', which the model does not know; leave such rows out",
                   io::printable(file.classes[static_cast<std::size_t>(unknown)]));
  }
  for (std::int32_t& code : file.codes) code = codes[static_cast<std::size_t>(code)];
  file.classes = classes;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS,
                 read_tree_table,
                 check_missing,
                 target_of,
                 read_for_model,
                 read_parts_for_model,
                 use_classes)

}  // namespace yupana::job
