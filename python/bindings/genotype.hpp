#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/bindings/call.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/dosages.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/job/input.hpp"

namespace yupana::python {

/// Genotypes of a file or of an array that Python keeps, with the filters of every run over them.
struct GenotypeInput {
  job::InputParams file;
  genotype::Dosages array;  ///< data is null for a file
  int place = -1;           ///< of the array; those on a GPU have no filters
  std::vector<std::string> names;

  bool is_array() const { return array.data != nullptr || file.path.empty(); }
  /// True if the planes can be made from the array without looking at sites one by one.
  bool is_plain() const {
    const genotype::CohortParams& p = file.cohort;
    return is_array() && p.keep.empty() && p.remove.empty() && p.max_sample_missing >= 1 &&
           p.max_site_missing >= 1 && !p.counts_alleles() && p.thin >= 1 && !file.king_cutoff &&
           file.indep_pairwise.window == 0 && p.missing == genotype::Missing::pairwise;
  }
};

job::Input open_genotypes(Context& context, const GenotypeInput& input);

/// grm and pca, into the submodule of genotypes.
void bind_relationships(nb::module_& m);

/// What there was to count, and what the filters left.
struct Counted {
  genotype::PairCounts counts;
  std::vector<std::string> names;
  genotype::CohortSummary summary;
};

/// Where all samples and sites were kept.
inline void summarize(Counted& counted) {
  const genotype::PairCounts& counts = counted.counts;
  counted.summary.samples_read = counted.summary.samples_kept = counts.samples;
  counted.summary.sites.read = counted.summary.sites.kept = counts.sites;
  for (const std::uint64_t called : counts.called) {
    counted.summary.calls_missing += counts.sites - static_cast<std::int64_t>(called);
  }
}

}  // namespace yupana::python
