#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::job {

/// A genotype input as users name it, with the filters of the run.
struct InputParams {
  /// .bed, .vcf, .vcf.gz, .bcf, .npy, a PLINK prefix, or simulate:SAMPLESxSITES[,key=value...]
  std::string path;
  std::string bim;  ///< beside a .bed of another name; empty: same prefix
  std::string fam;
  std::string chromosomes;            ///< --chr: "1-4,22,X"; empty: autosomes
  bool all_chromosomes = false;       ///< --all-chr
  std::string region;                 ///< indexed VCF/BCF: "chr1:1000-2000"
  std::string half_call = "missing";  ///< missing, haploid, reference or error
  std::string polyploid = "error";    ///< calls of more than two alleles: error or missing
  bool round = false;                 ///< .npy: round imputed means to the nearest genotype
  std::string keep_file;              ///< --keep
  std::string remove_file;            ///< --remove
  genotype::CohortParams cohort;
};

/// An opened input: the cohort, and what PLINK files say of its samples.
struct Input {
  genotype::Cohort cohort;
  std::vector<std::string> families;     ///< PLINK's FID of each kept sample; empty elsewhere
  std::vector<std::string> individuals;  ///< and IID
  /// Files with sizes and times, and filters, in lines: what a checkpoint must match.
  std::string fingerprint;
};

Input open_input(Context& context, const InputParams& params);

}  // namespace yupana::job
