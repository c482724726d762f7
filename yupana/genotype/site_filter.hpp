#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

/// Sites that passed the filters, densely packed, with their missing calls counted.
struct FilteredSites {
  SiteBlock codes;
  std::vector<std::int64_t> missing;  ///< per site, among the kept samples
  std::int64_t position = 0;          ///< sites the source had delivered by then
  bool end = false;                   ///< the source has no more
};

/// The site half of a Cohort: reads a source, drops sites, imputes; one thread at a time.
class SiteFilter {
 public:
  /// Counts over the samples `kept`, and for --maf and --mac over the founders among them. Source
  /// and parameters must outlive it.
  SiteFilter(Source& source,
             const CohortParams& params,
             Backend backend,
             std::vector<std::int64_t> kept);

  /// Fills `sites.codes` (whose memory is reused) with the next `capacity` sites that pass, fewer
  /// only at the end. Returns early, with whatever it has, once `stop` is set.
  void fill(FilteredSites& sites, std::int64_t capacity, const std::atomic<bool>& stop);
  void rewind();
  /// From the next rewind() on, missing calls are counted over these samples alone.
  void count_missing_of(const std::vector<std::int64_t>& samples) {
    left_.emplace(mask_.samples(), samples);
    left_samples_ = samples;
  }
  /// From the next fill() on, sites have names: the source's, or those of numbered_site().
  void name_sites();
  /// As name_sites(), where sites may be on X, Y or MT: true then.
  bool name_haploid();
  /// From the next rewind() on, sites of X, Y and MT do not pass, or do again.
  void leave_out_haploid(bool left_out);
  /// From the next rewind() on, sites pass only where `chosen`, by their number in the source.
  void choose_sites(std::vector<bool> chosen) { chosen_ = std::move(chosen); }

  const std::map<std::string, std::int64_t>& dropped() const { return dropped_; }
  std::int64_t kept() const { return sites_kept_; }
  /// Of them on X, Y and MT, where this is known: not of what is written anew.
  std::int64_t haploid_kept() const { return haploid_kept_; }
  std::int64_t calls_missing() const { return calls_missing_; }
  /// Sites that were read, and those of which the file has dosages.
  std::int64_t read() const { return position_; }
  std::int64_t dosage_sites() const { return dosage_sites_; }
  /// Kept samples that --maf counts.
  std::int64_t founders() const { return founders_ ? founders_->size() : mask_.size(); }

 private:
  bool read_piece();
  bool is_chosen(std::int64_t position) const;
  bool passes(std::int64_t site, const SiteCounts& counts);
  bool is_called(std::int64_t site, const SiteCounts& counts) const;
  /// From now on the sites' chromosomes are known, where some may be X, Y or MT.
  void find_haploid();
  void count_haploid();
  Chromosome chromosome(std::int64_t site) const;
  const char* reason_of_frequency(std::int64_t site) const;
  void impute(std::int64_t site, const SiteCounts& counts);
  std::int64_t missing(std::int64_t site) const;
  std::int64_t missing_dosages(std::int64_t site) const;
  void append(FilteredSites& sites);
  [[noreturn]] void refuse_missing(std::int64_t site) const;

  Source& source_;
  const CohortParams& params_;
  Backend backend_;
  std::vector<std::int64_t> samples_;
  std::vector<std::int64_t> counted_;       ///< those that --maf counts
  std::vector<std::int64_t> left_samples_;  ///< of left_
  SampleMask mask_;
  std::optional<SampleMask> founders_;  ///< the samples --maf counts, where they are fewer
  SampleMask males_, females_;          ///< among those that --maf counts
  SampleMask all_males_;                ///< whose calls --geno counts on Y
  bool haploid_ = false;                ///< sites may be on X, Y or MT, and it matters
  bool haploid_left_out_ = false;
  std::optional<SampleMask> left_;      ///< the samples whose missing calls count, where fewer
  std::int64_t most_missing_;           ///< calls a site may miss under --geno
  std::int64_t most_missing_of_males_;  ///< the same of one on Y

  SiteBlock piece_;                                      ///< as the source delivered it
  std::vector<SiteCounts> counts_;                       ///< of the piece's sites
  std::vector<SiteCounts> founder_counts_;               ///< the same over the founders
  std::vector<SiteCounts> left_counts_;                  ///< the same over those left
  std::vector<Chromosome> chromosomes_;                  ///< of the piece's sites, where haploid_
  std::vector<SiteCounts> male_counts_, female_counts_;  ///< where one of them is X, Y or MT
  std::vector<SiteCounts> all_male_counts_;              ///< where one of them is Y, for --geno
  std::vector<std::int64_t> passed_;
  std::int64_t next_ = 0;  ///< first of passed_ not handed on yet
  std::int64_t position_ = 0;
  std::int64_t piece_index_ = 0;
  bool named_ = false;
  std::optional<std::vector<bool>> chosen_;

  std::map<std::string, std::int64_t> dropped_;
  std::int64_t sites_kept_ = 0;
  std::int64_t haploid_kept_ = 0;
  std::int64_t calls_missing_ = 0;
  std::int64_t dosage_sites_ = 0;
};

/// Most missing calls of `calls` that a missing rate of at most `rate` allows. As PLINK does, the
/// rate is nudged up, so that 0.1 of 10 is 1 although 0.1 is not a binary fraction.
std::int64_t allowed_missing(double rate, std::int64_t calls);

}  // namespace yupana::genotype
