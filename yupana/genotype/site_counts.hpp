#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// Genotypes of one site over a set of samples; the four add up to the size of the set.
struct SiteCounts {
  std::int64_t homozygous_a1 = 0;  ///< x = 2
  std::int64_t heterozygous = 0;   ///< x = 1
  std::int64_t homozygous_a2 = 0;  ///< x = 0
  std::int64_t missing = 0;

  std::int64_t called() const { return homozygous_a1 + heterozygous + homozygous_a2; }
  /// Copies of the rarer allele among the 2 called() alleles.
  std::int64_t minor_alleles() const;
  /// The most frequent genotype; of equally frequent ones that with the smaller x.
  Code mode() const;
  bool operator==(const SiteCounts&) const = default;
};

/// A set of samples in the layout of a SiteBlock row: code 3 for a member, 0 for the others.
class SampleMask {
 public:
  /// Samples `members` of rows of `samples` samples; each counts once.
  SampleMask(std::int64_t samples, std::span<const std::int64_t> members);
  std::int64_t samples() const { return samples_; }
  /// Size of the set.
  std::int64_t size() const { return size_; }
  const std::uint8_t* codes() const { return codes_.data(); }

 private:
  std::int64_t samples_;
  std::int64_t size_ = 0;
  Array<std::uint8_t> codes_;
};

/// counts[k] of site k = 0 .. block.sites - 1 over the samples of the mask. Runs on the calling
/// thread alone: a reader counts during the distance kernel, which has the others.
/// work: one pass over the codes.
void site_counts(Backend backend,
                 const SiteBlock& block,
                 const SampleMask& mask,
                 std::span<SiteCounts> counts);

/// Gives every missing call of a row of `bytes` bytes the genotype `code`.
void fill_missing(std::uint8_t* row, std::int64_t bytes, Code code);

/// The p-value of the exact test of Hardy-Weinberg equilibrium (Wigginton, Cutler, Abecasis 2005):
/// the probability, given the alleles, of all numbers of heterozygotes that are no more probable
/// than the one that is observed; with `mid_p` half of those as probable. 1 without calls.
///   relative error below 1e-9; 0 below 1e-300. work: at most the rarer allele's copies, as a rule
///   a multiple of the square root of the calls
double hardy_weinberg_p(const SiteCounts& counts, bool mid_p = false);

}  // namespace yupana::genotype
