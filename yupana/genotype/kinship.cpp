#include "yupana/genotype/kinship.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "yupana/genotype/metric.hpp"

namespace yupana::genotype {

Kinship kinship_of(const PairCounts& counts, std::int64_t i, std::int64_t j, double kinship) {
  return {counts.shared_at(i, j),
          counts.hethet_at(i, j),
          counts.ibs0.at(i, j),
          kinship,
          counts.ibs1.at(i, j)};
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

RelationshipCounts& RelationshipCounts::operator+=(const RelationshipCounts& other) {
  for (std::size_t r = 0; r < pairs.size(); ++r) pairs[r] += other.pairs[r];
  duplicates.insert(duplicates.end(), other.duplicates.begin(), other.duplicates.end());
  std::sort(duplicates.begin(), duplicates.end());
  return *this;
}

RelationshipCounts count_relationships(Context& context, const PairCounts& counts) {
  RelationshipCounts all;
  std::mutex adding;
  context.parallel_for(counts.rows.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    RelationshipCounts found;
    std::vector<double> row(static_cast<std::size_t>(counts.samples));
    for (std::int64_t i = counts.rows.begin + begin; i < counts.rows.begin + end; ++i) {
      metric_lower_row(counts, {.metric = Metric::king}, i, row.data());
      for (std::int64_t j = 0; j < i; ++j) {
        const double kinship = row[static_cast<std::size_t>(j)];
        found.add(relationship_of(kinship_of(counts, i, j, kinship)), i, j);
      }
    }
    const std::lock_guard lock(adding);
    all += found;
  });
  return all;
}

}  // namespace yupana::genotype
