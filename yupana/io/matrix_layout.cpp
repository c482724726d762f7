// How a matrix is laid out as text.
#include "yupana/io/matrix_layout.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

bool is_number(std::string_view field) {
  double value = 0;
  return parse_value(field, value) != Field::no_number;
}

/// The number of samples alone on the first line. "1" may begin a triangle too: then only a name on
/// the second line decides.
bool is_phylip(const MatrixText& text, const std::vector<std::string_view>& first) {
  double samples = 0;
  if (first.size() != 1 || parse_value(first[0], samples) != Field::number) return false;
  if (text.lines.size() < 2 || samples != static_cast<double>(text.lines.size() - 1)) return false;
  const auto second = text.fields(1);
  return second.size() == text.lines.size() && (second.size() > 2 || !is_number(second[0]));
}

/// PHYLIP's lower triangle, as `mash triangle` writes it: the number of samples, then line i of a
/// name and the distances to the i samples before it, or to itself too.
bool read_phylip_triangle(const MatrixText& text,
                          const std::vector<std::string_view>& first,
                          Layout& layout) {
  double samples = 0;
  const std::size_t lines = text.lines.size();
  if (first.size() != 1 || parse_value(first[0], samples) != Field::number) return false;
  if (lines < 2 || samples != static_cast<double>(lines - 1)) return false;
  const auto second = text.fields(1);
  const std::size_t diagonal = second.size() - 1;
  // Of numbers alone two lines are no names, and one of two numbers is a triangle without names.
  if (diagonal > 1 || ((lines == 2 || diagonal == 1) && is_number(second[0]))) return false;
  if (lines > 2 && text.fields(2).size() != 2 + diagonal) return false;
  layout.first = 1;
  layout.n = static_cast<std::int64_t>(lines) - 1;
  layout.row_names = layout.triangle = true;
  layout.diagonal = static_cast<std::int64_t>(diagonal);
  return true;
}

/// A field of a row of values: a number, or what stands for a missing one.
bool is_value(std::string_view field) {
  static constexpr std::string_view missing[] = {"NA", "N/A", "na", "NULL", "null"};
  return is_number(field) ||
         std::find(std::begin(missing), std::end(missing), trimmed(field)) != std::end(missing);
}

/// A first line of names. Words alone are names. Next to values they are if the line is no row: it
/// has another number of fields, or a corner that is no value on top of names of rows, or one line
/// more than columns. (A row with a word in it must not pass for names: an individual would go.)
bool is_header(const MatrixText& text, const std::vector<std::string_view>& first) {
  const std::size_t lines = text.lines.size();
  if (std::none_of(first.begin(), first.end(), is_value)) return true;
  if (first.size() > 1 && lines == first.size() + 1) return true;
  if (lines > 1 && first.size() == text.fields(1).size()) {
    return !is_value(first[0]) && lines == first.size();
  }
  return std::any_of(first.begin() + 1, first.end(), [](auto f) { return !is_number(f); }) ||
         (!is_number(first[0]) && (lines == first.size() || (first.size() == 1 && lines == 2)));
}

/// A lower triangle: one value on the first line, two on the second. Whether rows end with their
/// diagonal follows from the number of samples if that is known, else from zeros at all ends.
bool read_triangle_layout(const MatrixText& text,
                          const std::vector<std::string_view>& first,
                          std::optional<std::int64_t> samples,
                          Layout& layout) {
  const auto lines = static_cast<std::int64_t>(text.lines.size());
  if (first.size() != 1 || !is_number(first[0])) return false;
  if (lines > 1 && text.fields(1).size() != 2) return false;
  const auto ends_in = [&](double wanted) {
    return std::all_of(text.lines.begin(), text.lines.end(), [&](std::string_view line) {
      double value = 0;
      return parse_value(line.substr(line.find_last_of(" \t,") + 1), value) == Field::number &&
             value == wanted;
    });
  };
  if (!samples && lines > 1 && ends_in(1)) {
    throw bad_file(
        text.path,
        "expected distances, got similarities: every row ends with 1, their diagonal; use 1 - ibs");
  }
  const bool with_diagonal = samples ? *samples == lines : ends_in(0);
  layout.triangle = true;
  layout.diagonal = with_diagonal ? 1 : 0;
  layout.n = with_diagonal ? lines : lines + 1;
  return true;
}

Error not_square(const MatrixText& text, std::int64_t rows, std::size_t fields) {
  const std::vector<std::string_view> first = text.fields(0);
  const bool counts =
      first.size() == 1 && first[0].find_first_not_of("0123456789") == std::string_view::npos;
  if (text.lines.size() > 1 && counts) {
    return bad_file(
        text.path,
        "expected PHYLIP's square form or lower triangle, '{0}' and then {0} lines of a name and "
        "{0} "
        "distances, or those to the samples before it, got {1}, the first of {2}; write others so",
        first[0],
        counted(std::ssize(text.lines) - 1, "line"),
        counted(std::ssize(text.fields(1)), "field"));
  }
  return bad_file(text.path,
                  "not square: {} of {}{}; expected distances, a row and a column for each sample",
                  counted(rows, "row"),
                  counted(static_cast<std::int64_t>(fields), "field"),
                  rows < std::ssize(text.lines) ? " after a line taken for names" : "");
}

