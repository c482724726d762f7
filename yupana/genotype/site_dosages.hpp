#pragma once

#include <cstdint>
#include <span>

#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/genotype/grm_product.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// The dosages of a site over some samples, as exact sums.
struct DosageSums {
  std::int64_t calls = 0;    ///< dosages that are not missing
  std::int64_t sum = 0;      ///< in units
  std::int64_t squares = 0;  ///< in squared units
};
DosageSums dosage_sums(const SiteBlock& block,
                       std::int64_t site,
                       std::span<const std::int64_t> samples);

/// A dosage in alleles, from 0 to 2; negative where missing.
inline double dosage_at(const SiteBlock& block, std::int64_t site, std::int64_t sample) {
  const std::uint16_t dosage = block.dosage_row(site)[sample];
  return dosage == missing_dosage ? -1 : static_cast<double>(dosage) / dosage_unit;
}

/// How the site is standardized: SiteScale by frequencies of dosages.
SiteScale dosage_scale(const DosageSums& sums, Standardize standardize);

/// z = (dosage - 2 frequency) / deviation of these samples; 0 where missing or without deviation.
void standardize_dosages(const SiteBlock& block,
                         std::int64_t site,
                         std::span<const std::int64_t> samples,
                         const SiteScale& scale,
                         double* z);

/// The dosages that the hard calls of a row are.
void dosages_of_calls(const std::uint8_t* row, std::int64_t samples, std::uint16_t* dosages);

}  // namespace yupana::genotype
