#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/support/bench.hpp"

namespace yupana::bench {
namespace {

nlohmann::json json_of(const Measurement& line) { return nlohmann::json::parse(json_line(line)); }

TEST(BenchLine, AShareAboveTheLimitSaysWhy) {
  Measurement line{"scan", "n=1", "yupana", 2, "GB/s", 1.06, true};
  EXPECT_FALSE(published(line).note.empty());
  EXPECT_TRUE(json_of(line)["note"].is_string());
  line.note = "the values fit the cache";
  EXPECT_EQ(json_of(line)["note"], "the values fit the cache");
  line.note.clear();
  line.share_of_limit = 1.05;
  EXPECT_TRUE(json_of(line)["note"].is_null());
}

TEST(BenchLine, APeerLeftOutHasNoValueButAReason) {
  const nlohmann::json json = json_of(left_out("fft", "n=64", "FFTW 3", "ms", "not installed"));
  EXPECT_TRUE(json["value"].is_null());
  EXPECT_EQ(json["verified"], false);
  EXPECT_EQ(json["note"], "not installed");
  EXPECT_EQ(json["unit"], "ms");
}

TEST(BenchLine, ALimitIsNotVerified) {
  const nlohmann::json json = json_of(limit_line("paths", "registers", "yupana cpu", 3, "G/s"));
  EXPECT_EQ(json["verified"], false);
  EXPECT_TRUE(json["note"].is_string());
}

TEST(BenchLine, RepeatsMedianAndSpreadAreOfTheRunsAfterTheWarmUp) {
  int runs = 0;
  Measurement line{"scan", "n=1", "yupana", 2, "s", {}};
  line.timing = time_runs(5, [&] { ++runs; });
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(json_of(line)["repeats"], 5);
  EXPECT_TRUE(json_of(line)["seconds_max"].is_number());
  line.timing = {};
  EXPECT_TRUE(json_of(line)["repeats"].is_null());
  EXPECT_TRUE(json_of(line)["seconds_median"].is_null());

  const Timing odd = timing_of({3, 1, 2}), even = timing_of({4, 1, 2, 3});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.per_call(2).max, 2);
}

TEST(BenchLine, TheReferenceIsCalledSoAndHasOneThread) {
  const Context reference({.device = "reference", .threads = 2}),
      cpu({.device = "cpu", .threads = 2});
  EXPECT_EQ(impl_name(reference), "yupana reference, 1 thread");
  EXPECT_EQ(impl_name(cpu).rfind("yupana cpu ", 0), 0u);
  EXPECT_EQ(thread_counts(reference), std::vector<int>{1});
  EXPECT_EQ(thread_counts(cpu), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace yupana::bench
