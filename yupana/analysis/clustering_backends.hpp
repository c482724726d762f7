#pragma once

#include <cstdint>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/clustering_points.hpp"

namespace yupana::analysis {

/// A merge before it is numbered: one point of each of the two clusters.
struct Join {
  std::int64_t a = 0;
  std::int64_t b = 0;
  double height = 0;
};

/// Edges of the minimum spanning tree in Prim's order; with `join_components`, a component's first
/// vertex is joined to vertex 0 at infinite height, so that there are n - 1 always.
std::vector<Join> prim(Context& context, const PointDistances& distances, bool join_components);

namespace reference {
/// The rule of clustering.hpp written plainly, on one thread: the same joins as the CPU's, bit for
/// bit. O(n^2) on a full square of doubles, single linkage O(n^3).
template <class T>
std::vector<Join> linkage(MatrixView<const T> distances, Linkage method);
}  // namespace reference

namespace cpu {
/// All but single linkage by the nearest-neighbour chain, in the order of discovery.
std::vector<Join> linkage(Context& context, const PointDistances& distances, Linkage method);
}  // namespace cpu

}  // namespace yupana::analysis
