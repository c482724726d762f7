#include <algorithm>
#include <limits>
#include <utility>

#include "yupana/analysis/neighbor_joining_backends.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::analysis::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Clusters by the largest of their leaves; those that were joined into a larger number are gone.
struct Clusters {
  SquareMatrix<double> d, v;        ///< distances and their variances
  std::vector<std::int64_t> alive;  ///< ascending
  std::vector<ClusterSums> sums;
  std::vector<std::int64_t> node;  ///< of the tree
  std::int64_t summed = 0;         ///< clusters when the sums were taken

  template <class T>
  explicit Clusters(MatrixView<const T> distances)
      : d(distances.rows), v(distances.rows), sums(static_cast<std::size_t>(distances.rows)) {
    double largest = 0;
    for (std::int64_t i = 0; i < distances.rows; ++i) {
      alive.push_back(i);
      node.push_back(i);
      for (std::int64_t j = 0; j < i; ++j) {
        largest = std::max(largest, static_cast<double>(distances(i, j)));
        d(i, j) = d(j, i) = v(i, j) = v(j, i) = static_cast<double>(distances(i, j));
      }
    }
    check_sums(distances.rows, largest);
    take_sums();
  }

  ClusterSums& r(std::int64_t i) { return sums[static_cast<std::size_t>(i)]; }
  double others() const { return static_cast<double>(alive.size() - 2); }

  void take_sums() {
    for (const std::int64_t i : alive) {
      r(i) = {};
      for (const std::int64_t j : alive) {
        if (j == i) continue;
        r(i).distance += d(i, j);
        r(i).variance += v(i, j);
      }
    }
    summed = std::ssize(alive);
  }

  std::pair<std::int64_t, std::int64_t> closest() {
    std::pair<std::int64_t, std::int64_t> pair{-1, -1};
    double least = infinity;
    for (const std::int64_t j : alive) {
      for (const std::int64_t i : alive) {
        if (i >= j) break;
        const double q = criterion(others(), d(j, i), r(j).distance, r(i).distance);
        if (q < least) least = q, pair = {i, j};
      }
    }
    return pair;
  }

  /// Joins a < b; the new cluster goes by b.
  void join(std::int64_t a, std::int64_t b, Joining method, Phylogeny& tree) {
    const Union both(method, others(), d(a, b), v(a, b), r(a), r(b));
    const std::int64_t made = tree.add_node();
    tree.attach(node[static_cast<std::size_t>(a)], made, both.branch_a);
    tree.attach(node[static_cast<std::size_t>(b)], made, both.branch_b);
    node[static_cast<std::size_t>(b)] = made;
    std::erase(alive, a);
    r(b) = both.sums;
    for (const std::int64_t k : alive) {
      if (k == b) continue;
      const double fresh = both.distance(d(a, k), d(b, k));
      const double variance = both.variance_to(v(a, k), v(b, k));
      r(k).distance = joined_sum(r(k).distance, d(a, k), d(b, k), fresh);
      r(k).variance = joined_sum(r(k).variance, v(a, k), v(b, k), variance);
      d(b, k) = d(k, b) = fresh;
      v(b, k) = v(k, b) = variance;
    }
    if (2 * std::ssize(alive) <= summed) take_sums();
  }
};

}  // namespace

template <class T>
Phylogeny neighbor_joining(MatrixView<const T> distances, Joining method) {
  Clusters clusters(distances);
  Phylogeny tree = leaves_alone(distances.rows);
  while (clusters.alive.size() > 3) {
    const auto [a, b] = clusters.closest();
    clusters.join(a, b, method, tree);
  }
  const std::int64_t x = clusters.alive[0], y = clusters.alive[1], z = clusters.alive[2];
  const LastJoin last = LastJoin::of(clusters.d(x, y), clusters.d(x, z), clusters.d(y, z));
  const std::int64_t root = tree.add_node();
  for (const std::size_t i : {0, 1, 2}) {
    tree.attach(clusters.node[static_cast<std::size_t>(clusters.alive[i])], root, last.branch[i]);
  }
  return tree;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, neighbor_joining)

}  // namespace yupana::analysis::reference
