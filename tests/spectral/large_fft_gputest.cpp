#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>

#include "tests/spectral/spectra.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/fft.hpp"

namespace yupana::spectral {
namespace {

// A row of 2^28 complex floats is 2^31 bytes, one more than the driver's largest pitch.
TEST(LargeFftOnGpu, ASignalLongerThanTheDriversPitchComesFromTheHostAndBack) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t n = std::int64_t{1} << 28;
  if (cuda::free_memory(0) < (std::uint64_t{8} << 30)) GTEST_SKIP() << "no GPU: 8 GiB needed";
  Context context(on("cuda:0"));
  const auto values = std::make_unique<std::complex<float>[]>(n);
  values[1] = 1;
  const Signals<std::complex<float>> signal(values.get(), n);
  fft(context, signal, signal);
  // X[k] = e^(-2 pi i k / n): every value has modulus 1.
  double worst = 0;
  for (std::int64_t k = 0; k < n; k += 4097) {
    const double angle = -2 * M_PI * static_cast<double>(k) / static_cast<double>(n);
    const std::complex<double> want(std::cos(angle), std::sin(angle));
    worst = std::max(worst, std::abs(std::complex<double>(values[k]) - want));
  }
  EXPECT_LE(worst, error_bound<float>(n));
}

TEST(LargeFftOnGpu, WhatDoesNotFitItsShareOfTheGpuIsRefusedBeforeTheWork) {
  YUPANA_NEEDS_GPU();
  ContextParams little = on("cuda:0");
  little.gpu_memory = 1 << 20;
  Context context(little);
  std::vector<std::complex<float>> x(1 << 18);
  const Signals<std::complex<float>> one(x.data(), 1 << 18), many(x.data(), 1 << 8, 1 << 10);
  test::expect_refusal(
      [&] { fft(context, one, one); }, "--gpu-memory", ErrorCode::out_of_resources);
  EXPECT_NO_THROW(fft(context, many, many));  // in parts
}

TEST(LargeFftOnGpu, APlanExecutedOnAGpuMakesNoTablesForTheProcessor) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda:0"));
  const FftPlan<float> plan(1 << 16);
  const std::uint64_t before = plan.bytes();
  auto x = noise<float>(1 << 16, 1);
  plan.execute(context, x.data(), x.data());
  EXPECT_EQ(plan.bytes(), before);
  EXPECT_LT(before, 4096u);
}

}  // namespace
}  // namespace yupana::spectral
