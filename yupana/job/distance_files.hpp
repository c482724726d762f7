#pragma once

#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/genotype/missing_weights.hpp"
#include "yupana/job/distances.hpp"

namespace yupana::job {

/// "FAMILY<TAB>IID" where a .fam gave families: what PLINK's .id files hold.
std::vector<std::string> plink_samples(const Input& input);

/// Writes the files that are made from the counts of the whole triangle at once. With `weights`
/// incomplete pairs of PLINK's matrices are scaled by them; null: not.
void add_whole_files(Context& context,
                     const Input& input,
                     const DistanceJobParams& params,
                     const genotype::PairCounts& counts,
                     const genotype::MissingWeights* weights,
                     OutputFiles& files);

}  // namespace yupana::job
