#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/support/bench.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/planes.hpp"

namespace yupana::bench {

/// Pair-SNP comparisons a second (in units of 1e9) of one core that computes on registers alone,
/// with the instructions our kernel uses: what is left when memory costs nothing. 0: not known.
double distances_ceiling(bool missing);

/// Random planes: genotypes 0, 1, 2 with frequencies 1/2, 1/4, 1/4, calls missing at 1 % if
/// `missing`.
genotype::PlaneBlock random_planes(std::int64_t samples, std::int64_t sites, bool missing);

/// n (n - 1) / 2 pairs times m sites in `seconds`, in units of 1e9 a second.
double pair_sites_per_second(std::int64_t samples, std::int64_t sites, double seconds);
std::string case_name(std::int64_t samples, std::int64_t sites, bool missing, int threads);

/// Compares the counts of some pairs, spread over the triangle, with those of plain loops over
/// genotype(sample, site): 0, 1, 2 or -1, missing.
bool counts_are_right(std::int64_t samples,
                      std::int64_t sites,
                      const genotype::PairCounts& counts,
                      const std::function<int(std::int64_t, std::int64_t)>& genotype);

/// The cases of n = 4,096 and m = 262,144 with packing included: from the rows of a .bed file in
/// memory; on one thread and on all of the context.
void distances_from_rows(const Context& context, const BenchParams& params);

/// The programs and libraries people use today; each is run as they run it, in its own process, and
/// its numbers are compared with ours.
void distances_peers(Context& context, const BenchParams& params);

/// The same work on GPUs (CUDA builds).
void distances_cuda(Context& context, const BenchParams& params);
/// AND + POPC of the binary tensor instructions on registers and one stage of shared memory alone:
/// bit operations a second of the current device, in units of 1e12.
double tensor_ceiling();
/// What users run on a GPU today, through PyTorch where it is installed.
void distances_cuda_peers(const BenchParams& params, const std::string& device);

}  // namespace yupana::bench
