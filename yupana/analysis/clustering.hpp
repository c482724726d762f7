#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

enum class Linkage { single, average, complete };

/// One merge, as scipy.cluster.hierarchy counts: clusters 0 .. n-1 are the points, the i-th merge
/// makes cluster n + i.
struct Merge {
  std::int64_t left = 0;  ///< the smaller number of the two
  std::int64_t right = 0;
  double height = 0;
  std::int64_t size = 0;  ///< points in the new cluster
};

/// Agglomerative clustering of a symmetric distance matrix; n - 1 merges in order of height.
/// Nearest-neighbour chain (Murtagh 1983), single linkage by a minimum spanning tree; O(n^2) time;
/// one n x n / 2 copy besides (none for single). Ties go to the smaller cluster number.
template <class T>
std::vector<Merge> linkage(Context& context, MatrixView<const T> distances, Linkage method);

/// Order of the leaves when the dendrogram is drawn (left subtree first).
std::vector<std::int64_t> leaf_order(const std::vector<Merge>& merges);
/// Cluster number (0 ..) of every point after cutting the tree into `clusters` clusters, numbered
/// by first appearance.
std::vector<std::int64_t> cut_tree(const std::vector<Merge>& merges, std::int64_t clusters);
/// The tree in Newick format, branch lengths = differences of height / 2 (ultrametric); names are
/// quoted where Newick needs it; ends in ";".
std::string newick(const std::vector<Merge>& merges, const std::vector<std::string>& names);

/// Edges (i < j) of the minimum spanning tree (forest where pairs are unreachable) in the order
/// Prim's algorithm finds them from vertex 0; ties to the smaller vertex.
template <class T>
std::vector<std::pair<std::int64_t, std::int64_t>> minimum_spanning_tree(
    MatrixView<const T> distances);

}  // namespace yupana::analysis
