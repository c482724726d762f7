#include "yupana/genotype/site_dosages.hpp"

#include <cmath>

namespace yupana::genotype {

DosageSums dosage_sums(const SiteBlock& block,
                       std::int64_t site,
                       std::span<const std::int64_t> samples) {
  const std::uint16_t* const row = block.dosage_row(site);
  DosageSums sums;
  for (const std::int64_t i : samples) {
    const std::int64_t dosage = row[i];
    const std::int64_t called = dosage != missing_dosage;
    sums.calls += called;
    sums.sum += called * dosage;
    sums.squares += called * dosage * dosage;
  }
  return sums;
}

SiteScale dosage_scale(const DosageSums& sums, Standardize standardize) {
  const std::int64_t most = 2 * dosage_unit * sums.calls;
  if (sums.calls == 0) return {};
  const double copies = static_cast<double>(sums.sum) / dosage_unit;
  const double alleles = 2 * static_cast<double>(sums.calls);
  const double p = copies / alleles, q = (1 + copies) / (2 + alleles);
  const double variance = standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q);
  const bool varies = sums.sum > 0 && sums.sum < most;
  return {p, varies ? std::sqrt(variance) : 0};
}

void standardize_dosages(const SiteBlock& block,
                         std::int64_t site,
                         std::span<const std::int64_t> samples,
                         const SiteScale& scale,
                         double* z) {
  const std::uint16_t* const row = block.dosage_row(site);
  const double factor = scale.deviation > 0 ? 1 / scale.deviation : 0;
  // The mean in units: its difference from a dosage is rounded once, fused or not.
  const double mean = 2 * dosage_unit * scale.frequency, per_unit = factor / dosage_unit;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint16_t dosage = row[samples[i]];
    z[i] = dosage == missing_dosage ? 0 : (dosage - mean) * per_unit;
  }
}

void dosages_of_calls(const std::uint8_t* row, std::int64_t samples, std::uint16_t* dosages) {
  constexpr std::uint16_t of_code[] = {2 * dosage_unit, missing_dosage, dosage_unit, 0};
  for (std::int64_t i = 0; i < samples; ++i) dosages[i] = of_code[row[i / 4] >> (2 * (i % 4)) & 3];
}

}  // namespace yupana::genotype
