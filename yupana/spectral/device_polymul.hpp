#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

/// Only for CUDA builds: products of polynomials that are in device memory already.
namespace yupana::spectral::cuda {

/// Exact products of polynomials of `a_size` and `b_size` >= 1 integer coefficients, none of the
/// product's above `bound` in magnitude: modulo two primes of 31 bits where that suffices
/// (bound below 1.82e18, about 2^60.66, and a_size + b_size - 1 up to 2^26), else modulo p = 2^64 -
/// 2^32 + 1, the result between -p/2 and p/2: the integers themselves where none passes 2^63 - 2^31
/// in magnitude. Larger ones up to 2^63 come out wrong: polymul_exact() checks.
///   passes: forward by columns then rows, decimation in frequency; the rows of both factors, their
///   product and the way back are one kernel; nothing is ever put in order in between
///   memory: two arrays of the result's size, the next power of two; none up to 2^13
class DeviceProduct {
 public:
  DeviceProduct(std::int64_t a_size, std::int64_t b_size, std::uint64_t bound = UINT64_MAX);
  ~DeviceProduct();
  DeviceProduct(DeviceProduct&&) noexcept;
  DeviceProduct& operator=(DeviceProduct&&) noexcept;

  /// out: a_size + b_size - 1 coefficients, apart from a and b.
  void run(const std::int64_t* a, const std::int64_t* b, std::int64_t* out, cudaStream_t stream);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace yupana::spectral::cuda
