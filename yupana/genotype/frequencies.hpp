#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::genotype {

/// How the populations of a simulated cohort are related.
enum class Structure {
  island,  ///< equally: the island model
  line,  ///< isolation by distance: each population is next to two others, those at the ends to one
  ring,  ///< the same, and the last population is next to the first
};

/// Allele frequencies of K populations under the model of Balding and Nichols (Genetica 96, 1995).
/// At every site, independently of all others, with F = F_ST:
///   ancestral frequency  p ~ Uniform(0.05, 0.95)
///   frequency in a population  q ~ Beta(p (1 - F) / F, (1 - p) (1 - F) / F); p itself if F = 0
///
/// q = A / (A + B) of two gamma variates, each a sum over w sources of ancestry. The sources lie in
/// a row, population k has those at k .. k + w - 1, so two populations j steps apart share w - j:
///   island  w = 1
///   line    w = max(1, K - 1)
///   ring    w = max(1, K / 2), the row of K sources closed to a circle
/// So F_ST of two populations is F where they share no source (those farthest apart), and grows
/// with the steps between them, ever less: isolation by distance, as of stepping stones in a row
/// (Kimura and Weiss, Genetics 49, 1964; Rousset, Genetics 145, 1997).
///   work: two gamma variates a source and O(K) additions a site; memory: O(K)
///   determinism: frequencies depend on seed and site alone
class PopulationFrequencies {
 public:
  PopulationFrequencies(Structure structure,
                        std::int64_t populations,
                        double fst,
                        std::uint64_t seed);

  std::int64_t populations() const { return populations_; }
  /// Frequency of A1 in every population at one site.
  void draw(std::int64_t site, std::vector<double>& result) const;

 private:
  std::int64_t populations_;
  double fst_;
  std::uint64_t seed_;
  std::int64_t window_;   ///< sources of a population
  std::int64_t sources_;  ///< of all populations
};

/// sums[k] = values[k] + ... + values[k + window - 1]; values holds window - 1 numbers more.
///   work: three additions a sum, for every window; nothing is subtracted
///   source: van Herk (Pattern Recognition Letters 13, 1992), with sums in place of maxima
void window_sums(std::span<const double> values, std::int64_t window, std::span<double> sums);

/// Families of a simulated cohort. From the first sample of a population on, every `size` samples
/// are a father, a mother and their children; what is left at its end is unrelated.
class SimulatedFamilies {
 public:
  SimulatedFamilies() = default;
  /// bounds: first sample of each population, and their end. size < 3: no families.
  SimulatedFamilies(std::span<const std::int64_t> bounds, std::int64_t size);

  bool empty() const { return fathers_.empty(); }
  /// The father of the sample's family, whose mother is the next sample; -1: it is unrelated.
  std::int64_t father_of_family(std::int64_t sample) const {
    return empty() ? -1 : fathers_[static_cast<std::size_t>(sample)];
  }
  bool is_child(std::int64_t sample) const {
    const std::int64_t father = father_of_family(sample);
    return father >= 0 && sample > father + 1;
  }
  /// Replaces the codes of children, which are parents' in no missing call: from each parent an
  /// allele, either with probability 1/2. Child i of all takes bits 2 (i mod 32) and the next of
  /// word floor(i / 32).
  void inherit(const Random& random, std::uint8_t* row) const;

 private:
  std::int64_t size_ = 0;
  std::vector<std::int64_t> fathers_;  ///< of each sample's family
};

}  // namespace yupana::genotype
