// Which samples leave: by hand, and the largest sets against all sets.
#include "yupana/genotype/unrelated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace yupana::genotype {
namespace {

using Samples = std::vector<std::int64_t>;

Samples left_out(std::int64_t samples, const RelatedPairs& pairs, bool largest = false) {
  const std::vector<bool> marks = related_samples(samples, pairs, largest).left_out;
  Samples result;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i]) result.push_back(static_cast<std::int64_t>(i));
  }
  return result;
}

TEST(Unrelated, ThePartnerOfTheFirstSampleWithOnePairLeaves) {
  EXPECT_EQ(left_out(5, {}), Samples{});
  EXPECT_EQ(left_out(5, {{4, 1}}), Samples{4});
  EXPECT_EQ(left_out(5, {{0, 1}, {1, 2}, {2, 3}}), (Samples{1, 3}));
  EXPECT_EQ(left_out(5, {{3, 2}, {1, 2}, {0, 1}}), (Samples{1, 3}));
}

TEST(Unrelated, OtherwiseTheFirstWithTheMostPairs) {
  EXPECT_EQ(left_out(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}), (Samples{0, 2}));
  EXPECT_EQ(left_out(4, {{0, 1}, {1, 2}, {2, 0}}), (Samples{0, 2}));
  EXPECT_EQ(left_out(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}}), (Samples{1, 2, 4}));
}

RelatedPairs random_pairs(std::mt19937& random, std::int64_t samples, int one_in) {
  RelatedPairs pairs;
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (random() % static_cast<unsigned>(one_in) == 0) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

bool is_unrelated(const RelatedPairs& pairs, const Samples& out) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return std::count(out.begin(), out.end(), pair.first) +
               std::count(out.begin(), out.end(), pair.second) >
           0;
  });
}

TEST(Unrelated, TheLargestSetIsTheLargestOfAll) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const RelatedPairs pairs = random_pairs(random, 13, 2 + round % 5);
    int best = 0;
    for (unsigned set = 0; set < 1U << 13; ++set) {
      const bool fits = std::none_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return (set >> pair.first & set >> pair.second & 1) != 0;
      });
      if (fits) best = std::max(best, std::popcount(set));
    }
    const Samples out = left_out(13, pairs, true), greedy = left_out(13, pairs);
    EXPECT_TRUE(is_unrelated(pairs, out));
    EXPECT_TRUE(is_unrelated(pairs, greedy));
    EXPECT_EQ(13 - std::ssize(out), best);
    EXPECT_LE(out.size(), greedy.size());
  }
}

TEST(Unrelated, TheGreedyRuleMayLeaveOutMore) {
  const RelatedPairs pairs = {{1, 0},
                              {3, 0},
                              {3, 2},
                              {4, 0},
                              {4, 1},
                              {4, 2},
                              {4, 3},
                              {5, 0},
                              {5, 1},
                              {5, 3},
                              {6, 1},
                              {6, 5}};
  EXPECT_EQ(left_out(7, pairs).size(), 5U);
  EXPECT_EQ(left_out(7, pairs, true).size(), 4U);
}

TEST(Unrelated, LargeGroupsAreLeftToTheGreedyRule) {
  std::mt19937 random(8);
  RelatedPairs pairs = random_pairs(random, 290, 19);
  const Samples greedy = left_out(293, pairs);
  ASSERT_TRUE(is_unrelated(pairs, greedy));
  pairs.insert(pairs.end(), {{290, 291}, {291, 292}});
  std::shuffle(pairs.begin(), pairs.end(), random);
  Samples wanted = greedy;
  wanted.push_back(291);
  EXPECT_EQ(left_out(293, pairs, true), wanted);
  EXPECT_EQ(related_samples(293, pairs, true).unsolved, 1);
}

// Of intervals that overlap the most that do not are those that end first, one after the other.
TEST(Unrelated, GroupsOf200SamplesAreSolved) {
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::pair<unsigned, unsigned>> intervals;  // end, begin
    for (int i = 0; i < 200; ++i) {
      const unsigned begin = random() % 1000, length = 5 + random() % (10 + 10 * round);
      intervals.emplace_back(begin + length, begin);
    }
    RelatedPairs pairs;
    for (std::int64_t i = 0; i < 200; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const auto [end, begin] = intervals[i];
        const auto [other_end, other_begin] = intervals[j];
        if (begin < other_end && other_begin < end) pairs.emplace_back(i, j);
      }
    }
    std::sort(intervals.begin(), intervals.end());
    std::int64_t most = 0;
    unsigned last = 0;
    for (const auto& [end, begin] : intervals) {
      if (begin < last) continue;
      ++most;
      last = end;
    }
    const RelatedSamples related = related_samples(200, pairs, true);
    const Samples out = left_out(200, pairs, true);
    EXPECT_TRUE(is_unrelated(pairs, out));
    EXPECT_EQ(related.unsolved, 0);
    EXPECT_EQ(200 - std::ssize(out), most);
  }
}

TEST(Unrelated, ASearchThatTakesTooLongIsLeftToTheGreedyRule) {
  std::mt19937 random(10);
  const RelatedPairs pairs = random_pairs(random, 200, 20);
  EXPECT_EQ(related_samples(200, pairs, true).unsolved, 1);
  EXPECT_EQ(left_out(200, pairs, true), left_out(200, pairs));
}

}  // namespace
}  // namespace yupana::genotype
