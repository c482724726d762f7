#include <algorithm>
#include <cmath>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/symmetric_cpu.hpp"

namespace yupana::graph::cpu {
namespace {

// A block of 64 x 64 int32 is half of the first-level cache. The leaves are 64^2 n of the n^3 / 2.
constexpr std::int64_t leaf_edge = 64;
// Pivots of a step of blocked Floyd-Warshall.
constexpr std::int64_t pivot_block = 256;

template <class T>
MatrixView<T> block(MatrixView<T> m, Range rows, Range columns) {
  return {m.row(rows.begin) + columns.begin, rows.size(), columns.size(), m.stride};
}

// Smallest index with a negative (or NaN) diagonal, or -1.
template <class T>
std::int64_t negative_diagonal(MatrixView<T> w) {
  for (std::int64_t i = 0; i < w.rows; ++i) {
    if (!(w(i, i) >= 0)) return i;
  }
  return -1;
}

// In a copy with both triangles, so that the lower triangle of w keeps the weights.
template <class T>
void close_symmetric_leaf(const MinPlusKernels<T>& kernels, MatrixView<T> w) {
  alignas(64) T whole[leaf_edge * leaf_edge];
  for (std::int64_t i = 0; i < w.rows; ++i) {
    for (std::int64_t j = i; j < w.rows; ++j) {
      whole[i * leaf_edge + j] = whole[j * leaf_edge + i] = w(i, j);
    }
  }
  kernels.leaf(w.rows, whole, leaf_edge);
  for (std::int64_t i = 0; i < w.rows; ++i) {
    std::copy(whole + i * leaf_edge + i, whole + i * leaf_edge + w.rows, w.row(i) + i);
  }
}

// W = [A B; C D], the same with both triangles. A closed walk of negative length shows on the
// diagonal of the first leaf that meets all of it. There, the walk found when pivot k is worked
// passes k, and what it visits besides was closed before without a negative cycle: so k lies on
// one. A diagonal that is negative before the leaf starts was made by detours through closed
// vertices alone, and its vertex lies on the cycle by the same argument.
template <class T>
std::int64_t close_directed(MinPlus<T>& min_plus, Signs signs, MatrixView<T> w) {
  if (w.rows <= leaf_edge) {
    if (signs == Signs::any) {
      if (const std::int64_t vertex = negative_diagonal(w); vertex >= 0) return vertex;
    }
    return min_plus.kernels().leaf(w.rows, w.data, w.stride);
  }
  const Range first = {0, halfway(w.rows)};
  const Range second = {first.end, w.rows};
  const MatrixView<T> a = block(w, first, first);
  const MatrixView<T> b = block(w, first, second);
  const MatrixView<T> c = block(w, second, first);
  const MatrixView<T> d = block(w, second, second);
  if (const std::int64_t v = close_directed(min_plus, signs, a); v >= 0) return v;
  min_plus.product({a}, {b}, b);
  min_plus.product({c}, {a}, c);
  min_plus.product({c}, {b}, d);
  if (const std::int64_t v = close_directed(min_plus, signs, d); v >= 0) return first.end + v;
  min_plus.product({b}, {d}, b);
  min_plus.product({d}, {c}, c);
  min_plus.product({b}, {c}, a);
  return -1;
}

}  // namespace

std::int64_t halfway(std::int64_t n) { return round_up(divide_up(n, 2), leaf_edge); }

// W = [A B; B' D]. Paths inside the first half first (A), then out of it and into it once (B), then
// the second half knowing the detours through the first (D), and back.
template <class T>
void close_symmetric(MinPlus<T>& min_plus, MatrixView<T> w) {
  if (w.rows <= leaf_edge) return close_symmetric_leaf(min_plus.kernels(), w);
  const Range first = {0, halfway(w.rows)};
  const Range second = {first.end, w.rows};
  const MatrixView<T> a = block(w, first, first);
  const MatrixView<T> b = block(w, first, second);
  const MatrixView<T> d = block(w, second, second);
  close_symmetric(min_plus, a);
  min_plus.product({a, Layout::symmetric}, {b}, b);
  min_plus.product({b, Layout::transposed}, {b}, d, Part::upper_triangle);
  close_symmetric(min_plus, d);
  min_plus.product({b}, {d, Layout::symmetric}, b);
  min_plus.product({b}, {b, Layout::transposed}, a, Part::upper_triangle);
}

template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights) {
  const auto n = static_cast<double>(weights.rows);
  Stage stage(context, "shortest paths", n * n * n / 2, "add+min");
  MinPlus<T> min_plus(context, stage, Signs::nonnegative, halfway(weights.rows));
  return context.run([&] {
    close_symmetric(min_plus, weights);
    return mirror(context, weights);
  });
}

template <class T>
std::int64_t shortest_paths_directed(Context& context, MatrixView<T> weights, Signs signs) {
  const auto n = static_cast<double>(weights.rows);
  Stage stage(context, "shortest paths", n * n * n, "add+min");
  MinPlus<T> min_plus(context, stage, signs, halfway(weights.rows));
  return context.run([&] { return close_directed(min_plus, signs, weights); });
}

template <class T>
std::int64_t shortest_paths_floyd_warshall(Context& context, MatrixView<T> weights, Signs signs) {
  const std::int64_t n = weights.rows;
  Stage stage(context, "shortest paths", std::pow(static_cast<double>(n), 3), "add+min");
  MinPlus<T> min_plus(context, stage, signs, n);
  return context.run([&]() -> std::int64_t {
    for (std::int64_t k = 0; k < n; k += pivot_block) {
      const Range pivots = {k, std::min(n, k + pivot_block)};
      const MatrixView<T> pivot = block(weights, pivots, pivots);
      if (const std::int64_t v = close_directed(min_plus, signs, pivot); v >= 0) return k + v;
      const Range others[2] = {{0, pivots.begin}, {pivots.end, n}};
      for (const Range& side : others) {
        const MatrixView<T> across = block(weights, pivots, side);
        const MatrixView<T> down = block(weights, side, pivots);
        min_plus.product({pivot}, {across}, across);
        min_plus.product({down}, {pivot}, down);
      }
      for (const Range& rows : others) {
        for (const Range& columns : others) {
          min_plus.product({block(weights, rows, pivots)},
                           {block(weights, pivots, columns)},
                           block(weights, rows, columns));
        }
      }
    }
    return -1;
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES,
                 close_symmetric,
                 shortest_paths_symmetric,
                 shortest_paths_directed,
                 shortest_paths_floyd_warshall)

}  // namespace yupana::graph::cpu
