#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Private to the family: the passes over memory of transforms of 2^n values. Only files of the
/// CUDA build include this.
namespace yupana::spectral::cuda {

/// Transforms of `count` signals of one length that lie one after the other, each read once and
/// written once.
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

/// One of the two passes of a long transform of floats, over `tiles` tiles of four columns.
struct TwoPass {
  const float2* in = nullptr;  ///< aligned to 16 bytes
  float2* out = nullptr;
  const float2* roots = nullptr;         ///< of the length, all
  RootPair<float2> inter_pass_twiddles;  ///< of the whole transform
  std::int64_t tiles = 0;
  int log_others = 0;    ///< log2 of the other pass's length
  bool inverse = false;  ///< parts are exchanged on the way in and, times scale, on the way out
  float scale = 1;
};

/// Whether transforms of 2^log values go this way on the current device.
bool two_pass_supports(int log);

/// Signals of 2^(log_first + log_second) values, each 10 to 12. What the first pass writes, the
/// second reads; only they know its order.
void run_two_pass(const TwoPass& first,
                  const TwoPass& second,
                  int log_first,
                  int log_second,
                  cudaStream_t stream);

/// Transforms of 2^24 floats as two passes over columns of 2^12 values.
struct TwoPassRadix64Transform {
  const float2* roots = nullptr;         ///< of 2^12, all
  RootPair<float2> inter_pass_twiddles;  ///< of 2^24
  float2* work = nullptr;                ///< as much as the signals
};

/// Whether transforms of 2^log values go this way on the current device.
bool two_pass_radix64_supports(int log);

/// `count` signals, one after the other; `in` begins at a multiple of 16 bytes and may be `out`.
void run_two_pass_radix64(const TwoPassRadix64Transform& transform,
                          const float2* in,
                          float2* out,
                          std::int64_t count,
                          bool inverse,
                          cudaStream_t stream);

/// Lengths of 2^log_length that a pass over columns takes, as many at a time as fill lines.
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
