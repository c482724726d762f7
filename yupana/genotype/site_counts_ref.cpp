#include "yupana/genotype/site_counts_backends.hpp"

namespace yupana::genotype::reference {

void site_counts(const SiteBlock& block, const SampleMask& mask, std::span<SiteCounts> counts) {
  for (std::int64_t site = 0; site < block.sites; ++site) {
    SiteCounts& count = counts[site] = {};
    for (std::int64_t sample = 0; sample < block.samples; ++sample) {
      if ((mask.codes()[sample / 4] >> (2 * (sample % 4)) & 3) == 0) continue;
      const Code code = block.at(site, sample);
      count.homozygous_a1 += code == homozygous_a1;
      count.heterozygous += code == heterozygous;
      count.homozygous_a2 += code == homozygous_a2;
      count.missing += code == missing_call;
    }
  }
}

}  // namespace yupana::genotype::reference
