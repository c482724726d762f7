#include "yupana/splice/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "yupana/core/random.hpp"
#include "yupana/splice/align_backends.hpp"

namespace yupana::splice {
namespace {

auto tied(const Exon& x) { return std::tie(x.last, x.first, x.begin, x.entry, x.exit, x.end); }
auto by_first(const Exon& x) { return std::tie(x.first, x.last); }

/// Exons of up to 40 bases in the first `bases` that there are, some of them more than once.
std::vector<Exon> random_exons(RandomSequence& random, std::int64_t count, std::int64_t bases) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random.word() % static_cast<std::uint64_t>(limit));
  };
  std::vector<Exon> exons;
  for (std::int64_t k = 0; k < count; ++k) {
    if (k > 0 && below(8) == 0) {
      exons.push_back(exons[static_cast<std::size_t>(below(k))]);
      continue;
    }
    Exon exon;
    exon.first = 1 + below(bases);
    exon.last = exon.first + below(40);
    exon.begin = static_cast<std::int32_t>(below(3)) - 1;
    exon.entry = static_cast<std::int32_t>(below(3)) - 1;
    exon.exit = static_cast<std::int32_t>(below(3)) - 1;
    exon.end = static_cast<std::int32_t>(below(3)) - 1;
    exons.push_back(exon);
  }
  return exons;
}

std::vector<std::int64_t> sorted_places(std::span<const Exon> exons) {
  std::vector<std::int64_t> places(exons.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(
      places, [&](std::int64_t a, std::int64_t b) { return tied(exons[a]) < tied(exons[b]); });
  const auto equal = [&](std::int64_t a, std::int64_t b) { return exons[a] == exons[b]; };
  places.erase(std::unique(places.begin(), places.end(), equal), places.end());
  return places;
}

/// Slots hold one end at a time, from its first reading to the start that takes it in.
void expect_slots(const Plan& plan, std::span<const Exon> exons, std::int64_t min_intron) {
  std::map<std::int64_t, std::int64_t> end_of;  // of a slot that is held
  std::size_t most = 0;
  for (const Start& start : plan.starts) {
    std::int64_t before = 0;
    for (std::int64_t e = start.ended_from; e < start.ended_to; ++e) {
      const auto slot = end_of.find(plan.ended[e]);
      ASSERT_NE(slot, end_of.end());
      EXPECT_LT(slot->second + min_intron, start.first);
      EXPECT_LT(before, slot->second);
      before = slot->second;
      end_of.erase(slot);
    }
    for (const auto& [slot, end] : end_of) EXPECT_GE(end + min_intron, start.first);
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      const Reading& reading = plan.readings[r];
      const Exon& exon = exons[reading.exon];
      EXPECT_EQ(std::tie(exon.first, exon.begin, exon.entry),
                std::tie(start.first, start.begin, start.entry));
      EXPECT_EQ(reading.rows, exon.length());
      EXPECT_EQ(reading.slot < 0, exon.last + min_intron >= plan.starts.back().first);
      if (reading.slot < 0) continue;
      EXPECT_EQ(reading.fresh, end_of.try_emplace(reading.slot, exon.last).second);
      EXPECT_EQ(end_of[reading.slot], exon.last);
    }
    most = std::max(most, end_of.size());
  }
  EXPECT_EQ(plan.slots, std::ssize(plan.starts) == 0 ? 0 : static_cast<std::int64_t>(most));
}

void expect_plan(std::span<const Exon> exons, std::int64_t min_intron) {
  const std::vector<std::int64_t> places = sorted_places(exons);
  EXPECT_EQ(ordered_exons(exons), places);
  const Plan plan = make_plan(exons, min_intron);
  ASSERT_EQ(plan.readings.size(), places.size());
  const auto key = [&](const Reading& reading) {
    const Exon& x = exons[reading.exon];
    return std::tuple(x.first, x.begin, x.entry, reading.rows, reading.rank);
  };
  EXPECT_TRUE(std::ranges::is_sorted(plan.readings, {}, key));
  for (const Reading& reading : plan.readings) EXPECT_EQ(places[reading.rank], reading.exon);
  expect_slots(plan, exons, min_intron);
}

// In any order, in that of candidates, which needs no sort, and far apart, where ends are not
// counted.
TEST(Plan, OrdersExonsAndHandsOutSlots) {
  RandomSequence random(7);
  expect_plan({}, 20);
  for (const std::int64_t count : {1, 2, 7, 60, 500}) {
    for (const std::int64_t bases : {5, 100, 3'000, 1'000'000'000}) {
      for (const std::int64_t min_intron : {0, 20}) {
        std::vector<Exon> exons = random_exons(random, count, bases);
        expect_plan(exons, min_intron);
        std::ranges::stable_sort(exons, {}, by_first);
        expect_plan(exons, min_intron);
        std::ranges::sort(exons, {}, [](const Exon& x) {
          return std::tie(x.first, x.begin, x.entry, x.last, x.exit, x.end);
        });
        expect_plan(exons, min_intron);
      }
    }
  }
}

}  // namespace
}  // namespace yupana::splice
