#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// What the header of a NumPy .npy file says.
struct NpyLayout {
  char kind = 'f';       ///< NumPy's letter: f, i, u, c, b, ...
  int width = 8;         ///< bytes a value
  bool swapped = false;  ///< big endian
  bool fortran = false;  ///< first index fastest
  std::vector<std::int64_t> shape;
  std::int64_t data = 0;  ///< byte where the values begin
};

/// True if the bytes begin as a .npy file.
bool is_npy(std::string_view bytes);
bool is_npy(const InputFile& file);

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

}  // namespace yupana::io
