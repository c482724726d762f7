#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

/// PLINK's --indep-pairwise.
struct LdPruneParams {
  std::int64_t window = 0;  ///< sites of a window, or base pairs from its first to its last; 0: off
  bool in_base_pairs = false;
  std::int64_t step = 1;  ///< sites that a window begins after the one before
  double max_r2 = 0;      ///< of two sites that both stay

  bool operator==(const LdPruneParams&) const = default;
};

/// From PLINK's words: WINDOW['kb'] [STEP] R2.
///   errors: usage for other words; a window of less than two sites; a step other than 1 in base
///   pairs
LdPruneParams ld_prune_params(const std::vector<std::string>& words);

/// The decision on a site, by its name, in file order.
using LdReport = std::function<void(const std::string& site, bool stays)>;

/// The sites of a cohort of which no two of a window are correlated by more than r2: the list that
/// PLINK 1.9 and PLINK 2 (2.0 alpha 3) give. By SiteName::number; sites that the cohort's filters
/// drop are false. The cohort is then at its beginning again.
///
/// Over the founders with both calls
///   r2 = (n Sxy - Sx Sy)^2 / ((n Sxx - Sx Sx) (n Syy - Sy Sy))
/// from exact integer sums, compared as PLINK does: the square of the first is larger than
/// max_r2 (1 + 2^-44) times the product of the others, in doubles. A site where all calls are alike
/// does not stay, unless no other is in a window with it. In each window, in passes until none
/// changes anything, every site i that stays so far is compared with the sites j > i that do, up to
/// the first of larger r2, of which that with the lower minor-allele frequency, over the samples
/// that --maf counts, is dropped, j where these are the same.
///
///   work: pairs of a window that stay x founders / 64 words, chromosomes in parallel
///   memory: what is read at a time: 64 MiB a thread, at most a quarter of the context's memory;
///   3 bits a call of what windows hold, none with CUDA; all this at most in `peak_bytes`
///   devices: CPU and CUDA, where all pairs of a window are compared, stay they or not, and the
///   codes of its sites are held too
///   determinism: the same sites for any number of threads and every backend
///   errors: bad_input for sites out of order, fewer than two founders; out_of_resources where the
///   sites of windows do not fit half of the context's memory (4 MiB at least), or --gpu-memory
std::vector<bool> ld_prune(Context& context,
                           Cohort& cohort,
                           const LdPruneParams& params,
                           const LdReport& report = {},
                           std::uint64_t* peak_bytes = nullptr);

}  // namespace yupana::genotype
