#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/graph/distributed_matrix.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {

/// The facts of a call, which are the same on every rank, and its lengths.
struct DistributedFermatResult : FermatFacts {
  AnyDistributedMatrix lengths;
};

/// Sample Fermat distances of a matrix that no rank holds. Collective, with the tiles of d or d^2,
/// as `entries` says, which stay. Always the dense closure: the lengths have the bits of fermat()
/// without pruning on a CPU, for any number of ranks; or, where compute_closure runs on GPUs alone,
/// those of fermat() on a GPU.
///   work: n^3 / 2 add+min in all; memory: distributed_fermat_bytes() in addition to the distances
///   errors (bad_input): as fermat(), and neighbours or landmarks, on every rank; distances are not
///   checked to be zero on the diagonal, not negative and not NaN
DistributedFermatResult fermat(Context& context,
                               AnyDistributedMatrix& distances,
                               Entries entries,
                               const FermatParams& params = {});

/// Bytes that it takes on a rank, whatever types it chooses among those allowed.
std::uint64_t distributed_fermat_bytes(std::int64_t n, int ranks, const FermatParams& params);

}  // namespace yupana::graph
