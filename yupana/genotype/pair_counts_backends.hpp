#pragma once

#include "yupana/core/context.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/planes.hpp"

// Each adds a block to the counts of every pair in counts.rows and to the per-sample sums. The
// triangles are there and wide enough; counts.sites is the caller's to raise.

namespace yupana::genotype::reference {
void add_pairs(const PlaneBlock& block, PairCounts& counts);
}  // namespace yupana::genotype::reference

namespace yupana::genotype::cpu {
void add_pairs(Context& context, const PlaneBlock& block, PairCounts& counts, Stage* stage);
}  // namespace yupana::genotype::cpu

namespace yupana::genotype {

/// Adds to one cell of a triangle, carrying into the high words where there are any.
inline void add_to(CountTriangle& triangle, std::int64_t cell, std::uint64_t value) {
  const std::uint64_t sum = triangle.low()[cell] + value;
  triangle.low()[cell] = static_cast<std::uint32_t>(sum);
  if (std::uint32_t* const high = triangle.high()) {
    high[cell] += static_cast<std::uint32_t>(sum >> 32);
  }
}

}  // namespace yupana::genotype
