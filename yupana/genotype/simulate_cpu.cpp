#include <algorithm>
#include <cstring>

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

/// Bits of the samples of `pieces` (words from `word` on) whose 32-bit numbers, one per state, are
/// below their population's threshold. Numbers are compared from the top bit down, 64 a lane at
/// once, and only until all are decided: 1,024 need 11 or 12 words a lane on average, not 32.
HWY_INLINE void below(Words d,
                      Vector state_a,
                      Vector state_b,
                      std::span<const PopulationPiece> pieces,
                      const std::uint64_t* thresholds,
                      std::int64_t word,
                      Vector& less_a,
                      Vector& less_b) {
  const auto step = hn::Set(d, Random::weyl);
  auto open_a = hn::Zero(d);
  for (const PopulationPiece& piece : pieces) {
    const auto samples = hn::Load(d, piece.samples + word);
    if (thresholds[piece.population] >> bits_per_draw == 0) {
      open_a = hn::Or(open_a, samples);
    } else {  // 2^32: a certain event
      less_a = hn::Or(less_a, samples);
      less_b = hn::Or(less_b, samples);
    }
  }
  auto open_b = open_a;
  for (int shift = bits_per_draw - 1; shift >= 0; --shift) {
    if (hn::AllTrue(d, hn::Eq(hn::Or(open_a, open_b), hn::Zero(d)))) return;
    auto bound = hn::Zero(d);  // this bit of every sample's threshold
    for (const PopulationPiece& piece : pieces) {
      const std::uint64_t bit = thresholds[piece.population] >> shift & 1;
      bound = hn::Or(bound, hn::And(hn::Load(d, piece.samples + word), hn::Set(d, 0 - bit)));
    }
    const auto word_a = mix(d, state_a);
    const auto word_b = mix(d, state_b);
    less_a = hn::Or(less_a, hn::And(open_a, hn::AndNot(word_a, bound)));
    less_b = hn::Or(less_b, hn::And(open_b, hn::AndNot(word_b, bound)));
    open_a = hn::AndNot(hn::Xor(word_a, bound), open_a);
    open_b = hn::AndNot(hn::Xor(word_b, bound), open_b);
    state_a = hn::Add(state_a, step);
    state_b = hn::Add(state_b, step);
  }
}

/// Two bits a sample of the words from `word` on of one block of 512 samples.
HWY_INLINE void simulate_words(const SiteDraw& site,
                               std::span<const PopulationPiece> pieces,
                               Vector state,
                               std::int64_t word,
                               std::uint64_t* out) {
  const Words d;
  const auto ones = hn::Set(d, ~0ull);
  const auto draw_step = hn::Set(d, bits_per_draw * Random::weyl);
  const auto second = hn::Add(state, draw_step);
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  below(d, state, second, pieces, site.thresholds.data(), word, a, b);
  auto valid = hn::Zero(d);
  for (const PopulationPiece& piece : pieces) {
    valid = hn::Or(valid, hn::Load(d, piece.samples + word));
  }
  auto lost = hn::Zero(d);
  if (site.missing != 0) {
    PopulationPiece all{{}, 0, 0};
    hn::Store(valid, d, all.samples + word);
    auto same = hn::Zero(d);
    const auto third = hn::Add(second, draw_step);
    below(d, third, third, {&all, 1}, &site.missing, word, lost, same);
  }
  const auto lo = hn::And(valid, hn::Or(hn::Xor(hn::Or(a, b), ones), lost));
  const auto hi = hn::AndNot(hn::Or(hn::And(a, b), lost), valid);
  const auto low_half = hn::Set(d, 0xffffffff);
  const auto even = codes(d, hn::And(lo, low_half), hn::And(hi, low_half));
  const auto odd = codes(d, hn::ShiftRight<32>(lo), hn::ShiftRight<32>(hi));
  hn::StoreInterleaved2(even, odd, d, out);
}

void simulate_row_simd(const SiteDraw& site, std::uint8_t* row, std::int64_t stride) {
  const Words d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::uint64_t word_step = draws_per_word * bits_per_draw * Random::weyl;
  const auto lane_state = hn::Add(hn::Set(d, site.random.key() + Random::weyl),
                                  hn::Mul(hn::Iota(d, 0), hn::Set(d, word_step)));
  alignas(64) std::uint64_t out[2 * block_words];
  for (std::size_t begin = 0; begin < site.pieces.size();) {
    const std::int64_t block = site.pieces[begin].block;
    std::size_t end = begin;
    while (end < site.pieces.size() && site.pieces[end].block == block) ++end;
    const auto pieces = site.pieces.subspan(begin, end - begin);
    // Rows end at a multiple of 64 bytes, 4 words of samples; words past it are not drawn.
    const std::int64_t place = block * block_words * 16;
    const std::int64_t bytes = std::min(block_words * 16, stride - place);
    for (std::int64_t word = 0; 16 * word < bytes; word += lanes) {
      const auto first = static_cast<std::uint64_t>(block * block_words + word);
      const auto state = hn::Add(lane_state, hn::Set(d, first * word_step));
      simulate_words(site, pieces, state, word, out + 2 * word);
    }
    std::memcpy(row + place, out, static_cast<std::size_t>(bytes));
    begin = end;
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
