#include "yupana/arrays/reduce.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/arrays/samples.hpp"

namespace yupana::arrays {
namespace {

template <class T, class Op>
void reduces_as_reference(Op op, T init) {
  Context reference({.device = "reference"});
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes_around(tile_size<T>)) {
      const std::vector<T> in = random_values<T>(n);
      EXPECT_EQ(reduce(context, in.data(), n, init, op), reduce(reference, in.data(), n, init, op))
          << n;
    }
  }
}

TEST(Reduce, ReferenceAddsFromTheInitialValue) {
  Context context({.device = "reference"});
  const int in[] = {3, 1, 4};

  EXPECT_EQ(reduce(context, in, 3, 100), 108);
  EXPECT_EQ(reduce(context, in, 0, 100), 100);
  EXPECT_EQ(reduce(context, in, 3, 2, Multiply{}), 24);
}

TEST(Reduce, EqualsTheReferenceForIntegersAndOrderedOperators) {
  reduces_as_reference<std::uint8_t>(Plus{}, 3);
  reduces_as_reference<std::int64_t>(Plus{}, -3);
  reduces_as_reference<std::uint32_t>(Multiply{}, 3);
  reduces_as_reference<std::uint16_t>(Multiply{}, 3);
  reduces_as_reference<std::int32_t>(Min{}, 5);
  reduces_as_reference<Matrix2>(Product{}, Matrix2{2, 1, 1, 1});
}

TEST(Reduce, FloatSumsHaveTheSameBitsForAnyThreads) {
  const std::vector<float> in = random_values<float>(20 * tile_size<float> + 3);
  Context one({.device = "cpu", .threads = 1});
  const float sum = reduce(one, in.data(), ssize_of(in), 0.0F);
  for (const int threads : {2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    EXPECT_EQ(reduce(context, in.data(), ssize_of(in), 0.0F), sum);
  }
  long double exact = 0;
  for (const float value : in) exact += value;
  long double size = 0;
  for (const float value : in) size += std::fabs(value);
  const long double additions = 2100 + std::log2(static_cast<long double>(in.size()));
  const long double bound = size * additions * std::numeric_limits<float>::epsilon() / 2;
  EXPECT_NEAR(sum, static_cast<double>(exact), static_cast<double>(bound));
}

TEST(Reduce, NanIsTheGreatestValue) {
  Context context({.device = "cpu"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float in[] = {nan, 2, -1, nan};

  EXPECT_EQ(reduce(context, in, 4, nan, Min{}), -1);
  EXPECT_TRUE(std::isnan(reduce(context, in, 4, 0.0F, Max{})));
}

struct Runs {
  std::vector<int> keys;
  std::vector<Matrix2> values;
  bool operator==(const Runs&) const = default;
};

Runs runs_of(Context& context, const std::vector<int>& keys, const std::vector<Matrix2>& values) {
  Runs runs{std::vector<int>(keys.size()), std::vector<Matrix2>(keys.size())};
  const auto count = static_cast<std::size_t>(reduce_by_key(context,
                                                            keys.data(),
                                                            values.data(),
                                                            ssize_of(keys),
                                                            runs.keys.data(),
                                                            runs.values.data(),
                                                            Product{}));
  runs.keys.resize(count);
  runs.values.resize(count);
  return runs;
}

TEST(ReduceByKey, ReferenceFoldsNeighbours) {
  Context context({.device = "reference"});
  const int keys[] = {7, 7, 3, 7, 7};
  const int values[] = {1, 2, 3, 4, 5};
  int out_keys[5], sums[5];

  ASSERT_EQ(reduce_by_key(context, keys, values, 5, out_keys, sums), 3);
  EXPECT_EQ(std::vector<int>(out_keys, out_keys + 3), (std::vector<int>{7, 3, 7}));
  EXPECT_EQ(std::vector<int>(sums, sums + 3), (std::vector<int>{3, 3, 9}));
}

TEST(ReduceByKey, EqualsTheReferenceForRunsOfAnyLength) {
  Context reference({.device = "reference"});
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes_around(tile_size<int>)) {
      const std::vector<Matrix2> values = random_values<Matrix2>(n);
      // Every key its own run, short runs, runs that end on a tile's edge, one run over all tiles.
      for (const std::int64_t length : {std::int64_t{1}, std::int64_t{3}, tile_size<int>, n + 1}) {
        std::vector<int> keys(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) {
          keys[static_cast<std::size_t>(i)] = static_cast<int>(i / length);
        }
        EXPECT_EQ(runs_of(context, keys, values), runs_of(reference, keys, values))
            << n << " " << length;
      }
    }
  }
}

}  // namespace
}  // namespace yupana::arrays
