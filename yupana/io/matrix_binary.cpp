// Matrices of plain numbers: .npy and PLINK's .bin.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "yupana/core/tiles.hpp"
#include "yupana/io/matrix_formats.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr double float64_tolerance = 1e-9;
constexpr double float32_tolerance = 1e-6;
constexpr std::int64_t task_bytes = std::int64_t{1} << 22;

template <class S>
void swap_bytes(S* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    char* bytes = reinterpret_cast<char*>(values + i);
    std::reverse(bytes, bytes + sizeof(S));
  }
}

/// Rows of n values of type S from the byte `data` on.
struct Stored {
  const InputFile& file;
  std::int64_t data;
  std::int64_t n;
  bool swapped;

  template <class S>
  void read_row(std::int64_t i, S* row) const {
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(S));
    file.read_at(data + i * bytes, row, static_cast<std::size_t>(bytes));
    if (swapped) swap_bytes(row, n);
  }
};

/// body(i, row) for every row, in parallel.
template <class S, class Body>
void for_each_row(Context& context, const Stored& stored, const Body& body) {
  const std::int64_t row_bytes = std::max<std::int64_t>(1, stored.n * std::int64_t{sizeof(S)});
  const std::int64_t grain = std::max<std::int64_t>(1, task_bytes / row_bytes);
  context.parallel_for(stored.n, grain, [&](std::int64_t begin, std::int64_t end) {
    Array<S> row(stored.n);
    for (std::int64_t i = begin; i < end; ++i) {
      context.check_cancelled();
      stored.read_row(i, row.data());
      body(i, static_cast<const S*>(row.data()));
    }
  });
}

/// Reads values of S into a matrix of T, which holds them exactly.
template <class S, class T>
SquareMatrix<T> read_as(Context& context, const Stored& stored) {
  auto matrix = allocate_square<T>(context, stored.file.path(), stored.n);
  for_each_row<S>(context, stored, [&](std::int64_t i, const S* row) {
    std::transform(
        row, row + stored.n, matrix.row(i), [](S value) { return static_cast<T>(value); });
  });
  return matrix;
}

/// Integers wider than int32: int32 if all fit, double if all fit there exactly.
template <class S>
AnyMatrix read_wide(Context& context, const Stored& stored) {
  constexpr S int32_most = std::numeric_limits<std::int32_t>::max();
  constexpr double double_most = 9007199254740992.0;  // 2^53
  std::atomic<bool> narrow{true};
  std::atomic<bool> exact{true};
  for_each_row<S>(context, stored, [&](std::int64_t, const S* row) {
    const auto [low, high] = std::minmax_element(row, row + stored.n);
    if (*high > int32_most || (std::is_signed_v<S> && *low < S{0})) narrow = false;
    if (static_cast<double>(*high) > double_most) exact = false;
  });
  if (!exact) {
    throw bad_file(stored.file.path(),
                   "holds integers above 2^53, which no double holds; scale them down");
  }
  if (narrow) return read_as<S, std::int32_t>(context, stored);
  return read_as<S, double>(context, stored);
}

std::int64_t square_size(const InputFile& file, const NpyLayout& layout) {
  const auto& shape = layout.shape;
  if (shape.size() == 2 && shape[0] == shape[1]) return shape[0];
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : " x ") + fmt::to_string(extent);
  throw bad_file(file.path(),
                 fmt::format("holds an array of shape {}; wanted a square matrix{}",
                             text.empty() ? "()" : text,
                             shape.size() == 1 ? " (condensed? save squareform of it)" : ""));
}

void check_size(const InputFile& file, const NpyLayout& layout, std::int64_t n) {
  const double wanted = static_cast<double>(n) * static_cast<double>(n) * layout.width;
  const std::int64_t got = file.size() - layout.data;
  if (wanted == static_cast<double>(got)) return;
  throw bad_file(file.path(),
                 fmt::format("{}: {} x {} values take {:.0f} bytes and {} follow the header; copy "
                             "or save it again",
                             wanted > static_cast<double>(got) ? "cut short" : "too long",
                             n,
                             n,
                             wanted,
                             got));
}

AnyMatrix read_values(Context& context, const Stored& stored, const NpyLayout& layout) {
  const std::string_view path = stored.file.path();
  switch (layout.kind * 16 + layout.width) {
    case 'f' * 16 + 8:
      return read_as<double, double>(context, stored);
    case 'f' * 16 + 4:
      return read_as<float, float>(context, stored);
    case 'i' * 16 + 1:
      return read_as<std::int8_t, std::int32_t>(context, stored);
    case 'i' * 16 + 2:
      return read_as<std::int16_t, std::int32_t>(context, stored);
    case 'i' * 16 + 4:
      return read_as<std::int32_t, std::int32_t>(context, stored);
    case 'i' * 16 + 8:
      return read_wide<std::int64_t>(context, stored);
    case 'u' * 16 + 1:
      return read_as<std::uint8_t, std::int32_t>(context, stored);
    case 'u' * 16 + 2:
      return read_as<std::uint16_t, std::int32_t>(context, stored);
    case 'u' * 16 + 4:
      return read_wide<std::uint32_t>(context, stored);
    case 'u' * 16 + 8:
      return read_wide<std::uint64_t>(context, stored);
    default:
      throw bad_file(path,
                     fmt::format("holds values of NumPy type {}{}; wanted float32, float64 or an "
                                 "integer type (astype converts)",
                                 printable({&layout.kind, 1}),
                                 layout.width));
  }
}

