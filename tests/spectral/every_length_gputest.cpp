#include <gtest/gtest.h>

#include "tests/spectral/long_double_dft.hpp"
#include "tests/support/gpu.hpp"

namespace yupana::spectral {
namespace {

template <class T>
void expect_within_bound(Context& gpu,
                         const std::vector<std::complex<float>>& x,
                         const std::vector<LongDoubleDft::Value>& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::vector<std::complex<T>> in(x.begin(), x.end());
  const auto forward = transformed(gpu, in);
  EXPECT_LE(relative_error(forward, wanted), error_bound<T>(n)) << n;
  EXPECT_LE(relative_error(transformed(gpu, forward, Direction::inverse), in),
            2 * error_bound<T>(n))
      << n;
}

TEST(FftOnGpuOfEveryLength, KeepsItsBoundAgainstLongDoubleForwardAndBack) {
  YUPANA_NEEDS_GPU();
  Context workers({.device = "cpu"}), gpu({.device = "cuda:0"});
  for_every_length(workers, [&](std::int64_t, const auto& x, const auto& wanted) {
    expect_within_bound<float>(gpu, x, wanted);
    expect_within_bound<double>(gpu, x, wanted);
  });
}

}  // namespace
}  // namespace yupana::spectral
