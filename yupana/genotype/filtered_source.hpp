#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::genotype {

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
