#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {

/// Pairs i < j of a result whose smallest weights vanish, without those of which no comparison of
/// length and weight is true.
struct KnownEdges {
  std::int64_t left_out = 0;  ///< their weight is positive, and not far above the smallest number
  std::int64_t kept = 0, replaced = 0, longer = 0, unreachable = 0;

  std::int64_t known() const { return kept + replaced + longer + unreachable; }
};

/// A path loses at most n times the smallest normal number to weights that vanish: negligible
/// against a weight of 2^digits times as much. Of rooted lengths and of estimates only `left_out`
/// is known.
///   `distances`: those, or their squares, that `result` was made from, on the host
///   work: O(n^2); the same for any number of threads
KnownEdges known_edges(Context& context,
                       const AnyMatrix& distances,
                       bool squared,
                       const FermatResult& result,
                       bool estimated);

}  // namespace yupana::graph
