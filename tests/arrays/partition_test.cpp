#include "yupana/arrays/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/arrays/samples.hpp"

namespace yupana::arrays {
namespace {

TEST(Partition, ReferenceKeepsBothOrders) {
  Context context({.device = "reference"});
  const int in[] = {5, 2, 8, 3, 4};
  int out[5];

  EXPECT_EQ(partition(context, in, 5, out, [](int x) { return x % 2 == 0; }), 3);
  EXPECT_EQ(std::vector<int>(out, out + 5), (std::vector<int>{2, 8, 4, 5, 3}));
}

TEST(Partition, EqualsStablePartitionForAnyShareAndThreads) {
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes_around(tile_size<std::uint32_t>)) {
      const std::vector<std::uint32_t> in = random_values<std::uint32_t>(n);
      for (const std::uint32_t share : {0U, 1U, 50U, 100U}) {
        const auto wanted = [&](std::uint32_t x) { return x % 100 < share; };
        std::vector<std::uint32_t> want = in, out(in.size()), kept(in.size());
        const auto count = std::stable_partition(want.begin(), want.end(), wanted) - want.begin();

        EXPECT_EQ(partition(context, in.data(), n, out.data(), wanted), count);
        EXPECT_EQ(out, want);
        EXPECT_EQ(compact(context, in.data(), n, kept.data(), wanted), count);
        EXPECT_TRUE(std::equal(want.begin(), want.begin() + count, kept.begin()));
      }
    }
  }
}

}  // namespace
}  // namespace yupana::arrays
