#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <string>

#include "tests/support/text_files.hpp"
#include "yupana/io/model_files.hpp"

namespace yupana::io {
namespace {

using test::expect_refusal;
using test::refusal;

/// A model of one leaf; `member` is one more of the document, with a comma, `tree` of its tree.
std::string model_text(const std::string& impurity,
                       const std::string& member = "",
                       const std::string& tree = "") {
  return R"({"format": "yupana trees", "version": 1, "label": "y", "classes": [], "features": ["x"],
    "voting": "soft", )" +
         member + R"("trees": [{"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1],
    "missing_left": [ false ], "rows" : [2], "weight": [2.0], )" +
         tree + R"("impurity": [)" + impurity + R"(], "values": [1]}]})";
}

TEST(TreeJson, NumbersHaveTheBitsThatTheJsonLibraryGaveThem) {
  for (const char* text : {"0.1",
                           "0",
                           "7",
                           "1e22",
                           "1E5",
                           "1e+5",
                           "2.5e-3",
                           "-0.0",
                           "-1.5",
                           "4.9e-324",
                           "1e-400",
                           "2.2250738585072014e-308",
                           "1.7976931348623157e308",
                           "9007199254740993",
                           "0.30000000000000004",
                           "18446744073709551616",
                           "123456789012345678901234567890",
                           "-9223372036854775809",
                           "0.1000000000000000055511151231257827021181583404541015625",
                           "1e0000000000000000001"}) {
    const forest::Model model = model_from_bytes("m", model_text(text));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(model.trees[0].nodes[0].impurity),
              std::bit_cast<std::uint64_t>(std::strtod(text, nullptr)))
        << text;
  }
}

TEST(TreeJson, WhatTheJsonLibraryTakesForNoNumberIsRefused) {
  for (const char* text :
       {"",    "01",  "-01", "1.",    "1.e5",     ".5",    "+1",  "1e",    "1e+", "NaN",
        "nan", "inf", "-",   "--1",   "Infinity", "1e999", "0x1", "1.5.2", "1 2", "1,,2",
        "1f",  "1:2", "1]",  "\"1\"", "null",     "true",  "[1]", "{}",    "1}",  "\"1"}) {
    EXPECT_NE(refusal([&] { model_from_bytes("m", model_text(text)); }), "") << text;
  }
  for (const char* text :
       {"5.0", "05", "-05", "1e0", "9223372036854775808", "18446744073709551616"}) {
    std::string model = model_text("0.5");
    model.replace(model.find("[2]"), 3, "[" + std::string(text) + "]");
    EXPECT_NE(refusal([&] { model_from_bytes("m", model); }), "") << text;
  }
}

TEST(TreeJson, EveryTextThatIsCutShortIsRefused) {
  const std::string text = model_text("0.5");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(refusal([&] { model_from_bytes("m", text.substr(0, size)); }), "") << size;
  }
  EXPECT_NE(refusal([&] { model_from_bytes("m", text + "}"); }), "");
}

TEST(TreeJson, WhatFollowedAZeroByteWasIgnored) {
  const std::string zero(1, '\0');
  for (const std::string& text : {model_text("0.5" + zero + "x"),
                                  model_text("0.5") + zero + "x",
                                  model_text("0.5", "\"note\": 1" + zero + ",")}) {
    expect_refusal([&] { model_from_bytes("m", text); }, "got a NUL byte");
  }
}

TEST(TreeJson, OfMembersThatOccurTwiceTheLastWasReadInSilence) {
  for (const char* member : {R"("label": "z", )", R"("trees": [], )", R"("trees": 1, )"}) {
    expect_refusal([&] { model_from_bytes("m", model_text("0.5", member)); },
                   "expected one value, got two");
  }
  expect_refusal([&] { model_from_bytes("m", model_text("0.5", "", R"("weight": [1], )")); },
                 "tree 1: weight: expected one value, got two");
}

TEST(TreeJson, MembersOfATreeThatNoVersionHasWereReadInSilence) {
  expect_refusal([&] { model_from_bytes("m", model_text("0.5", "", R"("set ": [0], )")); },
                 "tree 1 has a member 'set ', which no version writes");
  EXPECT_EQ(model_from_bytes("m", model_text("0.5", R"("note": ["mine"], )")).trees.size(), 1U);
}

TEST(TreeJson, TreesOfALaterVersionAndOfOtherProgramsWereCalledDamaged) {
  const std::string text = model_text("0.5", "", R"("new": [1], )");
  std::string later = text, other = text;
  later.replace(text.find("\"version\": 1"), 12, "\"version\": 9");
  expect_refusal([&] { model_from_bytes("m", later); }, "is a model of version 9");
  other.replace(text.find("yupana trees"), 12, "trees");
  expect_refusal([&] { model_from_bytes("m", other); }, "is no model of trees");
}

}  // namespace
}  // namespace yupana::io
