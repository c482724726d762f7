// The limit that `yupana bench distances` measures itself against: the kernel's instruction mix on
// registers, without a load.

#include <algorithm>
#include <chrono>

#include "bench/genotype/distances_bench.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/genotype/distances_ceiling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D64 = hn::ScalableTag<std::uint64_t>;
using V64 = hn::Vec<D64>;
[[maybe_unused]] constexpr D64 d64;

#if HWY_TARGET <= HWY_AVX3_DL

/// `steps` steps of eight pairs (six with missing calls), one vector of sites each; returns their
/// pair-SNPs.
std::int64_t spin(bool missing, std::int64_t steps) {
  V64 w[4], u[4], p[4], sums[8][3];
  for (int i = 0; i < 4; ++i) {
    w[i] = hn::Set(d64, 0x1234567 * (i + 1));
    u[i] = hn::Set(d64, 0x7654321 * (i + 1));
    p[i] = hn::Set(d64, 0x7ffffff - i);
  }
  for (auto& pair : sums) pair[0] = pair[1] = pair[2] = hn::Zero(d64);
  const auto count = [](V64& sum, V64 bits) { sum = hn::Add(sum, hn::PopulationCount(bits)); };
  for (std::int64_t k = 0; k < steps; ++k) {
    // The compiler must believe that the rows are new each time.
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) asm volatile("" : "+v"(w[i].raw), "+v"(u[i].raw));
    if (!missing) {
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        const int a = i % 4, b = (i + 1 + i / 4) % 4;
        const V64 e = hn::Xor(w[a], w[b]);
        count(sums[i][0], e);
        count(sums[i][1], V64{_mm512_ternarylogic_epi64(e.raw, u[a].raw, u[b].raw, 0x06)});
      }
    } else {
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) {
        const int a = i % 4, b = (i + 1 + i / 4) % 4;
        asm volatile("" : "+v"(p[a].raw));
        const V64 q = hn::And(p[a], p[b]);
        count(sums[i][2], q);
        const V64 s{_mm512_ternarylogic_epi64(q.raw, w[a].raw, w[b].raw, 0x90)};
        count(sums[i][0], s);
        count(sums[i][1], V64{_mm512_ternarylogic_epi64(s.raw, u[a].raw, u[b].raw, 0x60)});
      }
    }
  }
  for (auto& pair : sums) {
    for (V64& sum : pair) asm volatile("" : "+v"(sum.raw));
  }
  return steps * (missing ? 6 : 8) * 512;
}

#elif HWY_TARGET == HWY_AVX2

/// Adds b and c to the sum bits a; returns the carry bits.
HWY_INLINE V64 carry_save(V64& a, V64 b, V64 c) {
  const V64 half = hn::Xor(a, b);
  const V64 carry = hn::Or(hn::And(a, b), hn::And(half, c));
  a = hn::Xor(half, c);
  return carry;
}

/// Eight comparisons of one pair a step, folded by carry-save adders as the kernel does without a
/// vector popcount.
template <bool missing>
std::int64_t spin_folded(std::int64_t steps) {
  constexpr int fields = missing ? 3 : 2;
  constexpr hn::ScalableTag<std::uint8_t> d8;
  V64 row = hn::Set(d64, 0x1234567), column = hn::Set(d64, 0x7654321);
  V64 ones[fields], twos[fields], fours[fields];
  hn::Vec<decltype(d8)> eights[fields];
  for (int f = 0; f < fields; ++f) {
    ones[f] = twos[f] = fours[f] = hn::Zero(d64);
    eights[f] = hn::Zero(d8);
  }
  // The compiler must believe that the rows are new each time.
  const auto fresh = [](V64& v) {
    asm volatile("" : "+x"(v.raw));
    return v;
  };
  const auto compare = [&](V64* seen) {
    if constexpr (missing) {
      seen[2] = hn::And(fresh(row), fresh(column));
      seen[0] = hn::AndNot(hn::Xor(fresh(row), fresh(column)), seen[2]);
      seen[1] = hn::And(seen[0], hn::Xor(fresh(row), fresh(column)));
    } else {
      seen[0] = hn::Xor(fresh(row), fresh(column));
      seen[1] = hn::AndNot(seen[0], hn::Xor(fresh(row), fresh(column)));
    }
  };
  for (std::int64_t k = 0; k < steps; ++k) {
    V64 two[2][fields], four[2][fields];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      V64 a[fields], b[fields];
      compare(a);
      compare(b);
#pragma GCC unroll 3
      for (int f = 0; f < fields; ++f) {
        two[i % 2][f] = carry_save(ones[f], a[f], b[f]);
        if (i % 2 == 1) four[i / 2][f] = carry_save(twos[f], two[0][f], two[1][f]);
      }
    }
#pragma GCC unroll 3
    for (int f = 0; f < fields; ++f) {
      const V64 eight = carry_save(fours[f], four[0][f], four[1][f]);
      eights[f] = hn::Add(eights[f], hn::PopulationCount(hn::BitCast(d8, eight)));
    }
  }
  for (int f = 0; f < fields; ++f) {
    V64 sum = hn::Add(ones[f], hn::Add(twos[f], fours[f]));
    sum = hn::Add(sum, hn::BitCast(d64, eights[f]));
    fresh(sum);
  }
  return steps * 8 * 256;
}

std::int64_t spin(bool missing, std::int64_t steps) {
  return missing ? spin_folded<true>(steps) : spin_folded<false>(steps);
}

#else

/// No loop is written for the other targets.
std::int64_t spin(bool, std::int64_t) { return 0; }

#endif

}  // namespace yupana::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::bench {

HWY_EXPORT(spin);

double distances_ceiling(bool missing) {
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t pair_sites = HWY_DYNAMIC_DISPATCH(spin)(missing, 1 << 19);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(pair_sites) * 1e-9 / seconds.count());
  }
  return best;
}

}  // namespace yupana::bench
#endif
