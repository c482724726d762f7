#pragma once

#include <cstdint>

namespace yupana::io {

/// Where hard calls are made of dosages, as PLINK 2 makes them: a dosage is a multiple of 1/16384
/// of an allele, the nearest one but for what dosage() says; a call is that of the nearest whole
/// numbers x_k of each allele k, and missing where half the sum of |dosage_k - x_k| is larger than
/// --hard-call-threshold.
class HardCalls {
 public:
  static constexpr std::int64_t unit = 16384;  ///< a whole allele
  /// `threshold`: from 0 to below 0.5.
  explicit HardCalls(double threshold);
  /// The most that a dosage may be away, in units.
  std::int64_t most() const { return most_; }
  /// The dosage in units of `part` of `whole` alleles, where `whole` is odd. As PLINK 2 rounds the
  /// dosage of a variant's second allele, the fraction next above one half goes down.
  static std::int64_t dosage(std::uint64_t part, std::uint64_t whole) {
    const std::uint64_t product = unit * part;
    return static_cast<std::int64_t>(product / whole + (product % whole > (whole + 1) / 2));
  }

 private:
  std::int64_t most_;
};

/// The rows that one variant gives: x counts ALT allele counted, counted + 1, ...
struct BgenRows {
  std::uint8_t* first = nullptr;  ///< each of `stride` bytes, as in a SiteBlock
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::int64_t counted = 1;          ///< 0: every ALT allele alike
  bool ref_last = false;             ///< REF is the last allele, not the first
  std::uint16_t* dosages = nullptr;  ///< of two alleles: as in a SiteBlock; null: not wanted
};

/// Makes hard calls of a variant's unpacked probabilities of layout 2: unphased or phased, of one
/// or two alleles a sample; a haploid call counts twice. `bytes`: `size` of them, followed by eight
/// that may be read. Returns what is wrong with them, null where nothing is; rows are undefined
/// then.
///   work: a pass over the probabilities, once
const char* hard_calls(const HardCalls& rule,
                       const std::uint8_t* bytes,
                       std::int64_t size,
                       std::int64_t samples,
                       std::int64_t alleles,
                       const BgenRows& rows);

}  // namespace yupana::io
