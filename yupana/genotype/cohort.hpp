#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/site_block.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::genotype {

/// What to do with a missing call.
enum class Missing {
  pairwise,  ///< leave it out of every pair it touches
  mode,      ///< take the site's most frequent genotype; ties go to the smaller x
  error,     ///< refuse the input, naming the first sample and site
};

/// Samples that are left out, and why in words: the reason in CohortSummary::samples_dropped.
struct LeftOut {
  std::string reason;
  std::vector<std::string> samples;
};

/// Filters as PLINK users know them, in PLINK's order: thin; keep, remove, mind (over the thinned
/// sites); geno (over the samples that stay), hwe, maf and mac (over the founders that stay). As in
/// PLINK 2, males have one allele of X, none but they have alleles and calls of Y, and all have one
/// of MT; hwe is over the females on X, and tests neither Y nor MT.
struct CohortParams {
  std::vector<std::string> keep;    ///< sample identifiers; empty: all
  std::vector<std::string> remove;  ///< sample identifiers
  std::vector<LeftOut> left_out;    ///< --keep-fam, --remove-fam
  double max_sample_missing = 1;    ///< --mind: drop samples with a higher missing rate
  double max_site_missing = 1;      ///< --geno: drop sites with a higher missing rate
  double min_maf = 0;               ///< --maf: drop sites with a lower minor-allele frequency
  double max_maf = 0.5;             ///< --max-maf: drop sites with a higher one
  double min_hwe = 0;               ///< --hwe: drop sites with a smaller p-value
  bool hwe_mid_p = false;           ///< of the test with the mid-p correction
  std::int64_t min_mac = 0;         ///< --mac: drop sites with fewer copies of the minor allele
  bool nonfounders = false;         ///< --nonfounders: --maf counts every sample that stays
  std::int64_t autosomes = human_autosomes;  ///< --chr-set: which names are X, Y and MT
  double thin = 1;                           ///< --thin: keep each site with this probability
  std::uint64_t seed = 0;                    ///< of --thin
  /// True where sites are judged by their allele counts.
  bool counts_alleles() const { return min_maf > 0 || max_maf < 0.5 || min_mac > 0 || min_hwe > 0; }
  Missing missing = Missing::pairwise;
  /// --dosage: blocks of codes hold dosages, which --maf, --max-maf and --mac count; the other
  /// filters judge hard calls.
  bool dosage = false;
  /// This cohort is one of `parts`, whose sites together are those of the whole, each once: what a
  /// rank reads. Samples and the reader's account are of the whole input.
  int part = 0;
  int parts = 1;
  bool written = false;            ///< sites go to a file as they are: nothing counts them
  std::string name = "the input";  ///< the source's, in messages
};

/// Sample and site accounting of a run.
struct CohortSummary {
  std::int64_t samples_read = 0;
  std::int64_t samples_kept = 0;
  std::map<std::string, std::int64_t> samples_dropped;  ///< reason in words -> samples
  SiteAccount sites;                                    ///< reader's and filters' together
  std::int64_t calls_missing = 0;  ///< among kept samples and sites; of --dosage, dosages
  std::int64_t dosage_sites = 0;   ///< of --dosage, before filters: with ...
  std::int64_t call_sites = 0;     ///< ... and without dosages
  double missing_rate() const;
};

/// Throws bad_input where no site of `name` is left, with the counts of what was dropped and why.
void check_sites_left(const CohortSummary& summary, const std::string& name);
/// What a user should know of the calls that took their site's most frequent genotype.
void note_imputed(const Context& context, const CohortSummary& summary);

/// Sites of a cohort after the filters, as they come from the file: for devices that make the
/// planes themselves.
struct CallBlock {
  SiteBlock codes;                    ///< of every sample of the input, imputed if requested
  std::vector<std::int64_t> samples;  ///< places of the kept samples in a row
  bool complete = true;               ///< no kept call is missing
};

