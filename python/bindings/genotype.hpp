#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::python {

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
