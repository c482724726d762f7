// Matrices of the SuiteSparse collection on the GPU: the analysis of the reference, its bits of x.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/sparse/suite_sparse.hpp"
#include "tests/support/gpu.hpp"

namespace yupana::sparse {
namespace {

void solve_there(const Csr& matrix, TriangularParams params) {
  Context reference({.device = "reference"}), gpu({.device = "cuda:0"});
  const auto published = analyse(reference, matrix.view(), params);
  const Matrix<double> b = random_sides<double>(matrix.rows, 2);
  Matrix<double> want(matrix.rows, 2), x(matrix.rows, 2);
  TriangularSystem<double, std::int64_t>(reference, matrix.view(), params)
      .solve(reference, b.view(), want.view());
  for (const SolveMethod method :
       {SolveMethod::automatic, SolveMethod::level_set, SolveMethod::sync_free}) {
    params.method = method;
    TriangularSystem<double, std::int64_t> system(gpu, matrix.view(), params);
    const auto& got = system.analysis();
    EXPECT_EQ(got.levels, published.levels);
    EXPECT_EQ(got.warps, published.warps);
    EXPECT_EQ(got.keys, published.keys);
    EXPECT_TRUE(std::equal(got.order.begin(), got.order.end(), published.order.begin()));
    system.solve(gpu, b.view(), x.view());
    EXPECT_EQ(std::memcmp(x.data(), want.data(), sizeof(double) * 2 * matrix.rows), 0)
        << "method " << int(method);
  }
}

TEST(GpuSuiteSparse, BothTrianglesHaveTheAnalysisAndTheBitsOfTheReference) {
  YUPANA_NEEDS_GPU();
  const auto all = suite_sparse_files();
  if (all.empty()) GTEST_SKIP() << "no matrices in " << shared_data("matrices");
  Context context({.device = "cpu"});
  int solved = 0;
  for (const std::string& path : all) {
    SCOPED_TRACE(path);
    io::MatrixMarket file;
    try {
      file = io::read_matrix_market(context, path);
    } catch (const Error&) {
      continue;  // complex numbers; the test on the CPU says which
    }
    if (file.matrix.rows != file.matrix.cols) continue;
    tame(file.matrix);
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      solve_there(file.matrix,
                  {.triangle = triangle,
                   .unit_diagonal = true,
                   .sort_columns = true,
                   .ignore_other = true});
      ++solved;
    }
  }
  EXPECT_GE(solved, 50);
}

}  // namespace
}  // namespace yupana::sparse
