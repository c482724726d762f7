// Matrices as text: squares and triangles, tables with names, PHYLIP.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <utility>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/matrix_formats.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/text_fields.hpp"
#include "yupana/io/text_stream.hpp"

namespace yupana::io {
namespace {

// A value near the border between two six-digit texts may fall on either side.
constexpr double text_tolerance = 1e-5;

/// What separates the fields of a line: one tab or comma, or a run of blanks.
enum class Separator { tab, comma, blanks };

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Takes the fields of one line, one after the other.
class MatrixFields {
 public:
  MatrixFields(std::string_view line, Separator separator) : rest_(line), separator_(separator) {
    if (separator != Separator::blanks) return;
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    while (!rest_.empty() && is_blank(rest_.back())) rest_.remove_suffix(1);
    done_ = rest_.empty();
  }

  bool next(std::string_view& field) {
    if (done_) return false;
    // Fields are short: a plain loop beats find_first_of, which calls memchr for every
    // letter.
    std::size_t end = 0;
    while (end < rest_.size() && !is_mark(rest_[end])) ++end;
    field = rest_.substr(0, end);
    done_ = end == rest_.size();
    if (!done_) rest_.remove_prefix(end + 1);
    while (separator_ == Separator::blanks && !rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
    if (separator_ == Separator::comma && field.size() > 1 && field.front() == '"' &&
        field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    return true;
  }

 private:
  bool is_mark(char c) const {
    return separator_ == Separator::tab     ? c == '\t'
           : separator_ == Separator::comma ? c == ','
                                            : is_blank(c);
  }

  std::string_view rest_;
  Separator separator_;
  bool done_ = false;
};

Field parse(std::string_view field, double& value) {
  const Field read = read_field(trimmed(field), value);
  return read == Field::rounded ? Field::number : read;
}

bool is_number(std::string_view field) {
  double value = 0;
  return parse(field, value) != Field::no_number;
}

struct MatrixText {
  const std::string& path;
  std::vector<std::string_view> lines;
  Separator separator = Separator::blanks;

  std::vector<std::string_view> fields(std::size_t line) const {
    std::vector<std::string_view> all;
    MatrixFields fields(lines[line], separator);
    for (std::string_view field; fields.next(field);) all.push_back(field);
    return all;
  }
  template <class... Args>
  Error fault(std::size_t line, Message<Args...> what, const Args&... args) const {
    return bad_line(path, static_cast<std::int64_t>(line) + 1, what.text(args...), what.place);
  }
};

/// How the lines are laid out.
struct Layout {
  std::size_t first = 0;      ///< line of row 0
  std::int64_t n = 0;         ///< samples
  bool row_names = false;     ///< each row begins with a name
  bool triangle = false;      ///< row i holds fewer values than the next
  std::int64_t diagonal = 0;  ///< triangle: 1 if row i ends with its diagonal
  std::vector<std::string> names;

  /// Row of the matrix on the first line, and values on the line of row i. A name alone is row 0.
  std::int64_t first_row() const { return triangle && diagonal == 0 && !row_names ? 1 : 0; }
  std::int64_t values(std::int64_t i) const { return triangle ? i + diagonal : n; }
};

/// By the first two lines: the first line of a triangle has one field and no separator.
Separator separator_of(const std::vector<std::string_view>& lines) {
  const auto has = [&](char mark) {
    return std::any_of(lines.begin(),
                       lines.begin() + std::min<std::ptrdiff_t>(2, std::ssize(lines)),
                       [&](std::string_view line) { return line.find(mark) != line.npos; });
  };
  return has('\t') ? Separator::tab : has(',') ? Separator::comma : Separator::blanks;
}

/// The number of samples alone on the first line. "1" may begin a triangle too: then only a name on
/// the second line decides.
bool is_phylip(const MatrixText& text, const std::vector<std::string_view>& first) {
  double samples = 0;
  if (first.size() != 1 || parse(first[0], samples) != Field::number) return false;
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
  if (first.size() != 1 || parse(first[0], samples) != Field::number) return false;
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

/// A first line of names. Words alone are names. Beside values they are if the line is no row: it
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
      return parse(line.substr(line.find_last_of(" \t,") + 1), value) == Field::number &&
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
  if (text.lines.size() > 1 && first.size() == 1 && is_number(first[0])) {
    return bad_file(
        text.path,
        "expected PHYLIP's square form or lower triangle, '{0}' and then {0} lines of a name and "
        "{0} "
        "distances, or those to the samples before it, got {1}, the first of {2}; write others so",
        first[0],
        counted(std::ssize(text.lines) - 1, "line"),
        counted(std::ssize(text.fields(1)), "field"));
  }
  return bad_file(text.path, "not square: {} rows of {} fields", rows, fields);
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
    throw text.fault(0, "{} names for {} columns", header.size(), n);
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

/// Takes the name of a row, which must be its column's.
void take_name(const MatrixText& text,
               std::size_t line,
               std::int64_t i,
               std::string_view name,
               Layout& layout) {
  const auto index = static_cast<std::size_t>(i);
  if (layout.names.size() <= index) {
    layout.names.emplace_back(name);
  } else if (layout.names[index] != name) {
    throw text.fault(line,
                     "row {} is named '{}' and column {} '{}'; order both alike",
                     i + 1,
                     printable(name),
                     i + 1,
                     printable(layout.names[index]));
  }
}

void read_row(const MatrixText& text, const Layout& layout, std::int64_t i, double* row) {
  const std::size_t line = layout.first + static_cast<std::size_t>(i - layout.first_row());
  const std::int64_t wanted = layout.values(i);
  MatrixFields fields(text.lines[line], text.separator);
  std::string_view field;
  if (layout.row_names) fields.next(field);
  std::int64_t j = 0;
  for (; fields.next(field); ++j) {
    if (j == wanted) throw text.fault(line, "expected {} values, got more", wanted);
    const Field read = parse(field, row[j]);
    if (read == Field::number) continue;
    throw text.fault(line,
                     "value {} is '{}', which is {}{}",
                     j + 1,
                     printable(field),
                     read == Field::no_number ? "no number" : "beyond a double's range",
                     decimal_comma_advice(field));
  }
  if (j < wanted) throw text.fault(line, "expected {} values, got {}", wanted, j);
}

/// A matrix of n columns does not fit fewer bytes; refuse before allocating it.
void check_length(const MatrixText& text, const Layout& layout) {
  for (std::int64_t i = layout.first_row(); i < layout.n; ++i) {
    const std::size_t line = layout.first + static_cast<std::size_t>(i - layout.first_row());
    const std::int64_t wanted = layout.values(i);
    if (std::ssize(text.lines[line]) >= 2 * wanted - 1) continue;
    throw text.fault(line, "expected {} values, got fewer", wanted);
  }
}

void take_row_names(const MatrixText& text, Layout& layout) {
  for (std::int64_t i = 0; layout.row_names && i < layout.n; ++i) {
    const std::size_t line = layout.first + static_cast<std::size_t>(i);
    std::string_view name;
    MatrixFields(text.lines[line], text.separator).next(name);
    take_name(text, line, i, name, layout);
  }
}

SquareMatrix<double> read_rows(Context& context,
                               const MatrixText& text,
                               const Layout& layout,
                               SquareMatrix<double> matrix) {
  for (std::int64_t i = 0; layout.triangle && i < layout.n; ++i) matrix(i, i) = 0;
  const std::int64_t first = layout.first_row();
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / layout.n);
  std::atomic<std::int64_t> fault{layout.n};
  context.parallel_for(layout.n - first, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = first + begin; i < first + end; ++i) {
      context.check_cancelled();
      std::int64_t lowest = fault.load();
      if (i > lowest) return;
      try {
        read_row(text, layout, i, matrix.row(i));
      } catch (const Error&) {
        while (i < lowest && !fault.compare_exchange_weak(lowest, i)) {
        }
      }
    }
  });
  // Which thread met a fault first is chance; the one reported is the first of the file.
  if (fault < layout.n) read_row(text, layout, fault, matrix.row(fault));
  return matrix;
}

/// The size of a matrix whose text is not held: as many rows as lines, or one more where a triangle
/// has no diagonal, and no more than values of two bytes.
MatrixSize size_by_lines(const std::string& path) {
  TextStream stream(path);
  Array<char> piece(1 << 16);
  std::int64_t bytes = 0, ends = 0;
  char last = '\n';
  while (const std::int64_t got = stream.read(piece.data(), piece.size())) {
    bytes += got;
    ends += std::count(piece.data(), piece.data() + got, '\n');
    last = piece[got - 1];
  }
  const std::int64_t rows = ends + (last == '\n' ? 0 : 1) + 1;
  const auto most = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes))) + 2;
  return {.n = std::min(rows, most), .text_bytes = bytes + 1};
}

