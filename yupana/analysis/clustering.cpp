#include "yupana/analysis/clustering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "yupana/analysis/clustering_backends.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

/// Sorts joins by height and names the clusters that each brings together.
std::vector<Merge> numbered(std::vector<Join> joins) {
  std::ranges::stable_sort(joins, {}, &Join::height);
  const std::int64_t n = static_cast<std::int64_t>(joins.size()) + 1;
  auto parent = first_integers<std::int64_t>(2 * n - 1);
  const auto cluster_of = [&](std::int64_t point) {
    std::int64_t root = point;
    while (parent[static_cast<std::size_t>(root)] != root) {
      root = parent[static_cast<std::size_t>(root)];
    }
    while (point != root) point = std::exchange(parent[static_cast<std::size_t>(point)], root);
    return root;
  };
  std::vector<Merge> merges;
  merges.reserve(joins.size());
  for (const Join& join : joins) {
    const auto [left, right] = std::minmax({cluster_of(join.a), cluster_of(join.b)});
    const auto points = [&](std::int64_t cluster) {
      return cluster < n ? 1 : merges[static_cast<std::size_t>(cluster - n)].size;
    };
    const std::int64_t cluster = n + static_cast<std::int64_t>(merges.size());
    parent[static_cast<std::size_t>(left)] = cluster;
    parent[static_cast<std::size_t>(right)] = cluster;
    merges.push_back({left, right, join.height, points(left) + points(right)});
  }
  return merges;
}

std::vector<Merge> tree_of(Context& context, const PointDistances& distances, Linkage method) {
  if (method == Linkage::single) return numbered(prim(context, distances, true));
  return numbered(cpu::linkage(context, distances, method));
}

/// The matrix with both triangles.
SquareMatrix<double> square_of(std::span<const double> condensed, std::int64_t n) {
  SquareMatrix<double> square(n);
  std::size_t pair = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    square(i, i) = 0;
    for (std::int64_t j = i + 1; j < n; ++j) square(i, j) = square(j, i) = condensed[pair++];
  }
  return square;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
void gather_row(MatrixView<const T> square,
                std::int64_t point,
                std::span<const std::int64_t> others,
                double* out) {
  const T* const row = square.row(point);
  for (const std::int64_t other : others) {
    const T distance = row[other];
    *out++ = other == point || is_unreachable(distance) ? infinity : static_cast<double>(distance);
  }
}

/// The distances to smaller points lie in a column, each in a line of memory of its own.
void gather_condensed(const double* condensed,
                      std::int64_t n,
                      std::int64_t point,
                      std::span<const std::int64_t> others,
                      double* out) {
  constexpr std::size_t ahead = 16;
  const auto of_pair = [&](std::int64_t i, std::int64_t j) {  // i < j
    return condensed + i * (2 * n - i - 1) / 2 + (j - i - 1);
  };
  std::size_t k = 0;
  for (; k < others.size() && others[k] < point; ++k) {
    const std::int64_t next = others[std::min(k + ahead, others.size() - 1)];
    if (next < point) __builtin_prefetch(of_pair(next, point));
    out[k] = *of_pair(others[k], point);
  }
  if (k < others.size() && others[k] == point) out[k++] = infinity;
  for (; k < others.size(); ++k) out[k] = *of_pair(point, others[k]);
}

/// The `count` smallest reachable entries of row i but (i, i), nearest first.
template <class T>
std::vector<std::int64_t> nearest(const T* row,
                                  std::int64_t i,
                                  std::int64_t n,
                                  std::int64_t count) {
  std::vector<std::int64_t> found;
  for (std::int64_t j = 0; j < n; ++j) {
    const bool full = static_cast<std::int64_t>(found.size()) == count;
    if (j == i || is_unreachable(row[j]) || (full && row[j] >= row[found.back()])) continue;
    if (full) found.pop_back();
    const auto farther = std::upper_bound(
        found.begin(), found.end(), row[j], [&](T d, std::int64_t k) { return d < row[k]; });
    found.insert(farther, j);
  }
  return found;
}

