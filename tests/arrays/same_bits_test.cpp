// Sums of floats on the reference and on threads: the same bits, within the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/segments.hpp"

namespace yupana::arrays {
namespace {

template <class T>
std::vector<std::int64_t> sizes() {
  std::vector<std::int64_t> sizes = sizes_around(tile_size<T>);
  for (const std::int64_t more : {31, 32, 33, 1000, 4099}) sizes.push_back(more);
  return sizes;
}

template <class T, class Op>
void same_reductions(Op op, T init) {
  Context reference({.device = "reference"});
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes<T>()) {
      const std::vector<T> in = random_values<T>(n);
      const std::vector<T> sums{reduce(context, in.data(), n, init, op)};
      const std::vector<T> want{reduce(reference, in.data(), n, init, op)};
      EXPECT_TRUE(same_bits(sums, want)) << n << ": " << sums[0] << " for " << want[0];
    }
  }
}

TEST(SameBits, FloatSumsOfTheReferenceAreThoseOfTheThreads) {
  same_reductions<float>(Plus{}, 0.5F);
  same_reductions<double>(Plus{}, -0.0);
}

TEST(SameBits, FloatProductsOfTheReferenceAreThoseOfTheThreads) {
  same_reductions<double>(Multiply{}, 1.0);
}

TEST(SameBits, SegmentsAndRunsOfTheReferenceAreThoseOfTheThreads) {
  const std::int64_t n = 3 * tile_size<double> + 17;
  const std::vector<double> in = random_values<double>(n);
  const std::vector<std::int64_t> offsets{0, 5, 5, tile_size<double> - 1, n - 40, n};
  std::vector<int> keys(in.size());
  // Runs within a tile of keys, over its end, and over more than two tiles.
  for (std::int64_t i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = i < 100 ? i / 7 : i / n;
  const auto all_of = [&](const ContextParams& params) {
    Context context(params);
    std::vector<double> totals(offsets.size() - 1), runs(in.size());
    segmented_reduce(
        context, in.data(), offsets.data(), ssize_of(offsets) - 1, 0.25, totals.data());
    std::vector<int> out_keys(in.size());
    const std::int64_t count =
        reduce_by_key(context, keys.data(), in.data(), n, out_keys.data(), runs.data());
    totals.insert(totals.end(), runs.begin(), runs.begin() + count);
    return totals;
  };
  const std::vector<double> want = all_of({.device = "reference"});
  EXPECT_EQ(want.size(), 5 + 15 + 1);
  for (const int threads : {1, 2, 7}) {
    EXPECT_TRUE(same_bits(all_of({.device = "cpu", .threads = threads}), want)) << threads;
  }
}

/// Running sums and products by the public functions, in place too.
template <class T, class Op>
std::vector<T> running(Context& context, const std::vector<T>& in, Op op) {
  const std::int64_t n = ssize_of(in);
  std::vector<T> all(3 * in.size());
  inclusive_scan(context, in.data(), n, all.data(), op);
  inclusive_scan_from(context, T(0.5), in.data(), n, all.data() + n, op);
  std::copy(in.begin(), in.end(), all.begin() + 2 * n);
  exclusive_scan(context, all.data() + 2 * n, n, T(-0.25), all.data() + 2 * n, op);
  return all;
}

template <class T, class Op>
void same_running(std::int64_t group, Op op) {
  Context reference({.device = "reference"});
  std::vector<std::int64_t> all = sizes<T>();
  const std::int64_t run = run_size<T>;
  for (const std::int64_t part :
       {group / 32, group / 256, group / 2048, group, run, 2 * run, runs_at_once * run, 7 * run}) {
    all.insert(all.end(), {part - 1, part, part + 1});
  }
  all.push_back(3 * group + group / 5 + 3);
  for (const std::int64_t n : all) {
    for (const bool odd : {false, true}) {
      // Infinities of both signs give NaN, whose sign is the processor's: finite numbers here.
      std::vector<T> in = random_values<T>(n);
      for (std::int64_t i = 0; odd && i < n; i += 3) in[static_cast<std::size_t>(i)] = T(-0.0);
      const std::vector<T> want = running(reference, in, op);
      for (const int threads : {1, 2, 7}) {
        Context context({.device = "cpu", .threads = threads});
        EXPECT_TRUE(same_bits(running(context, in, op), want)) << n << " by " << threads;
      }
    }
  }
}

TEST(SameBits, RunningFloatSumsOfTheReferenceAreThoseOfTheThreads) {
  same_running<float>(32 * PrefixOrder<float>::tile, Plus{});
  same_running<double>(32 * PrefixOrder<double>::tile, Plus{});
}

TEST(SameBits, RunningFloatSumsHaveTheBitsOfEveryProcessor) {
  const std::vector<float> in = random_values<float>(70'001);
  const std::vector<double> wide = random_values<double>(70'001);
  Context reference({.device = "reference"});
  Context context({.device = "cpu"});
  on_each_instruction_set([&] {
    EXPECT_TRUE(same_bits(running(context, in, Plus{}), running(reference, in, Plus{})));
    EXPECT_TRUE(same_bits(running(context, wide, Plus{}), running(reference, wide, Plus{})));
  });
}

TEST(SameBits, RunningFloatsOfAnOwnOperatorAreThoseOfTheThreads) {
  // Products without infinities, of which NaN of either sign would come.
  const auto join = [](auto a, auto b) { return a + b + a * b * decltype(a)(1e-20); };
  same_running<double>(tile_size<double>, join);
  same_running<float>(tile_size<float>, join);
}

/// The definition in prefix_order.hpp, of a slice and a row, term by term.
TEST(SameBits, RunningFloatSumsFollowTheOrderThatIsWrittenDown) {
  using Order = PrefixOrder<double>;
  Context context({.device = "cpu"});
  const std::vector<double> x = random_values<double>(Order::slice + Order::row + 7);
  std::vector<double> sums(x.size());
  inclusive_scan(context, x.data(), ssize_of(x), sums.data());

  EXPECT_EQ(sums[6], ((x[0] + x[1]) + ((x[2] + x[3]) + (x[4] + x[5]))) + x[6]);
  const auto row_total = [&](std::size_t from) {
    std::array<double, 32> vectors;
    for (std::size_t v = 0; v < 32; ++v) vectors[v] = x[from + 2 * v] + x[from + 2 * v + 1];
    sum_by_doubling(vectors);
    return vectors[31];
  };
  EXPECT_EQ(sums[64], row_total(0) + x[64]);
  std::array<double, 32> vectors{};
  for (std::size_t v = 0; v < 32; ++v) {
    double left = x[2 * v], right = x[2 * v + 1];
    for (std::size_t r = 1; r < 8; ++r) {
      left += x[64 * r + 2 * v];
      right += x[64 * r + 2 * v + 1];
    }
    vectors[v] = left + right;
  }
  const double slice = sum_by_neighbours(vectors);
  EXPECT_EQ(sums[512], slice + x[512]);
  EXPECT_EQ(sums[512 + 64], (slice + row_total(512)) + x[512 + 64]);
}

TEST(SameBits, RunningFloatSumsKeepTheBound) {
  constexpr std::int64_t group = 32 * PrefixOrder<float>::tile;
  const std::int64_t n = 3 * group + 3;
  const std::vector<float> in = random_values<float>(n);
  Context context({.device = "cpu"});
  std::vector<float> sums(in.size());
  inclusive_scan(context, in.data(), n, sums.data());
  long double exact = 0, size = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    exact += in[at];
    size += std::fabs(in[at]);
    const long double bound = size * static_cast<long double>(40 + i / group) * 0x1p-24L;
    ASSERT_LE(std::fabs(sums[at] - exact), bound) << i;
  }
}

}  // namespace
}  // namespace yupana::arrays
