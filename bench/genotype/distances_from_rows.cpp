// Distances from what a .bed file holds: its rows, SNP after SNP, in memory. Every block is
// transposed into planes, then counted, as `yupana dist` does it.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "bench/genotype/distances_bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/genotype/transpose.hpp"

namespace yupana::bench {
namespace {

using genotype::PairCounter;
using genotype::PairCounts;
using genotype::PlaneBlock;
using genotype::SiteBlock;

/// Rows of random codes: x = 2, 1, 0 with frequencies 1/2, 1/4, 1/4, calls missing at 1 % if
/// `missing`. `samples` is a multiple of 256, so that rows have no pad bits.
SiteBlock random_rows(std::int64_t samples, std::int64_t sites, bool missing) {
  SiteBlock block(samples, sites);
  block.sites = sites;
  const Random bits(2, 0), draws(2, 1);
  constexpr std::uint64_t high_bits = 0xaaaaaaaaaaaaaaaa;
  for (std::int64_t at = 0; at < block.codes.size(); at += 8) {
    std::uint64_t word = bits.word(static_cast<std::uint64_t>(at));
    word &= high_bits | word >> 1;  // code 1, a missing call, becomes 0
    const std::uint64_t draw = missing ? draws.word(static_cast<std::uint64_t>(at)) : 99;
    // One missing call in 32 % of the words of 32: 1 %.
    const int shift = static_cast<int>(draw >> 59) * 2;
    if (draw % 100 < 32) word = (word & ~(std::uint64_t{3} << shift)) | std::uint64_t{1} << shift;
    std::memcpy(block.codes.data() + at, &word, 8);
  }
  return block;
}

int genotype_of(const SiteBlock& rows, std::int64_t sample, std::int64_t site) {
  switch (rows.at(site, sample)) {
    case genotype::homozygous_a1:
      return 2;
    case genotype::heterozygous:
      return 1;
    case genotype::homozygous_a2:
      return 0;
    case genotype::missing_call:
      break;
  }
  return -1;
}

void measure(const Context& parent,
             const BenchParams& params,
             const SiteBlock& rows,
             bool missing,
             int threads) {
  constexpr std::int64_t block_sites = 65536;  // as in genotype::pair_counts
  Context context(with_threads(parent, threads));
  std::vector<std::int64_t> samples(static_cast<std::size_t>(rows.samples));
  std::vector<std::int64_t> sites(static_cast<std::size_t>(rows.sites));
  std::iota(samples.begin(), samples.end(), 0);
  std::iota(sites.begin(), sites.end(), 0);
  PlaneBlock planes;
  PairCounts counts;
  const Timing timing = time_runs(params.quick ? 1 : 3, [&] {
    PairCounter counter(context, rows.samples);
    for (std::int64_t k = 0; k < rows.sites; k += block_sites) {
      const std::int64_t some = std::min(block_sites, rows.sites - k);
      genotype::transpose(
          context,
          rows,
          samples,
          std::span(sites).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(some)),
          missing ? 3 : 2,
          planes);
      counter.add(planes);
    }
    counts = counter.take();
  });
  Measurement result;
  result.bench = "distances";
  result.what = case_name(rows.samples, rows.sites, missing, threads);
  result.impl = impl_name(context) + ", .bed rows in memory, packing included";
  result.value = pair_sites_per_second(rows.samples, rows.sites, timing.median);
  result.timing = timing;
  result.unit = "G pair-SNP/s";
  const double ceiling = distances_ceiling(missing);
  if (ceiling > 0) result.share_of_limit = result.value / (ceiling * threads);
  result.verified = counts_are_right(
      rows.samples, rows.sites, counts, [&](std::int64_t sample, std::int64_t site) {
        return genotype_of(rows, sample, site);
      });
  params.emit(result);
}

}  // namespace

void distances_from_rows(const Context& context, const BenchParams& params) {
  const std::int64_t n = params.quick ? 256 : 4096, m = params.quick ? 2000 : 262144;
  for (const bool missing : {false, true}) {
    const SiteBlock rows = random_rows(n, m, missing);
    for (const int threads : thread_counts(context)) {
      measure(context, params, rows, missing, threads);
    }
  }
}

}  // namespace yupana::bench
