#pragma once

#include <algorithm>
#include <string>

#include "yupana/core/error.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"
#include "yupana/graph/shortest_paths.hpp"

/// Graphs for the tests of this family.
namespace yupana::graph {

struct GraphParams {
  double largest = 1000;  ///< weights are in [0, largest]; small: many ties
  double missing = 0;     ///< share of pairs without an edge
  double zeros = 0;       ///< share of edges of weight zero
  bool directed = false;
  std::uint64_t seed = 1;
};

template <class T>
SquareMatrix<T> random_graph(std::int64_t n, const GraphParams& params = {}) {
  SquareMatrix<T> w(n);
  const Random random(params.seed);
  for (std::int64_t i = 0; i < n; ++i) {
    w(i, i) = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      if (i == j || (!params.directed && j > i)) continue;
      const auto cell = static_cast<std::uint64_t>(3 * (i * n + j));
      T weight = static_cast<T>(random.uniform(cell) * params.largest);
      if (random.uniform(cell + 1) < params.zeros) weight = 0;
      if (random.uniform(cell + 2) < params.missing) weight = unreachable<T>;
      w(i, j) = weight;
      if (!params.directed) w(j, i) = weight;
    }
  }
  return w;
}

/// Weights whose shortest paths have many edges, so that the order of sums shows in their last
/// bits; one pair in 50 has no edge.
template <class T>
SquareMatrix<T> long_path_weights(std::int64_t n, std::uint64_t seed = 1) {
  const Random random(seed);
  SquareMatrix<T> w(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const auto cell = static_cast<std::uint64_t>(2 * (i * n + j));
      const double far = static_cast<double>(i - j) * static_cast<double>(i - j);
      const double value = (1 + far) * (0.5 + random.uniform(cell));
      w(i, j) = w(j, i) = random.uniform(cell + 1) < 0.02 ? unreachable<T> : static_cast<T>(value);
    }
    w(i, i) = 0;
  }
  return w;
}

template <class T>
SquareMatrix<T> copy_of(const SquareMatrix<T>& m) {
  SquareMatrix<T> copy(m.size());
  std::copy(m.data(), m.data() + m.size() * m.size(), copy.data());
  return copy;
}

template <class T>
SquareMatrix<T> matrix_of(std::int64_t n, std::initializer_list<T> values) {
  SquareMatrix<T> m(n);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

/// Cells that differ, bit for bit where values are equal zeros of either sign.
template <class T>
std::int64_t differences(const SquareMatrix<T>& a, const SquareMatrix<T>& b) {
  if (a.size() != b.size()) return -1;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < a.size() * a.size(); ++i) count += !(a.data()[i] == b.data()[i]);
  return count;
}

template <class T>
SquareMatrix<T> closed(Context& context,
                       const SquareMatrix<T>& w,
                       PathMethod method = PathMethod::automatic) {
  SquareMatrix<T> copy = copy_of(w);
  shortest_paths<T>(context, copy.view(), {.method = method});
  return copy;
}

/// The message of the bad_input error that `body` throws; "" if it throws none.
template <class Body>
std::string bad_input(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code() == ErrorCode::bad_input ? error.what() : std::string();
  }
  return {};
}

}  // namespace yupana::graph
