#include "yupana/io/matrix_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/matrix_layout.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {

// Matrices as text.

namespace {

// A value near the border between two six-digit texts may fall on either side.
constexpr double text_tolerance = 1e-5;

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
    if (j == wanted) throw text.fault(line, "expected {}, got more", counted(wanted, "value"));
    const Field read = parse_value(field, row[j]);
    if (read == Field::number) continue;
    throw text.fault(line,
                     "value {} is '{}', which is {}{}",
                     j + 1,
                     printable(field),
                     read == Field::no_number ? "no number" : "beyond a double's range",
                     decimal_comma_advice(field));
  }
  if (j < wanted) throw text.fault(line, "expected {}, got {}", counted(wanted, "value"), j);
}

/// A matrix of n columns does not fit fewer bytes; refuse before allocating it.
void check_length(const MatrixText& text, const Layout& layout) {
  for (std::int64_t i = layout.first_row(); i < layout.n; ++i) {
    const std::size_t line = layout.first + static_cast<std::size_t>(i - layout.first_row());
    const std::int64_t wanted = layout.values(i);
    if (std::ssize(text.lines[line]) >= 2 * wanted - 1) continue;
    throw text.fault(line, "expected {}, got fewer", counted(wanted, "value"));
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

RawMatrix read_text_matrix(Context& context,
                           const InputFile& file,
                           const std::optional<ListedNames>& listed,
                           const MatrixCheck& check) {
  const Array<char> bytes = text_of(context, file, check);
  std::string_view all(bytes.data(), bytes.size() - 1);
  check_is_text(file.path(), all.substr(0, 1 << 16));
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

namespace fs = std::filesystem;

/// Lines without their ends; an empty last line is none. A list is small next to its matrix, which
/// says what memory the run needs.
std::vector<std::string> lines_of(Context& context, const std::string& path) {
  constexpr std::uint64_t least = 16 << 20;
  const InputFile file(path);
  const Array<char> bytes = read_text(file, std::max(context.memory(), least));
  const auto lines = split_lines(std::string_view(bytes.data(), bytes.size() - 1));
  return {lines.begin(), lines.end()};
}

/// Names from lines FAMILY<TAB>INDIVIDUAL: the individuals, or both where these repeat.
std::vector<std::string> plink_names(const std::string& path, std::vector<std::string> lines) {
  std::vector<std::string> both;
  std::unordered_set<std::string> seen;
  bool unique = true;
  std::int64_t number = 0;
  for (std::string& line : lines) {
    ++number;
    // A name may have blanks between tabs.
    const std::size_t tab = line.find(line.find('\t') == line.npos ? ' ' : '\t');
    if (tab == std::string::npos) {
      throw bad_line(path, number, "expected a family and an individual identifier, got one word");
    }
    std::string individual = line.substr(tab + 1);
    both.push_back(line.substr(0, tab) + "_" + individual);
    unique = seen.insert(individual).second && unique;
    line = std::move(individual);
  }
  return unique ? lines : both;
}

std::optional<ListedNames> listed_names(Context& context, const std::string& path) {
  const std::string list = names_file_of(path);
  if (list.empty()) return std::nullopt;
  std::vector<std::string> lines = lines_of(context, list);
  if (list.ends_with(".id")) lines = plink_names(list, std::move(lines));
  return ListedNames{list, std::move(lines)};
}

/// Genotypes are the other input of commands that take distances, and no table.
void refuse_genotypes(const InputFile& file) {
  const std::string head = head_of(file, 16);
  for (const std::string_view magic :
       {"\x6c\x1b\x01", "\x6c\x1b\x10", "##fileformat=VCF", "BCF\2"}) {
    if (!head.starts_with(magic)) continue;
    throw bad_file(file.path(), "holds genotypes, not distances; make them with 'yupana dist'");
  }
}

RawMatrix read_raw(Context& context,
                   const InputFile& file,
                   const std::optional<ListedNames>& listed,
                   const MatrixCheck& check) {
  if (is_npy(file)) return read_npy_matrix(context, file, check);
  if (file.path().ends_with(".npy")) throw bad_file(file.path(), "not a .npy file (no signature)");
  if (file.path().ends_with(".bin")) return read_plink_binary(context, file, listed, check);
  refuse_genotypes(file);
  return read_text_matrix(context, file, listed, check);
}

template <class T>
void settle(Context& context, const std::string& path, RawMatrix& raw, SquareMatrix<T>& values) {
  if (raw.transposed) transpose(context, values);
  if (raw.lower_only || (raw.may_be_square0 && upper_is_empty(context, values))) {
    mirror_lower(context, values);
  }
  check_distances(context, path, raw.matrix.names, raw.tolerance, values);
}

/// A sample is chosen by its name: of two that share one, only the first could be.
void check_names(const std::string& path, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [first, is_new] = rows.emplace(names[i], i + 1);
    if (is_new) continue;
    throw bad_file(
        path,
        "expected a name of its own for every sample, got '{}' for rows {} and {}; rename one",
        names[i],
        first->second,
        i + 1);
  }
}

}  // namespace

std::string names_file_of(const std::string& path) {
  fs::path base(path);
  for (const std::string_view extension : {".gz", ".bin", ".npy"}) {
    if (base.extension() == extension) base.replace_extension();
  }
  fs::path stem = base;
  stem.replace_extension();
  for (const std::string& list :
       {base.string() + ".id", base.string() + ".ids", stem.string() + ".ids"}) {
    std::error_code none;
    if (fs::is_regular_file(list, none)) return list;
  }
  return {};
}

DistanceMatrix read_distances(Context& context, const std::string& path, const MatrixCheck& check) {
  const InputFile file(path);
  if (file.size() == 0) throw bad_file(path, "expected a matrix of distances, got an empty file");
  Stage stage(context, "read " + path, static_cast<double>(file.size()), "bytes");
  const std::optional<ListedNames> listed = listed_names(context, path);
  RawMatrix raw = read_raw(context, file, listed, check);
  std::visit(
      [&](auto& values) {
        if (values.size() == 0) throw bad_file(path, "holds a matrix of no rows");
        if (listed && raw.matrix.names.empty()) {
          if (static_cast<std::int64_t>(listed->names.size()) != values.size()) {
            throw bad_file(
                path,
                "has {} and {} lists {}; remove the list if it belongs to another matrix",
                counted(values.size(), "row"),
                listed->path,
                counted(std::ssize(listed->names), "sample"));
          }
          raw.matrix.names = listed->names;
        }
        check_names(path, raw.matrix.names);
        settle(context, path, raw, values);
      },
      raw.matrix.values);
  stage.advance(static_cast<double>(file.size()));
  return std::move(raw.matrix);
}

}  // namespace yupana::io
