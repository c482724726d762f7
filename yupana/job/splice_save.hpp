#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/species.hpp"

namespace yupana::job {

/// What is made of a genome once, for many runs of run_splice().
enum class SpliceSave {
  nothing,
  index,          ///< SpliceJobParams::index, for cDNAs
  protein_index,  ///< the same for proteins
  sites,          ///< SpliceJobParams::site_scores
};

struct SpliceSaveParams {
  SpliceSave what = SpliceSave::index;
  std::string genome;
  splice::Species species = splice::Species::vertebrate;  ///< whose models sites are scored by
  splice::GeneticCode code;                               ///< of the index for proteins
  std::string out;                                        ///< the file
};

/// Writes the file and returns its name, on the first rank.
///   errors: bad_input naming file and line; out_of_resources where the genome and what is made of
///   it pass the context's memory
std::vector<std::string> save_splice(Context& context, const SpliceSaveParams& params);

}  // namespace yupana::job
