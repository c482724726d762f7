// Transforms of one length, many times.
#include <complex>
#include <cstdio>
#include <vector>

#include "yupana/spectral/fft.hpp"

int main() {
  using namespace yupana;
  Context context;
  const std::int64_t n = 1024;
  const spectral::FftPlan<float> plan(n);
  std::vector<std::complex<float>> signal(n), spectrum(n);
  for (int round = 1; round <= 3; ++round) {
    for (std::int64_t j = 0; j < n; ++j) signal[j] = {static_cast<float>(j % round), 0};
    plan.execute(context, signal.data(), spectrum.data());
    std::printf("X[0] = %g\n", spectrum[0].real());
  }
}