/// The text, if memory holds it; refused by what the run needs.
Array<char> text_of(const Context& context, const InputFile& file, const MatrixCheck& check) {
  try {
    return read_text(file, context.memory());
  } catch (const Error& error) {
    if (check && error.code() == ErrorCode::out_of_resources) check(size_by_lines(file.path()));
    throw;
  }
}

}  // namespace

RawMatrix read_text_matrix(Context& context,
                           const InputFile& file,
                           const std::optional<ListedNames>& listed,
                           const MatrixCheck& check) {
  const Array<char> bytes = text_of(context, file, check);
  std::string_view all(bytes.data(), bytes.size() - 1);
  if (all.starts_with("\xef\xbb\xbf")) all.remove_prefix(3);  // a byte order mark is no text
  MatrixText text{file.path(), split_lines(all)};
  while (!text.lines.empty() && trimmed(text.lines.back()).empty()) text.lines.pop_back();
  if (text.lines.empty()) throw file.fault("holds no line of text");
  text.separator = separator_of(text.lines);
  Layout layout = layout_of(text, listed);
  check_length(text, layout);
  take_row_names(text, layout);
  RawMatrix raw;
  raw.tolerance = text_tolerance;
  raw.lower_only = layout.triangle;
  raw.may_be_square0 = !layout.triangle && layout.names.empty();
  raw.matrix.values =
      read_rows(context,
                text,
                layout,
                allocate_square<double>(context, text.path, layout.n, check, bytes.size()));
  raw.matrix.names = std::move(layout.names);
  return raw;
}

}  // namespace yupana::io
