#include "yupana/io/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string_view>
#include <vector>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using MarketField = MatrixMarketHead::Field;
using Symmetry = MatrixMarketHead::Symmetry;

constexpr const char* names_of_symmetry[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

template <class Value>
struct Entry {
  std::int64_t row;
  std::int64_t column;  ///< ~column of an entry that was above the diagonal
  Value value;
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

template <class Value>
class Reader {
 public:
  Reader(Context& context, const std::string& path) : context_(context), lines_(path) {
    const InputFile file(path);
    is_packed_ = is_packed(file);
    // "1 1" and the end of its line; the length of a packed file is unknown, and may be larger.
    max_entries_ = is_packed_ ? 1 << 20 : (file.size() + 1) / 4;
  }

  MatrixMarketHead read_head() {
    read_banner();
    read_sizes();
    return head_;
  }

  MatrixMarketOf<Value> read() {
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
      throw lines_.fault(
          "expected the format coordinate, got '{}'; save the matrix as a sparse one",
          printable(words[2]));
    }
    const std::string field = lower_case(words[3]), symmetry = lower_case(words[4]);
    const bool complex = field == "complex" && sparse::is_complex<Value>;
    if (field != "real" && field != "integer" && field != "pattern" && field != "double" &&
        !complex) {
      throw lines_.fault("field '{}'; real, integer{} and pattern are read",
                         printable(words[3]),
                         sparse::is_complex<Value> ? ", complex" : "");
    }
    head_.field = field == "pattern"   ? MarketField::pattern
                  : field == "integer" ? MarketField::integer
                  : complex            ? MarketField::complex
                                       : MarketField::real;
    const auto name =
        std::find(std::begin(names_of_symmetry), std::end(names_of_symmetry), symmetry);
    if (name == std::end(names_of_symmetry) || (symmetry == "hermitian" && !complex)) {
      throw lines_.fault(
          "symmetry '{}'; general, symmetric and skew-symmetric are read, of complex matrices "
          "hermitian",
          printable(words[4]));
    }
    head_.symmetry = static_cast<Symmetry>(name - std::begin(names_of_symmetry));
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
    if (!is_packed_ && head_.entries > max_entries_) {
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
    throw resource_error("{}: {} and {} take {} to read, and {} are allowed; give --memory {}",
                         lines_.path(),
                         counted(head_.rows, "row"),
                         counted(head_.entries, "entry", "entries"),
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
    stage.advance(static_cast<double>(entries_.size() % (1 << 16)));
    if (std::ssize(entries_) != head_.entries) {
      throw bad_file(lines_.path(),
                     "expected {} as announced, got {}; copy it again",
                     counted(head_.entries, "entry", "entries"),
                     entries_.size());
    }
  }

  /// The numbers of a line; false where it is none of the field.
  bool take_entry(std::string_view line, Entry<Value>& entry) const {
    const char *at = line.data(), *end = at + line.size();
    bool good = take_number(at, end, entry.row) && take_number(at, end, entry.column);
    if constexpr (sparse::is_complex<Value>) {
      double real = 0, imaginary = 0;
      if (good && head_.field == MarketField::complex) {
        good = take_number(at, end, real) && take_number(at, end, imaginary);
        entry.value = {real, imaginary};
      }
    }
    if (good && head_.field == MarketField::real) {
      double value = 0;
      good = take_number(at, end, value);
      entry.value = value;
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
    return good && at == end;
  }

  /// What to do about a value that is no number of the field.
  std::string advice_on(std::string_view line) const {
    std::array<std::string_view, 5> words;
    const std::size_t count = split_fields(line, words.data(), words.size());
    for (std::size_t i = 2; i < std::min(count, words.size()); ++i) {
      double real = 0;
      std::int64_t integer = 0;
      const Field as_real = read_field(words[i], real);
      if (as_real == Field::too_large) {
        return fmt::format("; {} is beyond what a double holds", printable(words[i]));
      }
      if (as_real == Field::no_number && words[i].find_first_of("dD") != words[i].npos) {
        return "; write exponents with e, as 1.5e2";
      }
      const bool is_integer = read_field(words[i], integer) == Field::number;
      if (head_.field == MarketField::integer && as_real != Field::no_number && !is_integer) {
        return "; declare the field real";
      }
    }
    return {};
  }

  Entry<Value> entry(std::string_view line) {
    Entry<Value> entry{0, 0, 1};
    if (!take_entry(line, entry)) {
      throw lines_.fault("expected row, column{}, got '{}'{}",
                         head_.field == MarketField::pattern   ? ""
                         : head_.field == MarketField::complex ? ", real and imaginary part"
                                                               : " and value",
                         printable(line),
                         advice_on(line));
    }
    if (entry.row < 1 || entry.row > head_.rows || entry.column < 1 || entry.column > head_.cols) {
      throw lines_.fault("expected a row of 1 to {} and a column of 1 to {}, got '{}'",
                         head_.rows,
                         head_.cols,
                         printable(line));
    }
    --entry.row;
    --entry.column;
    if (head_.symmetry != Symmetry::general) to_lower_triangle(entry);
    return entry;
  }

  void to_lower_triangle(Entry<Value>& entry) {
    if (entry.column > entry.row) {
      both_parts_ = true;
      std::swap(entry.row, entry.column);
      entry.column = ~entry.column;
      entry.value = across_diagonal(entry.value, head_.symmetry);
      return;
    }
    if (entry.column < entry.row) return;
    const bool skew = head_.symmetry == Symmetry::skew;
    const bool hermitian = head_.symmetry == Symmetry::hermitian;
    if (skew || (hermitian && std::imag(entry.value) != 0)) {
      throw lines_.fault("entry ({}, {}) of a {} matrix, whose diagonal is {}",
                         entry.row + 1,
                         entry.row + 1,
                         name_of_symmetry(),
                         skew ? "zero and not stored" : "real");
    }
  }

  const char* name_of_symmetry() const {
    return names_of_symmetry[static_cast<std::size_t>(head_.symmetry)];
  }

  /// The column of an entry; where some were above the diagonal twice it, those after the others.
  std::int64_t key_of(const Entry<Value>& entry) const {
    if (!both_parts_) return entry.column;
    return entry.column < 0 ? 2 * ~entry.column + 1 : 2 * entry.column;
  }

  sparse::CsrMatrix<Value, std::int64_t> in_rows() {
    sparse::CsrMatrix<Value, std::int64_t> matrix;
    matrix.rows = head_.rows;
    matrix.cols = head_.cols;
    matrix.row_begin = Array<std::int64_t>::zeros(head_.rows + 1);
    matrix.columns = Array<std::int64_t>(head_.entries);
    matrix.values = Array<Value>(head_.entries);
    for (const Entry<Value>& entry : entries_) ++matrix.row_begin[entry.row + 1];
    std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
    std::vector<std::int64_t> next(matrix.row_begin.begin(), matrix.row_begin.end());
    bool sorted = true;
    for (const Entry<Value>& entry : entries_) {
      const std::int64_t to = next[entry.row]++, key = key_of(entry);
      sorted = sorted && (to == matrix.row_begin[entry.row] || matrix.columns[to - 1] <= key);
      matrix.columns[to] = key;
      matrix.values[to] = entry.value;
    }
    if (!sorted) sort_rows(matrix);
    if (both_parts_) settle_parts(matrix);
    return matrix;
  }

  /// Columns of keys; of places that both parts store those of the lower one are kept.
  void settle_parts(sparse::CsrMatrix<Value, std::int64_t>& matrix) const {
    std::int64_t* const columns = matrix.columns.data();
    Value* const values = matrix.values.data();
    std::int64_t to = 0;
    for (std::int64_t row = 0, e = 0; row < matrix.rows; ++row) {
      const std::int64_t end = matrix.row_begin[row + 1];
      matrix.row_begin[row] = to;
      while (e < end) {
        const std::int64_t key = columns[e] & ~std::int64_t{1};
        const std::int64_t middle = std::upper_bound(columns + e, columns + end, key) - columns;
        const std::int64_t next = std::upper_bound(columns + e, columns + end, key + 1) - columns;
        if (middle > e && next > middle &&
            !std::equal(values + e, values + middle, values + middle, values + next)) {
          throw bad_file(lines_.path(),
                         "has other values in row {}, column {} (from 1) than across the diagonal, "
                         "which a {} matrix cannot",
                         row + 1,
                         key / 2 + 1,
                         name_of_symmetry());
        }
        const std::int64_t kept = middle > e ? middle : next;
        for (; e < kept; ++e, ++to) {
          columns[to] = key / 2;
          values[to] = values[e];
        }
        e = next;
      }
    }
    matrix.row_begin[matrix.rows] = to;
  }

  void sort_rows(sparse::CsrMatrix<Value, std::int64_t>& matrix) {
    context_.parallel_for(matrix.rows, 1 << 12, [&](std::int64_t first, std::int64_t last) {
      std::vector<std::pair<std::int64_t, Value>> row;
      for (std::int64_t i = first; i < last; ++i) {
        row.clear();
        const std::int64_t begin = matrix.row_begin[i], end = matrix.row_begin[i + 1];
        for (std::int64_t e = begin; e < end; ++e) {
          row.emplace_back(matrix.columns[e], matrix.values[e]);
        }
        std::ranges::stable_sort(row, {}, [](const auto& a) { return a.first; });
        for (std::int64_t e = begin; e < end; ++e) {
          matrix.columns[e] = row[e - begin].first;
          matrix.values[e] = row[e - begin].second;
        }
      }
    });
  }

  Context& context_;
  LineReader lines_;
  bool is_packed_ = false;
  std::int64_t max_entries_ = 0;  ///< that a plain file can have
  MatrixMarketHead head_;
  bool both_parts_ = false;  ///< an entry was above the diagonal of a symmetric matrix
  std::vector<Entry<Value>> entries_;
};

}  // namespace

MatrixMarketHead read_matrix_market_head(Context& context, const std::string& path) {
  return Reader<std::complex<double>>(context, path).read_head();
}

std::uint64_t matrix_market_bytes(const MatrixMarketHead& head) {
  const std::uint64_t value = sizeof(double) * (head.field == MarketField::complex ? 2 : 1);
  return static_cast<std::uint64_t>(head.entries) * (3 * sizeof(std::int64_t) + 2 * value) +
         2 * sizeof(std::int64_t) * static_cast<std::uint64_t>(head.rows);
}

template <class Value>
MatrixMarketOf<Value> read_matrix_market(Context& context, const std::string& path) {
  return Reader<Value>(context, path).read();
}

template MatrixMarketOf<double> read_matrix_market(Context& context, const std::string& path);
template MatrixMarketOf<std::complex<double>> read_matrix_market(Context& context,
                                                                 const std::string& path);

}  // namespace yupana::io
