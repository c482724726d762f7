#include "yupana/analysis/clustering.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace yupana::analysis
