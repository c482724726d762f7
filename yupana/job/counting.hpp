#pragma once

#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {

struct CheckpointParams {
  std::string folder;     ///< --checkpoint; empty: none
  double interval = 300;  ///< seconds between two saves
};

/// Pair counts of one band of rows over the whole input, with progress. With a checkpoint folder
/// the counts are saved now and then, and an earlier run of the same input and options is gone on
/// with: the result has the same bits either way. With ranks, each counts the sites it reads, and
/// then keeps its share of the rows (`rows` of the result), of the first rank all where the plan
/// needs all counts at once.
genotype::PairCounts count_pairs(Context& context,
                                 Input& input,
                                 const Plan& plan,
                                 Range band,
                                 const CheckpointParams& checkpoint = {});

/// The same over every row, handed over with the counts where they are: on GPUs they stay there.
/// For plans of one pass.
genotype::PairCounter count_whole(Context& context,
                                  Input& input,
                                  const Plan& plan,
                                  const CheckpointParams& checkpoint = {});

/// Removes the checkpoint's files after a run is done. Every rank calls it, after the last file:
/// none removes its own while another can still fail.
void remove_checkpoint(Comm* comm, const Plan& plan, const CheckpointParams& checkpoint);

}  // namespace yupana::job
