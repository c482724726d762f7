#include <algorithm>
#include <bit>
#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/sort_rows.hpp"

namespace yupana::job {
namespace {

void append_text(std::string_view text, bool descending, std::string& key) {
  const std::size_t begin = key.size();
  for (const char c : text) {
    key += c;
    if (c == '\0') key += '\1';
  }
  key.append(2, '\0');
  if (!descending) return;
  for (std::size_t i = begin; i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
}

void append_number(double value, bool descending, std::string& key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  std::uint64_t word = ~std::uint64_t{0};
  if (!std::isnan(value)) {
    word = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 + 0 = +0
    word = (word & sign) != 0 ? ~word : word | sign;
    if (descending) word = ~word;
  }
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(word >> shift);
}

/// The number of a cell; NaN where it is empty.
double number_in(const io::RecordReader& reader, std::string_view cell, std::int64_t column) {
  double value = std::nan("");
  cell = io::trimmed(cell);
  if (cell.empty()) return value;
  const io::Field field = io::read_field(cell, value);
  if (field == io::Field::number) return value;
  throw bad_line(reader.path(),
                 reader.line(),
                 "expected {} in column {}, got '{}'{}; give {}t to sort by text (--key {}:t)",
                 field == io::Field::no_number   ? "a number"
                 : field == io::Field::too_large ? "a number that a double holds"
                                                 : "an integer that a double equals",
                 column + 1,
                 io::printable(cell),
                 io::decimal_comma_advice(cell),
                 reader.line() == 1 ? "--header if the first row is names, or " : "",
                 column + 1);
}

}  // namespace

RowKeys::RowKeys(const SortRowsParams& params) {
  for (const std::string& given : params.keys) {
    Key key{given, -1, params.numeric, params.descending};
    const std::size_t colon = given.rfind(':');
    if (colon != given.npos) {
      key.name = given.substr(0, colon);
      const std::string how = given.substr(colon + 1);
      for (const char c : how) {
        if (c == 'n' || c == 't') key.numeric = c == 'n';
        if (c == 'a' || c == 'd') key.descending = c == 'd';
        if (std::string_view("ntad").find(c) == std::string_view::npos) {
          throw usage_error("--key {}: expected n, t, a or d after the colon, got '{}'",
                            given,
                            std::string(1, c));
        }
      }
      const auto both = [&how](char a, char b) {
        return how.find(a) != how.npos && how.find(b) != how.npos;
      };
      if (both('n', 't') || both('a', 'd')) {
        throw usage_error("--key {}: n and t exclude each other, and so do a and d; leave one out",
                          given);
      }
    }
    const auto number = io::number_of<std::int64_t>(key.name);
    if (key.name.empty() || (number && *number < 1)) {
      throw usage_error("--key {}: expected a column, from 1, or its name", given);
    }
    if (number) key.column = *number - 1;
    keys_.push_back(key);
  }
}

bool RowKeys::has_names() const {
  return std::any_of(keys_.begin(), keys_.end(), [](const Key& key) { return key.column < 0; });
}

void RowKeys::find_names(io::RecordReader& reader, std::string_view names) {
  for (Key& key : keys_) {
    if (key.column >= 0) continue;
    int times = 0;
    std::string_view name;
    for (std::int64_t column = 0; reader.cell(names, column, name); ++column) {
      if (io::trimmed(name) != key.name) continue;
      key.column = column;
      ++times;
    }
    if (times == 1) continue;
    throw bad_line(reader.path(),
                   reader.line(),
                   "expected one column of the name '{}', got {}; name another or give its number",
                   io::printable(key.name),
                   times);
  }
}

void RowKeys::append(io::RecordReader& reader, std::string_view row, std::string& key) const {
  for (const Key& one : keys_) {
    std::string_view cell;
    if (!reader.cell(row, one.column, cell)) {
      throw bad_line(reader.path(),
                     reader.line(),
                     "expected column {} to sort by, got fewer; name a column that each row has, "
                     "or give the row its cells",
                     one.column + 1);
    }
    if (one.numeric) {
      append_number(number_in(reader, cell, one.column), one.descending, key);
    } else {
      append_text(cell, one.descending, key);
    }
  }
}

}  // namespace yupana::job
