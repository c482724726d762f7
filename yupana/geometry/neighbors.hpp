#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::geometry {

// Distances, points and their errors are those of closest_pair(): D(i, j) in doubles, distance =
// sqrt(D) to rounding, 1 to 8 coordinates, float or double, equal distances in the order of
// indices. A coordinate of 2^500 (3.3e150) or more is refused (bad_input).
//   determinism: the same bits on every backend and for any threads; a GPU is not used
//   work: expected O(log n) for each point or query, O(n) at worst; memory: copies of both sets
//   source: Friedman, Bentley, Finkel 1977 (k-d tree)

/// Row q: the k points nearest to query q, nearest first.
struct Neighbors {
  Matrix<std::int64_t> indices;
  Matrix<double> distances;
};

/// The k nearest others of each point: of equal distance the smaller index first, never the point
/// itself (another one at the same place is a neighbor at distance 0).
///   errors (bad_input): k < 1, k >= n
template <class T>
Neighbors nearest_neighbors(Context& context, MatrixView<const T> points, std::int64_t k);

/// The k points nearest to each query.
///   errors (bad_input): k < 1, k > n, no queries, other dimensions
template <class T>
Neighbors nearest_neighbors(Context& context,
                            MatrixView<const T> points,
                            MatrixView<const T> queries,
                            std::int64_t k);

/// The nearest pair of a point of each set: i of a, j of b; of equal ones the least i, then the
/// least j.
template <class T>
ClosestPair closest_between(Context& context, MatrixView<const T> a, MatrixView<const T> b);

/// All pairs i < j of distance <= radius, in the order of (i, j).
///   memory: 24 bytes a pair, twice while they are put in order
///   errors: a radius that is negative or not finite (usage); more pairs than the context's memory
///   holds (out_of_resources)
template <class T>
std::vector<ClosestPair> pairs_within(Context& context, MatrixView<const T> points, double radius);

/// The same of two sets: i of a, j of b.
template <class T>
std::vector<ClosestPair> pairs_within(Context& context,
                                      MatrixView<const T> a,
                                      MatrixView<const T> b,
                                      double radius);

}  // namespace yupana::geometry
