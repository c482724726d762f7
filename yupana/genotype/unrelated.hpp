#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace yupana::genotype {

/// Pairs of samples that are related, each once.
using RelatedPairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct RelatedSamples {
  std::vector<bool> left_out;
  std::int64_t unsolved = 0;  ///< groups that `largest` left to the other rule
};

/// Samples of which to leave out so many that no pair is left, as PLINK 2's --king-cutoff does:
/// while pairs are left, the partner of the first sample with one pair alone, or, where no sample
/// has one, the first of those with the most pairs. With `largest` the set that stays is the
/// largest there is, in every group of at most 200 samples that pairs connect and whose search ends
/// after 50,000 steps, as of families it does; of several that found first.
///   work: pairs x log samples; with `largest` at most a second, about, a group
///   determinism: the same for any order of the pairs
RelatedSamples related_samples(std::int64_t samples,
                               const RelatedPairs& pairs,
                               bool largest = false);

}  // namespace yupana::genotype
