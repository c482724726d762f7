#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/random.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph {
namespace {

// Farthest first (Gonzalez 1985): each next landmark is the vertex whose nearest landmark is
// farthest by weight, the smallest index among equals. `unreachable` is farthest of all, so that
// every component gets a landmark before any gets two.
template <class T>
std::vector<std::int64_t> choose_landmarks(const SquareMatrix<T>& w,
                                           std::int64_t count,
                                           std::uint64_t seed) {
  const std::int64_t n = w.size();
  std::vector<std::int64_t> landmarks;
  std::vector<T> nearest(static_cast<std::size_t>(n), unreachable<T>);
  auto next = static_cast<std::int64_t>(Random(seed).word(0) % static_cast<std::uint64_t>(n));
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  while (static_cast<std::int64_t>(landmarks.size()) < count) {
    landmarks.push_back(next);
    taken[static_cast<std::size_t>(next)] = true;
    std::int64_t farthest = -1;
    for (std::int64_t j = 0; j < n; ++j) {
      T& here = nearest[static_cast<std::size_t>(j)];
      here = std::min(here, w(next, j));
      if (taken[static_cast<std::size_t>(j)]) continue;
      if (farthest < 0 || here > nearest[static_cast<std::size_t>(farthest)]) farthest = j;
    }
    next = farthest;
  }
  return landmarks;
}

// Dijkstra's search on a complete graph: the nearest open vertex by a scan, n^2 steps in all.
template <class T>
void lengths_from(const SquareMatrix<T>& w, std::int64_t source, Length<T>* length) {
  using L = Length<T>;
  const std::int64_t n = w.size();
  std::fill_n(length, n, unreachable<L>);
  std::vector<std::int64_t> open(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) open[static_cast<std::size_t>(i)] = i;
  length[source] = 0;
  while (!open.empty()) {
    std::size_t best = 0;
    for (std::size_t o = 1; o < open.size(); ++o) {
      if (length[open[o]] < length[open[best]]) best = o;
    }
    const std::int64_t x = open[best];
    open[best] = open.back();
    open.pop_back();
    const L here = length[x];
    if (here == unreachable<L>) break;
    for (const std::int64_t y : open) {
      if (w(x, y) == unreachable<T>) continue;
      length[y] = std::min(length[y], here + static_cast<L>(w(x, y)));
    }
  }
}

// |a - b|, less what the rounding of two sums of up to `edges` terms can add to it where they
// nearly cancel. A landmark's own length is 0, and the difference exact.
template <class L>
L difference(L a, L b, std::int64_t edges) {
  const L apart = a > b ? a - b : b - a;
  if constexpr (std::is_integral_v<L>) {
    return apart;
  } else {
    if (std::min(a, b) == 0) return apart;
    return std::max(L{0},
                    apart - static_cast<L>(edges) * std::numeric_limits<L>::epsilon() * (a + b));
  }
}

// The nearest T that is not above `length`.
template <class T>
T rounded_down(Length<T> length) {
  const T value = narrow<T>(length, TooLong::unreachable);
  if constexpr (std::is_same_v<T, float>) {
    if (static_cast<double>(value) > length) return std::nextafter(value, 0.0F);
  }
  return value;
}

template <class T>
T estimate(T weight,
           const Length<T>* from_i,
           const Length<T>* from_j,
           const Matrix<Length<T>>& tables,
           LandmarkEstimate kind) {
  using L = Length<T>;
  L longest = unreachable<L>;
  L shortest = 0;
  for (std::int64_t l = 0; l < tables.cols(); ++l) {
    const bool far_i = from_i[l] == unreachable<L>;
    const bool far_j = from_j[l] == unreachable<L>;
    if (far_i && far_j) continue;
    // A landmark that reaches one of the two only proves them apart.
    if (far_i || far_j) return unreachable<T>;
    longest = std::min(longest, from_i[l] + from_j[l]);
    shortest = std::max(shortest, difference(from_i[l], from_j[l], tables.rows()));
  }
  const T upper = std::min(weight, narrow<T>(longest, TooLong::unreachable));
  const T lower = std::min(upper, rounded_down<T>(shortest));
  if (kind == LandmarkEstimate::lower) return lower;
  if (kind == LandmarkEstimate::upper || upper == unreachable<T>) return upper;
  return lower + (upper - lower) / 2;
}

}  // namespace

template <class T>
std::int64_t estimate_by_landmarks(Context& context,
                                   SquareMatrix<T>& weights,
                                   const FermatParams& params) {
  const std::int64_t n = weights.size();
  const std::int64_t count = std::min(params.landmarks, n);
  const auto landmarks = choose_landmarks(weights, count, params.seed);
  // Sums stay in the wider type: the lower bound is a difference of them.
  Matrix<Length<T>> lengths(count, n);  // one row a landmark
  {
    Stage stage(context, "landmarks", static_cast<double>(count), "landmarks");
    context.parallel_for(count, 1, [&](std::int64_t l) {
      lengths_from(weights, landmarks[static_cast<std::size_t>(l)], lengths.row(l));
      stage.advance(1);
    });
  }
  Matrix<Length<T>> of_vertex(n, count);
  for (std::int64_t l = 0; l < count; ++l) {
    for (std::int64_t i = 0; i < n; ++i) of_vertex(i, l) = lengths(l, i);
  }
  std::atomic<std::int64_t> kept{0};
  Stage stage(context, "landmark estimates", static_cast<double>(n), "rows");
  context.parallel_for(n, 4, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t equal = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        const T weight = weights(i, j);
        const T value =
            estimate(weight, of_vertex.row(i), of_vertex.row(j), of_vertex, params.estimate);
        equal += value == weight;
        weights(i, j) = weights(j, i) = value;
      }
    }
    kept.fetch_add(equal, std::memory_order_relaxed);
    stage.advance(static_cast<double>(end - begin));
  });
  return kept.load();
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, estimate_by_landmarks)

}  // namespace yupana::graph
