#pragma once

#include <cstdint>

#include "yupana/graph/min_plus.hpp"

/// Private to the family: the recursion of the symmetric closure.
namespace yupana::graph::cpu {

/// Where a recursion cuts n vertices: about half, whole leaves on the first side.
std::int64_t halfway(std::int64_t n);

/// Closes the upper triangle; what lies below the diagonal is neither read nor written.
template <class T>
void close_symmetric(MinPlus<T>& min_plus, MatrixView<T> w);

}  // namespace yupana::graph::cpu
