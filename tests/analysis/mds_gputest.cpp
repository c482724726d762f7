#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/analysis/matrices.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/core/error.hpp"

#ifdef YUPANA_CUDA
#include "yupana/analysis/mds_product.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

using test::view;

template <class T>
class GpuMds : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(GpuMds, Types);

/// Rows of `distances` times a vector of many magnitudes, on both; true if every bit is the same.
template <class T>
bool same_product(Context& gpu, Context& cpu, MatrixView<const T> distances, Entries entries) {
  const std::int64_t n = distances.rows;
  const Random random(5);
  Array<double> x = Array<double>::zeros(round_up(n, strands));
  for (std::int64_t j = 0; j < n; ++j) {
    const auto at = static_cast<std::uint64_t>(j);
    x[j] = std::ldexp(random.uniform(at) - 0.5, static_cast<int>(random.word(at) % 40) - 20);
  }
  Array<double> there(n), here(n);
  const auto on_gpu = cuda::product(gpu, distances.data, n, distances.stride, entries);
  const auto on_cpu = cpu::product(cpu, distances, entries);
  bool same = true;
  for (const double shift : {0.0, 1.7}) {
    on_gpu(shift, x.data(), there.data());
    on_cpu(shift, x.data(), here.data());
    same = same && std::memcmp(there.data(), here.data(), there.bytes()) == 0;
  }
  return same;
}

TYPED_TEST(GpuMds, ProductHasTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 509, 1031}) {
    const auto d = test::random_distances<TypeParam>(n, 0, 100);
    for (const Entries entries : {Entries::distances, Entries::squares}) {
      EXPECT_TRUE(same_product(gpu, cpu, view(d), entries))
          << n << " squared " << (entries == Entries::squares);
    }
  }
}

TYPED_TEST(GpuMds, ProductTakesRowsThatLieApart) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  const std::int64_t n = 333, stride = 351;
  const auto d = test::random_distances<TypeParam>(n, 0, 9);
  Matrix<TypeParam> wide(n, stride);
  for (std::int64_t i = 0; i < n; ++i) {
    std::fill_n(wide.row(i), stride, TypeParam{77});
    std::copy_n(d.row(i), n, wide.row(i));
  }
  const MatrixView<const TypeParam> strided(wide.data(), n, n, stride);
  EXPECT_TRUE(same_product(gpu, cpu, strided, Entries::distances));
}

template <class T>
void expect_the_same(const SquareMatrix<T>& d, Entries entries) {
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  const MdsResult there = mds(gpu, view(d), entries, {.dimensions = 6});
  const MdsResult here = mds(cpu, view(d), entries, {.dimensions = 6});
  EXPECT_EQ(there.eigenvalues, here.eigenvalues);
  EXPECT_EQ(there.share, here.share);
  EXPECT_EQ(there.trace, here.trace);
  ASSERT_EQ(there.points.cols(), here.points.cols());
  const std::int64_t cells = here.points.rows() * here.points.cols();
  EXPECT_TRUE(std::equal(there.points.data(), there.points.data() + cells, here.points.data()));
  // The matrix went there, so the GPU was used.
  EXPECT_GE(gpu.bytes_moved(), static_cast<std::uint64_t>(d.size() * d.size()) * sizeof(T));
}

TYPED_TEST(GpuMds, PointsHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {4000, 4003, 4099}) {
    const auto squares = test::grid_squares<TypeParam>(n, 5);
    expect_the_same(squares, Entries::squares);
    if (n == 4003) expect_the_same(squares, Entries::distances);
  }
}

TYPED_TEST(GpuMds, DuplicatesHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const auto groups = test::symmetric<TypeParam>(
      4100, [](std::int64_t i, std::int64_t j) { return i % 6 == j % 6 ? 0 : 1 + j % 6; });
  expect_the_same(groups, Entries::distances);
  const auto one = test::symmetric<TypeParam>(4100, [](auto, auto) { return 0; });
  expect_the_same(one, Entries::distances);
}

TEST(GpuMdsMemory, TooSmallAGpuLeavesItToTheCpuAndSaysSo) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0", .gpu_memory = 1 << 20}), cpu({.device = "cpu"});
  std::string said;
  gpu.on_note([&](const std::string& note) { said = note; });
  const auto d = test::grid_squares<float>(4000, 3);
  EXPECT_EQ(mds(gpu, view(d), Entries::squares).eigenvalues,
            mds(cpu, view(d), Entries::squares).eigenvalues);
  EXPECT_EQ(gpu.bytes_moved(), 0u);
  EXPECT_NE(said.find("does not fit"), std::string::npos) << said;
}

TEST(GpuMdsCancel, StopsTheUpload) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  const auto d = test::grid_squares<float>(4000, 3);
  gpu.cancel();
  EXPECT_THROW(mds(gpu, view(d), Entries::squares), Error);
}

}  // namespace
}  // namespace yupana::analysis

#else
TEST(GpuMds, NeedsABuildWithCuda) { YUPANA_NEEDS_GPU(); }
#endif
