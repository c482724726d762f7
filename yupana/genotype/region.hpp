#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "yupana/genotype/chromosome.hpp"

namespace yupana::genotype {

/// Sites of one contig whose position is in a closed interval (--region).
struct Region {
  std::string contig;
  std::int64_t first = 1;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::string option = "--region";           ///< that named the contig, for messages
  std::string outside = "outside --region";  ///< why other sites are left out, in words

  bool covers(std::int64_t position) const { return first <= position && position <= last; }
  /// True for the region's contig in any of its spellings ("21", "chr21").
  bool is_on(std::string_view name, std::int64_t autosomes = human_autosomes) const {
    return same_chromosome(contig, name, autosomes);
  }
};

/// "chr1", "chr1:5" (one position), "chr1:10,000-20,000" (1-based, both ends included), "chr1:5-";
/// braces keep a colon in a name: "{HLA-A*01:01}:5-9".
///   errors: usage for an empty contig, positions that are no numbers, a range that runs backwards
Region parse_region(std::string_view text);

}  // namespace yupana::genotype
