#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
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

}  // namespace yupana::io
