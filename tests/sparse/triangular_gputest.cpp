// The GPU against the reference: the same analysis and the same bits of x. Without CUDA in the
// build there is one test, which says so.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "tests/sparse/systems.hpp"
#include "yupana/core/error.hpp"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::sparse {
namespace {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

template <class T>
DeviceArray<T> uploaded(const T* values, std::int64_t count) {
  DeviceArray<T> there(std::max<std::int64_t>(1, count));
  check(cudaMemcpy(there.data(),
                   values,
                   sizeof(T) * static_cast<std::size_t>(count),
                   cudaMemcpyHostToDevice),
        "copy");
  return there;
}

// The library's own layout whatever it would choose: strips or not.
template <class Value, class Index>
void both_layouts_solve(const CsrMatrix<Value, Index>& matrix,
                        const Matrix<Value>& b,
                        const Matrix<Value>& want) {
  if (matrix.rows == 0) return;
  const auto begin = uploaded(matrix.row_begin.data(), matrix.rows + 1);
  const auto columns = uploaded(matrix.columns.data(), matrix.columns.size());
  const auto values = uploaded(matrix.values.data(), matrix.values.size());
  const auto sides = uploaded(b.data(), b.rows() * b.cols());
  DeviceArray<Value> x(b.rows() * b.cols());
  const cuda::DeviceCsr<Value, Index> there{
      matrix.rows, Triangle::lower, begin.data(), columns.data(), values.data(), nullptr};
  for (const int strips : {0, 1}) {
    for (const int warps : {1, 3, 16}) {
      cuda::DeviceSystem<Value, Index> system({.strip_warps = warps, .strips = strips});
      system.analyse(there);
      system.pack(there);
      EXPECT_EQ(system.in_strips(), strips == 1);
      system.solve(sides.data(), x.data(), b.cols());
      system.stream().wait();
      Matrix<Value> got(b.rows(), b.cols());
      check(cudaMemcpy(got.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost), "copy");
      EXPECT_TRUE(same_bits(got, want)) << strips << " " << warps;
    }
  }
}

template <class Value, class Index>
void the_gpu_has_the_bits_of_the_reference() {
  YUPANA_NEEDS_GPU();
  Context reference({.device = "reference"}), gpu({.device = "cuda"});
  for (const auto& [name, matrix] : lower_systems<Value, Index>()) {
    SCOPED_TRACE(name);
    const auto published = analyse(reference, matrix.view());
    expect_same(analyse(gpu, matrix.view()), published);
    for (const std::int64_t sides : {1, 3, 33}) {
      const Matrix<Value> b = random_sides<Value>(matrix.rows, sides);
      Matrix<Value> want(b.rows(), sides), x(b.rows(), sides);
      TriangularSystem<Value, Index>(reference, matrix.view())
          .solve(reference, b.view(), want.view());
      for (const SolveMethod method : {SolveMethod::automatic,
                                       SolveMethod::serial,
                                       SolveMethod::level_set,
                                       SolveMethod::sync_free}) {
        TriangularSystem<Value, Index> system(gpu, matrix.view(), {.method = method});
        expect_same(system.analysis(), published);
        system.solve(gpu, b.view(), x.view());
        EXPECT_TRUE(same_bits(x, want)) << sides << " sides, method " << int(method);
      }
      if (sides < 33) both_layouts_solve(matrix, b, want);
    }
  }
}

TEST(GpuTriangular, HasTheBitsOfTheReferenceInDouble) {
  the_gpu_has_the_bits_of_the_reference<double, std::int32_t>();
}
TEST(GpuTriangular, HasTheBitsOfTheReferenceInFloatWith64BitIndices) {
  the_gpu_has_the_bits_of_the_reference<float, std::int64_t>();
}

TEST(GpuTriangular, SolvesWhatLiesInItsMemory) {
  YUPANA_NEEDS_GPU();
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  for (const auto& [name, matrix] : lower_systems<double, std::int32_t>()) {
    SCOPED_TRACE(name);
    const Matrix<double> b = random_sides<double>(matrix.rows, 3);
    Matrix<double> want(b.rows(), 3), got(b.rows(), 3);
    TriangularSystem<double, std::int32_t>(cpu, matrix.view()).solve(cpu, b.view(), want.view());
    const auto sides = uploaded(b.data(), b.rows() * 3);
    DeviceArray<double> x(b.rows() * 3);
    for (const SolveMethod method : {SolveMethod::level_set, SolveMethod::sync_free}) {
      const TriangularSystem<double, std::int32_t> system(gpu, matrix.view(), {.method = method});
      system.solve(gpu, 0, sides.data(), x.data(), 3);
      check(cudaMemcpy(got.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost), "copy");
      EXPECT_TRUE(same_bits(got, want)) << "method " << int(method);
      if (matrix.rows == 0) continue;
      EXPECT_THROW(system.solve(gpu, 1, sides.data(), x.data(), 3), Error);
    }
    if (matrix.rows == 0) continue;
    const TriangularSystem<double, std::int32_t> elsewhere(cpu, matrix.view());
    EXPECT_THROW(elsewhere.solve(gpu, 0, sides.data(), x.data(), 3), Error);
  }
}

TEST(GpuTriangular, SolvesUpperSystems) {
  YUPANA_NEEDS_GPU();
  static constexpr int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 70};
  const auto upper = random_system<double, std::int32_t>(
      6000, 900, [](std::int64_t i) { return counts[(i * 5) % 12]; }, Triangle::upper);
  Context reference({.device = "reference"}), gpu({.device = "cuda"});
  const Matrix<double> b = random_sides<double>(6000, 2);
  Matrix<double> want(6000, 2), x(6000, 2);
  TriangularParams params{.triangle = Triangle::upper};
  TriangularSystem<double, std::int32_t>(reference, upper.view(), params)
      .solve(reference, b.view(), want.view());
  for (const SolveMethod method : {SolveMethod::level_set, SolveMethod::sync_free}) {
    params.method = method;
    TriangularSystem<double, std::int32_t> system(gpu, upper.view(), params);
    expect_same(system.analysis(), analyse(reference, upper.view(), params));
    system.solve(gpu, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, want));
  }
}

