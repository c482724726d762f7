#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "tests/graph/graphs.hpp"
#include "yupana/graph/fermat.hpp"

/// Distances and contexts for the tests of Fermat distances.
namespace yupana::graph {

template <class T>
const SquareMatrix<T>& lengths_as(const FermatResult& result) {
  return std::get<SquareMatrix<T>>(result.lengths);
}

/// Squared distances of points in a few clusters, some of them twice, some nearly: relatives.
inline SquareMatrix<double> squared_distances(std::int64_t n,
                                              std::uint64_t seed,
                                              double spread = 3) {
  const Random random(seed);
  std::vector<double> x(static_cast<std::size_t>(n));
  std::vector<double> y(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 7 == 1) {
      x[i] = x[i - 1];
      y[i] = y[i - 1];
    } else if (i % 7 == 2) {
      x[i] = x[i - 1] + 1;
      y[i] = y[i - 1];
    } else {
      x[i] = std::floor(random.uniform(2 * i) * 30 * spread) + 200 * spread * (i % 3);
      y[i] = std::floor(random.uniform(2 * i + 1) * 30 * spread);
    }
  }
  SquareMatrix<double> d(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      d(i, j) = (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]);
    }
  }
  return d;
}

template <class To>
SquareMatrix<To> as(const SquareMatrix<double>& d) {
  SquareMatrix<To> m(d.size());
  for (std::int64_t i = 0; i < d.size() * d.size(); ++i) {
    m.data()[i] = static_cast<To>(d.data()[i]);
  }
  return m;
}

inline double at(const FermatResult& result, std::int64_t i, std::int64_t j) {
  return std::visit([&](const auto& m) { return static_cast<double>(m(i, j)); }, result.lengths);
}

class Fermat : public testing::Test {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

}  // namespace yupana::graph
