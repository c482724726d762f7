#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/sparse/poisson.hpp"
#include "yupana/core/random.hpp"
#include "yupana/sparse/triangular.hpp"

/// Triangular systems for the tests of this family.
namespace yupana::sparse {

/// Rows as lists of (column, value).
template <class Value, class Index>
CsrMatrix<Value, Index> matrix_of(
    const std::vector<std::vector<std::pair<std::int64_t, double>>>& rows, std::int64_t cols = -1) {
  CsrMatrix<Value, Index> matrix;
  matrix.rows = std::ssize(rows);
  matrix.cols = cols < 0 ? matrix.rows : cols;
  std::int64_t entries = 0;
  for (const auto& row : rows) entries += std::ssize(row);
  matrix.row_begin = Array<Index>(matrix.rows + 1);
  matrix.columns = Array<Index>(entries);
  matrix.values = Array<Value>(entries);
  Index e = 0;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    matrix.row_begin[i] = e;
    for (const auto& [column, value] : rows[static_cast<std::size_t>(i)]) {
      matrix.columns[e] = static_cast<Index>(column);
      matrix.values[e++] = static_cast<Value>(value);
    }
  }
  matrix.row_begin[matrix.rows] = e;
  return matrix;
}

/// Row i has count(i) entries off the diagonal, in columns drawn from its `window` nearest rows on
/// the triangle's side (of all, where the window is 0).
template <class Value, class Index, class Count>
CsrMatrix<Value, Index> random_system(std::int64_t n,
                                      std::int64_t window,
                                      const Count& count,
                                      Triangle triangle = Triangle::lower,
                                      std::uint64_t seed = 1) {
  const Random random(seed);
  std::uint64_t draw = 0;
  std::vector<std::vector<std::pair<std::int64_t, double>>> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t room = window > 0 ? std::min(window, i) : i;
    std::map<std::int64_t, double> row;
    const std::int64_t wanted = std::min<std::int64_t>(count(i), room);
    while (std::ssize(row) < wanted) {
      const std::int64_t back =
          1 + static_cast<std::int64_t>(random.word(draw++) % static_cast<std::uint64_t>(room));
      row[i - back] = random.uniform(draw++) - 0.5;
    }
    row[i] = 1 + random.uniform(draw++) + 0.3 * static_cast<double>(wanted);
    auto& to = rows[static_cast<std::size_t>(triangle == Triangle::lower ? i : n - 1 - i)];
    for (const auto& [column, value] : row) {
      to.emplace_back(triangle == Triangle::lower ? column : n - 1 - column, value);
    }
    std::sort(to.begin(), to.end());
  }
  return matrix_of<Value, Index>(rows);
}

/// Right-hand sides in [-1, 1).
template <class Value>
Matrix<Value> random_sides(std::int64_t rows, std::int64_t columns, std::uint64_t seed = 7) {
  Matrix<Value> b(rows, columns);
  const Random random(seed);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    b.data()[i] = static_cast<Value>(2 * random.uniform(static_cast<std::uint64_t>(i)) - 1);
  }
  return b;
}

template <class Index>
void expect_same(const LevelAnalysis<Index>& a, const LevelAnalysis<Index>& b) {
  EXPECT_EQ(a.levels, b.levels);
  EXPECT_EQ(a.warps, b.warps);
  EXPECT_TRUE(std::equal(a.level.begin(), a.level.end(), b.level.begin(), b.level.end()));
  EXPECT_TRUE(
      std::equal(a.row_class.begin(), a.row_class.end(), b.row_class.begin(), b.row_class.end()));
  EXPECT_TRUE(std::equal(a.order.begin(), a.order.end(), b.order.begin(), b.order.end()));
  EXPECT_EQ(a.keys, b.keys);
}

template <class Value>
bool same_bits(const Matrix<Value>& a, const Matrix<Value>& b) {
  const auto bytes = sizeof(Value) * static_cast<std::size_t>(a.rows() * a.cols());
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}

/// Systems whose structures differ in every way that matters here, by name.
template <class Value, class Index>
std::map<std::string, CsrMatrix<Value, Index>> lower_systems() {
  std::map<std::string, CsrMatrix<Value, Index>> all;
  const auto random = [](std::int64_t n, std::int64_t window, const auto& count) {
    return random_system<Value, Index>(n, window, count);
  };
  all["empty"] = matrix_of<Value, Index>({});
  all["one by one"] = matrix_of<Value, Index>({{{0, 2.0}}});
  for (const std::int64_t n : {31, 32, 33, 1000}) {
    all["diagonal " + std::to_string(n)] = random(n, 1, [](std::int64_t) { return 0; });
  }
  all["chain"] = random(5000, 1, [](std::int64_t) { return 1; });
  all["dense"] = random(150, 0, [](std::int64_t i) { return i; });
  // Rows of every count at the borders of the classes, then 40 more of each in shuffled order.
  static constexpr int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100};
  all["classes"] = random(3000, 0, [](std::int64_t i) { return counts[(i * 7) % 16]; });
  all["narrow"] = random(4000, 40, [](std::int64_t i) { return i % 6; });
  all["wide"] = random(20000, 0, [](std::int64_t i) { return i < 15000 ? 0 : 1 + i % 9; });
  all["one huge row"] = random(9001, 0, [](std::int64_t i) { return i == 9000 ? 8000 : i % 3; });
  all["grid 2-D"] = lower_poisson<Value, Index>(97, 103, 1);
  all["grid 3-D"] = lower_poisson<Value, Index>(17, 19, 23);
  return all;
}

}  // namespace yupana::sparse
