#include <algorithm>
#include <limits>
#include <utility>

#include "yupana/analysis/clustering_backends.hpp"
#include "yupana/analysis/clustering_square.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
double length(T distance) {
  return is_unreachable(distance) ? infinity : static_cast<double>(distance);
}

/// Distances between active clusters, as the lower triangle: half of the memory of SquareClusters,
/// but the neighbours of a cluster lie in a column.
class TriangleClusters {
 public:
  template <class T>
  TriangleClusters(Context& context, MatrixView<const T> distances, Linkage method)
      : method_(method),
        triangle_(distances.rows * (distances.rows - 1) / 2),
        points_(static_cast<std::size_t>(distances.rows), 1.0) {
    for (std::int64_t i = 0; i < distances.rows; ++i) alive_.push_back(i);
    context.parallel_for(distances.rows, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::transform(distances.row(i), distances.row(i) + i, row(i), length<T>);
      }
    });
  }

  std::int64_t alive() const { return std::ssize(alive_); }
  std::int64_t first() const { return alive_.front(); }

  std::pair<std::int64_t, double> nearest(std::int64_t tip, std::int64_t before) {
    std::int64_t best = before;
    double closest = before >= 0 ? distance(tip, before) : infinity;
    const auto consider = [&](std::int64_t i, double d) {
      if (d < closest || best < 0) closest = d, best = i;
    };
    const auto middle = std::lower_bound(alive_.begin(), alive_.end(), tip);
    const double* below = row(tip);
    for (auto i = alive_.begin(); i != middle; ++i) consider(*i, below[*i]);
    for (auto i = middle + 1; i != alive_.end(); ++i) consider(*i, row(*i)[tip]);
    return {best, closest};
  }

  void merge(std::int64_t gone, std::int64_t kept) {
    const double gone_points = points_[static_cast<std::size_t>(gone)];
    const double kept_points = points_[static_cast<std::size_t>(kept)];
    const double total = gone_points + kept_points;
    points_[static_cast<std::size_t>(kept)] = total;
    alive_.erase(std::lower_bound(alive_.begin(), alive_.end(), gone));
    for (const std::int64_t i : alive_) {
      if (i == kept) continue;
      double& d = distance(i, kept);
      const double other = distance(i, gone);
      d = method_ == Linkage::complete ? std::max(other, d)
                                       : (gone_points * other + kept_points * d) / total;
    }
  }

 private:
  /// Row i of the strict lower triangle: distances to clusters 0 .. i-1.
  double* row(std::int64_t i) { return triangle_.data() + i * (i - 1) / 2; }
  double& distance(std::int64_t i, std::int64_t j) { return i > j ? row(i)[j] : row(j)[i]; }

  Linkage method_;
  Array<double> triangle_;
  std::vector<double> points_;       // in each cluster
  std::vector<std::int64_t> alive_;  // ascending
};

/// Average and complete linkage by following nearest neighbours until two clusters are each
/// other's. Both linkages are reducible: a merge brings no third cluster closer, so that the rest
/// of the chain stays a chain (Murtagh 1983). A merged cluster lives on under the larger of the two
/// numbers, as in scipy.
template <class Clusters>
std::vector<Join> follow_chains(Context& context, Clusters clusters) {
  std::vector<Join> joins;
  std::vector<std::int64_t> chain;
  while (clusters.alive() > 1) {
    context.check_cancelled();
    if (chain.empty()) chain.push_back(clusters.first());
    for (;;) {
      const std::int64_t tip = chain.back();
      const std::int64_t before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
      const auto [neighbor, distance] = clusters.nearest(tip, before);
      if (neighbor != before) {
        chain.push_back(neighbor);
        continue;
      }
      const auto [gone, kept] = std::minmax(tip, before);
      chain.resize(chain.size() - 2);
      joins.push_back({gone, kept, distance});
      clusters.merge(gone, kept);
      break;
    }
  }
  return joins;
}

/// Vertices outside of Prim's tree, ascending, and their shortest edges into it.
struct Fringe {
  std::vector<std::int64_t> vertex, into;
  std::vector<double> length;

  void erase(std::size_t at) {
    const auto where = static_cast<std::ptrdiff_t>(at);
    vertex.erase(vertex.begin() + where);
    into.erase(into.begin() + where);
    length.erase(length.begin() + where);
  }
};

}  // namespace

template <class T>
std::vector<Join> prim(Context& context, MatrixView<const T> distances, bool join_components) {
  Fringe fringe;
  for (std::int64_t i = 1; i < distances.rows; ++i) fringe.vertex.push_back(i);
  fringe.into.assign(fringe.vertex.size(), 0);
  fringe.length.assign(fringe.vertex.size(), infinity);
  std::vector<Join> joins;
  std::int64_t newest = 0;
  while (!fringe.vertex.empty()) {
    context.check_cancelled();
    const T* row = distances.row(newest);
    std::size_t best = 0;
    for (std::size_t at = 0; at < fringe.vertex.size(); ++at) {
      const double d = length(row[fringe.vertex[at]]);
      if (d < fringe.length[at]) fringe.length[at] = d, fringe.into[at] = newest;
      if (fringe.length[at] < fringe.length[best]) best = at;
    }
    newest = fringe.vertex[best];
    if (join_components || fringe.length[best] < infinity) {
      joins.push_back({fringe.into[best], newest, fringe.length[best]});
    }
    fringe.erase(best);
  }
  return joins;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, prim)

namespace {

/// Next to the matrices of a job, the square may take a quarter of the memory.
bool takes_square(std::int64_t n, std::uint64_t memory) {
  return SquareClusters::bytes(n) <= memory / 4;
}

}  // namespace

std::uint64_t linkage_bytes(std::int64_t n, std::uint64_t memory) {
  const auto points = static_cast<std::uint64_t>(n);
  return takes_square(n, memory) ? SquareClusters::bytes(n) : points * points / 2 * sizeof(double);
}

namespace cpu {

template <class T>
std::vector<Join> linkage(Context& context, MatrixView<const T> distances, Linkage method) {
  const bool square = takes_square(distances.rows, context.memory());
  return context.run([&] {
    return square ? follow_chains(context, SquareClusters(context, distances, method))
                  : follow_chains(context, TriangleClusters(context, distances, method));
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, linkage)

}  // namespace cpu

}  // namespace yupana::analysis
