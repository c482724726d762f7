#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::genotype {

/// Genotypes as an array in memory: the number of A1 alleles, 0, 1 or 2, of sample i at site k is
/// data[i * sample_step + k * site_step]; negative: a missing call. Does not own.
struct Dosages {
  const std::int8_t* data = nullptr;
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  std::int64_t sample_step = 0;
  std::int64_t site_step = 1;

  std::int8_t at(std::int64_t sample, std::int64_t site) const {
    return data[sample * sample_step + site * site_step];
  }
};

/// Bit planes of the sites [sites.begin, sites.end), of every sample; the plane of called genotypes
/// is made if a call is missing, or if `result` already has one. Nothing but the planes is made.
///   work: one pass over the sites, two where the first missing call is met
///   determinism: the same planes for any threads and backend
///   errors (bad_input): a value above 2, with its row and column from 1
void planes_of(Context& context, const Dosages& dosages, Range sites, PlaneBlock& result);

/// Counts of the whole array, on the host or in the memory of a GPU of the context, block after
/// block, with progress ("pair-SNP").
///   memory: planes of 64 MiB besides the counts
PairCounts pair_counts(Context& context,
                       const Dosages& dosages,
                       const PairCountsParams& params = {});

/// The same array as a stream of sites, for the filters of a Cohort. The array must stay.
class DosageSource : public Source {
 public:
  /// Without names the samples are 1, 2, ... Throws bad_input for names that are too few, too many
  /// or repeated.
  DosageSource(const Dosages& dosages, std::vector<std::string> names);

  const std::vector<std::string>& samples() const override { return names_; }
  std::int64_t sites() const override { return dosages_.sites; }
  bool read(SiteBlock& block) override;
  void rewind() override;
  const SiteAccount& account() const override { return account_; }
  void name_sites() override { named_ = true; }
  std::vector<std::string> chromosomes() const override { return {"1"}; }

 private:
  Dosages dosages_;
  std::vector<std::string> names_;
  SiteAccount account_;
  std::int64_t next_ = 0;
  bool named_ = false;
};

}  // namespace yupana::genotype