TEST(GpuTriangular, SolvesTransposedSystems) {
  YUPANA_NEEDS_GPU();
  static constexpr int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 70};
  const auto lower = random_system<double, std::int32_t>(
      6000, 900, [](std::int64_t i) { return counts[(i * 5) % 12]; });
  Context reference({.device = "reference"}), gpu({.device = "cuda"});
  const Matrix<double> b = random_sides<double>(6000, 2);
  Matrix<double> want(6000, 2), x(6000, 2);
  TriangularParams params{.operation = Operation::transpose};
  TriangularSystem<double, std::int32_t>(reference, lower.view(), params)
      .solve(reference, b.view(), want.view());
  for (const SolveMethod method : {SolveMethod::level_set, SolveMethod::sync_free}) {
    params.method = method;
    TriangularSystem<double, std::int32_t> system(gpu, lower.view(), params);
    expect_same(system.analysis(), analyse(reference, lower.view(), params));
    system.update_values(gpu, lower.values.data());
    system.solve(gpu, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, want));
  }
}

TEST(GpuTriangular, RefusesComplexValues) {
  YUPANA_NEEDS_GPU();
  const auto matrix = matrix_of<std::complex<double>, std::int32_t>({{{0, 2}}});
  Context gpu({.device = "cuda"});
  try {
    TriangularSystem<std::complex<double>, std::int32_t>(gpu, matrix.view());
    FAIL() << "complex values were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
  }
}

