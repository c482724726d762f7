#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/splice/device_batch_cuda.hpp"

/// Private to the family: arithmetic on the words of a strip: two scores of 16 bits or one of 32.
namespace yupana::splice::cuda {

/// prmt: byte n of the result is byte `selector nibble n` of (b, a), or, where the nibble's top bit
/// is set, that byte's sign.
__device__ __forceinline__ std::uint32_t permute(std::uint32_t a,
                                                 std::uint32_t b,
                                                 std::uint32_t selector) {
  std::uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

/// Two strips a lane. Scores of a column with the letters of bases are bytes, and one prmt takes
/// those of the two bases of a step and widens them: a base in the program is its nibble and, for
/// the sign, the same nibble with the top bit set. No base is a sign alone, so a score of 0 or
/// less, which with linear gaps changes nothing: a row never falls from one column to the next.
struct PackedWords {
  static constexpr int halves = 2;

  __device__ static std::uint32_t join_halves(std::int32_t low, std::int32_t high) {
    return (static_cast<std::uint32_t>(low) & 0xffff) | static_cast<std::uint32_t>(high) << 16;
  }
  __device__ static bool has(std::uint32_t mask, int half) {
    return (half == 0 ? mask & 0xffff : mask >> 16) != 0;
  }
  __device__ static std::int32_t half(std::uint32_t word, int half) {
    return static_cast<std::int16_t>(half == 0 ? word & 0xffff : word >> 16);
  }
  /// Left neighbours of the two strips: the upper strip of the lane before, one's own lower.
  __device__ static std::uint32_t join(std::uint32_t before, std::uint32_t own) {
    return permute(before, own, 0x5432);
  }
  /// The same where a block tells its first lane: all but one permutation is done before the lane
  /// before has answered, on which every step waits.
  __device__ static std::uint32_t chooser(bool first_lane) { return first_lane ? 0x7654 : 0x7632; }
  __device__ static std::uint32_t join_best(std::uint32_t before,
                                            std::uint32_t own,
                                            std::uint32_t told,
                                            std::uint32_t chooser) {
    return permute(before, permute(told, own, 0x5432), chooser);
  }
  __device__ static std::uint32_t join_gap(std::uint32_t before,
                                           std::uint32_t own,
                                           std::uint32_t told,
                                           std::uint32_t chooser) {
    return permute(before, permute(told, own, 0x5410), chooser);
  }
  /// One word of two rows of which each is right in one half.
  __device__ static std::uint32_t both(std::uint32_t low, std::uint32_t high) {
    return permute(low, high, 0x7610);
  }
  /// What the last lane tells the next block, and what that makes of it.
  __device__ static std::uint32_t told(std::uint32_t best, std::uint32_t gap) {
    return permute(gap, best, 0x7632);
  }
  __device__ static std::uint32_t best_told(std::uint32_t told) { return told; }
  __device__ static std::int32_t best_score_told(std::uint32_t told) { return half(told, 1); }
  /// All bits of the halves that have no base in this step.
  __device__ static std::uint32_t idle(std::uint32_t selector, int) {
    return permute(selector << 4, 0, 0x9988);
  }
};
/// 16-bit integers, where one instruction adds and takes the larger: Hopper and what follows it.
struct PackedIntegers : PackedWords {
  static constexpr std::int32_t lowest = INT16_MIN;
  /// Left of all columns; below every score (see Limits), and a column's score below it fits.
  static constexpr std::int32_t floor = INT16_MIN + 256;
  static constexpr std::int32_t highest = INT16_MAX - 256;

  __device__ static std::uint32_t pair(std::int32_t low, std::int32_t high) {
    const auto kept = [](std::int32_t value) { return max(INT16_MIN, min(INT16_MAX, value)); };
    return join_halves(kept(low), kept(high));
  }
  __device__ static std::uint32_t all(std::int32_t value) { return pair(value, value); }
  /// What `add` and `add_larger` add to both halves.
  __device__ static std::uint32_t change(std::int32_t value) { return all(value); }
  __device__ static std::uint64_t column(std::uint64_t scores) { return scores; }
  __device__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return __vmaxs2(a, b);
  }
  __device__ static std::uint32_t add(std::uint32_t a, std::uint32_t b) { return __vadd2(a, b); }
  __device__ static std::uint32_t add_larger(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return __viaddmax_s16x2(a, b, c);
  }
  __device__ static std::uint32_t pair_larger(std::uint32_t a,
                                              std::uint32_t score,
                                              std::uint32_t c) {
    return __viaddmax_s16x2(a, score, c);
  }
  __device__ static std::uint32_t add_saturated(std::uint32_t a, std::int32_t value) {
    return __vaddss2(a, all(value));
  }
  /// All bits of the halves where a > b.
  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    return __vcmpgts2(a, b);
  }
};

