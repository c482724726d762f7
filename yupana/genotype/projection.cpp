#include "yupana/genotype/projection.hpp"

#include <cmath>

#include "yupana/genotype/site_counts.hpp"
#include "yupana/genotype/site_dosages.hpp"

namespace yupana::genotype {

std::vector<SiteScale> site_scales(Context& context,
                                   const CallBlock& block,
                                   Standardize standardize) {
  if (!block.codes.dosages.empty()) {
    std::vector<SiteScale> scales;
    for (std::int64_t site = 0; site < block.codes.sites; ++site) {
      scales.push_back(dosage_scale(dosage_sums(block.codes, site, block.samples), standardize));
    }
    return scales;
  }
  std::vector<SiteCounts> counts(static_cast<std::size_t>(block.codes.sites));
  site_counts(
      context.backend(), block.codes, SampleMask(block.codes.samples, block.samples), counts);
  std::vector<SiteScale> scales;
  for (const SiteCounts& count : counts) {
    const double alleles = 2.0 * static_cast<double>(count.called());
    const double copies = static_cast<double>(2 * count.homozygous_a1 + count.heterozygous);
    const double p = alleles > 0 ? copies / alleles : 0, q = (1 + copies) / (2 + alleles);
    const double variance = standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q);
    scales.push_back({p, count.minor_alleles() == 0 ? 0 : std::sqrt(variance)});
  }
  return scales;
}

void add_scores(Context& context,
                const CallBlock& block,
                std::span<const SiteScore> sites,
                MatrixView<double> scores) {
  constexpr std::int64_t grain = 64;
  const std::int64_t samples = std::ssize(block.samples), columns = scores.cols;
  context.parallel_for(samples, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t site = 0; site < block.codes.sites; ++site) {
      const SiteScore& score = sites[static_cast<std::size_t>(site)];
      if (score.weights == nullptr || score.scale.deviation == 0) continue;
      double by_code[4] = {};
      const auto scaled = [&](double x) {
        return ((score.exchanged ? 2 - x : x) - 2 * score.scale.frequency) / score.scale.deviation;
      };
      by_code[homozygous_a1] = scaled(2);
      by_code[heterozygous] = scaled(1);
      by_code[homozygous_a2] = scaled(0);
      const bool dosage = !block.codes.dosages.empty();
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t sample = block.samples[static_cast<std::size_t>(i)];
        double z = by_code[block.codes.at(site, sample)];
        if (dosage) {
          const double x = dosage_at(block.codes, site, sample);
          z = x < 0 ? 0 : scaled(x);
        }
        for (std::int64_t k = 0; k < columns; ++k) scores.row(i)[k] += z * score.weights[k];
      }
    }
  });
}

}  // namespace yupana::genotype
