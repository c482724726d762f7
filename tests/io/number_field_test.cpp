#include <gtest/gtest.h>

#include <string>

#include "yupana/io/cell.hpp"

namespace yupana::io {
namespace {

Field read(std::string_view text) {
  double value = 0;
  return read_field(text, value);
}

TEST(NumberField, number_of_takes_the_whole_text_or_nothing) {
  EXPECT_EQ(number_of<int>("-12"), -12);
  EXPECT_EQ(number_of<double>("1e3"), 1000);
  for (const char* text : {"", "+1", "1 ", " 1", "1x", "99999999999"}) {
    EXPECT_FALSE(number_of<int>(text)) << text;
  }
  EXPECT_FALSE(number_of<unsigned>("-1"));
}

TEST(NumberField, a_plus_sign_may_lead_but_not_a_plus_and_a_minus) {
  double value = 0;
  EXPECT_EQ(read_field("+2.5", value), Field::number);
  EXPECT_EQ(value, 2.5);
  for (const char* text : {"", "+", "+-1", "++1", "1,5", "1e"}) {
    EXPECT_EQ(read(text), Field::no_number) << text;
  }
}

TEST(NumberField, what_a_type_does_not_hold_is_too_large) {
  EXPECT_EQ(read("1e999"), Field::too_large);
  std::int64_t value = 0;
  EXPECT_EQ(read_field("9223372036854775808", value), Field::too_large);
}

TEST(NumberField, integers_between_two_doubles_are_rounded) {
  EXPECT_EQ(read("9007199254740992"), Field::number);
  EXPECT_EQ(read("9007199254740993"), Field::rounded);
  EXPECT_EQ(read("-9007199254740993"), Field::rounded);
  EXPECT_EQ(read("18446744073709551615"), Field::rounded);
  EXPECT_EQ(read("99999999999999999999"), Field::rounded);  // beyond every integer type
  EXPECT_EQ(read("+00100000000000000000000"), Field::number);
  EXPECT_EQ(read("-100000000000000000000"), Field::number);
  EXPECT_EQ(read("100000000000000000000000"), Field::rounded);  // 1e23 is none
  EXPECT_EQ(read("1e23"), Field::number);
  EXPECT_EQ(read(std::string(400, '9')), Field::too_large);
  EXPECT_EQ(read("9007199254740993.0"), Field::number);  // with a point it may be rounded
  EXPECT_EQ(read("inf"), Field::number);
}

}  // namespace
}  // namespace yupana::io
