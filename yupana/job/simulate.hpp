#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::job {

struct SimulateJobParams {
  genotype::SimulateParams cohort;
  std::string format = "bed";  ///< bed, pgen, vcf or vcf.gz
  std::string out;             ///< prefix of the files
};

/// Throws out_of_resources if the context's memory cannot hold the names of a simulated cohort, so
/// many that they must not be made before a plan says what the run needs. Notes options that leave
/// no trace in the cohort.
void check_simulated_fits(const Context& context, const genotype::SimulateParams& cohort);

/// Identifiers alone or, of a cohort with families, the columns of a pedigree.
io::SampleTable simulated_samples(const genotype::SimulatedSource& source);

/// Writes a simulated cohort and its populations (PREFIX.labels.tsv); returns the paths.
///   errors: out_of_resources before the work where memory or disk do not hold the cohort
std::vector<std::string> run_simulate(Context& context, const SimulateJobParams& params);

}  // namespace yupana::job
