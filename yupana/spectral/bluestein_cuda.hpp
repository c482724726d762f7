#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_fft.hpp"

/// Private to the family; only files of the CUDA build include this.
namespace yupana::spectral::cuda {

/// Transforms of any length n (Bluestein 1970): with j k = (j^2 + k^2 - (k - j)^2) / 2 they are a
/// convolution with the chirp e^(pi i j^2 / n), made by transforms of a power of two >= 2 n - 1.
template <class T>
class Bluestein {
 public:
  Bluestein(std::int64_t n, std::int64_t batch);
  /// Device bytes of such an object, without tables of roots.
  static std::uint64_t bytes(std::int64_t n, std::int64_t batch);
  void run(const std::complex<T>* in,
           std::complex<T>* out,
           std::int64_t batch,
           Direction direction,
           cudaStream_t stream);

 private:
  std::int64_t n_, padded_, together_;
  DeviceFft<T> fft_;
  yupana::cuda::DeviceArray<std::complex<T>> chirp_;     ///< e^(-pi i j^2 / n), n of them
  yupana::cuda::DeviceArray<std::complex<T>> spectrum_;  ///< of the conjugate chirp, wrapped round
  yupana::cuda::DeviceArray<std::complex<T>> signal_;
};

}  // namespace yupana::spectral::cuda
