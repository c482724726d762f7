#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/analysis/neighbor_joining.hpp"

// Sources that include this are compiled with -ffp-contract=off: every operation is rounded.

namespace yupana::analysis {

/// Q of two clusters of distance d, with `others` = m - 2.
inline double criterion(double others, double d, double sum_i, double sum_j) {
  return others * d - (sum_i + sum_j);
}

/// How two clusters, a < b, become one.
struct Union {
  Joining method;
  double d;         ///< between the two
  double branch_a;  ///< above a
  double branch_b;
  double variance = 0;  ///< bionj: of d
  double weight = 0.5;  ///< bionj: of a, 0 .. 1; b has the rest

  Union(Joining how, double others, double distance, double sum_a, double sum_b)
      : method(how),
        d(distance),
        branch_a(distance / 2 + (sum_a - sum_b) / (2 * others)),
        branch_b(distance - branch_a) {}

  /// `difference`: sum over the others k of v(b, k) - v(a, k), in the order of their numbers.
  void weigh(double others, double difference, double v) {
    variance = v;
    if (v > 0) weight = std::clamp(0.5 + difference / (2 * others * v), 0.0, 1.0);
  }
  /// From another cluster to the new one.
  double distance(double to_a, double to_b) const {
    if (method == Joining::nj) return ((to_a + to_b) - d) / 2;
    return weight * (to_a - branch_a) + (1 - weight) * (to_b - branch_b);
  }
  double variance_to(double to_a, double to_b) const {
    return (weight * to_a + (1 - weight) * to_b) - weight * (1 - weight) * variance;
  }
};

/// The root of the last three clusters, or of two.
struct LastJoin {
  double branch[3];
  static LastJoin of(double d01, double d02, double d12) {
    return {{((d01 + d02) - d12) / 2, ((d01 + d12) - d02) / 2, ((d02 + d12) - d01) / 2}};
  }
};

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

}  // namespace yupana::analysis
