#pragma once

#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: the middle of a product by transforms.
namespace yupana::spectral::cuda {

/// Rows of 2^9, 2^12 or 2^13 values of both factors to rows of the product. In, enter and limit
/// are each factor's own, the rest is a's.
template <class F>
void multiply_rows(const Pass<F>& a, const Pass<F>& b, int log_length, cudaStream_t stream);
inline constexpr int short_row = 9, row = 12, long_row = 13;
/// long_row, or `row` where the current device's shared memory does not hold two long rows.
int longest_product_row();

}  // namespace yupana::spectral::cuda
