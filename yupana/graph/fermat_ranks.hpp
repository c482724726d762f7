#pragma once

#include <string>
#include <variant>

#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/graph/rank_tiles.hpp"

namespace yupana::graph {

using AnyRankTiles = std::variant<RankTiles<std::int32_t>, RankTiles<float>, RankTiles<double>>;

/// As FermatResult, of lengths that are spread over ranks.
struct RankFermatResult {
  AnyRankTiles lengths;
  double alpha = 2;
  bool rooted = false;
  double scale = 1;
  double weight_scale = 1;
  Precision precision = Precision::automatic;
  double kept_edges = 1;
  double replaced_edges = 0;
  double unreachable_pairs = 0;
  std::int64_t components = 1;
  std::string method = "symmetric R-Kleene";
};

/// Sample Fermat distances of a matrix that no rank holds. Every rank calls it, with its tiles of d
/// (or d^2, if `squared`); they stay. Always the dense closure, whose products run on the GPUs of
/// the context if there are any: the lengths have the bits of fermat() without pruning on a CPU,
/// for any number of ranks. `params` without neighbours and landmarks; its comm is not asked.
///   work: n^3 / 2 add+min in all; memory: fermat_ranks_bytes() beside the distances
///   errors (bad_input): as fermat(), on every rank; distances are taken to be no NaN, not negative
///   and zero on the diagonal
RankFermatResult fermat_ranks(Context& context,
                              AnyRankTiles& distances,
                              bool squared,
                              const FermatParams& params = {});

/// Bytes that fermat_ranks takes on a rank, whatever types it chooses among those allowed.
std::uint64_t fermat_ranks_bytes(std::int64_t n, int ranks, const FermatParams& params);

}  // namespace yupana::graph
