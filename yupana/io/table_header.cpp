#include <cmath>
#include <map>
#include <set>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

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

/// Whether the names are those of a model, or an option names one of them.
bool is_chosen(const std::vector<std::string>& names, const TableParams& params) {
  return has_all(names, params.known) || is_named(names, params);
}

/// The first two rows of a text and the last comment before them, with the numbers of their lines.
struct FirstRows {
  std::vector<std::string_view> lines;
  std::vector<std::int64_t> numbers;
  std::string_view comment = {};
  std::int64_t comment_number = 0;
};

FirstRows first_rows(const std::string& path, std::string_view text, char comment) {
  FirstRows rows;
  for (std::int64_t number = 1; !text.empty() && rows.lines.size() < 2; ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (rows.lines.empty() && is_comment(line, comment)) {
      rows.comment = line;
      rows.comment_number = number;
    }
    if (is_skipped_line(line, comment)) continue;
    const std::string wrong = rows.lines.empty() ? excel_line(line) : std::string();
    if (!wrong.empty()) throw bad_line(path, number, "{}", wrong);
    rows.lines.push_back(line);
    rows.numbers.push_back(number);
  }
  if (!rows.lines.empty()) return rows;
  throw bad_file(path, "has no rows; expected a table of numbers, one row a line");
}

/// The names that a comment before the rows has, as NumPy's savetxt and genotype programs write
/// them: as many as the first row has cells, distinct, and a header if they were no comment. Empty
/// where it is a remark, or the first row has the names.
std::vector<std::string> names_in_comment(const std::string& path,
                                          const FirstRows& rows,
                                          const std::vector<std::string>& first,
                                          const TableColumns& columns,
                                          const TableParams& params) {
  std::vector<Cell> cells;
  std::vector<std::string> storage, names;
  if (params.header == TableHeader::absent || rows.comment.empty() || is_chosen(first, params) ||
      !split_cells(rows.comment.substr(1), columns.delimiter, cells, storage)) {
    return {};
  }
  for (const Cell& cell : cells) names.emplace_back(cell.text);
  const std::set<std::string_view> distinct(names.begin(), names.end());
  const bool fits = names.size() == first.size() && names.size() > 1 &&
                    distinct.size() == names.size() && !distinct.contains("");
  if (!fits || !(is_header(names, first) || is_chosen(names, params))) return {};
  const bool has_names =
      rows.lines.size() > 1 &&
      is_header(first, cells_of(path, rows.lines[1], rows.numbers[1], columns.delimiter));
  return has_names ? std::vector<std::string>{} : names;
}

/// Whether the first row is a header, where that is found out.
void find_header(const std::string& path,
                 const FirstRows& rows,
                 const std::vector<std::string>& first,
                 const TableParams& params,
                 TableColumns& columns) {
  columns.header = is_chosen(first, params);
  columns.odd_names = !columns.header && std::all_of(first.begin(), first.end(), begins_as_number);
  if (!columns.header && rows.lines.size() > 1) {
    const auto second = cells_of(path, rows.lines[1], rows.numbers[1], columns.delimiter);
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
  columns.odd_names &= columns.header;
}

/// Finds the column that the header leaves out, from the first row's cells.
void leave_out(const std::vector<std::string>& row, TableColumns& columns) {
  std::vector<std::string>& names = columns.names;
  if (row.size() == names.size() + 1 && !row.back().empty()) {
    names.insert(names.begin(), std::string());
    columns.left_out = 0;
  } else if (row.size() == names.size() && row.size() > 1 && names.back().empty() &&
             row.back().empty()) {
    columns.left_out = std::ssize(names) - 1;
  }
}

}  // namespace

bool begins_as_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

TableColumns named_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params,
                           std::int64_t& line) {
  const FirstRows rows = first_rows(path, first_lines, params.comment);
  TableColumns columns;
  line = rows.numbers[0];
  columns.delimiter = params.delimiter != '\0' ? params.delimiter : found_delimiter(rows.lines[0]);
  const auto first = cells_of(path, rows.lines[0], line, columns.delimiter);
  columns.header = params.header == TableHeader::present;
  const bool is_automatic = params.header == TableHeader::automatic;
  if (is_automatic) find_header(path, rows, first, params, columns);
  columns.names = names_in_comment(path, rows, first, columns, params);
  if (!columns.names.empty()) {
    columns.header = columns.in_comment = true;
    columns.doubt = nullptr;
    line = rows.comment_number;
    return columns;
  }
  // Of a single line only one fact distinguishes a header from a row: that rows have numbers.
  if (is_automatic && rows.lines.size() == 1 && params.categorical.empty() && !columns.header &&
      !has_number(first)) {
    throw bad_file(path, "has no rows: its only line holds no number");
  }
  columns.names = first;
  if (!columns.header) columns.first_row = first;
  if (columns.header && rows.lines.size() > 1)
    leave_out(cells_of(path, rows.lines[1], rows.numbers[1], columns.delimiter), columns);
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (!columns.header || columns.names[i].empty()) columns.names[i] = std::to_string(i + 1);
  }
  if (columns.header) check_names(path, line, columns.names);
  return columns;
}

void note_header(Context& context, const std::string& path, const TableColumns& columns) {
  if (columns.in_comment) {
    context.note(
        fmt::format("{}: the comment before the rows is taken as names of the columns, '{}' the "
                    "first; --header no if it is a remark",
                    path,
                    printable(columns.names[0])));
  }
  if (columns.left_out == 0) {
    context.note(fmt::format(
        "{}: rows have a cell more than the header, the first, which is left out as the "
        "name of the row; --id 1 passes it through",
        path));
  } else if (columns.left_out > 0) {
    context.note(fmt::format(
        "{}: lines end with a delimiter: column {}, without a name and a first value, is "
        "left out; give it a name if it is one",
        path,
        columns.names.size()));
  }
  if (columns.doubt != nullptr) {
    context.note(
        fmt::format("{}: the first line is taken as a row, {}; --header yes if it is names",
                    path,
                    columns.doubt));
  }
  if (columns.odd_names) {
    context.note(
        fmt::format("{}: the first line is taken as names, but '{}' begins as a number; --header "
                    "no if the line is a row",
                    path,
                    printable(columns.names[0])));
  }
}

}  // namespace yupana::io
