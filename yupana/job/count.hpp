#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {

struct CheckpointParams {
  std::string folder;     ///< --checkpoint; empty: none
  double interval = 300;  ///< seconds between two saves
  /// The file of counts that the run saved or continued last; empty: none.
  std::shared_ptr<std::string> saved = std::make_shared<std::string>();
};

/// The sizes of a plan that the input and the ranks of the context decide.
PlanParams plan_sizes(const Context& context, const Input& input, const InputParams& params);

/// A rank's part of a band: rows whose pairs it counts, over the sites of its own, and those of
/// them whose sums over all sites it keeps.
struct RankRows {
  Range counted;
  Range kept;
};

/// Of every rank. Rows of all ranks together are the band; where the plan needs all counts at once
/// the first rank keeps them.
std::vector<RankRows> rank_rows(const Plan& plan, Range band);

/// Pair counts of one band of rows over the whole input, with progress. With a checkpoint folder
/// the counts are saved now and then, and an earlier run of the same input and options is
/// continued: the result has the same bits either way. With ranks, each counts its rows (rank_rows)
/// over the sites it reads, and keeps the sums of some of them: `rows` of the result. The input is
/// cut as the plan says.
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

/// Removes the checkpoint's files after a run is done. Collective, after the last file: no rank
/// removes its own while another can still fail.
void remove_checkpoint(const Context& context,
                       const Plan& plan,
                       const CheckpointParams& checkpoint);

}  // namespace yupana::job
