#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/analysis/pca.hpp"
#include "yupana/job/grm.hpp"

namespace yupana::job {

struct PcaJobParams {
  InputParams input;
  genotype::Standardize standardize = genotype::GrmParams{}.standardize;
  analysis::PcaParams pca;
  std::string out;  ///< prefix of the files
};

struct PcaJobResult {
  genotype::CohortSummary cohort;
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  std::vector<double> eigenvalues;
  double trace = 0;  ///< sum of all eigenvalues
  std::vector<std::string> files;
};

struct Components {
  analysis::PcaResult pca;
  std::int64_t sites = 0;
};

/// Components of the relationships of an input.
///   memory: 28 bytes a pair of samples
///   errors: bad_input where a pair of samples has no called site in common
Components find_components(Context& context,
                           Input& input,
                           genotype::Standardize standardize,
                           const analysis::PcaParams& params);

/// Genotypes in, the principal components of their relationship matrix out: PREFIX.eigenvec and
/// PREFIX.eigenval. One process, on the CPU.
PcaJobResult run_pca(Context& context, const PcaJobParams& params);

}  // namespace yupana::job
