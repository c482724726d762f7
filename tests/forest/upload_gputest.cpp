#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/forest/samples.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/core/error.hpp"
#include "yupana/forest/forest.hpp"

/// From 32 MB on a table goes up in pieces of 1 MB that all threads fill, whole or some rows of it.
namespace yupana::forest {
namespace {

constexpr std::int64_t rows = 1'500'007;

template <class T>
void expect_alike_from_pieces(std::int64_t features) {
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  const auto sample = make_sample<T>({rows, features, 2, 0, 0.01, 0, 7});
  const auto table = sample.table.view();
  const TreeParams tree{.max_depth = 3};
  EXPECT_TRUE(fit_tree(cpu, table, sample.target(), tree) ==
              fit_tree(gpu, table, sample.target(), tree));
  ForestParams params{.trees = 14, .sampling = Sampling::partition};
  params.max_features = 0;
  params.tree.max_depth = 3;
  const auto whole = fit_forest(cpu, table, sample.target(), params);
  params.trees = 13;
  params.first_tree = 1;
  params.all_trees = 14;
  const auto some = fit_forest(gpu, table, sample.target(), params);
  for (std::size_t t = 0; t < 13; ++t) EXPECT_TRUE(whole[1 + t] == some[t]) << t;
}

TEST(GpuUpload, LargeTablesGrowTheTreesOfTheProcessor) {
  YUPANA_NEEDS_GPU();
  expect_alike_from_pieces<float>(6);
  expect_alike_from_pieces<double>(3);
}

// Pieces of all columns are in one loop: columns are sorted as they are done, by whichever thread.
TEST(GpuUpload, AnyNumberOfThreadsFillsThePieces) {
  YUPANA_NEEDS_GPU();
  const auto sample = make_sample<float>({rows, 7, 3, 0, 0.01, 0, 7});
  auto table = sample.table.view();
  // Fewer rows than stand in a column: no row more than whole pieces, and one.
  for (const std::int64_t some : {5 << 18, (5 << 18) + 1}) {
    table.rows = some;
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition}) {
      ForestParams params{.trees = 3, .sampling = sampling};
      params.tree.max_depth = 3;
      Context cpu({.device = "cpu"});
      const auto expected = fit_forest(cpu, table, sample.target(), params);
      for (const int threads : {1, 2, 7, 40}) {
        Context gpu({.device = "cuda:0", .threads = threads});
        const auto forest = fit_forest(gpu, table, sample.target(), params);
        EXPECT_TRUE(expected == forest)
            << some << " rows, " << threads << " threads, sampling " << static_cast<int>(sampling);
      }
    }
  }
}

TEST(GpuUpload, ACancelledUploadEndsWithAnErrorAndTheNextOneWorks) {
  YUPANA_NEEDS_GPU();
  const auto sample = make_sample<float>({rows, 6, 2, 0, 0, 0, 7});
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  ForestParams params{.trees = 2};
  params.tree.max_depth = 2;
  // Labels go first: once more has moved, the table is on its way.
  std::atomic<bool> ended{false};
  std::thread stop([&] {
    constexpr auto labels = static_cast<std::uint64_t>(rows) * sizeof(std::int32_t);
    while (!ended && gpu.bytes_moved() <= labels) std::this_thread::yield();
    gpu.cancel();
  });
  EXPECT_THROW(fit_forest(gpu, sample.table.view(), sample.target(), params), Error);
  ended = true;
  stop.join();
  Context again({.device = "cuda:0"});
  EXPECT_TRUE(fit_forest(cpu, sample.table.view(), sample.target(), params) ==
              fit_forest(again, sample.table.view(), sample.target(), params));
}

// Every device's pieces are filled by the same threads, at the same time.
TEST(GpuUpload, LargeTablesGoUpToSeveralDevicesAtOnce) {
  YUPANA_NEEDS_GPU();
  const int count = yupana::cuda::device_count();
  if (count < 2) GTEST_SKIP() << "one GPU: nothing to distribute trees over";
  Context one({.device = "cuda:0"});
  const auto sample = make_sample<float>({rows, 12, 2, 0, 0.01, 0, 7});
  std::string names = "cuda:0";
  for (int d = 1; d < count; ++d) {
    names += fmt::format(",{}", d);
    Context several({.device = names});
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition}) {
      ForestParams params{.trees = 9, .sampling = sampling};
      params.tree.max_depth = 4;
      const auto a = fit_forest(one, sample.table.view(), sample.target(), params);
      const auto b = fit_forest(several, sample.table.view(), sample.target(), params);
      EXPECT_TRUE(a == b) << names << ", sampling " << static_cast<int>(sampling);
    }
  }
}

}  // namespace
}  // namespace yupana::forest
