#pragma once

#include <fmt/core.h>

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/sparse/arithmetic.hpp"

namespace yupana::sparse {

/// Numbers of x that are infinite or NaN.
struct NotFinite {
  std::int64_t count = 0;
  std::int64_t first_row = 0;  ///< of the first of them, from 1; 0: there are none
};

/// Counts them, and notes how many there are, if any. A number is `parts` neighbours of a row: 2
/// where x is real and imaginary parts in turn.
template <class V>
NotFinite note_not_finite(Context& context, MatrixView<const V> x, std::int64_t parts = 1) {
  NotFinite found;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t column = 0; column < x.cols; column += parts) {
      if (is_finite(x(i, column)) && is_finite(x(i, column + parts - 1))) continue;
      if (found.count++ == 0) found.first_row = i + 1;
    }
  }
  if (found.count > 0) {
    context.note(fmt::format(
        "trisolve: {} of {} numbers of x are infinite or NaN, the first in row {} (from 1)",
        found.count,
        x.rows * x.cols / parts,
        found.first_row));
  }
  return found;
}

}  // namespace yupana::sparse