template <class T>
bool own_path(double weight, T length) {
  if constexpr (std::is_integral_v<T>) return weight <= static_cast<double>(length);
  const double slack = std::is_same_v<T, float> ? 0x1p-20 : 0x1p-49;
  return weight <= static_cast<double>(length) * (1 + slack);
}

}  // namespace

template <class T>
std::vector<Merge> linkage(Context& context, MatrixView<const T> distances, Linkage method) {
  check_distances(context, distances, "linkage", Unreachable::allowed);
  if (distances.rows < 2) return {};
  if (context.backend() == Backend::reference) {
    return numbered(reference::linkage(distances, method));
  }
  return tree_of(context, PointDistances(distances), method);
}

std::vector<Merge> linkage_condensed(Context& context,
                                     std::span<const double> distances,
                                     Linkage method) {
  const auto pairs = std::ssize(distances);
  const auto n = static_cast<std::int64_t>(std::sqrt(2 * static_cast<double>(pairs))) + 1;
  if (n * (n - 1) / 2 != pairs) {
    throw input_error("linkage: expected the n (n - 1) / 2 distances of n points, got {}", pairs);
  }
  check_pairs(context, distances, "linkage");
  if (context.backend() == Backend::reference) {
    return numbered(reference::linkage<double>(square_of(distances, n).view(), method));
  }
  return tree_of(context, PointDistances(n, distances), method);
}

template <class T>
std::vector<std::pair<std::int64_t, std::int64_t>> minimum_spanning_tree(
    Context& context, MatrixView<const T> distances) {
  check_distances(context, distances, "minimum_spanning_tree", Unreachable::allowed);
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  for (const Join& join : prim(context, PointDistances(distances), false)) {
    edges.push_back(std::minmax(join.a, join.b));
  }
  return edges;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, linkage, minimum_spanning_tree)

template <class T>
PointDistances::PointDistances(MatrixView<const T> square)
    : count_(square.rows), gather_([=](auto point, auto others, double* out) {
        gather_row(square, point, others, out);
      }) {}

PointDistances::PointDistances(std::int64_t points, std::span<const double> condensed)
    : count_(points), gather_([=](auto point, auto others, double* out) {
        gather_condensed(condensed.data(), points, point, others, out);
      }) {}

template PointDistances::PointDistances(MatrixView<const std::int32_t>);
template PointDistances::PointDistances(MatrixView<const float>);
template PointDistances::PointDistances(MatrixView<const double>);

template <class T>
std::vector<Edge> fermat_edges(Context& context,
                               MatrixView<const T> lengths,
                               const std::function<double(std::int64_t, std::int64_t)>& weight,
                               const FermatEdgesParams& params) {
  if (params.neighbors < 0) {
    throw usage_error("fermat_edges: expected 0 or more neighbours, got {}", params.neighbors);
  }
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::vector<Pair> tree = minimum_spanning_tree(context, lengths);
  std::sort(tree.begin(), tree.end());

  const std::int64_t n = lengths.rows;
  std::vector<std::vector<std::int64_t>> near(static_cast<std::size_t>(n));
  if (params.neighbors > 0) {
    context.parallel_for(n, 32, [&](std::int64_t i) {
      context.check_cancelled();
      near[static_cast<std::size_t>(i)] = nearest(lengths.row(i), i, n, params.neighbors);
    });
  }
  std::vector<Pair> pairs = tree;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::int64_t j : near[static_cast<std::size_t>(i)])
      pairs.push_back(std::minmax(i, j));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  std::vector<Edge> edges;
  for (const auto& [i, j] : pairs) {
    const T length = lengths(i, j);
    const bool in_tree = std::binary_search(tree.begin(), tree.end(), Pair(i, j));
    const bool own = own_path(weight(i, j), length);
    if (in_tree || own) edges.push_back({i, j, static_cast<double>(length), in_tree, own});
  }
  return edges;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, fermat_edges)

}  // namespace yupana::analysis
