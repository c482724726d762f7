#pragma once

#include <cstdint>

#include "yupana/analysis/neighbor_joining.hpp"

// Sources that include this are compiled with -ffp-contract=off: every operation is rounded.

namespace yupana::analysis {

/// Q of two clusters of distance d, with `others` = m - 2.
constexpr double criterion(double others, double d, double sum_i, double sum_j) {
  return others * d - (sum_i + sum_j);
}

/// A cluster's sums over all others: of distances, r, and for bionj of variances.
struct ClusterSums {
  double distance = 0;
  double variance = 0;
};

/// How two clusters, a < b, become one.
struct Union {
  Joining method = Joining::nj;
  double d = 0;         ///< between the two
  double branch_a = 0;  ///< above a
  double branch_b = 0;
  double variance = 0;  ///< bionj: of d
  double weight = 0.5;  ///< bionj: of a, 0 .. 1; b has the rest
  ClusterSums sums;     ///< of the new cluster: those of its distances below, written out

  Union() = default;
  constexpr Union(Joining method_,
                  double others,
                  double distance,
                  double variance_,
                  const ClusterSums& a,
                  const ClusterSums& b)
      : method(method_),
        d(distance),
        branch_a(distance / 2 + (a.distance - b.distance) / (2 * others)),
        branch_b(distance - branch_a),
        variance(variance_) {
    if (method == Joining::nj) {
      sums.distance = ((a.distance + b.distance) - (others + 2) * d) / 2;
      return;
    }
    if (variance > 0) {
      const double part = 0.5 + (b.variance - a.variance) / (2 * others * variance);
      weight = part < 0 ? 0 : part > 1 ? 1 : part;
    }
    sums.distance = weight * ((a.distance - d) - others * branch_a) +
                    (1 - weight) * ((b.distance - d) - others * branch_b);
    sums.variance = (weight * (a.variance - variance) + (1 - weight) * (b.variance - variance)) -
                    others * (weight * (1 - weight) * variance);
  }

  /// From another cluster to the new one.
  constexpr double distance(double to_a, double to_b) const {
    if (method == Joining::nj) return ((to_a + to_b) - d) / 2;
    return weight * (to_a - branch_a) + (1 - weight) * (to_b - branch_b);
  }
  constexpr double variance_to(double to_a, double to_b) const {
    return (weight * to_a + (1 - weight) * to_b) - weight * (1 - weight) * variance;
  }
};

/// A sum over the others after two of them were joined.
constexpr double joined_sum(double sum, double to_a, double to_b, double to_new) {
  return ((sum - to_a) - to_b) + to_new;
}

/// The root of the last three clusters, or of two.
struct LastJoin {
  double branch[3];
  static LastJoin of(double d01, double d02, double d12) {
    return {{((d01 + d02) - d12) / 2, ((d01 + d12) - d02) / 2, ((d02 + d12) - d01) / 2}};
  }
};

/// A bound and a Q differ from their exact values by some roundings of (m - 2) d: this share of m
/// times the largest distance.
inline constexpr double bound_roundings = 0x1p-46;

/// Throws bad_input where sums of n distances could leave the range of double.
void check_sums(std::int64_t n, double largest);

namespace reference {
/// The rule of neighbor_joining.hpp written plainly: every Q in every step, O(n^3), on one thread.
template <class T>
Phylogeny neighbor_joining(MatrixView<const T> distances, Joining method);
}  // namespace reference

namespace cpu {
template <class T>
Phylogeny neighbor_joining(Context& context, MatrixView<const T> distances, Joining method);

/// What one pass over a row of distances finds.
struct RowMinima {
  double criterion;  ///< smallest Q of the row
  double key;        ///< smallest distance less what `known` holds of the column
};
/// Over columns [0, count): sums hold -inf where a cluster is gone, `known` too.
RowMinima row_minima(const double* row,
                     const double* sums,
                     const double* known,
                     std::int64_t count,
                     double others,
                     double sum);
}  // namespace cpu

namespace cuda {
/// True if the context's first GPU has room for n points.
bool neighbor_joining_fits(Context& context, std::int64_t n, Joining method);
/// The same of n x n distances on the context's first GPU.
template <class T>
Phylogeny neighbor_joining(
    Context& context, const T* distances, std::int64_t n, std::int64_t stride, Joining method);
}  // namespace cuda

}  // namespace yupana::analysis
