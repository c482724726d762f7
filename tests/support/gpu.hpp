#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/device_facts.hpp"

/// What every GPU grants for which programs are compiled, the least of compute capabilities 8.0,
/// 8.6, 8.9, 9.0, 10.0 and 12.0 (CUDA programming guide, technical specifications), with few
/// multiprocessors, so that shares of them are large.
inline constexpr yupana::cuda::DeviceFacts smallest_gpu{4, 99 << 10, 100 << 10, 1536};
/// Compute capability 8.0, as few.
inline constexpr yupana::cuda::DeviceFacts small_a100{4, 163 << 10, 164 << 10, 2048};

/// With YUPANA_TEST_SMALLEST_GPU in the environment all tests run as on the smallest GPU.
inline yupana::cuda::DeviceFacts limits_of_all_tests() {
  static const bool wanted = std::getenv("YUPANA_TEST_SMALLEST_GPU") != nullptr;
  return wanted ? smallest_gpu : yupana::cuda::DeviceFacts{};
}

/// While it lives kernels find no more than a smaller GPU has. It stands for that GPU's limits, not
/// for its instructions: CUDA_FORCE_PTX_JIT=1 is for those.
class LimitedGpu {
 public:
  explicit LimitedGpu(const yupana::cuda::DeviceFacts& limits = smallest_gpu) {
    yupana::cuda::limit_device_facts_for_test(limits);
  }
  ~LimitedGpu() { yupana::cuda::limit_device_facts_for_test(limits_of_all_tests()); }
  LimitedGpu(const LimitedGpu&) = delete;
  LimitedGpu& operator=(const LimitedGpu&) = delete;
};

/// First line of every test that needs a GPU: skips, saying why, where there is none.
#define YUPANA_NEEDS_GPU()                                          \
  yupana::cuda::limit_device_facts_for_test(limits_of_all_tests()); \
  if (yupana::cuda::device_count() == 0) GTEST_SKIP() << "no GPU: " << yupana::cuda::why_no_device()
