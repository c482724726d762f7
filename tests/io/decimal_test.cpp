#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "yupana/io/cell.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

/// The C library's value is the oracle: it is correctly rounded.
void expect_nearest(std::uint64_t digits, std::int64_t power) {
  const double expected = std::strtod(fmt::format("{}e{}", digits, power).c_str(), nullptr);
  double value = -1;
  if (decimal_value(digits, power, value)) {
    ASSERT_EQ(std::memcmp(&value, &expected, 8), 0) << digits << "e" << power << " " << value;
  } else {
    ASSERT_TRUE(!std::isnormal(expected) || expected == std::numeric_limits<double>::min())
        << digits << "e" << power;
    ASSERT_EQ(value, -1);
  }
}

TEST(Decimal, EveryPowerIsTheNearestDouble) {
  std::mt19937_64 random(5);
  for (std::int64_t power = -350; power <= 315; ++power) {
    for (std::uint64_t i = 0; i < 200; ++i) {
      expect_nearest(random() >> (i % 64), power);
    }
    for (const std::uint64_t digits :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{9}, ~std::uint64_t{0}}) {
      expect_nearest(digits, power);
    }
  }
}

TEST(Decimal, HalfWayGoesToTheEvenNeighbour) {
  // Odd numbers of 54 bits, up to a power of two: digits x 5^power, or odd x 5^-power x 10^power.
  std::mt19937_64 random(6);
  std::int64_t halves = 0;
  for (std::int64_t power = -4; power <= 22; ++power) {
    std::uint64_t five = 1;
    for (std::int64_t i = 0; i < std::abs(power); ++i) five *= 5;
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t odd = std::uint64_t{1} << 53 | random() >> 11 | 1;
      const std::uint64_t digits = power <= 0 ? odd * five : odd / five | 1;
      const auto product = static_cast<unsigned __int128>(digits) * five;
      halves += power <= 0 || product >> 53 == 1;
      for (int step = -1; step <= 1; ++step) {
        expect_nearest(digits + static_cast<std::uint64_t>(step), power);
      }
    }
  }
  EXPECT_GT(halves, 5000);
  expect_nearest(9007199254740993, 0);     // 2^53 + 1
  expect_nearest(9007199254740995, 0);     // 2^53 + 3
  expect_nearest(3377699720527873, 23);    // 27 bits short of a half at the last such power
  expect_nearest(18014398509481989, -1);   // a tenth
  expect_nearest(11258999068426242, 2);    // rounds at the point of 60 bits
  expect_nearest(17976931348623157, 292);  // the largest double
  expect_nearest(17976931348623159, 292);  // infinite
}

TEST(Decimal, DigitsAreReadWhateverTheirNumberAndWhereverTheTextEnds) {
  const std::string all = "12345678901234567890";
  for (std::size_t count = 0; count <= all.size(); ++count) {
    for (const char behind : {',', '.', 'e', '/', ':', ' ', '\n', '\0', '\x80', '\xb5', '\xff'}) {
      for (const std::size_t room : {0, 1, 7, 8, 9, 20}) {
        // Exactly as long as it may be read: a sanitizer sees what goes beyond.
        const std::string text = all.substr(0, count) + std::string(room, behind);
        const std::string_view view(text);
        std::uint64_t digits = 7;
        const char* const end = view.data() + view.size();
        ASSERT_EQ(read_digits(view.data(), end, digits) - view.data(),
                  static_cast<std::ptrdiff_t>(count));
        std::uint64_t expected = 7;
        for (std::size_t i = 0; i < count; ++i) {
          expected = expected * 10 + static_cast<std::uint64_t>(all[i] - '0');
        }
        ASSERT_EQ(digits, expected) << count;
      }
    }
  }
}

TEST(Decimal, CellsOfAllLengthsAndExponentsAreTheNearestDouble) {
  std::mt19937_64 random(7);
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const std::uint64_t word = random();
    const std::uint64_t form = random();
    std::string text = fmt::format("{}", word >> (form % 64));
    if (i % 5 == 0) text += fmt::format("{}", word);  // more than 19 digits
    if (i % 3 == 0) text.insert(0, (form >> 8) % 25, '0');
    if (i % 2 == 0) text.insert((form >> 16) % (text.size() + 1), ".");
    if (i % 7 < 3) {
      const auto power = static_cast<std::int64_t>((form >> 24) % 700) - 350;
      text +=
          fmt::format("{}{}{}", i % 7 == 0 ? "E" : "e", power >= 0 && i % 7 == 1 ? "+" : "", power);
    }
    if (i % 4 == 0) text.insert(0, i % 8 == 0 ? "-" : "+");
    double value = 0;
    ASSERT_TRUE(whole_number(text, value)) << text;
    const double expected = std::strtod(text.c_str(), nullptr);
    ASSERT_EQ(std::memcmp(&value, &expected, 8), 0) << text << " " << value;
  }
}

TEST(Decimal, AOneWithHundredsOfZerosWasZero) {
  const std::string zeros(320, '0');
  for (const std::string& text : {"1" + zeros,
                                  "-1" + zeros,
                                  "01" + zeros,
                                  "1" + zeros + ".5",
                                  "0." + zeros + zeros.substr(200) + "1",
                                  "-." + zeros + zeros.substr(200) + "1",
                                  "0" + zeros + "e99999",
                                  "1" + zeros + "e-99999",
                                  "." + zeros + "1e99999",
                                  std::string("-0e99999"),
                                  std::string("2e99999")}) {
    double value = 0;
    ASSERT_TRUE(whole_number(text, value)) << text;
    const double expected = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&value, &expected, 8), 0) << text << " " << value;
  }
}

TEST(Decimal, AnExponentThatIsNoneEndsTheNumberBefore) {
  for (const std::string text : {"1e", "1e+", "1.5E-", "12e,", "1e-x"}) {
    const std::string padded = text + "\n";
    double value = 0;
    const char* const stop = read_number(padded.data(), padded.data() + text.size(), value);
    EXPECT_EQ(stop - padded.data(), static_cast<std::ptrdiff_t>(text.find_first_of("eE"))) << text;
  }
}

}  // namespace
}  // namespace yupana::io
