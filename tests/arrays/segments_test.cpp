#include "yupana/arrays/segments.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/arrays/samples.hpp"

namespace yupana::arrays {
namespace {

std::vector<std::vector<std::int64_t>> layouts(std::int64_t tile) {
  std::vector<std::int64_t> many{0};
  for (std::int64_t s = 0; s < 5000; ++s) {
    many.push_back(many.back() + static_cast<std::int64_t>(word(s) % 7));  // some are empty
  }
  return {{0},
          {0, 0},
          {0, 1},
          {0, 0, 5, 5, 5, 9, 9},
          {0, tile - 1, 2 * tile - 1, 3 * tile, 3 * tile, 6 * tile + 1, 6 * tile + 2},
          {3, 10, 20},
          many};
}

TEST(Segments, ScansAndTotalsOfEachEqualThoseOfTheSegmentAlone) {
  Context reference({.device = "reference"});
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const auto& offsets : layouts(tile_size<Matrix2>)) {
      const std::int64_t segments = ssize_of(offsets) - 1;
      const std::vector<Matrix2> in = random_values<Matrix2>(offsets.back());
      const Matrix2 init{1, 2, 3, 5}, untouched{9, 9, 9, 9};
      std::vector<Matrix2> sums(in.size(), untouched), before = sums, want = sums,
                                                       want_before = sums;
      std::vector<Matrix2> totals(static_cast<std::size_t>(segments)), want_totals = totals;

      segmented_inclusive_scan(
          context, in.data(), offsets.data(), segments, sums.data(), Product{});
      segmented_exclusive_scan(
          context, in.data(), offsets.data(), segments, init, before.data(), Product{});
      segmented_reduce(
          context, in.data(), offsets.data(), segments, init, totals.data(), Product{});

      for (std::int64_t s = 0; s < segments; ++s) {
        const std::int64_t at = offsets[static_cast<std::size_t>(s)];
        const std::int64_t n = offsets[static_cast<std::size_t>(s) + 1] - at;
        inclusive_scan(reference, in.data() + at, n, want.data() + at, Product{});
        exclusive_scan(reference, in.data() + at, n, init, want_before.data() + at, Product{});
        want_totals[static_cast<std::size_t>(s)] =
            reduce(reference, in.data() + at, n, init, Product{});
      }
      EXPECT_EQ(sums, want);
      EXPECT_EQ(before, want_before);
      EXPECT_EQ(totals, want_totals);
    }
  }
}

TEST(Segments, FloatsHaveTheSameBitsWhereverTheirSegmentStands) {
  Context context({.device = "cpu", .threads = 2});
  const std::int64_t n = 2 * tile_size<float> + 77;
  const std::vector<float> once = random_values<float>(n);
  std::vector<float> in(once);
  in.insert(in.end(), {1.0F, 2.0F, 3.0F});
  in.insert(in.end(), once.begin(), once.end());
  const std::int64_t offsets[] = {0, n, n + 3, 2 * n + 3};
  std::vector<float> out(in.size());

  segmented_inclusive_scan(context, in.data(), offsets, 3, out.data());

  EXPECT_TRUE(std::equal(out.begin(), out.begin() + n, out.begin() + n + 3));
}

}  // namespace
}  // namespace yupana::arrays
