#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/spectral/fields_cuda.cuh"

/// Only files of the CUDA build include this.
/// Private to the family: signals one after the other, each read once and written once.
namespace yupana::spectral::cuda {

/// Transforms of `count` signals of one length that lie one after the other.
template <class T>
struct SinglePass {
  using Element = typename ComplexField<T>::Element;
  const Element* in = nullptr;
  Element* out = nullptr;  ///< `in`, or apart from it
  std::int64_t count = 0;
  const Element* roots = nullptr;  ///< of the length, all
  bool inverse = false;            ///< scaled by `scale`
  T scale = 1;
};

/// Lengths of 2^log_length that a block with enough shared memory transforms in its registers.
inline constexpr int shortest_single_pass = 6;
template <class T>
inline constexpr int longest_single_pass = sizeof(T) == 4 ? 14 : 13;
/// Whether run_single_pass() takes the length on the current device.
template <class T>
bool single_pass_supports(int log_length);

/// Starts before earlier kernels of the stream end, and waits for them itself.
template <class T>
void run_single_pass(const SinglePass<T>& pass, int log_length, cudaStream_t stream);

}  // namespace yupana::spectral::cuda
