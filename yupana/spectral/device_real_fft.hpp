#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/twiddles_cuda.hpp"

/// Only for CUDA builds: as device_fft.hpp.
namespace yupana::spectral::cuda {

/// Transforms of up to `batch` real signals of length n and back. Even n: a complex transform of
/// n/2 values, the even and odd ones as real and imaginary parts, and one pass more; odd n: a
/// complex transform of n.
template <class T>
class DeviceRealFft {
 public:
  DeviceRealFft(std::int64_t n, std::int64_t batch);
  /// Device bytes of such an object, without tables of roots.
  static std::uint64_t bytes(std::int64_t n, std::int64_t batch);
  /// out: n/2 + 1 values a signal; apart from `in`, which is aligned as complex numbers are.
  void forward(const T* in, std::complex<T>* out, std::int64_t batch, cudaStream_t stream);
  void inverse(const std::complex<T>* in, T* out, std::int64_t batch, cudaStream_t stream);

 private:
  std::int64_t n_;
  DeviceFft<T> fft_;
  Twiddles<ComplexField<T>> roots_;  ///< of order n
  yupana::cuda::DeviceArray<std::complex<T>> work_;
};

/// Transforms of the columns of a rows x cols matrix, in place.
template <class T>
class DeviceColumnFft {
 public:
  DeviceColumnFft(std::int64_t rows, std::int64_t cols);
  /// Device bytes of such an object, without tables of roots.
  static std::uint64_t bytes(std::int64_t rows, std::int64_t cols);
  void run(std::complex<T>* values, Direction direction, cudaStream_t stream);

 private:
  std::int64_t rows_, cols_;
  DeviceFft<T> fft_;
  yupana::cuda::DeviceArray<std::complex<T>>
      turned_;  ///< the transpose, where one pass does not do
};

}  // namespace yupana::spectral::cuda
