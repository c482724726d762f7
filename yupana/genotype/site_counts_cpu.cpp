#include "yupana/genotype/site_counts_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/site_counts_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// With lo and hi the bits of a member's code, three popcounts give all: lo & hi is x = 0, lo alone
/// missing, hi alone x = 1, neither x = 2.
void count_sites(const SiteBlock& block, const SampleMask& mask, SiteCounts* counts) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto width = static_cast<std::int64_t>(8 * hn::Lanes(d));
  const auto even = hn::Set(d, 0x5555555555555555);
  for (std::int64_t site = 0; site < block.sites; ++site) {
    const std::uint8_t* row = block.row(site);
    auto lo_count = hn::Zero(d);
    auto hi_count = hn::Zero(d);
    auto both_count = hn::Zero(d);
    for (std::int64_t i = 0; i < block.stride; i += width) {
      const auto codes =
          hn::And(hn::Load(d, reinterpret_cast<const std::uint64_t*>(row + i)),
                  hn::Load(d, reinterpret_cast<const std::uint64_t*>(mask.codes() + i)));
      const auto lo = hn::And(codes, even);
      const auto hi = hn::And(hn::ShiftRight<1>(codes), even);
      lo_count = hn::Add(lo_count, hn::PopulationCount(lo));
      hi_count = hn::Add(hi_count, hn::PopulationCount(hi));
      both_count = hn::Add(both_count, hn::PopulationCount(hn::And(lo, hi)));
    }
    const auto lo = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, lo_count)));
    const auto hi = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, hi_count)));
    const auto both = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, both_count)));
    counts[site] = {mask.size() - lo - hi + both, hi - both, both, lo - both};
  }
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(count_sites);

void site_counts(const SiteBlock& block, const SampleMask& mask, std::span<SiteCounts> counts) {
  HWY_DYNAMIC_DISPATCH(count_sites)(block, mask, counts.data());
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
