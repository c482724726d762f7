#include <algorithm>
#include <numeric>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::reference {

template <class Value, class Index>
LevelAnalysis<Index> analyse(const Split<Value, Index>& matrix) {
  const std::int64_t n = matrix.rows;
  LevelAnalysis<Index> result;
  result.level = Array<Index>(n);
  result.row_class = Array<std::uint8_t>(n);
  result.order = Array<Index>(n);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t i = row_at(matrix.triangle, n, k);
    std::int64_t level = 1;
    for (std::int64_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      level = std::max<std::int64_t>(level, result.level[matrix.columns[e]] + 1);
    }
    result.level[i] = static_cast<Index>(level);
    result.row_class[i] =
        static_cast<std::uint8_t>(class_of(matrix.begin[i + 1] - matrix.begin[i]));
    result.levels = std::max(result.levels, level);
  }
  const auto key = [&](std::int64_t i) {
    return (static_cast<std::int64_t>(result.level[i]) - 1) * 7 + result.row_class[i];
  };
  std::iota(result.order.begin(), result.order.end(), Index{0});
  std::stable_sort(
      result.order.begin(), result.order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  for (const Index i : result.order) {
    if (result.keys.empty() || result.keys.back().level != result.level[i] ||
        result.keys.back().row_class != result.row_class[i]) {
      result.keys.push_back({result.level[i], result.row_class[i], 0, 0});
    }
    ++result.keys.back().rows;
  }
  for (LevelKey& one : result.keys) {
    one.warps = warps_of(one.rows, one.row_class);
    result.warps += one.warps;
  }
  return result;
}

namespace {

/// The sum of products in the order that TriangularSystem promises for more than four entries.
template <class Value>
Value sum_by_halves(const std::vector<Value>& products) {
  std::size_t lanes = std::size_t{1} << class_of(std::ssize(products));
  std::vector<Value> partial(lanes, Value{0});
  for (std::size_t k = 0; k < products.size(); ++k) {
    partial[k % lanes] = k < lanes ? products[k] : partial[k % lanes] + products[k];
  }
  for (lanes /= 2; lanes > 0; lanes /= 2) {
    for (std::size_t l = 0; l < lanes; ++l) partial[l] += partial[l + lanes];
  }
  return partial[0];
}

}  // namespace

template <class Value, class Index>
void solve(const Split<Value, Index>& matrix, MatrixView<const Value> b, MatrixView<Value> x) {
  for (std::int64_t column = 0; column < b.cols; ++column) {
    for (std::int64_t k = 0; k < matrix.rows; ++k) {
      const std::int64_t i = row_at(matrix.triangle, matrix.rows, k);
      std::vector<Value> products;
      for (std::int64_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
        products.push_back(product(matrix.values[e], x(matrix.columns[e], column)));
      }
      Value rest = b(i, column);
      if (products.size() <= 4) {
        for (const Value product : products) rest -= product;
      } else {
        rest -= sum_by_halves(products);
      }
      x(i, column) = without_payload(quotient(rest, matrix.diagonal[i]));
    }
  }
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, analyse, solve)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, analyse, solve)

}  // namespace yupana::sparse::reference
