#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/matrix_reader.hpp"

namespace yupana::io {

/// A matrix as a file holds it, before it is checked.
struct RawMatrix {
  DistanceMatrix matrix;
  double tolerance = 0;         ///< how far an entry may be from its mirror, of the larger
  bool lower_only = false;      ///< nothing above the diagonal was read
  bool may_be_square0 = false;  ///< zeros above the diagonal may mean "not written"
  bool transposed = false;      ///< rows are columns (Fortran order)
};

/// Names listed next to a matrix; none where no such file is.
struct ListedNames {
  std::string path;
  std::vector<std::string> names;
};

RawMatrix read_npy_matrix(Context& context, const InputFile& file, const MatrixCheck& check);
RawMatrix read_plink_binary(Context& context,
                            const InputFile& file,
                            const std::optional<ListedNames>& listed,
                            const MatrixCheck& check);

/// A matrix of n x n, if `check` and the context's memory allow it and the text that it is read
/// from; throws out_of_resources otherwise.
template <class T>
SquareMatrix<T> allocate_square(const Context& context,
                                const std::string& path,
                                std::int64_t n,
                                const MatrixCheck& check,
                                std::int64_t text_bytes = 0) {
  if (check) check({n, sizeof(T), std::is_integral_v<T>, text_bytes});
  const double bytes =
      static_cast<double>(n) * static_cast<double>(n) * sizeof(T) + static_cast<double>(text_bytes);
  if (bytes > static_cast<double>(context.memory())) {
    throw resource_error(
        "{}: its {} x {} matrix takes {}{} and memory is limited to "
        "{}; give --memory {}, or fewer samples",
        path,
        n,
        n,
        needed_bytes(bytes),
        text_bytes > 0 ? " with its text" : "",
        allowed_bytes(static_cast<double>(context.memory())),
        memory_option(bytes));
  }
  return SquareMatrix<T>(n);
}

/// Throws bad_input, naming `path` and the first entry (by row, then column), unless the matrix is
/// one of distances: zero diagonal, no NaN, none negative, every entry within `tolerance` times the
/// larger of its mirror. Where the two differ, the entry of the lower triangle is taken for both
/// and the context notes how many pairs did.
template <class T>
void check_distances(Context& context,
                     const std::string& path,
                     const std::vector<std::string>& names,
                     double tolerance,
                     SquareMatrix<T>& matrix);

/// Copies the lower triangle over the upper.
template <class T>
void mirror_lower(Context& context, SquareMatrix<T>& matrix);

/// True if every entry above the diagonal is zero and one below is not.
template <class T>
bool upper_is_empty(Context& context, const SquareMatrix<T>& matrix);

/// Transposes in place.
template <class T>
void transpose(Context& context, SquareMatrix<T>& matrix);

/// What separates the fields of a line: one tab or comma, or a run of blanks.
enum class Separator { tab, comma, blanks };

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
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  bool is_mark(char c) const {
    return separator_ == Separator::tab     ? c == '\t'
           : separator_ == Separator::comma ? c == ','
                                            : is_blank(c);
  }

  std::string_view rest_;
  Separator separator_;
  bool done_ = false;
};

inline Field parse_value(std::string_view field, double& value) {
  const Field read = read_field(trimmed(field), value);
  return read == Field::rounded ? Field::number : read;
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
Separator separator_of(const std::vector<std::string_view>& lines);

/// Squares and triangles, tables with names, PHYLIP; `listed`: names next to the file.
Layout layout_of(const MatrixText& text, const std::optional<ListedNames>& listed);

}  // namespace yupana::io
