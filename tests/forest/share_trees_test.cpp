#include <gtest/gtest.h>

#include "tests/forest/samples.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/forest/tree_backends.hpp"

namespace yupana::forest {
namespace {

TEST(ShareTrees, GrowTheForestOfOneProcess) {
  const std::int64_t rows = 400;
  Table<double> table(rows, {"a", "b", "c"});
  std::vector<std::int32_t> codes;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t c = 0; c < 3; ++c) {
      table.column(c)[i] = static_cast<double>((i * (31 + 7 * c) + c) % 97);
    }
    codes.push_back(static_cast<std::int32_t>((i * 13 % 97 + table.column(1)[i]) / 66) % 3);
  }
  Target target;
  target.codes = codes.data();
  target.classes = 3;
  for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition}) {
    ForestParams params{.trees = 11, .sampling = sampling};
    if (sampling == Sampling::bootstrap) params.tree.categorical = {false, false, true};
    Context context({.device = "cpu"});
    const std::vector<Tree> wanted = fit_forest<double>(context, table.view(), target, params);
    for (const int ranks : {1, 2, 3, 13}) {
      ThreadRanks(ranks).run([&](Comm& comm) {
        Context mine({.device = "cpu", .threads = 1, .comm = &comm});
        const std::vector<Tree> found = fit_forest<double>(mine, table.view(), target, params);
        EXPECT_EQ(found, wanted) << ranks;
      });
    }
  }
}

}  // namespace
}  // namespace yupana::forest
