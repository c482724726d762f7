#include "yupana/core/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/error.hpp"

namespace yupana {
namespace {

TEST(Escaped, KeepsTextOfAnyScript) {
  for (const char* text : {"", "plain text, 'quoted' \\", "Åsa Ñandú", "北京", "Ж", "🧬"}) {
    EXPECT_EQ(escaped(text), text);
  }
}

TEST(Escaped, WritesControlsAndWhatIsNoUtf8AsBytes) {
  EXPECT_EQ(escaped(std::string("a\0\n\x1b[2J\x7f", 8)), "a\\x00\\x0a\\x1b[2J\\x7f");
  EXPECT_EQ(escaped("\x80\xfe\xff"), "\\x80\\xfe\\xff");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(escaped("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
  EXPECT_EQ(escaped("\xe5\x8c"), "\\xe5\\x8c");                    // cut short
  EXPECT_EQ(escaped("\xe5\x8cz"), "\\xe5\\x8cz");
}

TEST(Escaped, ShowsWhatATerminalWouldHideOrObey) {
  EXPECT_EQ(escaped("\xc2\x9b[2J"), "\\xc2\\x9b[2J");  // a control of ISO 8859
  EXPECT_EQ(escaped("\xef\xbb\xbf"
                    "1"),
            "\\xef\\xbb\\xbf"
            "1");                                         // byte order mark
  EXPECT_EQ(escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right to left
  EXPECT_EQ(escaped("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");  // line separator
}

TEST(Joined, PutsSeparatorsBetweenTextsAndNumbers) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b", ""}, ", "), ", b, ");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::int64_t>{-3, INT64_MAX}, " x "), "-3 x 9223372036854775807");
  EXPECT_EQ(joined(std::vector<double>{2, 10.48, 1e300}, ", "), "2, 10.48, 1e+300");
}

TEST(AppendFormatted, AppendsWhatFormatReturns) {
  std::string text = "row";
  append_formatted(text, "\t{}", std::string(2000, 'x'));
  append_formatted(text, "\t{:.3f}\t{}\n", 1.0 / 3, std::string_view("end"));
  EXPECT_EQ(text, "row\t" + std::string(2000, 'x') + "\t0.333\tend\n");
}

TEST(Text, ErrorsAreOneLineWhateverTheyQuote) {
  const Error error(ErrorCode::bad_input, "a\nb\x1b[31m: got '\xff\\n'");
  EXPECT_STREQ(error.what(), "a\\x0ab\\x1b[31m: got '\\xff\\n'");
  EXPECT_EQ(escaped(error.what()), error.what());
}

}  // namespace
}  // namespace yupana
