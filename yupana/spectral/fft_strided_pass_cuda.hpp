#pragma once

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: passes over columns of a power of two, as many at a time as fill lines.
namespace yupana::spectral::cuda {

/// Lengths of 2^log_length that such a pass takes.
inline constexpr int shortest_strided_pass = 7, longest_strided_pass = 10;

/// A pass as run_pass() takes it, of columns whose number is a multiple of 16 and that lie side by
/// side in memory where it writes, by sixteens. `passes`: how many the whole transform has; results
/// depend on it, and on nothing else but the values.
template <class T>
void run_strided_pass(const Pass<ComplexField<T>>& pass,
                      int log_length,
                      int passes,
                      cudaStream_t stream);

}  // namespace yupana::spectral::cuda
