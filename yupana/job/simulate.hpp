#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/simulate.hpp"

namespace yupana::job {

struct SimulateJobParams {
  genotype::SimulateParams cohort;
  std::string format = "bed";  ///< bed, vcf or vcf.gz
  std::string out;             ///< prefix of the files
};

/// Writes a simulated cohort and its populations (PREFIX.labels.tsv); returns the paths.
std::vector<std::string> run_simulate(Context& context, const SimulateJobParams& params);

}  // namespace yupana::job