/// The same from the maximum of half-precision numbers, which every GPU has: patterns of numbers
/// from 0 on stand in the order of integers. As no sum leaves 0 ... 65,535, one 32-bit addition
/// makes two. Scores of a column are 64 too large, so that their sign is 0 and nothing is borrowed.
struct PackedHalves : PackedWords {
  static constexpr std::int32_t lowest = 0;
  static constexpr std::int32_t floor = 256;
  static constexpr std::int32_t infinity = 0x7c00;
  static constexpr std::int32_t highest = infinity - 256;

  __device__ static std::int32_t kept(std::int32_t value) {
    return max(0, min(infinity - 1, value));
  }
  __device__ static std::uint32_t pair(std::int32_t low, std::int32_t high) {
    return join_halves(kept(low), kept(high));
  }
  __device__ static std::uint32_t all(std::int32_t value) { return pair(value, value); }
  __device__ static std::uint32_t change(std::int32_t value) {
    return static_cast<std::uint32_t>(value) * 0x10001u;
  }
  __device__ static std::uint64_t column(std::uint64_t scores) {
    return (scores ^ 0x4040404040404040u) & 0x7f7f7f7f7f7f7f7fu;
  }
  __device__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    std::uint32_t most;
    asm("max.f16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
    return most;
  }
  __device__ static std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a + b; }
  __device__ static std::uint32_t add_larger(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return larger(a + b, c);
  }
  __device__ static std::uint32_t pair_larger(std::uint32_t a,
                                              std::uint32_t score,
                                              std::uint32_t c) {
    return larger(a + score - 0x00400040u, c);
  }
  __device__ static std::uint32_t add_saturated(std::uint32_t a, std::int32_t value) {
    return pair(half(a, 0) + value, half(a, 1) + value);
  }
  /// All bits of the halves where a > b.
  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    return (~((b | 0x80008000u) - a) >> 15 & 0x00010001u) * 0xffffu;
  }
};

struct Packed
    : std::conditional_t<(yupana::cuda::compiled_for >= 90), PackedIntegers, PackedHalves> {};

/// Scores of the columns of one lane's strips.
template <int columns>
struct Packed4 : Packed {
  static constexpr Width width = Width::packed4;
  __device__ static std::uint16_t no_base(int) { return 0xcc88; }
  std::uint32_t low[columns], high[columns];

  __device__ void set(int c, std::uint64_t of_low, std::uint64_t of_high) {
    low[c] = static_cast<std::uint32_t>(column(of_low));
    high[c] = static_cast<std::uint32_t>(column(of_high));
  }
  __device__ __forceinline__ void choose(std::uint32_t) {}
  __device__ __forceinline__ std::uint32_t score(int c, std::uint32_t selector) const {
    return permute(low[c], high[c], selector);
  }
};

template <int columns>
struct Packed8 : Packed {
  static constexpr Width width = Width::packed8;
  __device__ static std::uint16_t no_base(int) { return 0x8888; }
  std::uint32_t low[columns], low4[columns], high[columns], high4[columns];

