#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// A float16 of a file.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    double size = std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 0) size = std::ldexp(fraction, -24);
    if (exponent == 31) size = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -size : size;
  }
};

/// A bfloat16 of a file: the upper half of a float32.
struct Bfloat16 {
  std::uint16_t bits;

  explicit operator double() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
};

/// What the header of a NumPy .npy file says.
struct NpyLayout {
  char kind = 'f';       ///< NumPy's letter: f, i, u, c, b, ...; E: bfloat16
  int width = 8;         ///< bytes a value
  bool swapped = false;  ///< big endian
  bool fortran = false;  ///< first index fastest
  std::vector<std::int64_t> shape;
  std::int64_t data = 0;  ///< byte where the values begin
};

/// True if the bytes begin as a .npy file.
bool is_npy(std::string_view bytes);
bool is_npy(const InputFile& file);

/// The header of a .npy file as it is in the file: a dictionary of Python.
struct NpyHeader {
  int version = 1;
  std::string_view text;
  std::int64_t data = 0;  ///< byte where the values begin

  /// The text after 'key':, as the whole rest of the dictionary.
  std::string_view after(std::string_view path, std::string_view key) const;
};

/// Finds the header in the first bytes of a file. Throws bad_input, naming `path`, where it is cut
/// short or of another version than 1 to 3.
NpyHeader npy_header(std::string_view path, std::string_view bytes);
/// The sizes of its array, and whether the first index is the fastest.
std::vector<std::int64_t> shape_of(std::string_view path, const NpyHeader& header);
bool is_fortran(std::string_view path, const NpyHeader& header);

/// Reads the header at the beginning of a file of `bytes` (its first 64 KiB are enough). Throws
/// bad_input, naming `path`, for a header that is cut short or says something NumPy never writes.
NpyLayout npy_layout(std::string_view path, std::string_view bytes);
NpyLayout npy_layout(const InputFile& file);

/// Header of a C-order matrix, padded so that the values begin at a multiple of 64.
std::string npy_preamble(std::string_view description, std::int64_t rows, std::int64_t cols);
/// Whether an output of this name is written as .npy, however its ending is spelled.
bool is_npy_name(std::string_view path);

/// Header of an int8 matrix in Fortran order. Every count takes the same 128 bytes, so that it can
/// be written last.
std::string npy_genotypes_preamble(std::int64_t rows, std::int64_t cols);

/// Header of a vector. Every count takes the same 128 bytes, so that it can be written last.
std::string npy_preamble(std::string_view description, std::int64_t count);

/// A plain number type as NumPy writes it: letter f, i or u and bytes.
struct NumberType {
  char kind = 'f';
  int width = 8;

  bool operator==(const NumberType&) const = default;
  std::string name() const { return std::string(1, kind) + std::to_string(width); }
};

template <class T>
constexpr NumberType number_type() {
  return {std::is_floating_point_v<T> ? 'f' : (std::is_signed_v<T> ? 'i' : 'u'),
          static_cast<int>(sizeof(T))};
}

/// Calls body with a value of the type.
template <class Body>
auto with_number_type(NumberType type, const Body& body) {
  if (type.kind == 'f') return type.width == 4 ? body(float{}) : body(double{});
  const bool is_signed = type.kind == 'i';
  switch (type.width) {
    case 1:
      return is_signed ? body(std::int8_t{}) : body(std::uint8_t{});
    case 2:
      return is_signed ? body(std::int16_t{}) : body(std::uint16_t{});
    case 4:
      return is_signed ? body(std::int32_t{}) : body(std::uint32_t{});
    default:
      return is_signed ? body(std::int64_t{}) : body(std::uint64_t{});
  }
}

/// Two-byte floats, which are read only: to be float32.
inline constexpr NumberType half_type{'f', 2}, bfloat16_type{'E', 2};

/// The same for the types of files.
template <class Body>
auto with_file_type(NumberType type, const Body& body) {
  if (type == half_type) return body(Half{});
  if (type == bfloat16_type) return body(Bfloat16{});
  return with_number_type(type, body);
}

/// The arrays that a reader of .npy files takes: of any integer type, float32, float64 and those
/// named here.
struct NpyKinds {
  std::string_view shape;  ///< in words
  std::size_t min_dimensions = 2;
  std::size_t max_dimensions = 2;
  bool is_column = false;     ///< a second dimension is 1
  bool with_complex = false;  ///< complex64 and complex128
  bool with_bool = false;
  bool with_half = false;  ///< float16 and bfloat16
};

/// The numbers of a .npy file, read at any place, from several threads. A complex value is two
/// numbers; where an array has one dimension, its columns are 1.
class NpyFile {
 public:
  /// errors (bad_input): a header that cannot be read, another type or shape, a file whose size is
  /// not the header's. `file` must outlive this.
  NpyFile(const InputFile& file, const NpyKinds& kinds);

  const NpyLayout& layout() const { return layout_; }
  bool is_complex() const { return layout_.kind == 'c'; }
  /// Of the numbers; bool: u1.
  NumberType type() const;
  /// Whether float32 holds the numbers: those of float32, complex64, float16 and bfloat16.
  bool is_single() const;
  std::int64_t rows() const { return layout_.shape.empty() ? 1 : layout_.shape[0]; }
  std::int64_t cols() const { return layout_.shape.size() == 2 ? layout_.shape[1] : 1; }
  std::int64_t count() const { return rows() * cols() * (is_complex() ? 2 : 1); }

  /// Numbers [first, first + count) in the file's order and type.
  template <class Own>
  void read(std::int64_t first, std::int64_t count, Own* to) const {
    constexpr auto width = static_cast<std::int64_t>(sizeof(Own));
    file_.read_at(layout_.data + first * width, to, count * width);
    if (!layout_.swapped || width == 1) return;
    char* const bytes = reinterpret_cast<char*>(to);
    for (std::int64_t i = 0; i < count; ++i)
      std::reverse(bytes + i * width, bytes + (i + 1) * width);
  }

  /// The same as T. errors: bad_input for an integer that no double equals where T is one.
  template <class T>
  void read_as(std::int64_t first, std::int64_t count, T* to) const {
    with_file_type(type(), [&](auto zero) {
      using Own = decltype(zero);
      if constexpr (std::is_same_v<T, Own>) return read(first, count, to);
      constexpr std::int64_t piece = 1 << 16;
      Array<Own> own(std::min(piece, count));
      for (std::int64_t done = 0; done < count; done += piece) {
        const std::int64_t n = std::min(piece, count - done);
        read(first + done, n, own.data());
        for (std::int64_t i = 0; i < n; ++i) {
          if constexpr (std::is_arithmetic_v<Own>) {
            to[done + i] = exact_number<T>(file_.path(), own[i], first + done + i);
          } else {
            to[done + i] = static_cast<T>(static_cast<double>(own[i]));
          }
        }
      }
    });
  }

  /// All numbers row after row, whatever the file's order.
  template <class T>
  void read_rows(Context& context, T* to) const;

 private:
  void check_type(const NpyKinds& kinds) const;
  void check_shape(const NpyKinds& kinds) const;
  void check_size() const;

  const InputFile& file_;
  NpyLayout layout_;
};

}  // namespace yupana::io