/// Tables: header and row names from the number of fields of the first row of values.
void read_square_layout(const MatrixText& text,
                        std::vector<std::string_view> header,
                        Layout& layout) {
  layout.n = static_cast<std::int64_t>(text.lines.size() - layout.first);
  if (layout.n == 0) throw bad_file(text.path, "has a line of names and no row of values");
  const auto n = static_cast<std::size_t>(layout.n);
  const std::size_t width = text.fields(layout.first).size();
  if (width != n && width != n + 1) throw not_square(text, layout.n, width);
  layout.row_names = width == n + 1;
  if (header.empty()) {
    // Numbers in a first column too many are no names: a row of the square is missing.
    for (std::size_t line = layout.first; layout.first == 0 && layout.row_names; ++line) {
      std::string_view name;
      if (line == text.lines.size()) throw not_square(text, layout.n, width);
      if (MatrixFields(text.lines[line], text.separator).next(name) && !is_number(name)) break;
    }
    return;
  }
  if (header.size() != n && header.size() != n + 1) {
    throw text.fault(0,
                     "expected a name for each of {}, got {}",
                     counted(layout.n, "column"),
                     counted(std::ssize(header), "name"));
  }
  layout.names.assign(header.end() - layout.n, header.end());
}

/// Throws where a comma that separates nothing but a number's digits would be taken for a
/// separator, or a row of such numbers for names: the fields of one of the first two lines, parted
/// by blanks or semicolons, are two or more numbers, and one has a decimal comma.
void refuse_decimal_commas(const MatrixText& text) {
  for (std::size_t line = 0; line < std::min<std::size_t>(2, text.lines.size()); ++line) {
    std::string spaced(text.lines[line]);
    std::replace(spaced.begin(), spaced.end(), ';', ' ');
    const std::vector<std::string_view> words = words_of(spaced);
    const auto comma = std::find_if(words.begin(), words.end(), has_decimal_comma);
    const bool numbers = std::all_of(words.begin(), words.end(), [](std::string_view word) {
      return is_number(word) || has_decimal_comma(word);
    });
    if (words.size() < 2 || comma == words.end() || !numbers) continue;
    throw text.fault(
        line, "expected numbers, got '{}'{}", printable(*comma), decimal_comma_advice(*comma));
  }
}

// A tile and its mirror, 64 x 64 doubles each, fit together in a core's first-level cache twice
// over: entries of the mirror are read down columns.
constexpr std::int64_t edge = 64;

/// body(rows, columns) for all tiles of the lower triangle, diagonal tiles included, in parallel.
template <class Body>
void for_each_tile(Context& context, std::int64_t n, const Body& body) {
  context.parallel_for(divide_up(n, edge), 1, [&](std::int64_t row) {
    context.check_cancelled();
    const Range rows{row * edge, std::min(n, (row + 1) * edge)};
    for (std::int64_t column = 0; column <= row; ++column) {
      body(rows, Range{column * edge, std::min(n, (column + 1) * edge)});
    }
  });
}

/// body(i, j) for the cells below the diagonal.
template <class Body>
void for_each_lower(Context& context, std::int64_t n, const Body& body) {
  for_each_tile(context, n, [&](Range rows, Range columns) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < std::min(i, columns.end); ++j) body(i, j);
    }
  });
}

template <class T>
bool mirrors(T low, T high, double tolerance) {
  if (low == high) return true;
  const double a = static_cast<double>(low);
  const double b = static_cast<double>(high);
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= tolerance * std::max(a, b);
}

template <class T>
bool good(T low, T high, double tolerance) {
  return low >= 0 && high >= 0 && mirrors(low, high, tolerance);
}

std::string entry(const std::vector<std::string>& names, std::int64_t i, std::int64_t j) {
  const std::string place = fmt::format("row {}, column {}", i + 1, j + 1);
  if (names.empty()) return place;
  return fmt::format("{} ({}, {})", place, printable(names[i]), printable(names[j]));
}

template <class T>
[[noreturn]] void throw_fault(const std::string& path,
                              const std::vector<std::string>& names,
                              const SquareMatrix<T>& m,
                              std::int64_t i,
                              std::int64_t j) {
  for (const auto& [row, column] : {std::pair{i, j}, std::pair{j, i}}) {
    const double value = static_cast<double>(m(row, column));
    if (std::isnan(value)) {
      throw bad_file(path,
                     "{} is NaN; leave out one of the two, or impute missing calls",
                     entry(names, row, column));
    }
    if (value < 0) {
      throw bad_file(
          path, "{} is {}; distances are not negative", entry(names, row, column), value);
    }
  }
  throw bad_file(path,
                 "not symmetric: {} is {} and its mirror is {}; average the two or mend the matrix",
                 entry(names, i, j),
                 m(i, j),
                 m(j, i));
}

