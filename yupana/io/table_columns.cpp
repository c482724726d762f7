#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"
#include "yupana/io/table_parts.hpp"

namespace yupana::io {
namespace {

Error ignored_and(const std::string& name, std::string_view role) {
  return usage_error("--ignore: column '{}' is {} as well; name it once", printable(name), role);
}

/// The column that `name` means. `likely` is looked at first: of a million features in the table's
/// order none is searched for.
std::size_t column_of(const std::string& path,
                      const TableColumns& columns,
                      const std::string& name,
                      std::string_view role,
                      std::size_t likely = 0) {
  const auto& names = columns.names;
  if (likely < names.size() && names[likely] == name) return likely;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (name == "last") return names.size() - (columns.left_out > 0 ? 2 : 1);
  if (columns.indexed) {
    throw bad_file(
        path,
        "{} column '{}' is not there; columns go from 1 to {}, and the label's is 'label'",
        role,
        printable(name),
        names.back());
  }
  const auto number = number_of<std::size_t>(name);
  if (number && *number >= 1 && *number <= names.size()) return *number - 1;
  const auto is_cut = [&](const std::string& other) {
    return other.starts_with(name + ",") || other == "[" + name + "]";
  };
  if (std::any_of(names.begin(), names.end(), is_cut)) {
    throw bad_file(path,
                   "{} column '{}' is not there; write a name with a comma or brackets in quotes "
                   "within the word: '\"a,b\"'",
                   role,
                   printable(name));
  }
  const auto& row = columns.first_row;
  const bool in_first_row = std::find(row.begin(), row.end(), name) != row.end();
  throw bad_file(
      path,
      "{} column '{}' is not there: {}; {}{}",
      role,
      printable(name),
      columns.header ? "name one of the header, or a number from 1"
      : name == "label" && row.size() > 1 && begins_as_libsvm(row[0] + ' ' + row[1] + '\n')
          ? "its lines are those of libsvm, so end its name in .libsvm"
      : in_first_row
          ? "the first line has it and is taken as a row, so give --header yes, or a number from 1"
          : "there is no header, so give its number from 1",
      counted(std::ssize(names), "column"),
      names.empty()       ? ""
      : names.size() == 1 ? " '" + printable(names[0]) + "'"
                          : ", the first '" + printable(names[0]) + "'");
}

/// bad_input for a name that cannot be kept, of a column that is used.
void check_lost_names(const std::string& path, std::int64_t line, const TableColumns& columns) {
  for (std::size_t c = 0; c < columns.names.size(); ++c) {
    if (columns.uses[c] == ColumnUse::skipped) continue;
    const std::string lost = lost_name(columns.names[c]);
    if (!lost.empty()) throw bad_line(path, line, "column {}: {}", c + 1, lost);
  }
}

}  // namespace

TableColumns table_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params) {
  std::int64_t line = 0;
  TableColumns columns = named_columns(path, first_lines, params, line);
  use_columns(path, params, columns);
  if (columns.header) check_lost_names(path, line, columns);
  return columns;
}

TableColumns first_columns(const std::string& path, const TableParams& params) {
  const InputFile file(path);
  TableColumns columns;
  if (is_npy(file)) {
    check_kind(path, params, false, false);
    const NpyLayout layout = npy_layout(file);
    const std::int64_t count = layout.shape.size() == 2 ? layout.shape[1] : 0;
    // A longer list is of no use: no model has as many features.
    for (std::int64_t c = 1; c <= std::min<std::int64_t>(count, 1 << 24); ++c) {
      columns.names.push_back(std::to_string(c));
    }
    return columns;
  }
  LineReader reader(path);
  std::string lines;
  std::string_view line;
  for (int rows = 0; rows < 2 && reader.next(line);) {
    rows += !is_skipped_line(line, params.comment);
    lines.append(line);
    lines += '\n';
  }
  std::int64_t first = 0;
  return named_columns(path, lines, params, first);
}

std::string column_named(const std::string& path,
                         const TableParams& params,
                         const std::string& name,
                         std::string_view role) {
  const TableColumns columns = first_columns(path, params);
  return columns.names[column_of(path, columns, name, role)];
}

void refuse_ids(const std::string& path, const TableParams& params) {
  if (params.ids.empty()) return;
  throw usage_error("--id: {} has numbers alone; expected a table of text (CSV, TSV)", path);
}

