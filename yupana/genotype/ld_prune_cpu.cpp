#include "yupana/genotype/ld_prune_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/ld_prune_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint64_t> d;
using V = hn::Vec<decltype(d)>;

HWY_INLINE void count(V& total, V bits) { total = hn::Add(total, hn::PopulationCount(bits)); }

HWY_INLINE std::int64_t sum(V total) {
  return static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, total)));
}

LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words) {
  const V even = hn::Set(d, 0x5555555555555555);
  V homozygous = hn::Zero(d), twos = homozygous, called = homozygous;
  for (std::int64_t i = 0; i < words; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const V a = hn::LoadU(d, codes + i), b = hn::LoadU(d, codes + words + i);
    const V low = hn::Or(hn::And(a, even), hn::ShiftLeft<1>(hn::And(b, even)));
    const V high = hn::Or(hn::And(hn::ShiftRight<1>(a), even), hn::AndNot(even, b));
    const V planes[] = {
        hn::Not(hn::Xor(low, high)), hn::Not(hn::Or(low, high)), hn::Or(hn::Not(low), high)};
    for (int k = 0; k < 3; ++k) hn::Store(planes[k], d, bits + k * words + i);
    count(homozygous, planes[0]);
    count(twos, planes[1]);
    count(called, planes[2]);
  }
  LdSums sums;
  sums.called = sum(called);
  sums.a_squares = sums.b_squares = sums.product = sum(homozygous);
  sums.a = sums.b = 2 * sum(twos) - sums.product;
  return sums;
}

/// Where both are homozygous, y z is 1 unless one of them alone is 2.
std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b) {
  V both = hn::Zero(d), opposite = hn::Zero(d);
  for (std::int64_t i = 0; i < a.words; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const V homozygous = hn::And(hn::Load(d, a.plane(0) + i), hn::Load(d, b.plane(0) + i));
    const V differ = hn::Xor(hn::Load(d, a.plane(1) + i), hn::Load(d, b.plane(1) + i));
    count(both, homozygous);
    count(opposite, hn::And(homozygous, differ));
  }
  // Of each lane before the lanes are added; what wraps around comes back.
  return sum(hn::Sub(both, hn::Add(opposite, opposite)));
}

LdSums ld_sums(const LdPlanes& a, const LdPlanes& b) {
  V both = hn::Zero(d), opposite = both, called = both;
  V a_homozygous = both, a_twos = both, b_homozygous = both, b_twos = both;
  for (std::int64_t i = 0; i < a.words; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const V ha = hn::Load(d, a.plane(0) + i), hb = hn::Load(d, b.plane(0) + i);
    const V pa = hn::Load(d, a.plane(1) + i), pb = hn::Load(d, b.plane(1) + i);
    const V ca = hn::Load(d, a.plane(2) + i), cb = hn::Load(d, b.plane(2) + i);
    const V homozygous = hn::And(ha, hb);
    count(both, homozygous);
    count(opposite, hn::And(homozygous, hn::Xor(pa, pb)));
    count(called, hn::And(ca, cb));
    count(a_homozygous, hn::And(ha, cb));
    count(a_twos, hn::And(pa, cb));
    count(b_homozygous, hn::And(hb, ca));
    count(b_twos, hn::And(pb, ca));
  }
  LdSums sums;
  sums.called = sum(called);
  sums.a_squares = sum(a_homozygous);
  sums.a = 2 * sum(a_twos) - sums.a_squares;
  sums.b_squares = sum(b_homozygous);
  sums.b = 2 * sum(b_twos) - sums.b_squares;
  sums.product = sum(hn::Sub(both, hn::Add(opposite, opposite)));
  return sums;
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(ld_planes);
HWY_EXPORT(ld_product);
HWY_EXPORT(ld_sums);

LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words) {
  return HWY_DYNAMIC_DISPATCH(ld_planes)(codes, bits, words);
}

std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b) {
  return HWY_DYNAMIC_DISPATCH(ld_product)(a, b);
}

LdSums ld_sums(const LdPlanes& a, const LdPlanes& b) { return HWY_DYNAMIC_DISPATCH(ld_sums)(a, b); }

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
