#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Whether a length says "no path": +inf, and for integers half of the largest value or more, the
/// sentinel that two path lengths can be added to without overflow.
template <class T>
constexpr bool is_unreachable(T length) {
  if constexpr (std::is_floating_point_v<T>) {
    return length == std::numeric_limits<T>::infinity();
  } else {
    return length >= std::numeric_limits<T>::max() / 2;
  }
}

enum class Unreachable { allowed, refused };

/// Throws bad_input where the matrix is not square, has a NaN or a negative entry, or, if refused,
/// an unreachable pair, named by row and column. One parallel pass over the matrix; `function` is
/// named in the message.
template <class T>
void check_distances(Context& context,
                     MatrixView<const T> distances,
                     std::string_view function,
                     Unreachable unreachable);
/// The same of the distances of pairs, which may be unreachable.
void check_pairs(Context& context, std::span<const double> distances, std::string_view function);

}  // namespace yupana::analysis
