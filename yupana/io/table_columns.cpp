#include "yupana/io/table_columns.hpp"

#include <map>
#include <set>

#include "yupana/core/counted.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

/// The header's cells, or the first row's.
std::vector<std::string> cells_of(const std::string& path,
                                  std::string_view line,
                                  std::int64_t number,
                                  char delimiter) {
  std::vector<Cell> cells;
  std::vector<std::string> storage;
  if (!split_cells(line, delimiter, cells, storage)) {
    throw bad_line(
        path,
        number,
        "a quoted cell must end on its line, before a delimiter; take line breaks out of cells");
  }
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.emplace_back(cell.text);
  return texts;
}

bool has_number(const std::vector<std::string>& cells) {
  double value = 0;
  return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) {
    return whole_number(cell, value) || is_missing(cell);
  });
}

/// Whether the numbers of a row are in order as years or wavelengths are: three or more in equal
/// steps, or six or more that only grow or only fall. Data seldom are, and then row after row.
bool is_scale(const std::vector<std::string>& cells) {
  std::vector<double> steps;
  double before = 0;
  std::size_t numbers = 0;
  for (const std::string& cell : cells) {
    double value = 0;
    if (!whole_number(cell, value)) continue;
    if (numbers++ > 0) steps.push_back(value - before);
    before = value;
  }
  if (numbers < 3 || !std::isfinite(before)) return false;
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  if (*least == 0 || *most == 0 || (*least < 0) != (*most < 0)) return false;
  return numbers >= 6 || *most - *least <= 0.01 * std::fabs(*least);
}

/// The cells but that of the label, where an option gives its place.
std::vector<std::string> without_label(std::vector<std::string> cells, const TableParams& params) {
  const auto number = params.label == "last" ? cells.size() : number_of<std::size_t>(params.label);
  if (number && *number >= 1 && *number <= cells.size()) {
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(*number - 1));
  }
  return cells;
}

bool has_all(const std::vector<std::string>& cells, const std::vector<std::string>& names) {
  const std::set<std::string_view> there(cells.begin(), cells.end());
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return there.count(name) > 0;
  });
}

/// Whether an option names a column by a cell of the first row: without a header only numbers and
/// "last" name columns.
bool is_named(const std::vector<std::string>& first, const TableParams& params) {
  const auto names_a_column = [&](const std::string& name) {
    double value = 0;
    return !name.empty() && name != "last" && !whole_number(name, value) &&
           std::find(first.begin(), first.end(), name) != first.end();
  };
  return names_a_column(params.label) || names_a_column(params.weight) ||
         std::any_of(params.columns.begin(), params.columns.end(), names_a_column) ||
         std::any_of(params.ignored.begin(), params.ignored.end(), names_a_column) ||
         std::any_of(params.ids.begin(), params.ids.end(), names_a_column) ||
         std::any_of(params.categorical.begin(), params.categorical.end(), names_a_column);
}

bool is_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  double value = 0;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (whole_number(first[i], value) || is_missing(first[i])) continue;
    if (whole_number(second[i], value) || has_decimal_comma(second[i])) return true;
  }
  return false;
}

void check_names(const std::string& path,
                 std::int64_t line,
                 const std::vector<std::string>& names) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const auto [other, is_new] = seen.emplace(names[i], i);
    if (is_new) continue;
    throw bad_line(path,
                   line,
                   "columns {} and {} have the same name '{}'; rename one",
                   other->second + 1,
                   i + 1,
                   printable(names[i]));
  }
}

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
  if (name == "last") return names.size() - 1;
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

/// The delimiter, the header and the names, before any use. `line`: of the header or first row.
TableColumns named_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params,
                           std::int64_t& line_number) {
  std::vector<std::string_view> lines;
  std::vector<std::int64_t> numbers;
  std::int64_t number = 0;
  while (!first_lines.empty() && lines.size() < 2) {
    const std::string_view line = first_lines.substr(0, first_lines.find('\n'));
    first_lines.remove_prefix(std::min(first_lines.size(), line.size() + 1));
    ++number;
    if (is_skipped_line(line, params.comment)) continue;
    lines.push_back(line);
    numbers.push_back(number);
  }
  if (lines.empty()) {
    throw bad_file(path, "has no rows; expected a table of numbers, one row a line");
  }
  TableColumns columns;
  line_number = numbers[0];
  columns.delimiter = params.delimiter != '\0' ? params.delimiter : found_delimiter(lines[0]);
  const auto first = cells_of(path, lines[0], numbers[0], columns.delimiter);
  columns.header = params.header == TableHeader::present;
  if (params.header == TableHeader::automatic) {
    columns.header = has_all(first, params.known) || is_named(first, params);
    columns.odd_names =
        !columns.header && std::all_of(first.begin(), first.end(), begins_as_number);
    if (!columns.header && lines.size() > 1) {
      const auto second = cells_of(path, lines[1], numbers[1], columns.delimiter);
      columns.header = is_header(first, second);
      const auto may_be_names = [&](const std::vector<std::string>& cells) {
        return is_scale(cells) || is_scale(without_label(cells, params));
      };
      if (!columns.header && may_be_names(first) && !may_be_names(second)) {
        columns.doubt = "but its numbers are in order as years or wavelengths are";
      } else if (!columns.header && !has_number(first) && !has_number(second)) {
        columns.doubt = "for no number tells names from rows";
      }
    }
  }
  columns.odd_names &= columns.header;
  // Of a single line only one fact distinguishes a header from a row: that rows have numbers.
  if (params.header == TableHeader::automatic && lines.size() == 1 && params.categorical.empty() &&
      !columns.header && !has_number(first)) {
    throw bad_file(path, "has no rows: its only line holds no number");
  }
  columns.names = first;
  if (!columns.header) columns.first_row = first;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!columns.header || first[i].empty()) columns.names[i] = std::to_string(i + 1);
  }
  if (columns.header) check_names(path, numbers[0], columns.names);
  return columns;
}

/// bad_input for a name that is not UTF-8, of a column that is used.
void check_names_are_utf8(const std::string& path, std::int64_t line, const TableColumns& columns) {
  for (std::size_t c = 0; c < columns.names.size(); ++c) {
    if (columns.uses[c] == ColumnUse::skipped || is_utf8(columns.names[c])) continue;
    throw bad_line(
        path,
        line,
        "column {}: the name '{}' is not UTF-8; convert the file first (iconv -f LATIN1 -t UTF-8)",
        c + 1,
        printable(columns.names[c]));
  }
}

}  // namespace

bool begins_as_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

TableColumns table_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params) {
  std::int64_t line = 0;
  TableColumns columns = named_columns(path, first_lines, params, line);
  use_columns(path, params, columns);
  if (columns.header) check_names_are_utf8(path, line, columns);
  return columns;
}

TableColumns first_columns(const std::string& path, const TableParams& params) {
  const InputFile file(path);
  TableColumns columns;
  if (is_npy(file)) {
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
      throw ignored_and(name, "a feature");
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
    if (before != ColumnUse::number && before != ColumnUse::skipped) {
      throw usage_error("--id: column '{}' has another use as well; name it once", printable(name));
    }
    take(name, "id", ColumnUse::id);
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
