#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {

struct FilterJobParams {
  InputParams input;
  std::string out;  ///< .bed, .pgen, .vcf, .vcf.gz or .npy
};

struct FilterJobResult {
  genotype::CohortSummary cohort;
  std::vector<std::string> files;
};

/// Writes what the filters leave of a cohort. PLINK's files keep the columns of samples and sites
/// that the input has; QUAL, FILTER, INFO, phases and dosages are left out.
///   work: one pass; for .pgen, whose header needs the number of sites, two; memory: one block
///   errors: usage for a name of no kind, and where the output is the input; bad_input for names
///   that PLINK's files cannot hold
FilterJobResult run_filter(Context& context, const FilterJobParams& params);

/// What run_filter() would hold and write.
Plan plan_filter(Context& context, const FilterJobParams& params);

/// The same of a cohort that is open.
FilterJobResult write_cohort(Context& context, Input& input, const std::string& out);

}  // namespace yupana::job
