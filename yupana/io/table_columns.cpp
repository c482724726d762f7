#include "yupana/io/table_columns.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "yupana/core/error.hpp"
#include "yupana/core/escaped.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool is_blank(char c, char delimiter) {
  return c == ' ' || (c == '\t' && delimiter != '\t') || c == '\r';
}

/// A quoted cell that begins at `at`; returns the place behind the closing quote, npos without one.
std::size_t quoted_cell(std::string_view line,
                        std::size_t at,
                        Cell& cell,
                        std::vector<std::string>& storage) {
  const std::size_t begin = at + 1;
  std::size_t end = line.find('"', begin);
  bool doubled = false;
  while (end != line.npos && end + 1 < line.size() && line[end + 1] == '"') {
    doubled = true;
    end = line.find('"', end + 2);
  }
  if (end == line.npos) return end;
  cell = {line.substr(begin, end - begin), true};
  if (doubled) {
    std::string text;
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      text += cell.text[i];
      if (cell.text[i] == '"') ++i;
    }
    storage.push_back(std::move(text));
    cell.text = storage.back();
  }
  return end + 1;
}

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

bool has_all(const std::vector<std::string>& cells, const std::vector<std::string>& names) {
  const std::set<std::string_view> there(cells.begin(), cells.end());
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return there.count(name) > 0;
  });
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
                   fmt::format("columns {} and {} have the same name '{}'; rename one",
                               other->second + 1,
                               i + 1,
                               printable(names[i])));
  }
}

Error ignored_and(const std::string& name, std::string_view role) {
  return Error(
      ErrorCode::usage,
      fmt::format("--ignore: column '{}' is {} as well; name it once", printable(name), role));
}

/// The column that `name` means.
std::size_t column_of(const std::string& path,
                      const TableColumns& columns,
                      const std::string& name,
                      std::string_view role) {
  const auto& names = columns.names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (name == "last") return names.size() - 1;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool numeric = error == std::errc{} && end == name.data() + name.size();
  if (numeric && number >= 1 && number <= names.size()) return number - 1;
  throw bad_file(path,
                 fmt::format("{} column '{}' is not there: {}; {} columns{}",
                             role,
                             printable(name),
                             columns.header ? "name one of the header, or a number from 1"
                                            : "there is no header, so give its number from 1",
                             names.size(),
                             names.empty() ? "" : ", the first '" + printable(names[0]) + "'"));
}

}  // namespace

char found_delimiter(std::string_view line) {
  char best = ' ';
  std::int64_t most = 0;
  for (const char c : {',', '\t', ';', '|'}) {
    bool quoted = false;
    std::int64_t count = 0;
    for (const char x : line) {
      quoted ^= x == '"';
      count += x == c && !quoted;
    }
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

bool split_cells(std::string_view line,
                 char delimiter,
                 std::vector<Cell>& cells,
                 std::vector<std::string>& storage) {
  cells.clear();
  storage.clear();
  // Views into the strings must survive the next ones.
  storage.reserve(line.size() / 2);
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at], delimiter)) ++at;
    if (delimiter == ' ' && at == line.size()) return true;
    Cell cell;
    if (at < line.size() && line[at] == '"') {
      at = quoted_cell(line, at, cell, storage);
      if (at == line.npos) return false;
      if (delimiter != ' ') {
        while (at < line.size() && is_blank(line[at], delimiter)) ++at;
      }
      const bool ends = at == line.size() || line[at] == delimiter ||
                        (delimiter == ' ' && is_blank(line[at], delimiter));
      if (!ends) return false;
    } else {
      const std::size_t end =
          std::min(line.size(),
                   delimiter == ' ' ? line.find_first_of(blanks, at) : line.find(delimiter, at));
      cell.text = trimmed(line.substr(at, end - at));
      at = end;
    }
    cells.push_back(cell);
    if (at == line.size()) return true;
    ++at;
  }
}

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  double value = 0;
  if (comma == cell.npos || cell.find('.') != cell.npos) return false;
  std::string text(cell);
  text[comma] = '.';
  return whole_number(text, value);
}

bool is_comment(std::string_view line, char comment) {
  return !line.empty() && comment != '\0' && line[0] == comment;
}

bool is_skipped_line(std::string_view line, char comment) {
  return is_comment(line, comment) || line.find_first_not_of(blanks) == line.npos;
}

namespace {

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
    throw bad_file(path, "has no rows; wanted a table of numbers, one row a line");
  }
  TableColumns columns;
  line_number = numbers[0];
  columns.delimiter = params.delimiter != '\0' ? params.delimiter : found_delimiter(lines[0]);
  const auto first = cells_of(path, lines[0], numbers[0], columns.delimiter);
  columns.header = params.header == TableHeader::present;
  if (params.header == TableHeader::automatic) {
    columns.header = has_all(first, params.known);
    if (!columns.header && lines.size() > 1) {
      const auto second = cells_of(path, lines[1], numbers[1], columns.delimiter);
      columns.header = is_header(first, second);
      columns.doubtful = !columns.header && is_scale(first) && !is_scale(second);
    }
  }
  // Of a single line nothing tells a header from a row but that rows have numbers.
  if (params.header == TableHeader::automatic && lines.size() == 1 && params.categorical.empty() &&
      !columns.header && !has_number(first)) {
    throw bad_file(path, "has no rows: its only line holds no number");
  }
  columns.names = first;
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
    throw bad_line(path,
                   line,
                   fmt::format("column {}: the name '{}' is not UTF-8; convert the file first "
                               "(iconv -f LATIN1 -t UTF-8)",
                               c + 1,
                               printable(columns.names[c])));
  }
}

}  // namespace

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
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
  file.read_at(0, head.data(), head.size());
  TableColumns columns;
  if (is_npy(head)) {
    const NpyLayout layout = npy_layout(path, head);
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

void use_columns(const std::string& path, const TableParams& params, TableColumns& columns) {
  columns.uses.assign(columns.names.size(),
                      params.columns.empty() ? ColumnUse::number : ColumnUse::skipped);
  columns.places.assign(columns.names.size(), -1);
  std::vector<std::size_t> order;
  for (const std::string& name : params.columns) {
    const std::size_t c = column_of(path, columns, name, "feature");
    if (columns.uses[c] == ColumnUse::number) {
      throw bad_file(path, fmt::format("column '{}' is named twice", printable(name)));
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
      throw bad_file(path, fmt::format("column '{}' cannot be the label and the {}", name, role));
    }
    if (std::find(ignored.begin(), ignored.end(), c) != ignored.end()) {
      throw ignored_and(name, fmt::format("the {}", role));
    }
    columns.uses[c] = use;
    return static_cast<std::int64_t>(c);
  };
  if (!params.label.empty()) {
    columns.label = take(
        params.label, "label", params.label_is_number ? ColumnUse::label_number : ColumnUse::label);
  }
  if (!params.weight.empty()) take(params.weight, "weight", ColumnUse::weight);
  for (const std::string& name : params.categorical) {
    take(name, "categorical", ColumnUse::category);
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
    throw bad_file(path,
                   columns.names.size() == 1
                       ? "no feature is left: there is one column; give --delimiter if there "
                         "should be more"
                       : "no feature is left; name fewer columns as label or ignored");
  }
}

}  // namespace yupana::io
