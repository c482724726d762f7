#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::genotype {

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