template <class T>
void check_diagonal(const std::string& path,
                    const std::vector<std::string>& names,
                    const SquareMatrix<T>& m) {
  for (std::int64_t i = 0; i < m.size(); ++i) {
    if (m(i, i) == T{0}) continue;
    throw bad_file(path,
                   "{} is {}; the diagonal of a distance matrix is zero{}",
                   entry(names, i, i),
                   m(i, i),
                   m(i, i) == T{1} ? " (similarities? use 1 - ibs)" : "");
  }
}

}  // namespace

Separator separator_of(const std::vector<std::string_view>& lines) {
  const auto has = [&](char mark) {
    return std::any_of(lines.begin(),
                       lines.begin() + std::min<std::ptrdiff_t>(2, std::ssize(lines)),
                       [&](std::string_view line) { return line.find(mark) != line.npos; });
  };
  return has('\t') ? Separator::tab : has(',') ? Separator::comma : Separator::blanks;
}

Layout layout_of(const MatrixText& text, const std::optional<ListedNames>& listed) {
  std::optional<std::int64_t> samples;
  if (listed) samples = static_cast<std::int64_t>(listed->names.size());
  const std::vector<std::string_view> first = text.fields(0);
  if (first.empty()) throw text.fault(0, "expected a row of numbers or names, got a blank line");
  refuse_decimal_commas(text);
  std::vector<std::string_view> count = first;
  if (count.size() == 2 && count[0].empty()) count.erase(count.begin());  // a tab before it
  Layout layout;
  if (is_phylip(text, count)) {
    layout.first = 1;
    read_square_layout(text, {}, layout);
  } else if (read_phylip_triangle(text, count, layout)) {
  } else if (read_triangle_layout(text, first, samples, layout)) {
  } else if (is_header(text, first)) {
    layout.first = 1;
    read_square_layout(text, first, layout);
  } else {
    read_square_layout(text, {}, layout);
  }
  return layout;
}

template <class T>
void check_distances(Context& context,
                     const std::string& path,
                     const std::vector<std::string>& names,
                     double tolerance,
                     SquareMatrix<T>& m) {
  check_diagonal(path, names, m);
  const std::int64_t n = m.size();
  std::atomic<std::int64_t> first_bad{n};
  std::atomic<std::int64_t> differing{0};
  for_each_tile(context, n, [&](Range rows, Range columns) {
    std::int64_t differ = 0;
    bool all_good = true;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < std::min(i, columns.end); ++j) {
        const bool fine = good(m(i, j), m(j, i), tolerance);
        all_good = all_good && fine;
        if (!fine || m(i, j) == m(j, i)) continue;
        m(j, i) = m(i, j);
        ++differ;
      }
    }
    differing.fetch_add(differ, std::memory_order_relaxed);
    std::int64_t seen = first_bad.load();
    while (!all_good && rows.begin < seen && !first_bad.compare_exchange_weak(seen, rows.begin)) {
    }
  });
  // Which tile noticed first depends on threads; the message does not.
  for (std::int64_t i = first_bad; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (!good(m(i, j), m(j, i), tolerance)) throw_fault(path, names, m, i, j);
    }
  }
  if (differing == 0) return;
  context.note(fmt::format(
      "{}: {} and its mirror differ by rounding; the lower triangle is taken",
      path,
      differing == 1 ? "an entry" : fmt::format("each of {} entries", differing.load())));
}

template <class T>
void mirror_lower(Context& context, SquareMatrix<T>& m) {
  for_each_lower(context, m.size(), [&](std::int64_t i, std::int64_t j) { m(j, i) = m(i, j); });
}

template <class T>
bool upper_is_empty(Context& context, const SquareMatrix<T>& m) {
  std::atomic<bool> upper{false};
  std::atomic<bool> lower{false};
  const std::int64_t n = m.size();
  context.parallel_for(n, edge, [&](std::int64_t begin, std::int64_t end) {
    const auto set = [](T value) { return value != T{0}; };
    for (std::int64_t i = begin; i < end && !upper.load(std::memory_order_relaxed); ++i) {
      if (!lower && std::any_of(m.row(i), m.row(i) + i, set)) lower = true;
      if (std::any_of(m.row(i) + i + 1, m.row(i) + n, set)) upper = true;
    }
  });
  return lower && !upper;
}

template <class T>
void transpose(Context& context, SquareMatrix<T>& m) {
  for_each_lower(
      context, m.size(), [&](std::int64_t i, std::int64_t j) { std::swap(m(i, j), m(j, i)); });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, check_distances, mirror_lower, upper_is_empty, transpose)

}  // namespace yupana::io
