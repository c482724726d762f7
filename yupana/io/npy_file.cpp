#include "yupana/io/npy_file.hpp"

#include <fmt/ranges.h>

#include "yupana/core/counted.hpp"

namespace yupana::io {

NpyFile::NpyFile(const InputFile& file, const NpyKinds& kinds)
    : file_(file), layout_(npy_layout(file)) {
  check_type(kinds);
  check_shape(kinds);
  check_size();
}

NumberType NpyFile::type() const {
  if (is_complex()) return {'f', layout_.width / 2};
  return {layout_.kind == 'b' ? 'u' : layout_.kind, layout_.width};
}

void NpyFile::check_type(const NpyKinds& kinds) const {
  const int width = layout_.width;
  const bool is_power = width == 1 || width == 2 || width == 4 || width == 8;
  const bool known = (is_power && (layout_.kind == 'i' || layout_.kind == 'u')) ||
                     (layout_.kind == 'f' && (width == 4 || width == 8)) ||
                     (layout_.kind == 'f' && width == 2 && kinds.with_half) ||
                     (layout_.kind == 'b' && width == 1 && kinds.with_bool) ||
                     (layout_.kind == 'c' && width >= 8 && kinds.with_complex);
  if (known) return;
  throw file_.fault(
      "expected integers, {}float32{} or {}{}, got values of NumPy type {}{}; convert "
      "them with astype",
      kinds.with_half ? "float16, " : "",
      kinds.with_complex ? ", float64, complex64" : "",
      kinds.with_complex ? "complex128" : "float64",
      kinds.with_bool ? " or bool" : "",
      layout_.kind,
      width);
}

void NpyFile::check_shape(const NpyKinds& kinds) const {
  const std::size_t dimensions = layout_.shape.size();
  const bool fits = dimensions >= kinds.min_dimensions && dimensions <= kinds.max_dimensions &&
                    (!kinds.is_column || dimensions < 2 || layout_.shape[1] == 1);
  if (fits) return;
  throw file_.fault("expected {}, got an array of {}",
                    kinds.shape,
                    counted(static_cast<std::int64_t>(dimensions), "dimension"));
}

void NpyFile::check_size() const {
  const std::int64_t bytes = file_.size() - layout_.data;
  __int128 expected = layout_.width;
  for (const std::int64_t extent : layout_.shape) {
    expected = std::min(expected * extent, static_cast<__int128>(1) << 63);
  }
  if (expected == bytes) return;
  throw file_.fault("expected {} values of {} bytes after the header, got {} bytes; copy it again",
                    fmt::join(layout_.shape, " x "),
                    layout_.width,
                    bytes);
}

template <class T>
void NpyFile::read_rows(Context& context, T* to) const {
  const std::int64_t parts = is_complex() ? 2 : 1, rows = this->rows(), cols = this->cols();
  if (!layout_.fortran || cols == 1) {
    constexpr std::int64_t piece = 1 << 20;
    for (std::int64_t done = 0; done < count(); done += piece) {
      context.check_cancelled();
      read_as(done, std::min(piece, count() - done), to + done);
    }
    return;
  }
  // Some columns of some rows at a time: their lines stay in the cache until they are full.
  constexpr std::int64_t tile_cols = 16, tile_rows = 4096;
  Array<T> tile(tile_cols * tile_rows * parts);
  for (std::int64_t row = 0; row < rows; row += tile_rows) {
    const std::int64_t height = std::min(tile_rows, rows - row);
    for (std::int64_t col = 0; col < cols; col += tile_cols) {
      context.check_cancelled();
      const std::int64_t width = std::min(tile_cols, cols - col);
      for (std::int64_t c = 0; c < width; ++c) {
        read_as(((col + c) * rows + row) * parts, height * parts, tile.data() + c * height * parts);
      }
      for (std::int64_t r = 0; r < height; ++r) {
        for (std::int64_t c = 0; c < width; ++c) {
          std::copy_n(tile.data() + (c * height + r) * parts,
                      parts,
                      to + ((row + r) * cols + col + c) * parts);
        }
      }
    }
  }
}

template void NpyFile::read_rows(Context&, float*) const;
template void NpyFile::read_rows(Context&, double*) const;

}  // namespace yupana::io
