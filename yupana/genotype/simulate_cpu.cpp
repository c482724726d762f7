#include <algorithm>
#include <cstring>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/simulate_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/simulate_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint64_t>;
using Vector = hn::Vec<Words>;

/// Random::mix in every lane.
HWY_INLINE Vector mix(Words d, Vector x) {
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), hn::Set(d, 0xbf58476d1ce4e5b9));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), hn::Set(d, 0x94d049bb133111eb));
  return hn::Xor(x, hn::ShiftRight<31>(x));
}

/// Bits of `open` whose 32-bit number is below the threshold. Numbers are compared from the top
/// bit down, 64 a lane at once, and only until all are decided: 512 of them need 10 or 11 words a
/// lane on average instead of 32.
HWY_INLINE Vector below(Words d, Vector state, Vector open, std::uint64_t threshold) {
  if (threshold >> bits_per_draw != 0) return open;
  const auto step = hn::Set(d, Random::weyl);
  auto less = hn::Zero(d);
  // Once the rest of the threshold is zero, what is still equal is not below.
  for (std::uint64_t rest = threshold << 32; rest != 0; rest <<= 1) {
    const auto word = mix(d, state);
    state = hn::Add(state, step);
    if (rest >> 63 != 0) {
      less = hn::Or(less, hn::AndNot(word, open));
      open = hn::And(open, word);
    } else {
      open = hn::AndNot(word, open);
    }
    if (hn::AllTrue(d, hn::Eq(open, hn::Zero(d)))) break;
  }
  return less;
}

/// Bit i of the lower half of each lane -> bit 2i.
HWY_INLINE Vector spread(Words d, Vector x) {
  x = hn::And(hn::Or(x, hn::ShiftLeft<16>(x)), hn::Set(d, 0x0000ffff0000ffff));
  x = hn::And(hn::Or(x, hn::ShiftLeft<8>(x)), hn::Set(d, 0x00ff00ff00ff00ff));
  x = hn::And(hn::Or(x, hn::ShiftLeft<4>(x)), hn::Set(d, 0x0f0f0f0f0f0f0f0f));
  x = hn::And(hn::Or(x, hn::ShiftLeft<2>(x)), hn::Set(d, 0x3333333333333333));
  return hn::And(hn::Or(x, hn::ShiftLeft<1>(x)), hn::Set(d, 0x5555555555555555));
}

HWY_INLINE Vector codes(Words d, Vector lo, Vector hi) {
  return hn::Or(spread(d, lo), hn::ShiftLeft<1>(spread(d, hi)));
}

/// Bits of samples [begin, end) in the words from `first` on.
HWY_INLINE Vector bits_between(Words d, std::int64_t first, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t lanes = hn::MaxLanes(Words());
  alignas(64) std::uint64_t bits[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t zero = 64 * (first + static_cast<std::int64_t>(lane));
    const std::int64_t from = std::clamp<std::int64_t>(begin - zero, 0, 64);
    const std::int64_t to = std::clamp<std::int64_t>(end - zero, 0, 64);
    const auto up_to = [](std::int64_t n) { return n == 64 ? ~0ull : (1ull << n) - 1; };
    bits[lane] = up_to(to) & ~up_to(from);
  }
  return hn::Load(d, bits);
}

void simulate_row_simd(const SiteDraw& site, std::uint8_t* row, std::int64_t stride) {
  const Words d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t samples = site.bounds.back();
  const auto ones = hn::Set(d, ~0ull);
  const std::uint64_t word_step = draws_per_word * bits_per_draw;
  const auto lane_state = hn::Add(hn::Set(d, site.random.key() + Random::weyl),
                                  hn::Mul(hn::Iota(d, 0), hn::Set(d, word_step * Random::weyl)));
  const std::uint64_t draw_step = bits_per_draw * Random::weyl;
  std::size_t population = 0;
  for (std::int64_t first = 0; 16 * first < stride; first += lanes) {
    const auto state = hn::Add(
        lane_state, hn::Set(d, static_cast<std::uint64_t>(first) * word_step * Random::weyl));
    auto a = hn::Zero(d);
    auto b = hn::Zero(d);
    const std::int64_t end = std::min(samples, 64 * (first + lanes));
    for (std::int64_t from = 64 * first; from < end;) {
      while (site.bounds[population + 1] <= from) ++population;
      const std::int64_t to = std::min(end, site.bounds[population + 1]);
      const auto open = bits_between(d, first, from, to);
      const std::uint64_t threshold = site.thresholds[population];
      a = hn::Or(a, below(d, state, open, threshold));
      b = hn::Or(b, below(d, hn::Add(state, hn::Set(d, draw_step)), open, threshold));
      from = to;
    }
    const auto valid = bits_between(d, first, 0, samples);
    const auto lost =
        site.missing == 0
            ? hn::Zero(d)
            : below(d, hn::Add(state, hn::Set(d, 2 * draw_step)), valid, site.missing);
    const auto lo = hn::And(valid, hn::Or(hn::Xor(hn::Or(a, b), ones), lost));
    const auto hi = hn::AndNot(hn::Or(hn::And(a, b), lost), valid);
    const auto low_half = hn::Set(d, 0xffffffff);
    const auto even = codes(d, hn::And(lo, low_half), hn::And(hi, low_half));
    const auto odd = codes(d, hn::ShiftRight<32>(lo), hn::ShiftRight<32>(hi));
    alignas(64) std::uint64_t out[2 * hn::MaxLanes(Words())];
    hn::StoreInterleaved2(even, odd, d, out);
    std::memcpy(row + 16 * first, out, std::min(16 * lanes, stride - 16 * first));
  }
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(simulate_row_simd);

void simulate_row(const SiteDraw& site, std::uint8_t* row, std::int64_t stride) {
  HWY_DYNAMIC_DISPATCH(simulate_row_simd)(site, row, stride);
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
