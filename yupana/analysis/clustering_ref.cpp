#include <algorithm>
#include <limits>

#include "yupana/analysis/clustering_backends.hpp"
#include "yupana/analysis/unreachable.hpp"

namespace yupana::analysis::reference {
namespace {

using Points = std::vector<std::int64_t>;

template <class T>
double cluster_distance(MatrixView<const T> distances,
                        Linkage method,
                        const Points& a,
                        const Points& b) {
  double sum = 0, smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (const std::int64_t i : a) {
    for (const std::int64_t j : b) {
      const double d = is_unreachable(distances(i, j)) ? std::numeric_limits<double>::infinity()
                                                       : static_cast<double>(distances(i, j));
      sum += d;
      smallest = std::min(smallest, d);
      largest = std::max(largest, d);
    }
  }
  if (method == Linkage::single) return smallest;
  if (method == Linkage::complete) return largest;
  return sum / static_cast<double>(a.size() * b.size());
}

}  // namespace

template <class T>
std::vector<Join> linkage(MatrixView<const T> distances, Linkage method) {
  std::vector<Points> clusters;
  for (std::int64_t i = 0; i < distances.rows; ++i) clusters.push_back({i});
  std::vector<Join> joins;
  while (clusters.size() > 1) {
    std::size_t left = 0, right = 1;
    double closest = std::numeric_limits<double>::infinity();
    for (std::size_t x = 0; x < clusters.size(); ++x) {
      for (std::size_t y = x + 1; y < clusters.size(); ++y) {
        const double d = cluster_distance(distances, method, clusters[x], clusters[y]);
        if (d < closest) closest = d, left = x, right = y;
      }
    }
    joins.push_back({clusters[left].front(), clusters[right].front(), closest});
    clusters[left].insert(clusters[left].end(), clusters[right].begin(), clusters[right].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(right));
  }
  return joins;
}

template std::vector<Join> linkage(MatrixView<const std::int32_t>, Linkage);
template std::vector<Join> linkage(MatrixView<const float>, Linkage);
template std::vector<Join> linkage(MatrixView<const double>, Linkage);

}  // namespace yupana::analysis::reference
