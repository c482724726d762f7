#include "yupana/io/table_columns.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "yupana/core/error.hpp"
#include "yupana/io/cell.hpp"
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
    throw bad_line(path, number, "a quoted cell must end on its line, before a delimiter");
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

bool is_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  double value = 0;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (whole_number(first[i], value) || is_missing(first[i])) continue;
    if (whole_number(second[i], value)) return true;
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

bool is_skipped_line(std::string_view line, char comment) {
  if (!line.empty() && comment != '\0' && line[0] == comment) return true;
  return line.find_first_not_of(blanks) == line.npos;
}

TableColumns table_columns(const std::string& path,
                           std::string_view first_lines,
                           const TableParams& params) {
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
  columns.delimiter = params.delimiter != '\0' ? params.delimiter : found_delimiter(lines[0]);
  const auto first = cells_of(path, lines[0], numbers[0], columns.delimiter);
  columns.header = params.header == TableHeader::present;
  if (params.header == TableHeader::automatic && lines.size() > 1) {
    columns.header = is_header(first, cells_of(path, lines[1], numbers[1], columns.delimiter));
  }
  // Of a single line nothing tells a header from a row but that rows have numbers.
  if (params.header == TableHeader::automatic && lines.size() == 1 && params.categorical.empty() &&
      !has_number(first)) {
    throw bad_file(path, "has no rows: its only line holds no number");
  }
  columns.names = first;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!columns.header || first[i].empty()) columns.names[i] = std::to_string(i + 1);
  }
  if (columns.header) check_names(path, numbers[0], columns.names);
  use_columns(path, params, columns);
  return columns;
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
  for (const std::string& name : params.ignored) {
    columns.uses[column_of(path, columns, name, "ignored")] = ColumnUse::skipped;
  }
  const auto take = [&](const std::string& name, std::string_view role, ColumnUse use) {
    const std::size_t c = column_of(path, columns, name, role);
    if (columns.uses[c] == ColumnUse::label || columns.uses[c] == ColumnUse::label_number) {
      throw bad_file(path, fmt::format("column '{}' cannot be the label and the {}", name, role));
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
