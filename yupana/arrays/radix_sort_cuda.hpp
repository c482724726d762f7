#pragma once

#include <cstdint>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/workspace_cuda.hpp"

/// The radix path on the device: CUB's onesweep, which reads and writes a key once per 8 bits.
/// Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// Sorts unsigned keys of 4 or 8 bytes with values of 4 or 8 bytes (or none) in device memory,
/// stable.
template <class U, class V>
void radix_sort_unsigned(Workspace& space, cudaStream_t stream, Columns<U, V> data, std::int64_t n);

/// Signed keys into unsigned ones of the same order, and back.
void flip_signs(cudaStream_t stream, std::uint32_t* keys, std::int64_t n);
void flip_signs(cudaStream_t stream, std::uint64_t* keys, std::int64_t n);

/// Sorts floats in the order of Less, stable: their order-preserving numbers as keys, and the
/// floats as their values.
void radix_sort_floats(Workspace& space, cudaStream_t stream, float* keys, std::int64_t n);
void radix_sort_floats(Workspace& space, cudaStream_t stream, double* keys, std::int64_t n);

}  // namespace yupana::arrays::cuda
