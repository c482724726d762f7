#pragma once

#include <cstdint>

#include "yupana/analysis/phylogeny.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

enum class Joining {
  nj,     ///< Saitou, Nei 1987, as Studier and Keppler 1988 write it
  bionj,  ///< Gascuel 1997: distances to a joined pair are weighted by their variances
};

/// From so many leaves on a GPU joins faster than the processor.
inline constexpr std::int64_t gpu_leaves = 2000;

/// The neighbour-joining tree of a symmetric distance matrix, exact. Of m clusters the two that
/// have the smallest
///   Q(i, j) = (m - 2) d(i, j) - (r_i + r_j),   r_i = sum over j of d(i, j)
/// are joined, until three are left, which the root joins.
///   branches: d(a, b) / 2 + (r_a - r_b) / (2 (m - 2)) above a, the rest of d(a, b) above b; where
///   the distances are of no tree a branch may come out negative, and stays so
///   to the new cluster: nj (d(a, k) + d(b, k) - d(a, b)) / 2, bionj Gascuel's weighted mean
///   ties: a cluster goes by the largest of its leaves; of pairs of equal Q the one whose larger
///   number is smallest is joined, then the one whose smaller is. Sums r follow the joins, each
///   operation rounded, a new cluster's from those of its two (Union in neighbor_joining_backends),
///   and are taken anew each time half of the clusters are gone
///   two individuals: halves of their distance; one: a leaf alone. The tree of an additive matrix
///   is found exactly: to the bit where its sums are exact
///   work: n^2 log n to n^3, by how well rows are left out: each step reads only rows whose lower
///   bound reaches the smallest Q
///   memory: neighbor_joining_bytes; on a GPU, which joins where that fits, as much of its memory
///   determinism: the same bits on every backend and for any number of threads
///   errors (bad_input): not square, NaN, negative, unreachable pairs, sums beyond double
template <class T>
Phylogeny neighbor_joining(Context& context,
                           MatrixView<const T> distances,
                           Joining method = Joining::nj);

/// Bytes that neighbor_joining() holds for n points in addition to the matrix: half of it in
/// doubles, for bionj twice.
std::uint64_t neighbor_joining_bytes(std::int64_t n, Joining method);

/// The methods that make a tree of a distance matrix.
enum class TreeMethod { nj, bionj, average, single, complete };
/// True for the methods of linkage().
bool is_linkage(TreeMethod method);
/// The linkage of a method; of the others average, which drawings in order of height take.
Linkage linkage_of(TreeMethod method);

/// The tree of any method: of linkages phylogeny_of().
template <class T>
Phylogeny phylogeny(Context& context, MatrixView<const T> distances, TreeMethod method);

}  // namespace yupana::analysis
