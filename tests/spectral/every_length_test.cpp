#include <gtest/gtest.h>

#include "tests/spectral/long_double_dft.hpp"

namespace yupana::spectral {
namespace {

using Wanted = std::vector<LongDoubleDft::Value>;

TEST(LongDoubleDft, IsTheSumThatDefinesIt) {
  Context reference(on("reference"));
  for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 12, 29, 60, 121, 210, 256, 1009}) {
    const auto x = noise<double>(n, 1);
    const Wanted got = LongDoubleDft(n)({x.begin(), x.end()});
    EXPECT_LE(relative_error(transformed(reference, x), got), 1.2e-16) << n;  // rounded once
  }
}

template <class T>
void expect_within_bound(Context& context,
                         const std::vector<std::complex<float>>& x,
                         const Wanted& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::vector<std::complex<T>> in(x.begin(), x.end());
  const auto forward = transformed(context, in);
  EXPECT_LE(relative_error(forward, wanted), error_bound<T>(n)) << n;
  EXPECT_LE(relative_error(transformed(context, forward, Direction::inverse), in),
            2 * error_bound<T>(n))
      << n;
}

// The first n / 2 + 1 values for the real part of x: (X[k] + conj X[n - k]) / 2.
void expect_real_within_bound(Context& context,
                              const std::vector<std::complex<float>>& x,
                              const Wanted& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<double> real(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) real[j] = x[j].real();
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(n / 2 + 1));
  fft_real(context,
           Signals<const double>(real.data(), n),
           Signals<std::complex<double>>(spectrum.data(), n / 2 + 1));
  Wanted half(spectrum.size());
  for (std::size_t k = 0; k < half.size(); ++k) {
    half[k] = 0.5L * (wanted[k] + std::conj(wanted[(x.size() - k) % x.size()]));
  }
  EXPECT_LE(relative_error(spectrum, half), error_bound<double>(n)) << n;
}

TEST(FftOfEveryLength, KeepsItsBoundAgainstLongDoubleForwardAndBackAndReal) {
  Context context(on("cpu"));
  for_every_length(context, [&](std::int64_t, const auto& x, const Wanted& wanted) {
    expect_within_bound<float>(context, x, wanted);
    expect_within_bound<double>(context, x, wanted);
    expect_real_within_bound(context, x, wanted);
  });
}

}  // namespace
}  // namespace yupana::spectral
