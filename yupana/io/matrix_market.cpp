#include "yupana/io/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string_view>
#include <vector>

#include "yupana/core/counted.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using MarketField = MatrixMarketHead::Field;
using Symmetry = MatrixMarketHead::Symmetry;

struct Entry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

void skip_blanks(const char*& at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t')) ++at;
}

/// The next number of a line; false where there is none.
template <class Number>
bool take_number(const char*& at, const char* end, Number& number) {
  skip_blanks(at, end);
  if (at < end && *at == '+' && at + 1 < end && at[1] != '-') ++at;
  const auto [stop, error] = std::from_chars(at, end, number);
  if (error != std::errc{} || stop == at) return false;
  at = stop;
  return at == end || *at == ' ' || *at == '\t';
}

class Reader {
 public:
  Reader(Context& context, const std::string& path) : context_(context), lines_(path) {
    const InputFile file(path);
    is_gzip_ = is_gzip(file);
    // "1 1" and the end of its line; the length of a gzip file is unknown, and may be larger.
    max_entries_ = is_gzip_ ? 1 << 20 : (file.size() + 1) / 4;
  }

  MatrixMarketHead read_head() {
    read_banner();
    read_sizes();
    return head_;
  }

  MatrixMarket read() {
    read_head();
    check_fits();
    read_entries();
    return {head_, in_rows()};
  }

