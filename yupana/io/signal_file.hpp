#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {

/// Real or complex numbers of a vector or a matrix in C order, complex ones as real and imaginary
/// part in turn.
template <class T>
struct SignalArray {
  Array<T> numbers;
  bool complex = false;
  bool matrix = false;
  std::int64_t rows = 1;  ///< 1 for a vector
  std::int64_t cols = 0;

  std::int64_t count() const { return rows * cols; }
};

/// A whole file of signals. By content: .npy of one or two dimensions (either order; integers,
/// float16, bfloat16, float32, float64, complex64, complex128), or text, one number a line, or two:
/// real and imaginary part; lines that begin with # and blank ones at the end are passed over.
///   errors (bad_input), naming the file and the line or what is wrong with it: integers that no
///   double equals among them
class SignalFile {
 public:
  explicit SignalFile(std::string path);
  /// float32, complex64 or two-byte floats: worked on in single precision.
  bool single() const { return npy_ && npy_->is_single(); }
  /// Extents of a .npy, without its numbers; a text does not say.
  struct Shape {
    bool complex = false;
    bool matrix = false;
    bool fortran = false;
    std::int64_t rows = 1;
    std::int64_t cols = 0;
  };
  std::optional<Shape> shape() const;
  /// Bytes that read<T> holds; 0 for a text.
  template <class T>
  std::uint64_t read_bytes() const {
    return npy_ ? npy_->count() * sizeof(T) : 0;
  }
  /// The numbers, of T. A text that exceeds the context's memory: out_of_resources, with the bytes
  /// that reading it takes, or what `work` says of its extents where that is more.
  template <class T>
  SignalArray<T> read(Context& context,
                      const std::function<std::uint64_t(const Shape&)>& work = {}) const;

 private:
  InputFile file_;
  std::optional<NpyFile> npy_;
};

/// Throws usage for a matrix that is to go to a text, which holds one signal.
void check_signals_fit(const std::string& path, bool matrix);

/// .npy if the name ends so, else text; the signals fit.
template <class T>
void write_signals(Context& context, AtomicFile& file, const SignalArray<T>& signals);

}  // namespace yupana::io
