#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::io {

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
