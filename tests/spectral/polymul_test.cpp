#include "yupana/spectral/polymul.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "spectra.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/spectral/ntt.hpp"

namespace yupana::spectral {
namespace {

using Integers = std::vector<std::int64_t>;

Integers product(Context& context, const Integers& a, const Integers& b) {
  const auto c = polymul_exact(context, a, b);
  return Integers(c.begin(), c.end());
}

Integers random_integers(std::int64_t n, std::int64_t most, std::uint64_t seed) {
  Integers values;
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    values.push_back(static_cast<std::int64_t>(random.word(static_cast<std::uint64_t>(i)) %
                                               static_cast<std::uint64_t>(2 * most + 1)) -
                     most);
  }
  return values;
}

class Polymul : public ::testing::Test {
 protected:
  Context cpu_{on("cpu")};
  Context reference_{on("reference")};
};

TEST_F(Polymul, ReferenceIsAsByHand) {
  EXPECT_EQ(product(reference_, {1, 2, 3}, {4, -5}), (Integers{4, 3, 2, -15}));
  EXPECT_EQ(product(reference_, {7}, {-6}), (Integers{-42}));
}

TEST_F(Polymul, NothingTimesAnythingIsNothing) {
  for (Context* context : {&cpu_, &reference_}) {
    EXPECT_TRUE(product(*context, {}, {1, 2}).empty());
    EXPECT_TRUE(product(*context, {1, 2}, {}).empty());
    EXPECT_TRUE(product(*context, {}, {}).empty());
    EXPECT_TRUE(polymul(*context, {}, {}).coefficients.empty());
  }
}

TEST_F(Polymul, PowersOfXPlusOneAreBinomials) {
  // (x + 1)^63 has coefficients below 2^60; by squaring, and by one factor at a time from 40 on.
  Integers power = {1};
  const Integers one_one = {1, 1};
  for (int k = 0; k < 62; ++k) power = product(cpu_, power, one_one);
  Integers half = {1};
  for (int k = 0; k < 31; ++k) half = product(cpu_, half, one_one);
  EXPECT_EQ(product(cpu_, half, half), power);
  std::int64_t binomial = 1;
  for (std::int64_t k = 0; k <= 62; ++k) {
    EXPECT_EQ(power[static_cast<std::size_t>(k)], binomial) << k;
    binomial = static_cast<std::int64_t>(static_cast<__int128>(binomial) * (62 - k) / (k + 1));
  }
}

TEST_F(Polymul, EqualsSchoolbookAroundEverySwitch) {
  // One prime or two, schoolbook or transforms, tiles of 64 and passes of 1, 2, 3 and 4 levels.
  for (const std::int64_t n :
       {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 511, 513, 1025, 2047, 4097}) {
    for (const std::int64_t m : {n, std::int64_t{40}, std::int64_t{1}}) {
      for (const std::int64_t most : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 24}) {
        const Integers a = random_integers(n, most, 1), b = random_integers(m, most, 2);
        EXPECT_EQ(product(cpu_, a, b), product(reference_, a, b)) << n << " " << m << " " << most;
      }
    }
  }
}

TEST_F(Polymul, WithoutFusedMultiplyAddIsExactToo) {
  // Compilers choose different vectors for processors before AVX2: some round twice.
  const Integers a = random_integers(280, 1 << 24, 1), b = random_integers(89, 1 << 24, 2);
  const Integers expected = product(reference_, a, b);
  on_each_instruction_set([&] { EXPECT_EQ(product(cpu_, a, b), expected); });
}

TEST_F(Polymul, IsExactAtTheLargestCoefficients) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  // Coefficients of 2^63 - 1 themselves, of both signs, by the transforms.
  for (const std::int64_t sign : {1, -1}) {
    Integers a(100, 0), b(100, 0);
    a[99] = most;
    a[3] = -most;
    b[50] = sign;
    EXPECT_EQ(product(cpu_, a, b), product(reference_, a, b));
  }
  // The bound met from below: 128 terms of 2^56 - 1 less one.
  const Integers a(128, (std::int64_t{1} << 56) - 1);
  const Integers b(128, 1), minus(128, -1);
  EXPECT_EQ(product(cpu_, a, b)[127], ((std::int64_t{1} << 56) - 1) * 128);
  EXPECT_EQ(product(cpu_, a, minus)[127], -((std::int64_t{1} << 56) - 1) * 128);
  EXPECT_EQ(product(cpu_, a, b), product(reference_, a, b));
}

TEST_F(Polymul, ASinglePrimeIsExactAtItsBound) {
  // The last coefficients that one prime tells apart, and one more, which takes two.
  for (const std::int64_t extra : {0, 1}) {
    for (const std::int64_t sign : {1, -1}) {
      Integers a(512, 0), b(512, 0);
      a[511] = cpu::single_prime_bound + extra;
      a[0] = 17;
      b[200] = sign;
      EXPECT_EQ(product(cpu_, a, b), product(reference_, a, b));
    }
  }
  const Integers a(7000, 100000), b(7000, -100000);
  EXPECT_EQ(product(cpu_, a, b)[6999], -cpu::single_prime_bound);
}

TEST_F(Polymul, ResiduesOfExtremeSizeStayExactThroughManyLevels) {
  // Constant factors drive every butterfly to its largest sum; ends in closed form.
  const std::int64_t n = 1 << 17;
  const std::int64_t most = std::int64_t{1} << 22;
  const Integers a(static_cast<std::size_t>(n), most), b(static_cast<std::size_t>(n), -most);
  const Integers c = product(cpu_, a, b);
  for (std::int64_t k = 0; k < 2 * n - 1; ++k) {
    ASSERT_EQ(c[static_cast<std::size_t>(k)], -most * most * std::min(k + 1, 2 * n - 1 - k)) << k;
  }
}

