#include <gtest/gtest.h>

#include "tests/spectral/spectra.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/spectral/big_integer.hpp"
#include "yupana/spectral/limbs.hpp"

namespace yupana::spectral {
namespace {

BigInteger integer_of(std::int64_t limbs, std::uint64_t seed) {
  BigInteger number;
  const Random random(seed);
  for (std::int64_t i = 0; i < limbs; ++i) {
    number.limbs.push_back(static_cast<std::uint32_t>(random.word(static_cast<std::uint64_t>(i))));
  }
  number.limbs.back() |= 1;
  return number;
}

BigInteger ones(std::int64_t limbs) {
  BigInteger number;
  number.limbs.assign(static_cast<std::size_t>(limbs), ~0u);
  return number;
}

constexpr auto least = static_cast<std::int64_t>(cuda::min_limbs);

TEST(BigIntegersOnGpu, ProductsEqualTheCpus) {
  YUPANA_NEEDS_GPU();
  Context cuda(on("cuda")), cpu(on("cpu"));
  std::uint64_t moved = 0;
  for (const auto& [x, y] : {std::pair<std::int64_t, std::int64_t>{least, least},
                             {least, least + 1},
                             {least - 1, least},
                             {3 * least + 7, least + 13},
                             {100'003, 90'001},
                             {1'000'000, least},
                             {1'100'000, 1'000'000}}) {
    const BigInteger a = integer_of(x, 1), b = integer_of(y, 2);
    EXPECT_EQ(multiply(cuda, a, b), multiply(cpu, a, b)) << x << " by " << y;
    EXPECT_EQ(cuda.bytes_moved() > moved, std::min(x, y) >= least) << x << " by " << y;
    moved = cuda.bytes_moved();
  }
}

// (2^(32 m) - 1)(2^(32 n) - 1): coefficients as large as they come, and runs of limbs that hand a
// carry on.
TEST(BigIntegersOnGpu, CarriesRunThroughAllLimbs) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda"));
  for (const auto& [m, n] :
       {std::pair{least, least}, {2 * least + 1, least}, {500'000L, 300'000L}}) {
    const BigInteger product = multiply(context, ones(m), ones(n));
    // 2^(32 (m + n)) - 2^(32 m) - 2^(32 n) + 1, m >= n
    Limbs want(static_cast<std::size_t>(m + n), ~0u);
    for (std::int64_t i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = 0;
    want[0] = 1;
    want[static_cast<std::size_t>(m)] -= 1;
    EXPECT_EQ(product.limbs, want) << m << " by " << n;
  }
}

TEST(BigIntegersOnGpu, AFactorOfPowersOfTwoAndItsNeighbours) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda"));
  // (2^(32 n) + 1)(2^(32 n) - 1) = 2^(64 n) - 1
  const std::int64_t n = least + 100;
  BigInteger above;
  above.limbs.assign(static_cast<std::size_t>(n + 1), 0);
  above.limbs.front() = above.limbs.back() = 1;
  EXPECT_EQ(multiply(context, above, ones(n)), ones(2 * n));
}

TEST(BigIntegersOnGpu, SignsAndTextGoTheSameWay) {
  YUPANA_NEEDS_GPU();
  Context cuda(on("cuda")), cpu(on("cpu"));
  BigInteger a = integer_of(least + 5, 3);
  const BigInteger b = integer_of(least + 9, 4);
  a.negative = true;
  const BigInteger product = multiply(cuda, a, b);
  EXPECT_TRUE(product.negative);
  EXPECT_EQ(to_text(cuda, product), to_text(cpu, multiply(cpu, a, b)));
}

TEST(BigIntegersOnGpu, LittleMemoryLeavesTheProductToThreads) {
  YUPANA_NEEDS_GPU();
  ContextParams params = on("cuda");
  params.gpu_memory = 1'000'000;
  Context little(params), cpu(on("cpu"));
  const BigInteger a = integer_of(least, 5), b = integer_of(2 * least, 6);
  EXPECT_EQ(multiply(little, a, b), multiply(cpu, a, b));
  EXPECT_EQ(little.bytes_moved(), 0u);
}

}  // namespace
}  // namespace yupana::spectral