/// The upper triangle with the same levels from its end: row i is row n - 1 - i of `lower`.
CsrMatrix<double, std::int32_t> mirrored(const CsrMatrix<double, std::int32_t>& lower) {
  const std::int64_t n = lower.rows, entries = lower.columns.size();
  CsrMatrix<double, std::int32_t> upper{
      n, n, Array<std::int32_t>(n + 1), Array<std::int32_t>(entries), Array<double>(entries)};
  for (std::int64_t i = 0; i <= n; ++i) {
    upper.row_begin[i] = static_cast<std::int32_t>(entries) - lower.row_begin[n - i];
  }
  for (std::int64_t e = 0; e < entries; ++e) {
    upper.columns[e] = static_cast<std::int32_t>(n - 1 - lower.columns[entries - 1 - e]);
    upper.values[e] = lower.values[entries - 1 - e];
  }
  return upper;
}

// Strips of few long chains are settled chain by chain, others round by round: widths on both
// sides, chains that end within a group, within a strip and beyond it, more chains than warps.
TEST(GpuTriangular, LevelsOfGridsOfAnyWidth) {
  YUPANA_NEEDS_GPU();
  Context cpu({.device = "cpu"}), gpu({.device = "cuda"});
  struct Size {
    std::int64_t width, height, depth;
  };
  for (const Size s : {Size{1, 3000, 1},
                       {3, 900, 1},
                       {15, 300, 1},
                       {16, 300, 1},
                       {17, 300, 1},
                       {31, 200, 3},
                       {32, 200, 1},
                       {33, 200, 1},
                       {1023, 7, 1},
                       {1024, 7, 1},
                       {1025, 7, 2},
                       {70001, 1, 1},
                       {5000, 60, 1},
                       {97, 3000, 1},
                       {60, 50, 40}}) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", s.width, s.height, s.depth));
    const auto lower = lower_poisson<double, std::int32_t>(s.width, s.height, s.depth);
    expect_same(analyse(gpu, lower.view()), analyse(cpu, lower.view()));
    const auto upper = mirrored(lower);
    const TriangularParams params{.triangle = Triangle::upper};
    expect_same(analyse(gpu, upper.view(), params), analyse(cpu, upper.view(), params));
  }
}

// Strips as long as shared memory allows, levels with a bit a row and chains beside them.
TEST(GpuTriangular, StripsOfLevelsExceededTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  Context cpu({.device = "cpu"}), gpu({.device = "cuda"});
  const auto matrix = lower_poisson<double, std::int32_t>(500, 400, 1);
  const Matrix<double> b = random_sides<double>(matrix.rows, 1);
  Matrix<double> want(matrix.rows, 1);
  TriangularSystem<double, std::int32_t>(cpu, matrix.view()).solve(cpu, b.view(), want.view());
  const auto published = analyse(cpu, matrix.view());
  for (const auto& limits : {smallest_gpu, small_a100}) {
    const LimitedGpu limited(limits);
    expect_same(analyse(gpu, matrix.view()), published);
    both_layouts_solve(matrix, b, want);
  }
}

TEST(GpuTriangular, NarrowLevelsAreSolvedOnTheCpuAndWideOnesThere) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda"});
  const auto method = [&](std::int64_t width, std::int64_t height) {
    const auto matrix = lower_poisson<double, std::int32_t>(width, height, 1);
    return TriangularSystem<double, std::int32_t>(gpu, matrix.view()).method();
  };
  EXPECT_EQ(method(150, 150), SolveMethod::serial);
  EXPECT_EQ(method(500, 500), SolveMethod::sync_free);
}

TEST(GpuTriangular, NanAndInfinityAreResultsAndNotMarks) {
  YUPANA_NEEDS_GPU();
  const auto matrix = lower_poisson<double, std::int32_t>(150, 60, 1);
  Context reference({.device = "reference"}), gpu({.device = "cuda"});
  const TriangularSystem<double, std::int32_t> there(
      gpu, matrix.view(), {.method = SolveMethod::sync_free});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double odd : {inf, -inf, std::nan("1"), std::bit_cast<double>(~std::uint64_t{0})}) {
    Matrix<double> b = random_sides<double>(9000, 1), want(9000, 1), x(9000, 1);
    b(1530, 0) = odd;
    TriangularSystem<double, std::int32_t>(reference, matrix.view())
        .solve(reference, b.view(), want.view());
    there.solve(gpu, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, want));
    EXPECT_TRUE(std::isnan(x(8999, 0)) || std::isinf(x(8999, 0)));
  }
}

