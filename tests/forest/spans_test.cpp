#include "yupana/forest/spans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::forest {
namespace {

TEST(Spans, PartsGoToTheFirstGapWithRoom) {
  Spans spans(100);
  EXPECT_EQ(spans.take(30), 0u);
  EXPECT_EQ(spans.take(20), 30u);
  EXPECT_EQ(spans.take(50), 50u);
  EXPECT_FALSE(spans.take(1).has_value());
  spans.give_back(30);
  EXPECT_FALSE(spans.take(21).has_value());
  EXPECT_EQ(spans.take(5), 30u);
  EXPECT_EQ(spans.take(15), 35u);
}

TEST(Spans, GapsSideBySideBecomeOneInEveryOrder) {
  for (const auto& order : std::vector<std::vector<std::uint64_t>>{
           {0, 10, 20}, {0, 20, 10}, {10, 0, 20}, {10, 20, 0}, {20, 0, 10}, {20, 10, 0}}) {
    Spans spans(30);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(spans.take(10).has_value());
    for (const std::uint64_t begin : order) spans.give_back(begin);
    EXPECT_EQ(spans.take(30), 0u);
  }
}

TEST(Spans, NothingHasRoomForNothing) { EXPECT_FALSE(Spans(0).take(1).has_value()); }

// Against a list of who has which place.
TEST(Spans, PartsNeverOverlapAndNoRoomGetsLost) {
  constexpr std::uint64_t size = 97;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomSequence random(seed);
    Spans spans(size);
    std::vector<int> owner(size, 0);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
    for (int step = 1; step <= 300; ++step) {
      if (random.word() % 2 == 0 && !parts.empty()) {
        const std::size_t at = random.word() % parts.size();
        const auto [begin, length] = parts[at];
        spans.give_back(begin);
        for (std::uint64_t i = begin; i < begin + length; ++i) owner[i] = 0;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
        continue;
      }
      const std::uint64_t length = 1 + random.word() % 30;
      const auto is_free = [&](std::uint64_t at) {
        const auto first = owner.begin() + static_cast<std::ptrdiff_t>(at);
        return std::count(first, first + static_cast<std::ptrdiff_t>(length), 0) ==
               static_cast<std::ptrdiff_t>(length);
      };
      std::uint64_t expected = 0;
      while (expected + length <= size && !is_free(expected)) ++expected;
      if (expected + length > size) expected = size;
      const auto begin = spans.take(length);
      ASSERT_EQ(begin.value_or(size), expected);
      if (!begin) continue;
      for (std::uint64_t i = *begin; i < *begin + length; ++i) owner[i] = step;
      parts.emplace_back(*begin, length);
    }
    for (const auto& [begin, length] : parts) spans.give_back(begin);
    EXPECT_EQ(spans.take(size), 0u);
  }
}

}  // namespace
}  // namespace yupana::forest
