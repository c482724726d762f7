#include <gtest/gtest.h>

#include <cmath>

#include "yupana/forest/exact.hpp"

namespace yupana::forest {
namespace {

TEST(CountLogs, PowersOfTwoAreExact) {
  for (int e = 0; e < 20; ++e) {
    const std::int64_t n = std::int64_t{1} << e;
    EXPECT_EQ(count_log(n, 29, log_table), (n * e) << 29);
  }
  EXPECT_EQ(count_log(0, 29, log_table), 0);
}

TEST(CountLogs, AreWithinOneUnitOfTheTruth) {
  struct Case {
    int bits;
    std::int64_t most;
  };
  // As many bits as sums of four such numbers leave.
  for (const Case& which :
       {Case{51, 1}, Case{41, 500}, Case{29, 5'000'000}, Case{10, std::int64_t{1} << 41}}) {
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t n =
          1 + which.most / 20'000 * i + i % std::min<std::int64_t>(97, which.most);
      const long double x = static_cast<long double>(n);
      const long double truth = std::ldexp(x * std::log2(x), which.bits);
      EXPECT_LE(std::fabs(truth - static_cast<long double>(count_log(n, which.bits, log_table))), 1)
          << n << " " << which.bits;
    }
  }
}

TEST(CountLogs, GrowWithTheNumber) {
  for (std::int64_t n = 2; n < 100'000; ++n) {
    ASSERT_LT(count_log(n, 29, log_table), count_log(n + 1, 29, log_table)) << n;
  }
}

}  // namespace
}  // namespace yupana::forest
