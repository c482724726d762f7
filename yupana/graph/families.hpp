#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family of graphs: the certificate for cohorts with close relatives.
///
/// A nearest-neighbour bound says little about individuals with a relative, since their nearest
/// neighbour is very near. So relatives are put together. Partition the vertices into families (any
/// partition will do). Let C be the closure inside each family, and out(i) the smallest weight of
/// an edge that leaves the family of i. Define
///   Y(i, j) = min over a in family(i), b in family(j) of  C(i, a) + W(a, b) + C(b, j).
/// Theorem: if Y(i, j) <= out(i) + out(j), then F(i, j) = Y(i, j).
/// Proof: Y(i, j) is the shortest of all paths with at most one edge between families if those of i
/// and j differ, with none if they are the same. Every other path has two such edges at least (what
/// leaves a family and comes back crosses twice). The first leaves the family of i, the last enters
/// the family of j, and they are two edges: the path is out(i) + out(j) long or longer.
/// With families of one vertex, Y = W and this is the plain certificate. Also, any path with two or
/// more edges between families is a chain of Y(k, l) with k, l in different families; the chain has
/// another link next to k-l, which leaves the family of k or of l. So the second half of the plain
/// certificate, which edges may be dropped, holds with Y for W and out for nn.
///   work n^2 * (largest family) add+min
namespace yupana::graph::cpu {

template <class T>
struct Families {
  std::vector<std::vector<std::int64_t>> members;  ///< ascending
  std::vector<std::int64_t> family_of;             ///< of each vertex
  std::vector<T> out;                              ///< of each vertex's family
};

/// Families of at most 32: rounds of joining each vertex's family to its nearest other one,
/// shortest edges first (Boruvka's rounds of a minimum spanning tree, cut off by size).
template <class T>
Families<T> find_families(Context& context, const SquareMatrix<T>& weights);

/// Share of the pairs of a few rows that the theorem would settle.
template <class T>
double settled_share(const SquareMatrix<T>& weights, const Families<T>& families);

/// Y, exactly symmetric.
template <class T>
SquareMatrix<T> through_families(Context& context,
                                 const SquareMatrix<T>& weights,
                                 const Families<T>& families);

}  // namespace yupana::graph::cpu
