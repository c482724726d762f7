// Matrices of the SuiteSparse collection on the GPU: the analysis of the reference, its bits of x.
#include <gtest/gtest.h>

#include "tests/sparse/suite_sparse.hpp"
#include "tests/support/gpu.hpp"

namespace yupana::sparse {
namespace {

TEST(GpuSuiteSparse, BothTrianglesHaveTheAnalysisAndTheBitsOfTheReference) {
  YUPANA_NEEDS_GPU();
  const auto all = suite_sparse_files();
  if (all.empty()) GTEST_SKIP() << "no matrices in " << shared_data("matrices");
  Context context({.device = "cpu"}), gpu({.device = "cuda:0"});
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
      expect_bits_of_the_reference(
          gpu,
          file.matrix,
          {.triangle = triangle, .unit_diagonal = true, .sort_columns = true, .ignore_other = true},
          {SolveMethod::automatic, SolveMethod::level_set, SolveMethod::sync_free},
          random_sides<double>(file.matrix.rows, 2));
      ++solved;
    }
  }
  EXPECT_GE(solved, 50);
}

}  // namespace
}  // namespace yupana::sparse
