#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/context.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

namespace reference {
void transpose(const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               PlaneBlock& result);
}  // namespace reference

namespace cpu {
void transpose(Context& context,
               const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               PlaneBlock& result);
}  // namespace cpu

}  // namespace yupana::genotype
