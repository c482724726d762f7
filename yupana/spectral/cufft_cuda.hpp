#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "yupana/spectral/fft.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: cuFFT where it is installed, loaded on first use and never
/// linked.
namespace yupana::spectral::cuda {

/// As cuFFT counts: 12100 for 12.1; 0 where it is not found.
int cufft_version();

/// Whether cuFFT was measured ahead of this library's own kernels by more than 5 % for `batch`
/// signals of length n in device memory. The definition lists the measurements.
template <class T>
bool cufft_leads(std::int64_t n, std::int64_t batch);

/// Transforms of signals one after the other by cuFFT, planned once for each number of them.
template <class T>
class CuFftPlan {
 public:
  /// Null where cuFFT is not found or refuses the plan.
  static std::unique_ptr<CuFftPlan> make(std::int64_t n, std::int64_t batch);
  ~CuFftPlan();
  CuFftPlan(const CuFftPlan&) = delete;
  CuFftPlan& operator=(const CuFftPlan&) = delete;

  /// False where cuFFT refuses: nothing was started then. Inverse ones are scaled by 1/n in a pass
  /// of their own.
  bool run(const std::complex<T>* in,
           std::complex<T>* out,
           std::int64_t batch,
           Direction direction,
           cudaStream_t stream);

 private:
  explicit CuFftPlan(std::int64_t n) : n_(n) {}
  /// The handle of a plan, or -1.
  int planned(std::int64_t batch);
  std::int64_t n_;
  std::vector<std::pair<std::int64_t, int>> handles_;  ///< by batch
};

}  // namespace yupana::spectral::cuda
