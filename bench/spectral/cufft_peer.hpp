#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>
#include <functional>

namespace yupana::bench {

/// cuFFT, loaded when the bench runs, never linked. Plans are made before anything is timed.
class CuFft {
 public:
  CuFft();
  explicit operator bool() const { return plan_many_ != nullptr; }
  /// A call that starts the forward transforms of `batch` signals in device memory; empty if cuFFT
  /// refuses the plan.
  template <class T>
  std::function<void()> forward(std::int64_t n,
                                std::int64_t batch,
                                std::complex<T>* in,
                                std::complex<T>* out,
                                cudaStream_t stream);

 private:
  using Transform = int (*)(int, void*, void*, int);
  int (*plan_many_)(int*, int, int*, int*, int, int, int*, int, int, int, int) = nullptr;
  int (*set_stream_)(int, cudaStream_t) = nullptr;
  int (*destroy_)(int) = nullptr;
  Transform single_ = nullptr;
  Transform double_ = nullptr;
};

}  // namespace yupana::bench
