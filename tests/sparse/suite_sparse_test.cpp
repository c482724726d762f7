// Matrices of the SuiteSparse collection: the analysis against the reference, x against its bound.
#include "tests/sparse/suite_sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/text_files.hpp"

namespace yupana::sparse {
namespace {

int within_range = 0;

void solve_as(const Csr& matrix, const TriangularParams& params) {
  Context context({.device = "cpu", .threads = 2});
  const Matrix<double> b = random_sides<double>(matrix.rows, 2);
  const Matrix<double> want = expect_bits_of_the_reference(
      context,
      matrix,
      params,
      {SolveMethod::serial, SolveMethod::level_set, SolveMethod::sync_free},
      b);
  // Some grow beyond the range of a double, as stored: no error to speak of then.
  if (std::any_of(want.data(), want.data() + 2 * matrix.rows, [](double v) {
        return !(std::fabs(v) < 1e290);
      })) {
    return;
  }
  EXPECT_LE((backward_error<double, std::int64_t>(matrix.view(), params, b.view(), want.view())),
            4 * std::numeric_limits<double>::epsilon() * static_cast<double>(longest_row(matrix)));
  ++within_range;
}

TEST(SuiteSparse, BothTrianglesOfEveryMatrixAreSolvedOrRefusedInOneLine) {
  const auto all = suite_sparse_files();
  if (all.empty()) GTEST_SKIP() << "no matrices in " << shared_data("matrices");
  int solved = 0, solved_as_stored = 0, refused = 0;
  for (const std::string& path : all) {
    SCOPED_TRACE(path);
    Context context({.device = "cpu", .threads = 2});
    io::MatrixMarket file;
    try {
      file = io::read_matrix_market(context, path);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("complex"), std::string::npos) << error.what();
      ++refused;
      continue;
    }
    if (file.matrix.rows != file.matrix.cols) {
      EXPECT_NE(test::refusal([&] { analyse(context, file.matrix.view()); }).find("square"),
                std::string::npos);
      ++refused;
      continue;
    }
    tame(file.matrix);
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      solve_as(file.matrix,
               {.triangle = triangle,
                .unit_diagonal = true,
                .sort_columns = true,
                .ignore_other = true});
      ++solved;
      try {
        analyse(context, file.matrix.view(), {.triangle = triangle, .ignore_other = true});
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("row "), std::string::npos) << error.what();
        continue;
      }
      solve_as(file.matrix, {.triangle = triangle, .ignore_other = true});
      ++solved_as_stored;
    }
  }
  EXPECT_GE(solved, 50);
  EXPECT_GE(solved_as_stored, 10);
  EXPECT_GE(within_range, 60);
  EXPECT_GE(refused, 2);
}

}  // namespace
}  // namespace yupana::sparse
