#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::genotype {

/// The 2-bit codes of a PLINK 1 .bed file. A genotype x is the number of A1 (for a VCF: ALT)
/// alleles.
enum Code : std::uint8_t {
  homozygous_a1 = 0,  ///< x = 2
  missing_call = 1,
  heterozygous = 2,   ///< x = 1
  homozygous_a2 = 3,  ///< x = 0
};

/// What a file says of a site in addition to its genotypes.
struct SiteName {
  std::string chromosome;
  std::int64_t position = 0;
  std::string name;
  std::string a1;  ///< the allele that x counts: A1 of PLINK 1, ALT elsewhere
  std::string a2;
  std::string centimorgans = "0";
  std::int64_t number = 0;  ///< of the site in its source, from 0; set by a Cohort
};

inline constexpr std::int64_t dosage_unit = 16384;  ///< of dosages: a whole allele, as in PLINK 2
inline constexpr std::uint16_t missing_dosage = 65535;

/// Consecutive sites as readers deliver them: one row a site, 2 bits a sample, sample 0 in the low
/// bits of byte 0, exactly the rows of a .bed file. Bits past the last sample are zero; rows are
/// padded to `stride` bytes, a multiple of 64.
struct SiteBlock {
  SiteBlock() = default;
  SiteBlock(std::int64_t samples_, std::int64_t capacity_, bool with_dosages = false)
      : samples(samples_),
        capacity(capacity_),
        stride(round_up(divide_up(samples_, 4), 64)),
        codes(stride * capacity_),
        dosages(with_dosages ? samples_ * capacity_ : 0) {}

  std::uint8_t* row(std::int64_t site) { return codes.data() + site * stride; }
  const std::uint8_t* row(std::int64_t site) const { return codes.data() + site * stride; }
  Code at(std::int64_t site, std::int64_t sample) const {
    return static_cast<Code>(row(site)[sample / 4] >> (2 * (sample % 4)) & 3);
  }
  std::uint16_t* dosage_row(std::int64_t site) { return dosages.data() + site * samples; }
  const std::uint16_t* dosage_row(std::int64_t site) const {
    return dosages.data() + site * samples;
  }

  std::int64_t samples = 0;
  std::int64_t capacity = 0;         ///< sites it can hold
  std::int64_t stride = 0;           ///< bytes from one site to the next
  std::int64_t sites = 0;            ///< sites it holds now
  std::vector<SiteName> names = {};  ///< one a site; empty unless the source names them
  Array<std::uint8_t> codes;
  /// Per site and sample, in units of 1/16384 of an A1 allele. Empty unless a caller asks;
  /// readers fill them then, with the hard calls where a file has no dosages.
  Array<std::uint16_t> dosages;
  std::int64_t dosage_sites = 0;  ///< sites of the last read() of which the file has dosages
};

}  // namespace yupana::genotype