  __device__ void set(int c, std::uint64_t of_low, std::uint64_t of_high) {
    low[c] = static_cast<std::uint32_t>(column(of_low));
    low4[c] = static_cast<std::uint32_t>(column(of_low) >> 32);
    high[c] = static_cast<std::uint32_t>(column(of_high));
    high4[c] = static_cast<std::uint32_t>(column(of_high) >> 32);
  }
  __device__ __forceinline__ void choose(std::uint32_t) {}
  __device__ __forceinline__ std::uint32_t score(int c, std::uint32_t selector) const {
    return both(permute(low[c], low4[c], selector), permute(high[c], high4[c], selector));
  }
};

/// One strip a lane, scores from a table in memory: the row of a base has those of the lane's
/// columns side by side. The row behind the last letter is for no base: 0.
struct WideWords {
  static constexpr int halves = 1;
  static constexpr std::int32_t lowest = -(1 << 29);
  static constexpr std::int32_t floor = -(1 << 30);
  static constexpr std::int32_t highest = 1 << 30;

  __device__ static std::uint32_t all(std::int32_t value) {
    return static_cast<std::uint32_t>(value);
  }
  __device__ static std::uint32_t pair(std::int32_t low, std::int32_t) { return all(low); }
  __device__ static std::uint32_t change(std::int32_t value) { return all(value); }
  __device__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return all(max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
  }
  __device__ static std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a + b; }
  __device__ static std::uint32_t add_larger(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return all(__viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  }
  __device__ static std::uint32_t pair_larger(std::uint32_t a,
                                              std::uint32_t score,
                                              std::uint32_t c) {
    return add_larger(a, score, c);
  }
  __device__ static std::uint32_t add_saturated(std::uint32_t a, std::int32_t value) {
    return all(max(lowest, static_cast<std::int32_t>(a) + value));
  }
  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? ~0u : 0u;
  }
  __device__ static bool has(std::uint32_t mask, int) { return mask != 0; }
  __device__ static std::int32_t half(std::uint32_t word, int) {
    return static_cast<std::int32_t>(word);
  }
  __device__ static std::uint32_t join(std::uint32_t before, std::uint32_t) { return before; }
  __device__ static std::uint32_t chooser(bool first_lane) { return first_lane ? 1 : 0; }
  __device__ static std::uint32_t join_best(std::uint32_t before,
                                            std::uint32_t,
                                            std::uint32_t told,
                                            std::uint32_t chooser) {
    return chooser != 0 ? told : before;
  }
  __device__ static std::uint32_t join_gap(std::uint32_t before,
                                           std::uint32_t own,
                                           std::uint32_t told,
                                           std::uint32_t chooser) {
    return join_best(before, own, told, chooser);
  }
  __device__ static std::uint32_t both(std::uint32_t low, std::uint32_t) { return low; }
  __device__ static std::uint32_t told(std::uint32_t best, std::uint32_t) { return best; }
  __device__ static std::uint32_t best_told(std::uint32_t told) { return told; }
  __device__ static std::int32_t best_score_told(std::uint32_t told) { return half(told, 0); }
  __device__ static std::uint32_t idle(std::uint32_t selector, int letters) {
    return selector == static_cast<std::uint32_t>(letters) ? ~0u : 0u;
  }
};

template <int columns>
struct Wide : WideWords {
  static constexpr Width width = Width::wide;
  __device__ static std::uint16_t no_base(int letters) {
    return static_cast<std::uint16_t>(letters);
  }
  const std::int32_t* table = nullptr;  ///< of this lane; rows are 32 * columns apart
  std::int32_t chosen[columns];

  __device__ __forceinline__ void choose(std::uint32_t selector) {
    const auto* row = reinterpret_cast<const int4*>(table + std::int64_t{selector} * 32 * columns);
#pragma unroll
    for (int q = 0; q < columns / 4; ++q) {
      const int4 four = row[q];
      chosen[4 * q] = four.x;
      chosen[4 * q + 1] = four.y;
      chosen[4 * q + 2] = four.z;
      chosen[4 * q + 3] = four.w;
    }
  }
  __device__ __forceinline__ std::uint32_t score(int c, std::uint32_t) const {
    return all(chosen[c]);
  }
};

}  // namespace yupana::splice::cuda
