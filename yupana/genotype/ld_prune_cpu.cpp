#include <algorithm>

#include "yupana/genotype/ld_window.hpp"

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

// Where no instruction counts the bits of words, bytes add up those of up to 31 vectors.
#if HWY_TARGET <= HWY_AVX3_DL || HWY_TARGET == HWY_SCALAR
using Counts = V;
const auto d_counts = d;
constexpr std::int64_t most_vectors = std::int64_t{1} << 32;
HWY_INLINE V widened(Counts counts) { return counts; }
#else
const hn::ScalableTag<std::uint8_t> d_counts;
using Counts = hn::Vec<decltype(d_counts)>;
constexpr std::int64_t most_vectors = 31;
HWY_INLINE V widened(Counts counts) { return hn::SumsOf8(counts); }
#endif

HWY_INLINE std::int64_t sum(Counts counts) {
  return static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, widened(counts))));
}

/// Adds the bits of a vector.
HWY_INLINE void count(Counts& counts, V bits) {
  counts = hn::Add(counts, hn::PopulationCount(hn::BitCast(d_counts, bits)));
}

/// Sets totals to the n counts to which add(i, counts) adds for the words from i on.
template <int n, class Add>
HWY_INLINE void count_bits(std::int64_t words, std::int64_t (&totals)[n], const Add& add) {
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  std::fill_n(totals, n, 0);
  for (std::int64_t i = 0; i < words;) {
    const std::int64_t end = std::min(words, i + most_vectors * lanes);
    Counts counts[n];
    for (Counts& each : counts) each = hn::Zero(d_counts);
    for (; i < end; i += lanes) add(i, counts);
    for (int k = 0; k < n; ++k) totals[k] += sum(counts[k]);
  }
}

LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words) {
  const V even = hn::Set(d, 0x5555555555555555);
  std::int64_t totals[3];
  count_bits(words, totals, [&](std::int64_t i, Counts(&counts)[3]) {
    const V a = hn::LoadU(d, codes + i), b = hn::LoadU(d, codes + words + i);
    const V low = hn::Or(hn::And(a, even), hn::ShiftLeft<1>(hn::And(b, even)));
    const V high = hn::Or(hn::And(hn::ShiftRight<1>(a), even), hn::AndNot(even, b));
    const V planes[] = {
        hn::Not(hn::Xor(low, high)), hn::Not(hn::Or(low, high)), hn::Or(hn::Not(low), high)};
    for (int k = 0; k < 3; ++k) {
      hn::Store(planes[k], d, bits + k * words + i);
      count(counts[k], planes[k]);
    }
  });
  LdSums sums;
  sums.called = totals[2];
  sums.a_squares = sums.b_squares = sums.product = totals[0];
  sums.a = sums.b = 2 * totals[1] - sums.product;
  return sums;
}

/// Of planes 0 and 1 of two sites: where both are homozygous, y z is 1 unless one alone is 2.
HWY_INLINE void count_product(V ha, V hb, V pa, V pb, Counts* counts) {
  const V homozygous = hn::And(ha, hb);
  count(counts[0], homozygous);
  count(counts[1], hn::And(homozygous, hn::Xor(pa, pb)));
}

std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b) {
  std::int64_t totals[2];
  count_bits(a.words, totals, [&](std::int64_t i, Counts(&counts)[2]) {
    const auto load = [i](const LdPlanes& site, int k) { return hn::Load(d, site.plane(k) + i); };
    count_product(load(a, 0), load(b, 0), load(a, 1), load(b, 1), counts);
  });
  return totals[0] - 2 * totals[1];
}

LdSums ld_sums(const LdPlanes& a, const LdPlanes& b) {
  std::int64_t totals[7];
  count_bits(a.words, totals, [&](std::int64_t i, Counts(&counts)[7]) {
    const V ha = hn::Load(d, a.plane(0) + i), hb = hn::Load(d, b.plane(0) + i);
    const V pa = hn::Load(d, a.plane(1) + i), pb = hn::Load(d, b.plane(1) + i);
    const V ca = hn::Load(d, a.plane(2) + i), cb = hn::Load(d, b.plane(2) + i);
    count_product(ha, hb, pa, pb, counts);
    count(counts[2], hn::And(ca, cb));
    count(counts[3], hn::And(ha, cb));
    count(counts[4], hn::And(pa, cb));
    count(counts[5], hn::And(hb, ca));
    count(counts[6], hn::And(pb, ca));
  });
  LdSums sums;
  sums.called = totals[2];
  sums.a_squares = totals[3];
  sums.a = 2 * totals[4] - sums.a_squares;
  sums.b_squares = totals[5];
  sums.b = 2 * totals[6] - sums.b_squares;
  sums.product = totals[0] - 2 * totals[1];
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
