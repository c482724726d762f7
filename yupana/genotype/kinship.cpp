#include "yupana/genotype/kinship.hpp"

#include <algorithm>
#include <cmath>

namespace yupana::genotype {

Kinship kinship_of(const PairCounts& counts, std::int64_t i, std::int64_t j, double kinship) {
  return {counts.shared_at(i, j), counts.hethet_at(i, j), counts.ibs0.at(i, j), kinship};
}

Relationship relationship_of(const Kinship& pair) {
  if (std::isnan(pair.kinship)) return Relationship::unknown;
  constexpr std::array<double, 4> bounds = {
      0.35355339059327379, 0.17677669529663689, 0.088388347648318447, 0.044194173824159223};
  constexpr std::array<Relationship, 5> degrees = {Relationship::duplicate,
                                                   Relationship::siblings,
                                                   Relationship::second,
                                                   Relationship::third,
                                                   Relationship::unrelated};
  const auto* const bound = std::find_if(
      bounds.begin(), bounds.end(), [&](double least) { return pair.kinship > least; });
  const Relationship degree = degrees[static_cast<std::size_t>(bound - bounds.begin())];
  const bool first = degree == Relationship::siblings;
  return first && pair.share(pair.ibs0) < 0.005 ? Relationship::parent_child : degree;
}

}  // namespace yupana::genotype
