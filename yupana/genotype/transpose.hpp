#pragma once

#include <span>

#include "yupana/core/context.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// Turns site-major 2-bit codes into individual-major planes: result row r is sample `samples[r]`,
/// result site k is row `sites[k]` of the block. The plane of called genotypes is made if `planes`
/// is 3. Work and memory: one pass over both; deterministic. `result` is reused where its shape
/// fits.
void transpose(Context& context,
               const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               int planes,
               PlaneBlock& result);

}  // namespace yupana::genotype
