#include "yupana/core/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/text_files.hpp"
#include "tests/support/thread_ranks.hpp"
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

TEST(Context, KnowsItsRanks) {
  const Context alone({.device = "cpu"});
  EXPECT_EQ(alone.comm(), nullptr);
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.ranks(), 1);
  ThreadRanks(3).run([](Comm& comm) {
    const Context context({.device = "cpu", .threads = 1, .comm = &comm});
    EXPECT_EQ(context.comm(), &comm);
    EXPECT_EQ(context.rank(), comm.rank());
    EXPECT_EQ(context.ranks(), 3);
  });
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

/// How many threads are inside a loop of `threads` pieces at once: each piece waits for all others.
int gathered(Context& context, int threads) {
  std::atomic<int> inside{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  context.parallel_for(threads, 1, [&](std::int64_t, std::int64_t) {
    ++inside;
    while (inside < threads && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
  });
  return std::chrono::steady_clock::now() < deadline ? inside.load() : 0;
}

TEST(Context, SevenThreadsTakePartOnAnyNumberOfCores) {
  for (int threads : {1, 2, 7, 19, 7}) {
    Context context({.device = "cpu", .threads = threads});
    EXPECT_EQ(gathered(context, threads), threads);
  }
}

TEST(Context, TwoContextsHaveTheirThreadsAtOnce) {
  Context more({.device = "cpu", .threads = 9});
  int gathered_by_fewer = 0;
  std::thread other([&] {
    Context fewer({.device = "cpu", .threads = 7});
    gathered_by_fewer = gathered(fewer, 7);
  });
  EXPECT_EQ(gathered(more, 9), 9);
  other.join();
  EXPECT_EQ(gathered_by_fewer, 7);
  EXPECT_EQ(gathered(more, 9), 9) << "a context that is gone took its threads along";
}

TEST(Context, InOrderPutsEveryResultInItsTurn) {
  for (int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (std::int64_t count : {0, 1, 2, 1000}) {
      std::vector<std::int64_t> seen;
      context.in_order(
          count, [](std::int64_t i) { return i; }, [&](std::int64_t i) { seen.push_back(i); });
      std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(seen, expected);
    }
  }
}

TEST(Context, InOrderThrowsWhatMakingOrPuttingThrewAndLosesNothing) {
  Context context({.device = "cpu", .threads = 7});
  for (const bool in_make : {true, false}) {
    std::atomic<int> alive{0};
    const auto made = [&](std::int64_t i) {
      if (in_make && i == 50) throw Error(ErrorCode::bad_input, "fifty");
      ++alive;
      return std::shared_ptr<int>(new int(static_cast<int>(i)), [&](int* number) {
        delete number;
        --alive;
      });
    };
    std::int64_t put = 0;
    const auto take = [&](const std::shared_ptr<int>& number) {
      EXPECT_EQ(*number, put++);
      if (!in_make && *number == 50) throw Error(ErrorCode::bad_input, "fifty");
    };
    EXPECT_THROW(context.in_order(1000, made, take), Error);
    EXPECT_LE(put, 51);
    EXPECT_EQ(alive, 0);
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
  test::refusal([&] { stage.advance(1); }, ErrorCode::interrupted);
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

TEST(Stage, TellsNoMoreThanThereIsToDo) {
  Context context({.device = "cpu", .threads = 1});
  double told = 0;
  context.on_progress([&](const Progress& progress) { told = progress.done; });
  { Stage(context, "work", 10, "steps").advance(12); }
  EXPECT_EQ(told, 10);
}

// Sessions make calls without end.
TEST(Stage, TheRecordOfAThousandFurtherCallsIsPartOfTheLastOnes) {
  Context context({.device = "cpu", .threads = 1});
  for (int i = 0; i < 3000; ++i) Stage(context, "work").advance(1);
  ASSERT_EQ(context.stages().size(), 1000u);
  EXPECT_EQ(context.stages().back().work, 2001);
  EXPECT_LE(context.stages().capacity(), 1000u);
  { Stage(context, "other").advance(1); }
  EXPECT_EQ(context.stages().size(), 1000u);
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
