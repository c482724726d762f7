#include "yupana/spectral/big_integer.hpp"

#include <gtest/gtest.h>

#include "spectra.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/limbs.hpp"

namespace yupana::spectral {
namespace {

BigInteger random_integer(std::int64_t limbs, std::uint64_t seed, bool ones = false) {
  BigInteger number;
  const Random random(seed);
  for (std::int64_t i = 0; i < limbs; ++i) {
    number.limbs.push_back(
        ones ? ~0u : static_cast<std::uint32_t>(random.word(static_cast<std::uint64_t>(i))));
  }
  if (limbs > 0) number.limbs.back() |= 1;
  return number;
}

class BigIntegers : public ::testing::Test {
 protected:
  Context cpu_{on("cpu")};
  Context reference_{on("reference")};
  std::string product(Context& context, const char* a, const char* b, Digits digits) {
    return to_text(
        context,
        multiply(context, parse_integer(context, a, digits), parse_integer(context, b, digits)),
        digits);
  }
};

TEST_F(BigIntegers, ProductsAreAsByHand) {
  for (Context* context : {&cpu_, &reference_}) {
    EXPECT_EQ(product(*context, "12345678901234567890", "-98765432109876543210", Digits::decimal),
              "-1219326311370217952237463801111263526900");
    EXPECT_EQ(product(*context, "0xFFFFFFFFFF", "ffffffffff", Digits::hexadecimal),
              "fffffffffe0000000001");
    EXPECT_EQ(product(*context, "-0b101", "-11", Digits::binary), "1111");
    EXPECT_EQ(product(*context, "-0", "+0017", Digits::decimal), "0");
    EXPECT_EQ(product(*context, "4294967296", "4294967296", Digits::decimal),
              "18446744073709551616");
  }
}

TEST_F(BigIntegers, EqualSchoolbookAroundEverySwitch) {
  const auto k = static_cast<std::int64_t>(cpu::min_karatsuba);
  const auto t = static_cast<std::int64_t>(cpu::min_ntt);
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{1}, k - 1, k, k + 1, 2 * k + 1, t - 1, t, t + 1, 2 * t + 3}) {
    for (const std::int64_t m : {n, k, k + 5, 3 * n / 4, std::int64_t{1}, 17 * t}) {
      for (const bool ones : {false, true}) {
        const BigInteger a = random_integer(n, 1, ones), b = random_integer(m, 2, ones);
        EXPECT_EQ(multiply(cpu_, a, b), multiply(reference_, a, b)) << n << " " << m;
        EXPECT_EQ(multiply(cpu_, a, a), multiply(reference_, a, a)) << n;
      }
    }
  }
}

TEST_F(BigIntegers, ProductsWithLongRunsOfZerosAreExact) {
  for (const std::int64_t n : {100, 400, 3000}) {
    BigInteger a = random_integer(n, 3), b = random_integer(n, 4);
    for (std::int64_t i = n / 4; i < n - 1; ++i) a.limbs[static_cast<std::size_t>(i)] = 0;
    for (std::int64_t i = 0; i < n / 2 + 1; ++i) b.limbs[static_cast<std::size_t>(i)] = 0;
    EXPECT_EQ(multiply(cpu_, a, b), multiply(reference_, a, b)) << n;
  }
}

TEST_F(BigIntegers, LargestLimbsAreExactInLongTransforms) {
  // (2^(32 n) - 1)^2 = 2^(64 n) - 2^(32 n + 1) + 1: every coefficient as large as can be.
  const std::int64_t n = 1 << 17;
  const BigInteger square = multiply(cpu_, random_integer(n, 0, true), random_integer(n, 0, true));
  ASSERT_EQ(square.limbs.size(), static_cast<std::size_t>(2 * n));
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    const std::uint32_t want = i == 0 ? 1 : i < n ? 0 : i == n ? ~0u - 1 : ~0u;
    ASSERT_EQ(square.limbs[static_cast<std::size_t>(i)], want) << i;
  }
}

TEST_F(BigIntegers, TextsConvertBackAtEverySize) {
  for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 128, 129, 500, 1000, 5000}) {
    const BigInteger a = random_integer(n, 5);
    for (const Digits digits : {Digits::binary, Digits::decimal, Digits::hexadecimal}) {
      const std::string text = to_text(cpu_, a, digits);
      EXPECT_EQ(text, to_text(reference_, a, digits)) << n;
      EXPECT_EQ(parse_integer(cpu_, text, digits), a) << n;
      EXPECT_EQ(parse_integer(reference_, text, digits), a) << n;
    }
  }
}

TEST_F(BigIntegers, PowersOfTenHaveTheirZeros) {
  for (const std::size_t zeros : {0u, 9u, 576u, 577u, 1152u, 20000u}) {
    const std::string text = "1" + std::string(zeros, '0');
    EXPECT_EQ(to_text(cpu_, parse_integer(cpu_, text)), text);
    EXPECT_EQ(parse_integer(cpu_, "000" + text), parse_integer(cpu_, text));
  }
}

TEST_F(BigIntegers, ThreadsDoNotMatter) {
  const BigInteger a = random_integer(20000, 6), b = random_integer(30000, 7);
  Context one(on("cpu", 1)), seven(on("cpu", 7));
  EXPECT_EQ(multiply(one, a, b), multiply(seven, a, b));
}

TEST_F(BigIntegers, RefusesWhatIsNoDigit) {
  const auto refused = [&](const char* text, Digits digits, const std::string& part) {
    test::expect_refusal([&] { parse_integer(cpu_, text, digits); }, part);
  };
  refused("", Digits::decimal, "at least one digit");
  refused("-", Digits::decimal, "at least one digit");
  refused("0x", Digits::hexadecimal, "at least one digit");
  refused("-12a", Digits::decimal, "got 'a' as character 4");
  refused("0x10", Digits::decimal, "got 'x' as character 2");
  refused("012", Digits::binary, "got '2' as character 3");
  refused("1 2", Digits::decimal, "got a blank as character 2");
  refused("1\n2", Digits::decimal, "got a second line as character 2");
  refused("--1", Digits::decimal, "character 2");
}

}  // namespace
}  // namespace yupana::spectral
