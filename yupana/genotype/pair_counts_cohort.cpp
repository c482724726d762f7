#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

PairCounts pair_counts(Context& context, Cohort& cohort, const PairCountsParams& params) {
  // Long blocks amortise the sweep over the counts, short ones keep the planes small: 65,536 sites
  // are 16 KiB a sample and plane pair.
  constexpr std::int64_t block_sites = 65536;
  const auto samples = static_cast<std::int64_t>(cohort.samples().size());
  PairCounter counter(context, samples, params);
  const Range rows = counter.rows();
  const auto pairs = static_cast<double>(triangle_cells(rows.end) - triangle_cells(rows.begin));
  const double sites = cohort.sites() < 0 ? 0 : static_cast<double>(cohort.sites());
  Stage stage(context, "distances", pairs * sites, "pair-SNP");
  CallBlock block;
  while (cohort.read(block, block_sites)) counter.add(block, &stage);
  return counter.take();
}

}  // namespace yupana::genotype
