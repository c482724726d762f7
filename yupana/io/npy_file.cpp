#include "yupana/io/npy_file.hpp"

#include <fmt/core.h>

#include <charconv>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

/// How an array of another type is saved as one of numbers.
std::string advice(std::string_view type) {
  const bool is_time = type.size() > 1 && (type[1] == 'M' || type[1] == 'm');
  if (is_time) return "save dates and times as numbers of their unit, by x.astype('int64')";
  if (type.empty()) {
    return "save one field of the records, x['NAME'], or, as rows and columns, "
           "numpy.lib.recfunctions.structured_to_unstructured(x)";
  }
  return "convert them with astype, as x.astype('float64')";
}

void read_description(std::string_view path, std::string_view text, NpyLayout& layout) {
  const std::size_t close = text.size() > 1 && text[0] == '\'' ? text.find('\'', 1) : 0;
  const std::string_view word =
      close == 0 || close == std::string_view::npos ? "" : text.substr(1, close - 1);
  if (word == "<V2") {  // ml_dtypes' one type of two bytes; two plain bytes are |V2
    layout.kind = bfloat16_type.kind;
    layout.width = bfloat16_type.width;
    return;
  }
  const bool wide = word.size() == 4 && word.substr(1) == "c16";
  const bool ordered =
      (word.size() == 3 || wide) && std::string_view("<>|=").find(word[0]) != word.npos;
  // A letter: messages show it unescaped.
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!ordered || !is_letter(word[1]) || word[2] < '1' || word[2] > '8') {
    throw bad_file(path,
                   ".npy holds values of type {}; expected plain floats or integers; {}",
                   printable(word.empty() ? text : word),
                   advice(word));
  }
  layout.swapped = word[0] == '>';
  layout.kind = word[1];
  layout.width = wide ? 16 : word[2] - '0';
}

/// The dictionary as a header of a multiple of 64 bytes, at least `least`.
std::string preamble(std::string text, std::size_t least) {
  constexpr std::size_t before = 10;  // signature, version, length
  const std::size_t whole = std::max(least, (before + text.size() + 1 + 63) / 64 * 64);
  text.resize(whole - before - 1, ' ');
  text += '\n';
  std::string bytes(npy_magic);
  bytes += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(npy_magic); }
bool is_npy(const InputFile& file) { return is_npy(head_of(file, npy_magic.size())); }

std::string_view NpyHeader::after(std::string_view path, std::string_view key) const {
  const std::size_t at = text.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) {
    throw bad_file(path, ".npy header has no '{}'; save it again with numpy.save", key);
  }
  std::string_view rest = text.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

NpyHeader npy_header(std::string_view path, std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i] & 0xff); };
  const Error cut = bad_file(path, ".npy header is cut short; copy the file again");
  if (!is_npy(bytes)) throw bad_file(path, "not a .npy file (no NumPy signature)");
  if (bytes.size() < 12) throw cut;
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw bad_file(path, ".npy format version {}; this reads 1 to 3", version);
  }
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) + (byte(9) << 8);
  if (version > 1) length += (byte(10) << 16) + (byte(11) << 24);
  if (length > bytes.size() - start) throw cut;
  return {static_cast<int>(version),
          bytes.substr(start, length),
          static_cast<std::int64_t>(start + length)};
}

std::vector<std::int64_t> shape_of(std::string_view path, const NpyHeader& header) {
  std::string_view text = header.after(path, "shape");
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) {
    throw bad_file(path, ".npy header has no shape in brackets; save it again with numpy.save");
  }
  text = text.substr(1, close - 1);
  std::vector<std::int64_t> shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    std::int64_t extent = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent < 0 || shape.size() == 32) {
      throw bad_file(path, ".npy header has a shape that is no list of sizes");
    }
    shape.push_back(extent);
    text.remove_prefix(end - text.data());
  }
}

bool is_fortran(std::string_view path, const NpyHeader& header) {
  const std::string_view order = header.after(path, "fortran_order");
  if (order.starts_with("True")) return true;
  if (order.starts_with("False")) return false;
  throw bad_file(path, ".npy header has a fortran_order that is neither True nor False");
}

NpyLayout npy_layout(std::string_view path, std::string_view bytes) {
  const NpyHeader header = npy_header(path, bytes);
  NpyLayout layout;
  read_description(path, header.after(path, "descr"), layout);
  layout.fortran = is_fortran(path, header);
  layout.shape = shape_of(path, header);
  layout.data = header.data;
  return layout;
}

NpyLayout npy_layout(const InputFile& file) {
  return npy_layout(file.path(), head_of(file, 1 << 16));
}

std::string npy_preamble(std::string_view description, std::int64_t rows, std::int64_t cols) {
  return preamble(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                              description,
                              rows,
                              cols),
                  0);
}

bool is_npy_name(std::string_view path) { return lower_case(path).ends_with(".npy"); }

std::string npy_genotypes_preamble(std::int64_t rows, std::int64_t cols) {
  return preamble(
      fmt::format("{{'descr': '|i1', 'fortran_order': True, 'shape': ({}, {}), }}", rows, cols),
      128);
}

std::string npy_preamble(std::string_view description, std::int64_t count) {
  return preamble(
      fmt::format(
          "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", description, count),
      128);
}

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

bool NpyFile::is_single() const {
  return type() == number_type<float>() || type() == half_type || type() == bfloat16_type;
}

void NpyFile::check_type(const NpyKinds& kinds) const {
  const int width = layout_.width;
  const bool is_bfloat16 = layout_.kind == bfloat16_type.kind;
  const bool is_power = width == 1 || width == 2 || width == 4 || width == 8;
  const bool known = (is_power && (layout_.kind == 'i' || layout_.kind == 'u')) ||
                     (layout_.kind == 'f' && (width == 4 || width == 8)) ||
                     (width == 2 && (layout_.kind == 'f' || is_bfloat16) && kinds.with_half) ||
                     (layout_.kind == 'b' && width == 1 && kinds.with_bool) ||
                     (layout_.kind == 'c' && width >= 8 && kinds.with_complex);
  if (known) return;
  std::string types = "integers";
  if (kinds.with_half) types += ", float16, bfloat16";
  types += ", float32, float64";
  if (kinds.with_complex) types += ", complex64, complex128";
  if (kinds.with_bool) types += ", bool";
  types.replace(types.rfind(','), 1, " or");
  throw file_.fault("expected {}, got values of {}; convert them with astype",
                    types,
                    is_bfloat16 ? "ml_dtypes' type bfloat16"
                                : fmt::format("NumPy type {}{}", layout_.kind, width));
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
                    joined(layout_.shape, " x "),
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
