#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Distances of points where the caller has them, read and never copied: a square, or its upper
/// triangle row after row.
class PointDistances {
 public:
  template <class T>
  explicit PointDistances(MatrixView<const T> square);
  PointDistances(std::int64_t points, std::span<const double> condensed);

  std::int64_t count() const { return count_; }
  /// out[k] = distance of `point` and others[k], +inf where that is unreachable or the point
  /// itself. The others ascend.
  void gather(std::int64_t point, std::span<const std::int64_t> others, double* out) const {
    gather_(point, others, out);
  }

 private:
  std::int64_t count_;
  std::function<void(std::int64_t, std::span<const std::int64_t>, double*)> gather_;
};

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
