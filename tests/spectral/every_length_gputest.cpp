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

// Beyond one pass what is not made of 2, 3, 5 and 7 goes one way, Bluestein's: every 13th of those.
std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all = every_length();
  std::erase_if(all, [](std::int64_t n) {
    if (n <= 1100 || n > 4090 || n % 13 == 0) return false;
    for (const int prime : {2, 3, 5, 7}) {
      while (n % prime == 0) n /= prime;
    }
    return n > 1;
  });
  return all;
}

TEST(FftOnGpuOfEveryLength, KeepsItsBoundAgainstLongDoubleForwardAndBack) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for_every_length(
      workers(),
      [&](std::int64_t, const auto& x, const auto& wanted) {
        expect_within_bound<float>(gpu, x, wanted);
        expect_within_bound<double>(gpu, x, wanted);
      },
      lengths());
}

}  // namespace
}  // namespace yupana::spectral
