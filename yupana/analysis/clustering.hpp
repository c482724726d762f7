#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

enum class Linkage { single, average, complete, weighted, ward };

/// One merge, as scipy.cluster.hierarchy counts: clusters 0 .. n-1 are the points, the i-th merge
/// makes cluster n + i.
struct Merge {
  std::int64_t left = 0;  ///< the smaller number of the two
  std::int64_t right = 0;
  double height = 0;
  std::int64_t size = 0;  ///< points in the new cluster
};

/// Agglomerative clustering of a symmetric distance matrix; n - 1 merges in order of height.
///   height of a merge = smallest (single), largest (complete) or mean (average) distance of the
///   points of its two clusters; weighted: the mean of the two distances of the clusters that were
///   merged before; ward: sqrt(2 |a| |b| / (|a| + |b|)) times the distance of the two means, of
///   Euclidean distances
///   work O(n^2): nearest-neighbour chain (Murtagh 1983), Prim's tree for single linkage
///   memory: the distances are read where they are; besides n^2 / 3 doubles at most (single: none)
///   ties: the chain starts at the smallest cluster and prefers where it came from, then the
///   smallest neighbour; a merged cluster goes by the largest of its points. Single linkage takes
///   the edges of minimum_spanning_tree(). Equal heights keep the order of discovery: all but
///   single are those of scipy, ties included
///   heights follow Lance and Williams (1967), each operation rounded:
///     average   d(k, a + b) = (|a| d(k, a) + |b| d(k, b)) / (|a| + |b|)
///     weighted  d(k, a + b) = (d(k, a) + d(k, b)) / 2
///     ward      d(k, a + b)^2 = (|k + a| d(k, a)^2 + |k + b| d(k, b)^2 - |k| d(a, b)^2) / |k + a +
///     b|
///   determinism: the same bits on every backend and for any number of threads
///   unreachable pairs (+inf, for integers half of the largest value) merge last, at height +inf
///   errors (bad_input): not square, NaN, negative
template <class T>
std::vector<Merge> linkage(Context& context, MatrixView<const T> distances, Linkage method);
/// The same of the upper triangle, row after row without the diagonal; 0 distances: one point.
///   errors (bad_input): not n (n - 1) / 2 distances, NaN, negative
std::vector<Merge> linkage_condensed(Context& context,
                                     std::span<const double> distances,
                                     Linkage method);

/// Bytes that linkage() holds at most for n points.
std::uint64_t linkage_bytes(std::int64_t n);

/// Order of the leaves when the dendrogram is drawn (left subtree first). No merges: one leaf.
std::vector<std::int64_t> leaf_order(const std::vector<Merge>& merges);
/// Cluster number (0 ..) of every point after cutting the tree into `clusters` clusters, numbered
/// by first appearance. `clusters` outside 1 .. n is usage.
std::vector<std::int64_t> cut_tree(const std::vector<Merge>& merges, std::int64_t clusters);
/// The tree in Newick format (phylogeny.hpp), branch lengths = differences of height / 2.
std::string newick(const std::vector<Merge>& merges, const std::vector<std::string>& names);

/// Edges (i < j) of the minimum spanning tree (forest where pairs are unreachable) in the order
/// Prim's algorithm finds them from vertex 0; ties to the smaller vertex. O(n^2), errors as above.
template <class T>
std::vector<std::pair<std::int64_t, std::int64_t>> minimum_spanning_tree(
    Context& context, MatrixView<const T> distances);

struct FermatEdgesParams {
  std::int64_t neighbors = 10;  ///< nearest individuals of each whose pairs are considered
};

/// A pair i < j of a graph of individuals.
struct Edge {
  std::int64_t i = 0;
  std::int64_t j = 0;
  double length = 0;      ///< the shortest path between them
  bool in_tree = false;   ///< in the minimum spanning tree
  bool own_path = false;  ///< its direct edge is a shortest path: a Fermat edge
};

/// The graph to look at: the minimum spanning tree of the path lengths, and the Fermat edges among
/// each individual's nearest by path length; in order of (i, j).
///   The full set of Fermat edges is next to all n^2 / 2 pairs at alpha = 2 in real cohorts, which
///   no layout shows; the long ones say nothing that the short ones do not, since every shortest
///   path is made of Fermat edges. The cap leaves at most (neighbors + 1) n edges, connected
///   wherever the paths are.
///   `weight(i, j)` is the direct edge (d^alpha) in the units of `lengths`; called for at most
///   (neighbors + 1) n pairs, from one thread. An edge is a path of its own if its weight is at
///   most the length, exactly for integers, within 2^-20 (float) or 2^-49 (double) of it else: the
///   error of a sum along a few edges.
///   ties between neighbours go to the smaller index; the same for any number of threads
///   errors: neighbors < 0 is usage; not square, NaN or negative is bad_input
template <class T>
std::vector<Edge> fermat_edges(Context& context,
                               MatrixView<const T> lengths,
                               const std::function<double(std::int64_t, std::int64_t)>& weight,
                               const FermatEdgesParams& params = {});

}  // namespace yupana::analysis
