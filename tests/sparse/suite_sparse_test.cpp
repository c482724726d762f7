// Matrices of the SuiteSparse collection: the analysis against the reference, x against its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/sparse/systems.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/io/matrix_market.hpp"

namespace yupana::sparse {
namespace {

using Csr = CsrMatrix<double, std::int64_t>;

std::vector<std::string> files() {
  const std::filesystem::path folder = std::filesystem::path(YUPANA_SHARED_DATA) / "matrices";
  std::vector<std::string> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The row sums of absolute values are at most 1 off the diagonal, so that nothing overflows.
void tame(Csr& matrix) {
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    double sum = 1;
    for (auto e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) {
      if (matrix.columns[e] != i) sum += std::fabs(matrix.values[e]);
    }
    for (auto e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) matrix.values[e] /= sum;
  }
}

std::int64_t longest_row(const Csr& matrix) {
  std::int64_t longest = 1;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    longest = std::max(longest, matrix.row_begin[i + 1] - matrix.row_begin[i]);
  }
  return longest;
}

int within_range = 0;

void solve_as(const Csr& matrix, const TriangularParams& base) {
  Context reference({.device = "reference"});
  const auto published = analyse(reference, matrix.view(), base);
  const Matrix<double> b = random_sides<double>(matrix.rows, 2);
  Matrix<double> want(matrix.rows, 2), x(matrix.rows, 2);
  TriangularSystem<double, std::int64_t>(reference, matrix.view(), base)
      .solve(reference, b.view(), want.view());
  // Some grow beyond the range of a double, as stored: no error to speak of then.
  if (std::all_of(want.data(), want.data() + 2 * matrix.rows, [](double v) {
        return std::fabs(v) < 1e290;
      })) {
    EXPECT_LE(
        (backward_error<double, std::int64_t>(matrix.view(), base, b.view(), want.view())),
        4 * std::numeric_limits<double>::epsilon() * static_cast<double>(longest_row(matrix)));
    ++within_range;
  }
  Context context({.device = "cpu", .threads = 2});
  for (const SolveMethod method :
       {SolveMethod::serial, SolveMethod::level_set, SolveMethod::sync_free}) {
    TriangularParams params = base;
    params.method = method;
    TriangularSystem<double, std::int64_t> system(context, matrix.view(), params);
    const auto& got = system.analysis();
    EXPECT_EQ(got.levels, published.levels);
    EXPECT_EQ(got.warps, published.warps);
    EXPECT_EQ(got.keys, published.keys);
    EXPECT_TRUE(std::equal(got.order.begin(), got.order.end(), published.order.begin()));
    system.solve(context, b.view(), x.view());
    EXPECT_EQ(std::memcmp(x.data(), want.data(), sizeof(double) * 2 * matrix.rows), 0);
  }
}

TEST(SuiteSparse, BothTrianglesOfEveryMatrixAreSolvedOrRefusedInOneLine) {
  const auto all = files();
  if (all.empty()) GTEST_SKIP() << "no matrices in " << YUPANA_SHARED_DATA;
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