/// One way to read `bytes` as PLINK's binary.
struct BinaryShape {
  std::int64_t n;
  int width;
  bool triangle;
};

/// The n for which f(n) = wanted, f growing; -1 if there is none. `guess` is within 2 of it.
template <class Function>
std::int64_t solve(double guess, std::int64_t wanted, const Function& f) {
  const auto near = static_cast<std::int64_t>(guess);
  for (std::int64_t n = std::max<std::int64_t>(1, near - 2); n <= near + 2; ++n) {
    if (f(n) == wanted) return n;
  }
  return -1;
}

std::vector<BinaryShape> binary_shapes(std::int64_t bytes) {
  std::vector<BinaryShape> shapes;
  for (const int width : {8, 4}) {
    if (bytes % width != 0) continue;
    const std::int64_t values = bytes / width;
    const double root = std::sqrt(static_cast<double>(values));
    const std::int64_t square = solve(root, values, [](std::int64_t n) { return n * n; });
    const std::int64_t triangle =
        solve(root * std::sqrt(2.0), values, [](std::int64_t n) { return n * (n - 1) / 2; });
    if (square > 0) shapes.push_back({square, width, false});
    if (triangle > 0) shapes.push_back({triangle, width, true});
  }
  return shapes;
}

BinaryShape binary_shape(const InputFile& file, const std::optional<ListedNames>& listed) {
  std::vector<BinaryShape> shapes = binary_shapes(file.size());
  if (listed) {
    const auto samples = static_cast<std::int64_t>(listed->names.size());
    std::erase_if(shapes, [&](const BinaryShape& shape) { return shape.n != samples; });
    if (shapes.size() == 1) return shapes[0];
    throw bad_file(file.path(),
                   fmt::format("{} bytes are no square or triangle of the {} samples in {}; copy "
                               "both again",
                               file.size(),
                               samples,
                               listed->path));
  }
  if (shapes.size() == 1) return shapes[0];
  throw bad_file(file.path(),
                 fmt::format("{} bytes {}; put its .id file beside it",
                             file.size(),
                             shapes.empty() ? "are no square or triangle of float64 or float32"
                                            : "can be read in several ways"));
}

template <class T>
SquareMatrix<T> read_triangle(Context& context, const InputFile& file, std::int64_t n) {
  auto matrix = allocate_square<T>(context, file.path(), n);
  const std::int64_t grain = std::max<std::int64_t>(1, task_bytes / (n * std::int64_t{sizeof(T)}));
  context.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      context.check_cancelled();
      const std::int64_t before = i * (i - 1) / 2 * std::int64_t{sizeof(T)};
      file.read_at(before, matrix.row(i), static_cast<std::size_t>(i) * sizeof(T));
      matrix(i, i) = T{0};
    }
  });
  return matrix;
}

template <class T>
RawMatrix read_binary(Context& context, const InputFile& file, const BinaryShape& shape) {
  RawMatrix raw;
  raw.tolerance = sizeof(T) == 8 ? float64_tolerance : float32_tolerance;
  if (shape.triangle) {
    raw.matrix.values = read_triangle<T>(context, file, shape.n);
    raw.lower_only = true;
  } else {
    raw.matrix.values = read_as<T, T>(context, {file, 0, shape.n, false});
    raw.may_be_square0 = true;
  }
  return raw;
}

}  // namespace

RawMatrix read_npy_matrix(Context& context, const InputFile& file) {
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
  file.read_at(0, head.data(), head.size());
  const NpyLayout layout = npy_layout(file.path(), head);
  const std::int64_t n = square_size(file, layout);
  check_size(file, layout, n);
  RawMatrix raw;
  raw.matrix.values = read_values(context, {file, layout.data, n, layout.swapped}, layout);
  raw.transposed = layout.fortran;
  if (layout.kind == 'f') raw.tolerance = layout.width == 8 ? float64_tolerance : float32_tolerance;
  return raw;
}

RawMatrix read_plink_binary(Context& context,
                            const InputFile& file,
                            const std::optional<ListedNames>& listed) {
  const BinaryShape shape = binary_shape(file, listed);
  return shape.width == 8 ? read_binary<double>(context, file, shape)
                          : read_binary<float>(context, file, shape);
}

}  // namespace yupana::io
