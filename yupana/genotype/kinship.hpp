#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

/// What a pair is to each other, by its KING-robust kinship (Manichaikul et al. 2010): bounds are
/// 2^-1.5, 2^-2.5, 2^-3.5 and 2^-4.5. Of first-degree pairs those without opposite homozygotes are
/// parent and child: less than 0.005 of the sites leaves room for wrong calls. Unknown: without a
/// kinship.
enum class Relationship { duplicate, parent_child, siblings, second, third, unrelated, unknown };
inline constexpr std::array<std::string_view, 7> relationship_names = {
    "Dup/MZ", "PO", "FS", "2nd", "3rd", "UN", "NA"};

struct Kinship {
  std::uint64_t sites = 0;   ///< called in both
  std::uint64_t hethet = 0;  ///< heterozygous in both
  std::uint64_t ibs0 = 0;    ///< opposite homozygotes
  double kinship = 0;        ///< NaN where there is none
  std::uint64_t ibs1 = 0;    ///< one of the two heterozygous

  double share(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(sites);
  }
};

/// Of the pair i > j, whose kinship, that of Metric::king, is given. The counts hold row i.
Kinship kinship_of(const PairCounts& counts, std::int64_t i, std::int64_t j, double kinship);

Relationship relationship_of(const Kinship& pair);

/// Pairs by relationship.
struct RelationshipCounts {
  std::array<std::int64_t, relationship_names.size()> pairs{};
  std::vector<std::array<std::int64_t, 2>> duplicates = {};  ///< of Dup/MZ: i > j

  void add(Relationship relationship, std::int64_t i, std::int64_t j) {
    ++pairs[static_cast<std::size_t>(relationship)];
    if (relationship == Relationship::duplicate) duplicates.push_back({i, j});
  }
  /// Duplicates are sorted then.
  RelationshipCounts& operator+=(const RelationshipCounts& other);
};

/// Of all pairs, whose counts hold het-het.
RelationshipCounts count_relationships(Context& context, const PairCounts& counts);

}  // namespace yupana::genotype
