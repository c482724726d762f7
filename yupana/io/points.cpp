#include "yupana/io/points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "yupana/core/error.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/exact_double.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/points_text.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t head_bytes = 64 << 10;  // what npy_layout asks for

/// Rows and columns of a .npy of plain numbers whose file is as long as it says.
struct NpyShape {
  NumberType type;
  std::int64_t rows = 0;
  std::int64_t cols = 1;
};

NpyShape npy_shape(const InputFile& file, const NpyLayout& layout) {
  const NumberType type{layout.kind, layout.width};
  const bool whole = layout.kind == 'i' || layout.kind == 'u';
  const bool plain =
      whole ? layout.width == 1 || layout.width == 2 || layout.width == 4 || layout.width == 8
            : layout.kind == 'f' && (layout.width == 4 || layout.width == 8);
  if (!plain) {
    throw bad_file(file.path(),
                   fmt::format(".npy holds values of type {}; wanted integers, float32 or float64",
                               type.name()));
  }
  if (layout.shape.empty() || layout.shape.size() > 2) {
    throw bad_file(
        file.path(),
        fmt::format(".npy has {} dimensions; wanted points in rows: n x d", layout.shape.size()));
  }
  NpyShape shape{type, layout.shape[0], layout.shape.size() == 2 ? layout.shape[1] : 1};
  const std::int64_t bytes = file.size() - layout.data;
  const std::int64_t room = bytes / type.width;
  const bool fits = shape.cols == 0 || shape.rows <= room / shape.cols;
  if (!fits || shape.rows * shape.cols != room || bytes % type.width != 0) {
    throw bad_file(file.path(),
                   fmt::format(".npy announces {} x {} values of {} bytes, the file holds {} bytes "
                               "of them; copy it again",
                               shape.rows,
                               shape.cols,
                               type.width,
                               bytes));
  }
  return shape;
}

template <class T>
Matrix<T> allocate(const Context& context,
                   const std::string& path,
                   std::int64_t rows,
                   std::int64_t cols) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T);
  if (bytes > static_cast<double>(context.memory())) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("{}: its points take {:.1f} MiB and memory is limited to {:.1f} MiB; "
                            "give --memory more",
                            path,
                            bytes / (1 << 20),
                            static_cast<double>(context.memory()) / (1 << 20)));
  }
  return Matrix<T>(rows, cols);
}

template <class T, class Own>
Matrix<T> read_npy(Context& context,
                   const InputFile& file,
                   const NpyLayout& layout,
                   const NpyShape& shape) {
  Matrix<T> points = allocate<T>(context, file.path(), shape.rows, shape.cols);
  constexpr std::int64_t piece = std::int64_t{1} << 20;
  constexpr auto width = static_cast<std::int64_t>(sizeof(Own));
  Array<Own> values(std::min(piece, shape.rows * shape.cols));
  for (std::int64_t done = 0; done < shape.rows * shape.cols; done += piece) {
    context.check_cancelled();
    const std::int64_t count = std::min(piece, shape.rows * shape.cols - done);
    file.read_at(
        layout.data + done * width, values.data(), static_cast<std::size_t>(count * width));
    for (std::int64_t i = 0; i < count; ++i) {
      if (layout.swapped) {
        char* bytes = reinterpret_cast<char*>(values.data() + i);
        std::reverse(bytes, bytes + sizeof(Own));
      }
      const std::int64_t at = done + i;
      const std::int64_t to = layout.fortran ? at % shape.rows * shape.cols + at / shape.rows : at;
      points.data()[to] = exact_number<T>(file.path(), values[i], at);
    }
  }
  return points;
}

}  // namespace

Points read_points(Context& context, const PointsParams& params) {
  const InputFile file(params.path);
  Stage stage(context, "read " + params.path, static_cast<double>(file.size()), "bytes");
  std::string head(static_cast<std::size_t>(std::min(file.size(), head_bytes)), '\0');
  file.read_at(0, head.data(), head.size());
  if (!is_npy(head)) {
    Points points = read_points_text(context, params);
    stage.advance(static_cast<double>(file.size()));
    return points;
  }
  if (!params.columns.empty()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: columns are chosen of a text; a .npy is taken whole", params.path));
  }
  const NpyLayout layout = npy_layout(params.path, head);
  const NpyShape shape = npy_shape(file, layout);
  Points points = with_number_type(shape.type, [&](auto value) -> Points {
    using Own = decltype(value);
    using T = std::conditional_t<std::is_same_v<Own, float>, float, double>;
    return read_npy<T, Own>(context, file, layout, shape);
  });
  stage.advance(static_cast<double>(file.size()));
  return points;
}

}  // namespace yupana::io
