// Weighted sums of counts, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/block_bootstrap_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yupana/genotype/block_bootstrap.hpp"

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void add_weighted_counts(std::uint32_t* sum,
                         const std::uint32_t* const* counts,
                         const std::uint32_t* weights,
                         std::size_t groups,
                         std::int64_t count) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto total = hn::LoadU(d, sum + i);
    for (std::size_t g = 0; g < groups; ++g) {
      total = hn::Add(total, hn::Mul(hn::Set(d, weights[g]), hn::LoadU(d, counts[g] + i)));
    }
    hn::StoreU(total, d, sum + i);
  }
  for (; i < count; ++i) {
    for (std::size_t g = 0; g < groups; ++g) sum[i] += weights[g] * counts[g][i];
  }
}

}  // namespace yupana::genotype::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype {
HWY_EXPORT(add_weighted_counts);

void cpu::add_weighted(std::uint32_t* sum,
                       const std::uint32_t* const* counts,
                       const std::uint32_t* weights,
                       std::size_t groups,
                       std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_weighted_counts)(sum, counts, weights, groups, count);
}

}  // namespace yupana::genotype
#endif  // HWY_ONCE