TEST_F(Polymul, SquaresWithOneTransformLess) {
  const Integers a = random_integers(3000, 1 << 20, 9), copy = a;
  EXPECT_EQ(product(cpu_, a, a), product(cpu_, a, copy));
}

TEST_F(Polymul, LargeProductsAgreeWithValuesAtPoints) {
  // c(x) = a(x) b(x) modulo a prime that no transform knows.
  constexpr std::int64_t prime = 2305843009213693951;  // 2^61 - 1
  const auto value = [&](const Integers& a, std::int64_t x) {
    __int128 sum = 0;
    for (std::size_t i = a.size(); i-- > 0;) sum = (sum * x + a[i]) % prime;
    return static_cast<std::int64_t>((sum + prime) % prime);
  };
  for (const std::int64_t n : {1 << 14, 100000, 1 << 18}) {
    const Integers a = random_integers(n, 1 << 20, 3), b = random_integers(n - 77, 1 << 20, 4);
    const Integers c = product(cpu_, a, b);
    for (const std::int64_t x : {std::int64_t{2}, std::int64_t{1234567890123}}) {
      EXPECT_EQ(
          value(c, x),
          static_cast<std::int64_t>(static_cast<__int128>(value(a, x)) * value(b, x) % prime));
    }
  }
}

TEST_F(Polymul, RealCoefficientsStayWithinTheirBound) {
  for (const std::int64_t n : {1, 2, 3, 100, 1000, 5000}) {
    auto a = real_noise<double>(n, 5), b = real_noise<double>(n / 2 + 1, 6);
    a[0] = 1e6;
    const RealProduct got = polymul(cpu_, a, b), want = polymul(reference_, a, b);
    EXPECT_GT(got.error_bound, 0);
    ASSERT_EQ(got.coefficients.size(), n + n / 2);
    double worst = 0;
    for (std::int64_t k = 0; k < got.coefficients.size(); ++k) {
      worst = std::max(worst, std::fabs(got.coefficients[k] - want.coefficients[k]));
    }
    EXPECT_LE(worst, got.error_bound) << n;
    EXPECT_LT(got.error_bound, 1e-12 * 1e6 * static_cast<double>(n)) << n;
  }
}

TEST_F(Polymul, TheBoundHoldsWhereProductsUnderflow) {
  for (const double size : {1.7e-160, 1e-300, 5e-324}) {
    std::vector<double> a = real_noise<double>(100, 5), b = real_noise<double>(70, 6);
    for (double& value : a) value *= size;
    for (double& value : b) value *= 3.3e-160;
    const RealProduct got = polymul(cpu_, a, b);
    EXPECT_GT(got.error_bound, 0);
    for (std::size_t k = 0; k < 169; ++k) {
      long double want = 0;
      for (std::size_t i = k < 69 ? 0 : k - 69; i <= std::min<std::size_t>(k, 99); ++i) {
        want += static_cast<long double>(a[i]) * b[k - i];
      }
      EXPECT_LE(std::fabs(got.coefficients[static_cast<std::int64_t>(k)] - want), got.error_bound);
    }
  }
}

TEST_F(Polymul, BitsDoNotDependOnThreads) {
  const Integers a = random_integers(1 << 16, 1 << 22, 7), b = random_integers(1 << 16, 1 << 22, 8);
  const auto x = real_noise<double>(1 << 16, 7), y = real_noise<double>(1 << 16, 8);
  Integers first;
  std::vector<double> first_real;
  for (const int threads : {1, 2, 7}) {
    Context context(on("cpu", threads));
    const auto got = product(context, a, b);
    const auto real = polymul(context, x, y);
    if (first.empty()) {
      first = got;
      first_real.assign(real.coefficients.begin(), real.coefficients.end());
    }
    EXPECT_EQ(got, first);
    EXPECT_EQ(std::memcmp(real.coefficients.data(), first_real.data(), real.coefficients.bytes()),
              0);
  }
}

TEST_F(Polymul, RefusesWhatMightPass64BitsBeforeAnyWork) {
  constexpr std::int64_t big = std::int64_t{1} << 32;
  for (Context* context : {&cpu_, &reference_}) {
    test::expect_refusal([&] { product(*context, {big}, {big / 2}); }, "may reach 2^63");
    test::expect_refusal([&] { product(*context, {big, -big}, {big / 4, big / 4}); }, "2^63");
    test::expect_refusal(
        [&] { product(*context, {std::numeric_limits<std::int64_t>::min()}, {1}); }, "2^63");
    EXPECT_EQ(product(*context, {big}, {big / 2 - 1}), (Integers{(big / 2 - 1) * big}));
    // One large coefficient among small ones: the sum of magnitudes counts, not their maximum.
    EXPECT_EQ(product(*context, {big, 1}, {big / 4, 1}).size(), 3u);
  }
}

TEST_F(Polymul, RefusesCoefficientsThatAreNoNumbers) {
  const std::vector<double> fine = {1, 2};
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> a = {1, bad};
    test::expect_refusal([&] { polymul(cpu_, fine, a); }, "b: expected finite numbers, got");
    test::expect_refusal([&] { polymul(cpu_, a, fine); }, "a: expected finite numbers, got");
  }
}

}  // namespace
}  // namespace yupana::spectral
