#include "yupana/core/context.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"

namespace yupana {
namespace {

ErrorCode code_of(const ContextParams& params) {
  try {
    Context context(params);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{0};
}

TEST(Context, UnknownDeviceIsAUsageError) {
  EXPECT_EQ(code_of({.device = "gpu"}), ErrorCode::usage);
  EXPECT_EQ(code_of({.threads = -1}), ErrorCode::usage);
}

TEST(Context, MissingGpuIsADeviceError) {
  if (cuda::device_count() > 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(code_of({.device = "cuda"}), ErrorCode::device);
  EXPECT_EQ(code_of({.device = "cuda:0"}), ErrorCode::device);
}

TEST(Context, ParallelForCoversTheRangeOnce) {
  for (int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    std::vector<int> hits(1001, 0);
    context.parallel_for(1001, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(hits, std::vector<int>(1001, 1));
  }
}

TEST(Context, TwoContextsWorkSideBySide) {
  std::int64_t sums[2] = {0, 0};
  const auto work = [&](int which) {
    Context context({.device = "cpu", .threads = 2});
    std::atomic<std::int64_t> sum{0};
    context.parallel_for(10000, 100, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sum += i;
    });
    sums[which] = sum;
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(sums[0], 49995000);
  EXPECT_EQ(sums[1], 49995000);
}

TEST(Stage, CancelStopsTheNextAdvance) {
  Context context({.device = "cpu", .threads = 1});
  Stage stage(context, "work", 10, "steps");
  stage.advance(1);
  context.cancel();
  try {
    stage.advance(1);
    FAIL() << "went on after cancel()";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

TEST(Stage, IsTimedAndTellsTheSink) {
  Context context({.device = "cpu", .threads = 1});
  int told = 0;
  context.on_progress([&](const Progress& progress) {
    ++told;
    EXPECT_EQ(progress.stage, "work");
    EXPECT_EQ(progress.total, 10);
  });
  { Stage(context, "work", 10, "steps").advance(4); }
  EXPECT_EQ(told, 1);
  ASSERT_EQ(context.stages().size(), 1u);
  EXPECT_EQ(context.stages()[0].work, 4);
}

TEST(Stage, InsideAnotherIsPartOfIt) {
  Context context({.device = "cpu", .threads = 1});
  {
    Stage outer(context, "outer");
    Stage(context, "inner").advance(1);
  }
  { Stage(context, "next").advance(1); }
  ASSERT_EQ(context.stages().size(), 2u);
  EXPECT_EQ(context.stages()[0].name, "outer");
  EXPECT_EQ(context.stages()[1].name, "next");
}

TEST(Random, DependsOnSeedStreamAndIndexOnly) {
  EXPECT_EQ(Random(1, 2).word(3), Random(1, 2).word(3));
  EXPECT_NE(Random(1, 2).word(3), Random(1, 2).word(4));
  EXPECT_NE(Random(1, 2).word(3), Random(1, 3).word(3));
  EXPECT_NE(Random(1, 2).word(3), Random(2, 2).word(3));
}

TEST(Random, UniformHasTheRightMean) {
  const Random random(7);
  double sum = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) sum += random.uniform(i);
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

}  // namespace
}  // namespace yupana