TEST(GpuTriangular, NewValuesNeedNoNewAnalysis) {
  YUPANA_NEEDS_GPU();
  const auto count = [](std::int64_t i) { return i % 20; };
  const auto first = random_system<float, std::int32_t>(5000, 0, count);
  auto second = random_system<float, std::int32_t>(5000, 0, count);
  for (float& value : second.values) value = 3 - value;
  const Matrix<float> b = random_sides<float>(5000, 2);
  Context gpu({.device = "cuda"}), reference({.device = "reference"});
  Matrix<float> x(5000, 2), want(5000, 2);
  TriangularSystem<float, std::int32_t>(reference, second.view())
      .solve(reference, b.view(), want.view());
  for (const SolveMethod method :
       {SolveMethod::serial, SolveMethod::level_set, SolveMethod::sync_free}) {
    TriangularSystem<float, std::int32_t> system(gpu, first.view(), {.method = method});
    system.update_values(gpu, second.values.data());
    system.solve(gpu, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, want));
  }
}

TEST(GpuTriangular, RowsSortedByLevelAreNotSolvedInStrips) {
  YUPANA_NEEDS_GPU();
  // 4 levels of 50,000 rows, one after the other.
  const auto matrix = random_system<double, std::int32_t>(
      200'000, 0, [](std::int64_t i) { return i < 50'000 ? 0 : 1 + i % 3; });
  Context gpu({.device = "cuda"}), reference({.device = "reference"});
  const Matrix<double> b = random_sides<double>(200'000, 1);
  Matrix<double> x(200'000, 1), want(200'000, 1);
  TriangularSystem<double, std::int32_t>(reference, matrix.view())
      .solve(reference, b.view(), want.view());
  TriangularSystem<double, std::int32_t>(gpu, matrix.view(), {.method = SolveMethod::sync_free})
      .solve(gpu, b.view(), x.view());
  EXPECT_TRUE(same_bits(x, want));
}

TEST(GpuTriangular, AChainOf726300LevelsIsAnalysedThereAndSolvedOnTheCpu) {
  YUPANA_NEEDS_GPU();
  const std::int64_t n = 726'300;
  const auto matrix = lower_poisson<double, std::int32_t>(n, 1, 1);
  Context gpu({.device = "cuda"});
  TriangularSystem<double, std::int32_t> system(gpu, matrix.view());
  EXPECT_EQ(system.analysis().levels, n);
  EXPECT_EQ(system.method(), SolveMethod::serial);
  Matrix<double> b(n, 1), x(n, 1);
  std::fill_n(b.data(), n, 3.0);
  b(0, 0) = 4;
  system.solve(gpu, b.view(), x.view());
  EXPECT_EQ(x(n - 1, 0), 1);
}

// Small enough for the memory and race checkers.
TEST(GpuTriangularSmall, EveryClassInBothLayouts) {
  YUPANA_NEEDS_GPU();
  static constexpr int counts[] = {0, 1, 2, 3, 4, 5, 9, 17, 40, 70};
  const auto matrix = random_system<double, std::int32_t>(
      700, 0, [](std::int64_t i) { return counts[(i * 3) % 10]; });
  Context reference({.device = "reference"});
  const Matrix<double> b = random_sides<double>(700, 1);
  Matrix<double> want(700, 1);
  TriangularSystem<double, std::int32_t>(reference, matrix.view())
      .solve(reference, b.view(), want.view());
  both_layouts_solve(matrix, b, want);
}

}  // namespace
}  // namespace yupana::sparse

#else

TEST(GpuTriangular, NeedsCudaInTheBuild) { GTEST_SKIP() << "no GPU: built without CUDA"; }

#endif
