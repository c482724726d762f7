// Sums of floats on the reference and on threads: the same bits where that is promised, within the
// bound where it is not.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tests/arrays/samples.hpp"
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

TEST(SameBits, RunningFloatSumsOfBothKeepTheBound) {
  const std::int64_t n = 5 * tile_size<float> + 3;
  const std::vector<float> in = random_values<float>(n);
  for (const char* const device : {"reference", "cpu"}) {
    Context context({.device = device});
    std::vector<float> sums(in.size());
    inclusive_scan(context, in.data(), n, sums.data());
    const bool from_left = context.backend() == Backend::reference;
    long double exact = 0, size = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      exact += in[at];
      size += std::fabs(in[at]);
      const auto additions = static_cast<long double>(from_left ? i : 6300 + i / tile_size<float>);
      const long double bound = size * additions * 0x1p-24L;
      ASSERT_LE(std::fabs(sums[at] - exact), bound) << device << " " << i;
    }
  }
}

}  // namespace
}  // namespace yupana::arrays
