// Matrices of plain numbers: .npy and PLINK's .bin.

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/matrix_layout.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

constexpr double float64_tolerance = 1e-9;
constexpr double float32_tolerance = 1e-6;
constexpr std::int64_t task_bytes = std::int64_t{1} << 22;

/// body(i, row) for every row of n values of S, in parallel; read(i, row) fills a row.
template <class S, class Read, class Body>
void for_each_row(Context& context, std::int64_t n, const Read& read, const Body& body) {
  const std::int64_t row_bytes = std::max<std::int64_t>(1, n * std::int64_t{sizeof(S)});
  const std::int64_t grain = std::max<std::int64_t>(1, task_bytes / row_bytes);
  context.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    Array<S> row(n);
    for (std::int64_t i = begin; i < end; ++i) {
      context.check_cancelled();
      read(i, row.data());
      body(i, static_cast<const S*>(row.data()));
    }
  });
}

/// Values of S as a matrix of T, which holds them exactly.
template <class S, class T, class Read>
SquareMatrix<T> read_as(Context& context,
                        const std::string& path,
                        std::int64_t n,
                        const MatrixCheck& check,
                        const Read& read) {
  auto matrix = allocate_square<T>(context, path, n, check);
  for_each_row<S>(context, n, read, [&](std::int64_t i, const S* row) {
    std::transform(row, row + n, matrix.row(i), [](S value) { return static_cast<T>(value); });
  });
  return matrix;
}

/// Integers wider than int32: int32 if all fit, double if all fit there exactly.
template <class S, class Read>
AnyMatrix read_wide(Context& context,
                    const std::string& path,
                    std::int64_t n,
                    const MatrixCheck& check,
                    const Read& read) {
  constexpr S max_int32 = std::numeric_limits<std::int32_t>::max();
  std::atomic<bool> narrow{true};
  std::atomic<bool> exact{true};
  for_each_row<S>(context, n, read, [&](std::int64_t, const S* row) {
    const auto [low, high] = std::minmax_element(row, row + n);
    if (*high > max_int32 || (std::is_signed_v<S> && *low < S{0})) narrow = false;
    if (static_cast<double>(*high) > 0x1p53) exact = false;
  });
  if (!exact) {
    throw bad_file(path, "holds integers above 2^53, which no double holds; scale them down");
  }
  if (narrow) return read_as<S, std::int32_t>(context, path, n, check, read);
  return read_as<S, double>(context, path, n, check, read);
}

/// The type that holds every value of an array of S; void: their size decides.
template <class S>
using Held = std::conditional_t<
    std::is_floating_point_v<S>,
    S,
    std::conditional_t<(sizeof(S) < 4 || std::is_same_v<S, std::int32_t>), std::int32_t, void>>;

std::int64_t square_size(const InputFile& file, const NpyFile& npy) {
  const auto& shape = npy.layout().shape;
  if (shape.size() == 2 && shape[0] == shape[1]) return shape[0];
  throw file.fault("expected a square matrix, got an array of shape ({}){}",
                   joined(shape, " x "),
                   shape.size() == 1 ? " (condensed? save squareform of it)" : "");
}

/// One way to read `bytes` as PLINK's binary.
struct BinaryShape {
  std::int64_t n;
  int width;
  bool triangle;
};

/// The n with f(n) = value, f growing; -1 if there is none. `guess` is within 2 of it.
template <class Function>
std::int64_t solve(double guess, std::int64_t value, const Function& f) {
  const auto near = static_cast<std::int64_t>(guess);
  for (std::int64_t n = std::max<std::int64_t>(1, near - 2); n <= near + 2; ++n) {
    if (f(n) == value) return n;
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
    throw file.fault("{} bytes are no square or triangle of the {} samples in {}; copy both again",
                     file.size(),
                     samples,
                     listed->path);
  }
  if (shapes.size() == 1) return shapes[0];
  throw file.fault("{} bytes {}; put its .id file next to it",
                   file.size(),
                   shapes.empty() ? "are no square or triangle of float64 or float32"
                                  : "can be read in several ways");
}

template <class T>
SquareMatrix<T> read_triangle(Context& context,
                              const InputFile& file,
                              std::int64_t n,
                              const MatrixCheck& check) {
  auto matrix = allocate_square<T>(context, file.path(), n, check);
  const std::int64_t grain = std::max<std::int64_t>(1, task_bytes / (n * std::int64_t{sizeof(T)}));
  context.parallel_for(n, grain, [&](std::int64_t i) {
    context.check_cancelled();
    const std::int64_t before = i * (i - 1) / 2 * std::int64_t{sizeof(T)};
    file.read_at(before, matrix.row(i), static_cast<std::size_t>(i) * sizeof(T));
    matrix(i, i) = T{0};
  });
  return matrix;
}

template <class T>
RawMatrix read_binary(Context& context,
                      const InputFile& file,
                      const BinaryShape& shape,
                      const MatrixCheck& check) {
  RawMatrix raw;
  raw.tolerance = sizeof(T) == 8 ? float64_tolerance : float32_tolerance;
  if (shape.triangle) {
    raw.matrix.values = read_triangle<T>(context, file, shape.n, check);
    raw.lower_only = true;
  } else {
    const std::int64_t bytes = shape.n * std::int64_t{sizeof(T)};
    const auto read = [&](std::int64_t i, T* row) { file.read_at(i * bytes, row, bytes); };
    raw.matrix.values = read_as<T, T>(context, file.path(), shape.n, check, read);
    raw.may_be_square0 = true;
  }
  return raw;
}

}  // namespace

RawMatrix read_npy_matrix(Context& context, const InputFile& file, const MatrixCheck& check) {
  const NpyFile npy(file, {.shape = "a square matrix", .min_dimensions = 0, .max_dimensions = 32});
  const std::int64_t n = square_size(file, npy);
  RawMatrix raw;
  with_number_type(npy.type(), [&](auto zero) {
    using S = decltype(zero);
    const auto read = [&](std::int64_t i, S* row) { npy.read(i * n, n, row); };
    if constexpr (std::is_void_v<Held<S>>) {
      raw.matrix.values = read_wide<S>(context, file.path(), n, check, read);
    } else {
      raw.matrix.values = read_as<S, Held<S>>(context, file.path(), n, check, read);
    }
  });
  raw.transposed = npy.layout().fortran;
  if (npy.type().kind == 'f') {
    raw.tolerance = npy.type().width == 8 ? float64_tolerance : float32_tolerance;
  }
  return raw;
}

RawMatrix read_plink_binary(Context& context,
                            const InputFile& file,
                            const std::optional<ListedNames>& listed,
                            const MatrixCheck& check) {
  const BinaryShape shape = binary_shape(file, listed);
  return shape.width == 8 ? read_binary<double>(context, file, shape, check)
                          : read_binary<float>(context, file, shape, check);
}

}  // namespace yupana::io
