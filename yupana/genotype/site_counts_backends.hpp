#pragma once

#include <span>

#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

namespace reference {
void site_counts(const SiteBlock& block, const SampleMask& mask, std::span<SiteCounts> counts);
}  // namespace reference

namespace cpu {
void site_counts(const SiteBlock& block, const SampleMask& mask, std::span<SiteCounts> counts);
}  // namespace cpu

}  // namespace yupana::genotype
