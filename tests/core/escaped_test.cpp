#include "yupana/core/escaped.hpp"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace yupana
