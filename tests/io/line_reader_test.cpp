#include "yupana/io/line_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/folder.hpp"
#include "tests/support/text_files.hpp"

namespace yupana::io {
namespace {

std::vector<std::string> lines_of(std::string_view bytes) {
  const test::Folder folder;
  LineReader reader(folder.put("lines.txt", bytes));
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, TakesAnyLineEndAndALastLineWithout) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"}));
}

TEST(LineReader, LeavesOutAByteOrderMarkAtTheBeginningOnly) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "1\n\xef\xbb\xbf"
                     "2\n"),
            (Lines{"1",
                   "\xef\xbb\xbf"
                   "2"}));
}

TEST(LineReader, SaysThatAnArrayOrAnArchiveIsNoText) {
  const auto refused = [](std::string_view bytes) {
    return test::refusal([&] { lines_of(bytes); });
  };
  EXPECT_NE(refused("\x93NUMPY\x01").find("NumPy array"), std::string::npos);
  EXPECT_NE(refused("PK\x03\x04rest").find("zip archive"), std::string::npos);
}

TEST(LinesWithoutNumbers, AreRemarksAndBlankLinesAtTheEnd) {
  const test::Folder folder;
  const auto numbers = [&](std::string_view bytes) {
    LineReader reader(folder.put("numbers.txt", bytes));
    LinesWithoutNumbers without;
    Lines lines;
    for (std::string_view line; reader.next(line);) {
      if (!without.passed_over(reader, line)) lines.emplace_back(line);
    }
    return lines;
  };
  EXPECT_EQ(numbers("# head\n1\n  # more\n2\n \t\n# end\n\n"), (Lines{"1", "2"}));
  test::expect_refusal([&] { numbers("1\n\n\n2\n"); }, ":2: expected a number, got ''");
}

}  // namespace
}  // namespace yupana::io
