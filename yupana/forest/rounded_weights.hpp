#pragma once

#include <cmath>
#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/forest/problem.hpp"

namespace yupana::forest {

/// Notes that weights lost digits: they are counted in units of 2^-40 of their sum, one at least.
inline void note_rounded_weights(Context& context,
                                 std::int64_t rows,
                                 const Target& target,
                                 const Problem& problem) {
  for (std::int64_t i = 0; i < problem.weights.size() && i < rows; ++i) {
    const double weight = target.weights[i];
    const double kept = static_cast<double>(problem.weights[i]) * problem.weight_unit;
    if (std::fabs(kept - weight) <= weight / 1000) continue;
    context.note(
        "weights are rounded to 2^-40 of their sum, and the least by more than a thousandth of "
        "their own; give weights of fewer magnitudes");
    return;
  }
}

}  // namespace yupana::forest