/// A cohort being read: sites stream from a source through the filters into bit planes. The next
/// block is read while the caller works on the current one.
class Cohort {
 public:
  /// Reads the whole source once first if max_sample_missing needs it. Throws bad_input for
  /// unknown sample identifiers (names the first), for no sample left.
  Cohort(Context& context, std::unique_ptr<Source> source, const CohortParams& params = {});
  ~Cohort();
  Cohort(Cohort&&) noexcept;

  /// Identifiers of the kept samples, in file order.
  const std::vector<std::string>& samples() const;
  /// Their sexes; empty where the input does not say.
  const std::vector<Sex>& sexes() const;
  /// Autosomes of the species.
  std::int64_t autosomes() const;
  /// Their places in the file, from 0.
  const std::vector<std::int64_t>& places() const;
  /// Those of the founders among them.
  const std::vector<std::int64_t>& founders() const;
  /// Those of the samples that --maf counts, as they were before leave_out(): founders(), or with
  /// --nonfounders all.
  const std::vector<std::int64_t>& counted() const;
  /// Upper bound of the sites still to come; -1 unknown.
  std::int64_t sites() const;
  /// True where blocks of codes hold dosages.
  bool has_dosages() const;
  /// The next block of at most `max_sites` sites as planes; false at the end. `block` is reused
  /// where its size fits.
  bool read(PlaneBlock& block, std::int64_t max_sites);
  /// The same as codes, not yet planes.
  bool read(CallBlock& block, std::int64_t max_sites);
  void rewind();
  /// From the next rewind() on, blocks of codes have the names of their sites.
  void name_sites();
  /// Chromosomes that the sites may be on, each once.
  std::vector<std::string> chromosomes() const;
  /// From the next rewind() on, these of samples() are left out, too, for a reason in words. Sites
  /// are filtered over all, as before.
  ///   errors: bad_input where none is left
  void leave_out(const std::string& reason, const std::vector<bool>& left_out);
  /// From the next rewind() on, sites of X, Y and MT are left out, or read again.
  void leave_out_haploid(bool left_out);
  /// From the next rewind() on, sites are kept only where `chosen`, by SiteName::number.
  void choose_sites(std::vector<bool> chosen);
  /// From the next rewind() on this cohort is another part of the whole.
  void take_part(int part, int parts);
  /// Complete once read() has returned false. At the end of a read without any site left, read()
  /// throws bad_input instead, with the counts of what was dropped and why. Of a part: the
  /// filters' counts are its own, and no site left is no error.
  const CohortSummary& summary() const;
  /// Sites that the filters dropped, by reason in words: a part of those in the summary.
  const std::map<std::string, std::int64_t>& dropped_sites() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What the filters of a cohort leave, as a source: its samples and sites alone.
class FilteredSource : public Source {
 public:
  /// `sites`: those that are left; -1 where this is not known. Both must outlive the source.
  FilteredSource(Context& context, Cohort& cohort, std::int64_t sites)
      : context_(context), cohort_(cohort), sites_(sites) {}

  const std::vector<std::string>& samples() const override { return cohort_.samples(); }
  const std::vector<Sex>& sexes() const override { return cohort_.sexes(); }
  std::int64_t autosomes() const override { return cohort_.autosomes(); }
  void name_sites() override { cohort_.name_sites(); }
  std::vector<std::string> chromosomes() const override { return cohort_.chromosomes(); }
  std::int64_t sites() const override { return sites_; }
  bool read(SiteBlock& block) override;
  void rewind() override { cohort_.rewind(); }
  const SiteAccount& account() const override { return cohort_.summary().sites; }

 private:
  Context& context_;
  Cohort& cohort_;
  std::int64_t sites_;
  CallBlock calls_;
};

/// The codes of some samples of a row, side by side; bits past the last of them are zero.
void gather_codes(const std::uint8_t* from,
                  const std::vector<std::int64_t>& samples,
                  std::uint8_t* to);

/// Sites that the filters of a cohort leave, by reading it once; it is then at its beginning again.
std::int64_t count_sites(Context& context, Cohort& cohort);

}  // namespace yupana::genotype
