#include "yupana/io/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace yupana::io {
namespace {

std::string six(double value) {
  char text[number_text_bytes];
  return {text, write_six_digits(value, text)};
}

std::string shortest(double value) {
  char text[number_text_bytes];
  return {text, write_shortest(value, text)};
}

std::string printed(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

TEST(SixDigits, AreThoseOfPrintfAwayFromTies) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(1, 10);
  for (int round = 0; round < 200000; ++round) {
    const double value = mantissa(random) * std::pow(10.0, static_cast<int>(random() % 36) - 15);
    const double scaled = value * std::pow(10.0, 5 - std::floor(std::log10(value)));
    if (std::fabs(scaled - std::floor(scaled) - 0.5) < 1e-6) continue;
    ASSERT_EQ(six(value), printed(value));
    ASSERT_EQ(six(-value), printed(-value));
  }
}

TEST(SixDigits, AreThoseOfPrintfAtPowersOfTenAndTheirNeighbours) {
  for (int exponent = -20; exponent <= 30; ++exponent) {
    const double power = std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
    for (const double value : {power,
                               std::nextafter(power, 0),
                               std::nextafter(power, 1e300),
                               power * 9.99999,
                               power * 9.999999,
                               power * 1.00001}) {
      EXPECT_EQ(six(value), printed(value));
    }
  }
}

TEST(SixDigits, TakeTheEvenNeighbourOfATieAsPlinkDoes) {
  EXPECT_EQ(six(3707.275), "3707.28");
  EXPECT_EQ(six(3707.2749999999996), "3707.28");
  EXPECT_EQ(six(3438.875), "3438.88");
  EXPECT_EQ(six(5015.725), "5015.72");
  EXPECT_EQ(six(4143.425), "4143.42");
  EXPECT_EQ(six(0.7171875), "0.717188");
  EXPECT_EQ(six(0.2828125), "0.282812");
  EXPECT_EQ(six(1000005.0), "1e+06");
}

TEST(SixDigits, PrintWholeNumbersPlainlyBelowAMillion) {
  EXPECT_EQ(six(0), "0");
  EXPECT_EQ(six(7), "7");
  EXPECT_EQ(six(999999), "999999");
  EXPECT_EQ(six(1e6), "1e+06");
  EXPECT_EQ(six(2250390), "2.25039e+06");
}

TEST(SixDigits, NameWhatIsNoNumber) {
  EXPECT_EQ(six(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(six(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(six(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(six(5e-324), printed(5e-324));
  EXPECT_EQ(six(1.7e308), printed(1.7e308));
}

TEST(Shortest, ZerosKeepTheirSign) {
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(-0.0), "-0");
}

TEST(Shortest, ReadsBackAsTheSameDouble) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100000; ++round) {
    double value = 0;
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    const std::string text = shortest(value);
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
}

TEST(Shortest, PrintsWholeNumbersWithoutExponent) {
  EXPECT_EQ(shortest(100000), "100000");
  EXPECT_EQ(shortest(9007199254740991), "9007199254740991");
  EXPECT_EQ(shortest(-3), "-3");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace yupana::io
