#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include "tests/geometry/points.hpp"
#include "tests/support/text_files.hpp"
#include "tests/support/there.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/geometry/closest_pair_cuda.hpp"

namespace yupana::geometry {
namespace {

using testing::Cloud;
using testing::lattice;
using testing::points_of;
using testing::uniform;

template <class T>
ClosestPair closest(Context& context, const Matrix<T>& points) {
  return closest_pair<T>(context, points.view());
}

template <class T>
class GpuClosestPair : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuClosestPair, Types);

// Small: what compute-sanitizer runs.
TYPED_TEST(GpuClosestPair, SmallEqualsAllPairsForEveryShape) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context reference({.device = "reference"});
  // Around a warp, a block, all pairs, the sample.
  for (const std::int64_t n : {2, 3, 31, 33, 256, 257, 1023, 1024, 1025, 2000}) {
    for (std::int64_t d = 1; d <= max_dimensions; ++d) {
      const auto points = uniform<TypeParam>(n, d, static_cast<std::uint64_t>(n));
      ASSERT_EQ(closest(gpu, points), closest(reference, points)) << n << " x " << d;
      const auto tied = lattice<TypeParam>(n, d, 50, static_cast<std::uint64_t>(n));
      ASSERT_EQ(closest(gpu, tied), closest(reference, tied)) << n << " x " << d;
    }
  }
}

TYPED_TEST(GpuClosestPair, OfPointsOnTheGpuIsTheSame) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {2, 300, 5003}) {
    const auto points = uniform<TypeParam>(n, 3, static_cast<std::uint64_t>(n));
    There<TypeParam> there(points.data(), n * 3, 1);
    const MatrixView<const TypeParam> view(there.data(), n, 3);
    EXPECT_EQ(closest_pair<TypeParam>(gpu, view, {}), closest(gpu, points)) << n;
  }
}

TYPED_TEST(GpuClosestPair, HardCloudsEqualAllPairs) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t n = 3001;
  Context gpu({.device = "cuda:0"});
  Context reference({.device = "reference"});
  for (const Cloud& cloud : testing::hard_clouds(n)) {
    for (const std::int64_t d : {1, 2, 3, 8}) {
      const auto points = points_of<TypeParam>(n, d, cloud.at);
      ASSERT_EQ(closest(gpu, points), closest(reference, points)) << cloud.name << " in " << d;
    }
  }
}

TYPED_TEST(GpuClosestPair, LargeCloudsEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t n = 1'000'003;
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const Cloud& cloud : testing::hard_clouds(n)) {
    for (const std::int64_t d : {2, 3}) {
      const auto points = points_of<TypeParam>(n, d, cloud.at);
      ASSERT_EQ(closest(gpu, points), closest(host, points)) << cloud.name << " in " << d;
    }
  }
  for (const std::int64_t d : {1, 2, 3, 4, 5}) {
    const auto points = uniform<TypeParam>(n, d, 77);
    ASSERT_EQ(closest(gpu, points), closest(host, points)) << d;
  }
}

TEST(GpuClosestPair, SquaresThatOverflowOrVanishDoNotMatter) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context reference({.device = "reference"});
  for (const std::int64_t n : {2, 40, 2003}) {
    for (const Cloud& cloud : testing::extreme_clouds(n)) {
      for (const std::int64_t d : {1, 2, 3, 8}) {
        const auto points = points_of<double>(n, d, cloud.at);
        ASSERT_EQ(closest(gpu, points), closest(reference, points)) << cloud.name << " in " << d;
      }
    }
  }
}

TEST(GpuClosestPair, MillionsOfEqualPointsAreFast) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t n = 4'000'000;
  Context gpu({.device = "cuda:0"});
  auto points = points_of<double>(n, 2, [](auto, auto k) { return k == 0 ? 1.5 : -0.0; });
  EXPECT_EQ(closest(gpu, points), (ClosestPair{0, 1, 0}));
  points(0, 0) = points(n - 1, 0) = 7;
  points(0, 1) = 0.0;
  EXPECT_EQ(closest(gpu, points), (ClosestPair{0, n - 1, 0}));
  // Every point twice.
  points = points_of<double>(
      n, 2, [](auto i, auto k) { return k == 0 ? static_cast<double>(i % (n / 2)) : 0.25; });
  EXPECT_EQ(closest(gpu, points), (ClosestPair{0, n / 2, 0}));
}

TEST(GpuClosestPair, RowsMayBeApartOnHostAndDevice) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context reference({.device = "reference"});
  const auto wide = uniform<float>(4000, 5);
  const MatrixView<const float> view(wide.data() + 1, 4000, 2, 5);
  const ClosestPair want = closest_pair<float>(reference, view);
  EXPECT_EQ(closest_pair<float>(gpu, view), want);
  EXPECT_EQ(gpu.bytes_moved(), 4000u * 2 * 4);
  yupana::cuda::DeviceArray<float> there(4000 * 5);
  yupana::cuda::check(cudaMemcpy(there.data(), wide.data(), there.bytes(), cudaMemcpyHostToDevice),
                      "copy");
  yupana::cuda::check(cudaDeviceSynchronize(), "copy");
  EXPECT_EQ(cuda::closest_pair<float>(gpu, 0, there.data() + 1, 4000, 2, 5), want);
}

TEST(GpuClosestPair, RefusesWhatHasNoAnswer) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context cpu({.device = "cpu"});
  const auto said = [](Context& context, const auto& points) {
    return test::refusal([&] { closest(context, points); });
  };
  EXPECT_EQ(said(gpu, uniform<float>(1, 2)), said(cpu, uniform<float>(1, 2)));
  for (const double bad : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    auto points = uniform<double>(200000, 3);
    points(199999, 1) = bad;
    points(777, 2) = bad;
    EXPECT_EQ(said(gpu, points), said(cpu, points));
  }
  EXPECT_THROW(
      closest_pair<double>(gpu, uniform<double>(10, 2).view(), {.method = ClosestMethod::divide}),
      Error);
}

}  // namespace
}  // namespace yupana::geometry

#else
TEST(GpuClosestPair, NeedsABuildWithCuda) { YUPANA_NEEDS_GPU(); }
#endif
