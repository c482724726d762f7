#include <algorithm>
#include <limits>

#include "yupana/analysis/clustering_active.hpp"
#include "yupana/analysis/clustering_backends.hpp"

namespace yupana::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// All but single linkage by following nearest neighbours until two clusters are each other's.
/// These linkages are reducible: a merge brings no third cluster closer, so that the rest of the
/// chain stays a chain (Murtagh 1983). A merged cluster lives on under the larger of the two
/// numbers, as in scipy.
std::vector<Join> follow_chains(Context& context, ActiveClusters clusters) {
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

  /// Takes the edges from a vertex that joined the tree where they are shorter. Returns where the
  /// shortest of all is, the first of equals.
  std::size_t shorten(const std::vector<double>& edges, std::int64_t joined) {
    const double least = cpu::row_kernels().shorten(
        edges.data(), length.data(), into.data(), std::ssize(vertex), joined);
    return static_cast<std::size_t>(std::find(length.begin(), length.end(), least) -
                                    length.begin());
  }
  void erase(std::size_t at) {
    const auto where = static_cast<std::ptrdiff_t>(at);
    vertex.erase(vertex.begin() + where);
    into.erase(into.begin() + where);
    length.erase(length.begin() + where);
  }
};

}  // namespace

std::vector<Join> prim(Context& context, const PointDistances& distances, bool join_components) {
  Fringe fringe;
  for (std::int64_t i = 1; i < distances.count(); ++i) fringe.vertex.push_back(i);
  fringe.into.assign(fringe.vertex.size(), 0);
  fringe.length.assign(fringe.vertex.size(), infinity);
  std::vector<double> row(fringe.vertex.size());
  std::vector<Join> joins;
  std::int64_t newest = 0;
  while (!fringe.vertex.empty()) {
    context.check_cancelled();
    distances.gather(newest, fringe.vertex, row.data());
    const std::size_t best = fringe.shorten(row, newest);
    newest = fringe.vertex[best];
    if (join_components || fringe.length[best] < infinity) {
      joins.push_back({fringe.into[best], newest, fringe.length[best]});
    }
    fringe.erase(best);
  }
  return joins;
}

std::uint64_t linkage_bytes(std::int64_t n) { return ActiveClusters::bytes(n); }

std::vector<Join> cpu::linkage(Context& context, const PointDistances& distances, Linkage method) {
  return context.run(
      [&] { return follow_chains(context, ActiveClusters(context, distances, method)); });
}

}  // namespace yupana::analysis
