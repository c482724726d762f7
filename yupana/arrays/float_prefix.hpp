#pragma once

#include <cstdint>

#include "yupana/arrays/sums.hpp"

namespace yupana::arrays::cpu {

/// Running sums of floats in PrefixOrder, in the vectors of this processor. T: float, double.

/// sums[s] is the sum of slice s, for each whole slice of in[0, n).
template <class T>
void slice_sums(const T* in, std::int64_t n, T* sums);

/// The n values of a tile, or its first ones, after `before`; slices: slice_sums() of them.
template <class T>
void prefix_tile(
    const T* in, std::int64_t n, T before, const T* slices, T* out, PrefixParams params);

}  // namespace yupana::arrays::cpu
