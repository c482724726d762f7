#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/analysis/clustering_backends.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::analysis::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Distances between clusters as the full square, a cluster under the largest of its points.
class Clusters {
 public:
  template <class T>
  explicit Clusters(MatrixView<const T> distances)
      : square_(distances.rows),
        points_(static_cast<std::size_t>(distances.rows), 1.0),
        alive_(static_cast<std::size_t>(distances.rows)) {
    for (std::int64_t i = 0; i < distances.rows; ++i) {
      alive_[static_cast<std::size_t>(i)] = i;
      for (std::int64_t j = 0; j < distances.rows; ++j) {
        const bool missing = is_unreachable(distances(i, j));
        square_(i, j) = missing ? infinity : static_cast<double>(distances(i, j));
      }
    }
  }

  std::int64_t count() const { return std::ssize(alive_); }
  std::int64_t first() const { return alive_.front(); }
  double distance(std::int64_t a, std::int64_t b) const { return square_(a, b); }

  /// The nearest cluster of `tip`: `before`, if it is one of the nearest, else the smallest number.
  std::int64_t nearest(std::int64_t tip, std::int64_t before) const {
    std::int64_t best = before;
    for (const std::int64_t other : alive_) {
      if (other != tip && (best < 0 || distance(tip, other) < distance(tip, best))) best = other;
    }
    return best;
  }

  /// Lance and Williams' update (1967) of the distances of `gone` and `kept` together.
  void merge(std::int64_t gone, std::int64_t kept, Linkage method) {
    double& gone_points = points_[static_cast<std::size_t>(gone)];
    double& kept_points = points_[static_cast<std::size_t>(kept)];
    std::erase(alive_, gone);
    for (const std::int64_t other : alive_) {
      if (other == kept) continue;
      const double a = distance(other, gone), b = distance(other, kept);
      double& joined = square_(other, kept);
      if (method == Linkage::complete) joined = std::max(a, b);
      if (method == Linkage::weighted) joined = 0.5 * (a + b);
      if (method == Linkage::average) {
        joined = (gone_points * a + kept_points * b) / (gone_points + kept_points);
      }
      if (method == Linkage::ward) {
        const double n = points_[static_cast<std::size_t>(other)];
        const double share = 1 / (gone_points + kept_points + n), between = distance(gone, kept);
        joined = std::max(a, b) == infinity
                     ? infinity
                     : std::sqrt((n + gone_points) * share * a * a +
                                 (n + kept_points) * share * b * b - n * share * between * between);
      }
      square_(kept, other) = joined;
    }
    kept_points += gone_points;
  }

 private:
  SquareMatrix<double> square_;
  std::vector<double> points_;       // in each cluster
  std::vector<std::int64_t> alive_;  // ascending
};

std::vector<Join> follow_chains(Clusters clusters, Linkage method) {
  std::vector<Join> joins;
  std::vector<std::int64_t> chain;
  while (clusters.count() > 1) {
    if (chain.empty()) chain.push_back(clusters.first());
    const std::int64_t tip = chain.back();
    const std::int64_t before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
    const std::int64_t next = clusters.nearest(tip, before);
    if (next != before) {
      chain.push_back(next);
      continue;
    }
    const auto [gone, kept] = std::minmax(tip, before);
    joins.push_back({gone, kept, clusters.distance(gone, kept)});
    clusters.merge(gone, kept, method);
    chain.resize(chain.size() - 2);
  }
  return joins;
}

/// Prim's tree by its definition: the shortest edge that leaves the tree, each time anew. Ties go
/// to the smaller vertex outside, then to the one that entered the tree first.
template <class T>
std::vector<Join> spanning_tree(MatrixView<const T> distances) {
  std::vector<Join> joins;
  std::vector<std::int64_t> tree{0};
  std::vector<bool> inside(static_cast<std::size_t>(distances.rows));
  inside[0] = true;
  while (std::ssize(tree) < distances.rows) {
    Join best{0, -1, infinity};
    for (std::int64_t v = 0; v < distances.rows; ++v) {
      if (inside[static_cast<std::size_t>(v)]) continue;
      if (best.b < 0) best.b = v;
      for (const std::int64_t u : tree) {
        if (is_unreachable(distances(u, v))) continue;
        const auto d = static_cast<double>(distances(u, v));
        if (d < best.height) best = {u, v, d};
      }
    }
    joins.push_back(best);
    tree.push_back(best.b);
    inside[static_cast<std::size_t>(best.b)] = true;
  }
  return joins;
}

}  // namespace

template <class T>
std::vector<Join> linkage(MatrixView<const T> distances, Linkage method) {
  if (method == Linkage::single) return spanning_tree(distances);
  return follow_chains(Clusters(distances), method);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, linkage)

}  // namespace yupana::analysis::reference