 private:
  void read_banner() {
    std::string_view line;
    std::array<std::string_view, 6> words;
    if (!lines_.next(line)) {
      throw bad_file(lines_.path(), "expected a Matrix Market file, got an empty file");
    }
    const std::size_t count = split_fields(line, words.data(), words.size());
    if (count != 5 || lower_case(words[0]) != "%%matrixmarket" ||
        lower_case(words[1]) != "matrix") {
      throw lines_.fault("expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY', got '{}'",
                         printable(line));
    }
    if (lower_case(words[2]) != "coordinate") {
      throw lines_.fault("format '{}'; only 'coordinate' is read", printable(words[2]));
    }
    const std::string field = lower_case(words[3]), symmetry = lower_case(words[4]);
    if (field != "real" && field != "integer" && field != "pattern" && field != "double") {
      throw lines_.fault("field '{}'; real, integer and pattern are read", printable(words[3]));
    }
    head_.field = field == "pattern"   ? MarketField::pattern
                  : field == "integer" ? MarketField::integer
                                       : MarketField::real;
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
      throw lines_.fault("symmetry '{}'; general, symmetric and skew-symmetric are read",
                         printable(words[4]));
    }
    head_.symmetry = symmetry == "general"     ? Symmetry::general
                     : symmetry == "symmetric" ? Symmetry::symmetric
                                               : Symmetry::skew;
  }

  /// The next line that is neither blank nor a comment.
  bool next_line(std::string_view& line) {
    while (lines_.next(line)) {
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin != std::string_view::npos && line[begin] != '%') return true;
    }
    return false;
  }

  void read_sizes() {
    std::string_view line;
    if (!next_line(line)) {
      throw bad_file(lines_.path(), "ends before the line of rows, columns and entries");
    }
    const char *at = line.data(), *end = at + line.size();
    const bool numbers = take_number(at, end, head_.rows) && take_number(at, end, head_.cols) &&
                         take_number(at, end, head_.entries);
    skip_blanks(at, end);
    constexpr std::int64_t most = std::int64_t{1} << 48;  // products and sums stay in 64 bits
    const bool sizes = head_.rows >= 0 && head_.cols >= 0 && head_.entries >= 0 &&
                       head_.rows < most && head_.cols < most && head_.entries < most;
    if (!numbers || at != end || !sizes) {
      throw lines_.fault("expected numbers of rows, columns and entries, got '{}'",
                         printable(line));
    }
    if (!is_gzip_ && head_.entries > max_entries_) {
      throw lines_.fault(
          "{} entries announced, the file is too short for more than {}; copy it again",
          head_.entries,
          max_entries_);
    }
    if (head_.symmetry != Symmetry::general && head_.rows != head_.cols) {
      throw lines_.fault("{} x {} cannot be symmetric", head_.rows, head_.cols);
    }
  }

  /// Numbers of rows and entries come from the file: they must not take all memory unasked.
  void check_fits() const {
    const std::uint64_t bytes = matrix_market_bytes(head_);
    if (bytes <= context_.memory()) return;
    throw resource_error(
        "{}: {} rows and {} entries take {} to read, and {} are allowed; give --memory {}",
        lines_.path(),
        head_.rows,
        head_.entries,
        needed_bytes(bytes),
        allowed_bytes(context_.memory()),
        memory_option(bytes));
  }

  void read_entries() {
    Stage stage(context_, "read matrix", static_cast<double>(head_.entries), "entries");
    entries_.reserve(std::min(head_.entries, max_entries_));
    std::string_view line;
    while (next_line(line)) {
      if (std::ssize(entries_) == head_.entries) {
        throw lines_.fault("expected {} as announced, got more",
                           counted(head_.entries, "entry", "entries"));
      }
      entries_.push_back(entry(line));
      if (entries_.size() % (1 << 16) == 0) stage.advance(1 << 16);
    }
    if (std::ssize(entries_) != head_.entries) {
      throw bad_file(lines_.path(),
                     "expected {} as announced, got {}; copy it again",
                     counted(head_.entries, "entry", "entries"),
                     entries_.size());
    }
  }

  Entry entry(std::string_view line) const {
    const char *at = line.data(), *end = at + line.size();
    Entry entry{0, 0, 1};
    bool good = take_number(at, end, entry.row) && take_number(at, end, entry.column);
    if (good && head_.field == MarketField::real) {
      good = take_number(at, end, entry.value);
    } else if (good && head_.field == MarketField::integer) {
      std::int64_t value = 0;
      good = take_number(at, end, value);
      entry.value = static_cast<double>(value);
      if (good && !fits_double(value)) {
        throw lines_.fault(
            "{} is beyond 2^53 and between two doubles; declare the field real if it may be "
            "rounded",
            value);
      }
    }
    skip_blanks(at, end);
    if (!good || at != end) {
      throw lines_.fault("expected row, column{}, got '{}'",
                         head_.field == MarketField::pattern ? "" : " and value",
                         printable(line));
    }
    if (entry.row < 1 || entry.row > head_.rows || entry.column < 1 || entry.column > head_.cols) {
      throw lines_.fault(
          "entry ({}, {}) of a matrix of {} x {}", entry.row, entry.column, head_.rows, head_.cols);
    }
    const bool above =
        entry.column > entry.row || (head_.symmetry == Symmetry::skew && entry.column == entry.row);
    if (head_.symmetry != Symmetry::general && above) {
      throw lines_.fault(
          "entry ({}, {}) of a {} matrix, of which only the part below the diagonal is stored",
          entry.row,
          entry.column,
          head_.symmetry == Symmetry::skew ? "skew-symmetric" : "symmetric");
    }
    --entry.row;
    --entry.column;
    return entry;
  }

  sparse::CsrMatrix<double, std::int64_t> in_rows() {
    sparse::CsrMatrix<double, std::int64_t> matrix;
    matrix.rows = head_.rows;
    matrix.cols = head_.cols;
    matrix.row_begin = Array<std::int64_t>::zeros(head_.rows + 1);
    matrix.columns = Array<std::int64_t>(head_.entries);
    matrix.values = Array<double>(head_.entries);
    for (const Entry& entry : entries_) ++matrix.row_begin[entry.row + 1];
    std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
    std::vector<std::int64_t> next(matrix.row_begin.begin(), matrix.row_begin.end());
    bool sorted = true;
    for (const Entry& entry : entries_) {
      const std::int64_t to = next[entry.row]++;
      sorted =
          sorted && (to == matrix.row_begin[entry.row] || matrix.columns[to - 1] <= entry.column);
      matrix.columns[to] = entry.column;
      matrix.values[to] = entry.value;
    }
    if (!sorted) sort_rows(matrix);
    return matrix;
  }

  void sort_rows(sparse::CsrMatrix<double, std::int64_t>& matrix) {
    context_.parallel_for(matrix.rows, 1 << 12, [&](std::int64_t first, std::int64_t last) {
      std::vector<std::pair<std::int64_t, double>> row;
      for (std::int64_t i = first; i < last; ++i) {
        row.clear();
        const std::int64_t begin = matrix.row_begin[i], end = matrix.row_begin[i + 1];
        for (std::int64_t e = begin; e < end; ++e) {
          row.emplace_back(matrix.columns[e], matrix.values[e]);
        }
        std::stable_sort(
            row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::int64_t e = begin; e < end; ++e) {
          matrix.columns[e] = row[e - begin].first;
          matrix.values[e] = row[e - begin].second;
        }
      }
    });
  }

  Context& context_;
  LineReader lines_;
  bool is_gzip_ = false;
  std::int64_t max_entries_ = 0;  ///< that a plain file can have
  MatrixMarketHead head_;
  std::vector<Entry> entries_;
};

}  // namespace

MatrixMarketHead read_matrix_market_head(Context& context, const std::string& path) {
  return Reader(context, path).read_head();
}

std::uint64_t matrix_market_bytes(const MatrixMarketHead& head) {
  constexpr std::uint64_t of_matrix = sizeof(std::int64_t) + sizeof(double);
  return static_cast<std::uint64_t>(head.entries) * (sizeof(Entry) + of_matrix) +
         2 * sizeof(std::int64_t) * static_cast<std::uint64_t>(head.rows);
}

MatrixMarket read_matrix_market(Context& context, const std::string& path) {
  return Reader(context, path).read();
}

}  // namespace yupana::io
