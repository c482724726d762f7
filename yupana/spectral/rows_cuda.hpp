#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/spectral/fields_cuda.cuh"

/// Only files of the CUDA build include this.
/// Private to the family: signals one after the other, each read once and written once.
namespace yupana::spectral::cuda {

/// Transforms of `count` signals of one length that lie one after the other.
template <class T>
struct RowsPass {
  using Element = typename ComplexField<T>::Element;
  const Element* in = nullptr;
  Element* out = nullptr;  ///< `in`, or apart from it
  std::int64_t count = 0;
  const Element* roots = nullptr;  ///< of the length, all
  bool inverse = false;            ///< scaled by `scale`
  T scale = 1;
};

/// Lengths of 2^log_length that a block transforms in its registers.
inline constexpr int shortest_rows = 6;
template <class T>
inline constexpr int longest_rows = sizeof(T) == 4 ? 14 : 13;

/// Starts before earlier kernels of the stream end, and waits for them itself.
template <class T>
void run_rows(const RowsPass<T>& pass, int log_length, cudaStream_t stream);

}  // namespace yupana::spectral::cuda
