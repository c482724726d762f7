#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

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
