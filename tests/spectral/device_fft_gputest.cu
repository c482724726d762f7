#include <gtest/gtest.h>

#include <vector>

#include "tests/spectral/spectra.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_fft.hpp"

namespace yupana::spectral {
namespace {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

// 8 bytes behind a multiple of 16 long transforms go another way.
TEST(DeviceFft, ArraysMayBeginAtAnyElementAndBeTheirOwnResult) {
  YUPANA_NEEDS_GPU();
  for (const int log : {20, 25}) {
    const std::int64_t n = std::int64_t{1} << log;
    const auto x = noise<float>(n, 11);
    cuda::DeviceFft<float> transform(n);
    DeviceArray<std::complex<float>> values(n + 1);
    std::vector<std::complex<float>> spectra[2];
    for (const std::int64_t begin : {0, 1}) {
      std::complex<float>* const here = values.data() + begin;
      const std::size_t bytes = x.size() * sizeof(x[0]);
      check(cudaMemcpy(here, x.data(), bytes, cudaMemcpyHostToDevice), "copy");
      transform.run(here, here, Direction::forward, nullptr);
      spectra[begin].resize(x.size());
      check(cudaMemcpy(spectra[begin].data(), here, bytes, cudaMemcpyDeviceToHost), "copy");
    }
    EXPECT_LE(relative_error(spectra[0], spectra[1]), 2 * error_bound<float>(n));
  }
}

}  // namespace
}  // namespace yupana::spectral
