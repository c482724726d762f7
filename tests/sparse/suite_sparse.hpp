#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/sparse/systems.hpp"
#include "tests/support/shared_data.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/matrix_market.hpp"

/// Matrices of the SuiteSparse collection.
namespace yupana::sparse {

using Csr = CsrMatrix<double, std::int64_t>;

inline std::vector<std::string> suite_sparse_files() {
  const std::filesystem::path folder = shared_data("matrices");
  std::vector<std::string> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The row sums of absolute values are at most 1 off the diagonal, so that nothing overflows.
inline void tame(Csr& matrix) {
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    double sum = 1;
    for (auto e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) {
      if (matrix.columns[e] != i) sum += std::fabs(matrix.values[e]);
    }
    for (auto e = matrix.row_begin[i]; e < matrix.row_begin[i + 1]; ++e) matrix.values[e] /= sum;
  }
}

inline std::int64_t longest_row(const Csr& matrix) {
  std::int64_t longest = 1;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    longest = std::max(longest, matrix.row_begin[i + 1] - matrix.row_begin[i]);
  }
  return longest;
}

/// The reference's x, whose bits and whose analysis the context has by each of the methods.
inline Matrix<double> expect_bits_of_the_reference(Context& context,
                                                   const Csr& matrix,
                                                   TriangularParams params,
                                                   const std::vector<SolveMethod>& methods,
                                                   const Matrix<double>& b) {
  Context reference({.device = "reference"});
  const auto published = analyse(reference, matrix.view(), params);
  Matrix<double> want(b.rows(), b.cols()), x(b.rows(), b.cols());
  TriangularSystem<double, std::int64_t>(reference, matrix.view(), params)
      .solve(reference, b.view(), want.view());
  for (const SolveMethod method : methods) {
    params.method = method;
    TriangularSystem<double, std::int64_t> system(context, matrix.view(), params);
    expect_same(system.analysis(), published);
    system.solve(context, b.view(), x.view());
    EXPECT_TRUE(same_bits(x, want)) << "method " << int(method);
  }
  return want;
}

}  // namespace yupana::sparse
