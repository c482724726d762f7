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

}  // namespace yupana::sparse
