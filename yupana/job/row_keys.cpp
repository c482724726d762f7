#include <bit>
#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/record_reader.hpp"
#include "yupana/job/sort_rows.hpp"

namespace yupana::job {
namespace {

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

class TextRows : public RowSource {
 public:
  TextRows(const SortRowsParams& params, std::uint64_t max_bytes)
      : reader_(params.in, params.delimiter, params.quotes, max_bytes),
        keys_(row_keys(params)),
        has_names_(params.header) {
    for (RowKey& key : keys_) {
      if (key.type == '\0') key.type = params.numeric ? 'n' : 't';
      has_names_ = has_names_ || key.column < 0;
    }
  }

  void begin(AtomicFile* out) override {
    std::string_view names;
    if (!has_names_ || !reader_.next(names)) return;
    find_names(names);
    if (out == nullptr) return;
    out->write(names);
    out->write(reader_.end_of_record());
  }
  bool next(std::string_view& row) override { return reader_.next(row); }
  std::string_view end_of_row() const override { return reader_.end_of_record(); }
  std::string place() const override {
    return reader_.path() + ':' + std::to_string(reader_.line());
  }

  void append_key(std::string_view row, std::string& key) override {
    for (const RowKey& one : keys_) {
      std::string_view cell;
      if (!reader_.cell(row, one.column, cell)) {
        throw bad_line(reader_.path(),
                       reader_.line(),
                       "expected column {} to sort by, got fewer; name a column that each row has, "
                       "or give the row its cells",
                       one.column + 1);
      }
      if (one.type == 'n') {
        append_number(number_in(reader_, cell, one.column), one.descending, key);
      } else {
        append_text(cell, one.descending, key);
      }
    }
  }

 private:
  /// Finds the columns of names.
  void find_names(std::string_view names) {
    for (RowKey& key : keys_) {
      if (key.column >= 0) continue;
      int times = 0;
      std::string_view name;
      for (std::int64_t column = 0; reader_.cell(names, column, name); ++column) {
        if (io::trimmed(name) != key.name) continue;
        key.column = column;
        ++times;
      }
      if (times == 1) continue;
      throw bad_line(
          reader_.path(),
          reader_.line(),
          "expected one column of the name '{}', got {}; name another or give its number",
          io::printable(key.name),
          times);
    }
  }

  io::RecordReader reader_;
  std::vector<RowKey> keys_;
  bool has_names_;
};

}  // namespace

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
  if (std::isnan(value)) return append_word(~std::uint64_t{0}, false, key);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto word = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 + 0 = +0
  append_word((word & sign) != 0 ? ~word : word | sign, descending, key);
}

void append_word(std::uint64_t word, bool descending, std::string& key) {
  if (descending) word = ~word;
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(word >> shift);
}

std::vector<RowKey> row_keys(const SortRowsParams& params) {
  std::vector<RowKey> keys;
  for (const std::string& given : params.keys) {
    RowKey key{given, given, -1, '\0', params.descending};
    const std::size_t colon = given.rfind(':');
    if (colon != given.npos) {
      key.name = given.substr(0, colon);
      const std::string how = given.substr(colon + 1);
      for (const char c : how) {
        if (c == 'n' || c == 't') key.type = c;
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
    keys.push_back(key);
  }
  return keys;
}

std::unique_ptr<RowSource> text_rows(const SortRowsParams& params, std::uint64_t max_bytes) {
  return std::make_unique<TextRows>(params, max_bytes);
}

}  // namespace yupana::job
