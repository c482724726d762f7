#include "yupana/arrays/scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/core/error.hpp"

namespace yupana::arrays {
namespace {

template <class T, class Op>
std::vector<T> inclusive(Context& context, const std::vector<T>& in, Op op) {
  std::vector<T> out(in.size());
  inclusive_scan(context, in.data(), ssize_of(in), out.data(), op);
  return out;
}

template <class T, class Op>
std::vector<T> exclusive(Context& context, const std::vector<T>& in, T init, Op op) {
  std::vector<T> out(in.size());
  exclusive_scan(context, in.data(), ssize_of(in), init, out.data(), op);
  return out;
}

TEST(Scan, ReferenceGivesWhatAHandWouldWrite) {
  Context context({.device = "reference"});
  const std::vector<int> in{3, 1, 4, 1, 5};

  EXPECT_EQ(inclusive(context, in, Plus{}), (std::vector<int>{3, 4, 8, 9, 14}));
  EXPECT_EQ(exclusive(context, in, 10, Plus{}), (std::vector<int>{10, 13, 14, 18, 19}));
  EXPECT_EQ(inclusive(context, in, Max{}), (std::vector<int>{3, 3, 4, 4, 5}));
}

template <class T, class Op>
void equals_reference(Op op, T init) {
  Context reference({.device = "reference"});
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes_around(tile_size<T>)) {
      const std::vector<T> in = random_values<T>(n);
      EXPECT_EQ(inclusive(context, in, op), inclusive(reference, in, op)) << n;
      EXPECT_EQ(exclusive(context, in, init, op), exclusive(reference, in, init, op)) << n;
      std::vector<T> out(in.size()), want(in.size());
      inclusive_scan_from(context, init, in.data(), n, out.data(), op);
      inclusive_scan_from(reference, init, in.data(), n, want.data(), op);
      EXPECT_EQ(out, want) << n;
    }
  }
}

TEST(Scan, SumsOfEveryIntegerTypeEqualTheReference) {
  equals_reference<std::uint8_t>(Plus{}, 7);
  equals_reference<std::int16_t>(Plus{}, -7);
  equals_reference<std::int32_t>(Plus{}, -7);
  equals_reference<std::uint32_t>(Plus{}, 7);
  equals_reference<std::int64_t>(Plus{}, -7);
  equals_reference<std::uint64_t>(Plus{}, 7);
}

TEST(Scan, OperatorsThatDoNotCommuteKeepTheirOrder) {
  equals_reference<Matrix2>(Product{}, Matrix2{2, 1, 1, 1});
}

TEST(Scan, MinimumAndMaximumEqualTheReferenceWithNanAndSignedZeros) {
  Context reference({.device = "reference"});
  Context context({.device = "cpu", .threads = 2});
  const std::vector<float> in = odd_floats<float>(3 * tile_size<float> + 5);

  EXPECT_TRUE(same_bits(inclusive(context, in, Min{}), inclusive(reference, in, Min{})));
  EXPECT_TRUE(same_bits(inclusive(context, in, Max{}), inclusive(reference, in, Max{})));
}

template <class T>
void same_bits_for_threads() {
  Context one({.device = "cpu", .threads = 1});
  const std::vector<T> in = random_values<T>(9 * tile_size<T> + 13);
  const std::vector<T> sums = inclusive(one, in, Plus{});
  const std::vector<T> before = exclusive(one, in, T(0.5), Plus{});
  for (const int threads : {2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_TRUE(same_bits(inclusive(context, in, Plus{}), sums)) << threads;
      EXPECT_TRUE(same_bits(exclusive(context, in, T(0.5), Plus{}), before)) << threads;
    }
  }
  long double exact = 0, size = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    exact += in[i];
    size += std::fabs(in[i]);
    const auto additions = static_cast<long double>(40 + i / (32 * PrefixOrder<T>::tile));
    const long double bound = size * additions * std::numeric_limits<T>::epsilon() / 2;
    ASSERT_NEAR(static_cast<double>(sums[i] - exact), 0.0, static_cast<double>(bound)) << i;
  }
}

TEST(Scan, FloatSumsHaveTheSameBitsForAnyThreadsAndAreRight) {
  same_bits_for_threads<float>();
  same_bits_for_threads<double>();
}

TEST(Scan, SumsOfFloatsHaveTheBitsWrittenDownOnce) {
  // The order of additions is part of the promise: these bits hold on every processor.
  Context context({.device = "cpu"});
  const std::vector<float> in{1e8F,
                              1.0F,
                              -1e8F,
                              1.0F,
                              0.1F,
                              0.2F,
                              0.3F,
                              0.4F,
                              0.5F,
                              0.6F,
                              0.7F,
                              0.8F,
                              0.9F,
                              1.1F,
                              1.2F,
                              1.3F,
                              -0.0F};
  const std::vector<float> sums = inclusive(context, in, Plus{});

  EXPECT_EQ(sums[0], 1e8F);
  EXPECT_EQ(sums[1], 1e8F);  // 1 is less than half a unit of 1e8
  EXPECT_EQ(sums[2], 0.0F);
  EXPECT_EQ(sums[3], 1.0F);
  EXPECT_EQ(sums[5], 1.0F + (0.1F + 0.2F));
  const float second = ((0.1F + 0.2F) + 0.3F) + 0.4F, third = ((0.5F + 0.6F) + 0.7F) + 0.8F;
  EXPECT_EQ(sums[12], (1.0F + (second + third)) + 0.9F);
  EXPECT_EQ(sums[16], (1.0F + second) + (third + (((0.9F + 1.1F) + 1.2F) + 1.3F)));
}

TEST(Scan, NegativeZerosStayNegative) {
  Context context({.device = "cpu"});
  const std::vector<double> in(37, -0.0);

  for (const double sum : inclusive(context, in, Plus{})) EXPECT_TRUE(std::signbit(sum));
}

TEST(Scan, WorksInPlaceAndOnUnalignedArrays) {
  Context context({.device = "cpu", .threads = 2});
  std::vector<std::uint32_t> values = random_values<std::uint32_t>(6'000'007);
  std::vector<std::uint32_t> want(values.size()), out(values.size() + 1);
  std::partial_sum(values.begin(), values.end(), want.begin());

  inclusive_scan(context, values.data(), ssize_of(values), out.data() + 1);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), out.begin() + 1));
  inclusive_scan(context, values.data(), ssize_of(values), values.data());
  EXPECT_EQ(values, want);
}

TEST(Scan, StopsWhenCancelled) {
  Context context({.device = "cpu", .threads = 2});
  context.cancel();
  const std::vector<int> in(1'000'000, 1);

  EXPECT_THROW(inclusive(context, in, Plus{}), Error);
}

TEST(Scan, AnOperatorThatThrowsStopsEveryThread) {
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const std::vector<std::int16_t> in(4'000'000, 1);
    const auto op = [](std::int16_t a, std::int16_t b) -> std::int16_t {
      if (a == 30000) throw std::runtime_error("enough");
      return static_cast<std::int16_t>(a + b);
    };

    EXPECT_THROW(inclusive(context, in, op), std::runtime_error);
  }
}

}  // namespace
}  // namespace yupana::arrays