void use_columns(const std::string& path, const TableParams& params, TableColumns& columns) {
  columns.for_model = params.for_model;
  columns.chosen = !params.columns.empty();
  columns.uses.assign(columns.names.size(),
                      params.columns.empty() ? ColumnUse::number : ColumnUse::skipped);
  columns.places.assign(columns.names.size(), -1);
  std::vector<std::size_t> order;
  for (const std::string& name : params.columns) {
    const std::size_t c =
        column_of(path, columns, name, "feature", order.empty() ? 0 : order.back() + 1);
    if (columns.uses[c] == ColumnUse::number) {
      throw usage_error("--columns: column '{}' is named twice; name it once", printable(name));
    }
    columns.uses[c] = ColumnUse::number;
    order.push_back(c);
  }
  std::vector<std::size_t> ignored;
  for (const std::string& name : params.ignored) {
    const std::size_t c = column_of(path, columns, name, "ignored");
    if (!params.columns.empty() && columns.uses[c] == ColumnUse::number) {
      throw usage_error("--ignore: column '{}' is a feature; take it out of --ignore",
                        printable(name));
    }
    columns.uses[c] = ColumnUse::skipped;
    ignored.push_back(c);
  }
  const auto take = [&](const std::string& name, std::string_view role, ColumnUse use) {
    const std::size_t c = column_of(path, columns, name, role);
    if (columns.uses[c] == ColumnUse::label || columns.uses[c] == ColumnUse::label_number) {
      throw usage_error("{}: column '{}' cannot be the label and the {}; name it once",
                        path,
                        printable(name),
                        role);
    }
    if (std::find(ignored.begin(), ignored.end(), c) != ignored.end()) {
      throw ignored_and(name, fmt::format("{} {}", use == ColumnUse::id ? "an" : "the", role));
    }
    const bool chosen = columns.uses[c] == ColumnUse::number && !params.columns.empty();
    if (chosen && use != ColumnUse::category) {
      throw usage_error("{}: column '{}' cannot be a feature and {} {}; name another column as one",
                        path,
                        printable(name),
                        use == ColumnUse::id ? "an" : "the",
                        role);
    }
    if (columns.uses[c] == ColumnUse::weight && use == ColumnUse::category) {
      throw usage_error("--categorical: column '{}' is the weight as well; name it once",
                        printable(name));
    }
    if (columns.uses[c] == ColumnUse::skipped && use == ColumnUse::category) {
      throw usage_error(
          "--categorical: column '{}' is not among the features of --columns; add it there or "
          "leave it out here",
          printable(name));
    }
    columns.uses[c] = use;
    return static_cast<std::int64_t>(c);
  };
  if (!params.label.empty()) {
    columns.label = take(
        params.label, "label", params.label_is_number ? ColumnUse::label_number : ColumnUse::label);
  }
  if (!params.weight.empty()) take(params.weight, "weight", ColumnUse::weight);
  for (const std::string& name : params.categorical) take(name, "categorical", ColumnUse::category);
  for (const std::string& name : params.ids) {
    const ColumnUse before = columns.uses[column_of(path, columns, name, "id")];
    if (before == ColumnUse::id) {
      throw usage_error("--id: column '{}' is named twice; name it once", printable(name));
    }
    if (before != ColumnUse::number && before != ColumnUse::skipped) {
      throw usage_error("--id: column '{}' has another use as well; name it once", printable(name));
    }
    take(name, "id", ColumnUse::id);
  }
  if (columns.left_out >= 0) {
    ColumnUse& use = columns.uses[static_cast<std::size_t>(columns.left_out)];
    if (!params.columns.empty() || use != ColumnUse::number) columns.left_out = -1;
    if (columns.left_out >= 0) use = ColumnUse::skipped;
  }
  if (params.columns.empty()) {
    for (std::size_t c = 0; c < columns.names.size(); ++c) order.push_back(c);
  }
  for (const std::size_t c : order) {
    if (columns.uses[c] != ColumnUse::number && columns.uses[c] != ColumnUse::category) continue;
    columns.places[c] = static_cast<std::int64_t>(columns.features.size());
    columns.features.push_back(columns.names[c]);
  }
  for (std::size_t c = 0; c < columns.names.size(); ++c) {
    const bool feature =
        columns.uses[c] == ColumnUse::number || columns.uses[c] == ColumnUse::category;
    if (feature && columns.places[c] < 0) columns.uses[c] = ColumnUse::skipped;
  }
  if (columns.features.empty()) {
    throw bad_file(
        path,
        columns.names.size() > 1 ? "no feature is left; name fewer columns as label or ignored"
        : is_npy_name(path)      ? "no feature is left: there is one column"
                            : "no feature is left: there is one column; give --delimiter if there "
                              "should be more");
  }
}

}  // namespace yupana::io
