#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>
#include <memory>

#include "yupana/spectral/fft.hpp"

/// Only for CUDA builds: transforms of arrays that are in device memory already.
namespace yupana::spectral::cuda {

/// Transforms of `batch` signals of length n, one after the other, on the device that was current
/// when this was made: its tables and its memory are made once. One call at a time.
///   passes over memory: powers of two 1 up to 2^14 (double: 2^13), 2 up to 2^24 (double: 2^20),
///   3 beyond; 2^a 3^b 5^c 7^d 1 up to 1,024, 2 up to about 2^20, 3 up to 2^30; others by
///   Bluestein's convolution
///   library: by default cuFFT makes the forward transforms for which it was measured ahead by more
///   than 5 % (cufft_cuda.cu), where it is installed. Both keep the bound of fft(); their bits
///   differ, and so may those of two machines of which one has cuFFT. Where cuFFT fails, own
///   kernels take over
///   memory: bytes(n, batch): n * batch complex numbers, none where one pass does. Bluestein, with
///   p = 2^k the first power >= 2 n - 1 and s = min(batch, 2^24 / p) signals at once, at least 1:
///   n + p + 2 s p, or 7 n to 13 n for one signal. cuFFT's plans have memory of their own
template <class T>
class DeviceFft {
 public:
  /// Throws device where params.library is cufft and it is not found.
  explicit DeviceFft(std::int64_t n, std::int64_t batch = 1, const FftParams& params = {});
  ~DeviceFft();
  /// Device bytes that such an object holds, without tables of roots (at most 2^14 values).
  static std::uint64_t bytes(std::int64_t n, std::int64_t batch);
  DeviceFft(DeviceFft&&) noexcept;
  DeviceFft& operator=(DeviceFft&&) noexcept;

  /// out is `in` or apart from it; both aligned to their element. Same formula and scale as fft().
  void run(const std::complex<T>* in,
           std::complex<T>* out,
           Direction direction,
           cudaStream_t stream);

  /// The same of the first `batch` signals only.
  void run(const std::complex<T>* in,
           std::complex<T>* out,
           std::int64_t batch,
           Direction direction,
           cudaStream_t stream);

  /// Of the columns of an n x `columns` matrix, rows one after the other. Only where one pass does.
  void run_columns(const std::complex<T>* in,
                   std::complex<T>* out,
                   std::int64_t columns,
                   Direction direction,
                   cudaStream_t stream);
  bool single_pass() const { return is_single_pass(length_); }
  static bool is_single_pass(std::int64_t n);
  std::int64_t passes() const;  ///< of own kernels
  bool by_cufft() const;        ///< whether cuFFT makes forward transforms

 private:
  struct Plan;
  std::int64_t length_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace yupana::spectral::cuda
