#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/random.hpp"

namespace yupana::genotype {

inline constexpr std::int64_t block_words = 8;

/// Samples of one population among 512 consecutive ones: a bit a sample, 64 a word.
struct PopulationPiece {
  alignas(64) std::uint64_t samples[block_words];
  std::int64_t block;  ///< the first sample is 512 times this
  std::int64_t population;
};

/// What is drawn at one site. Probabilities are thresholds t / 2^32, 0 <= t <= 2^32.
///
/// Random bits: sample 64 w + j takes bit j of the words number (3 w + draw) 32 + b, b = 0 .. 31,
/// most significant first, as its 32-bit number r of that draw; the event is r < t. Draws 0 and 1
/// are the two alleles (event: A1), draw 2 is the loss of the call.
struct SiteDraw {
  Random random;
  std::span<const PopulationPiece> pieces;    ///< all samples, blocks in order
  std::span<const std::uint64_t> thresholds;  ///< of A1, per population
  std::uint64_t missing;                      ///< of a lost call
};

inline constexpr std::int64_t draws_per_word = 3;
inline constexpr std::int64_t bits_per_draw = 32;

/// Each writes one row of 2-bit codes, all `stride` bytes of it.
namespace reference {
void simulate_row(const SiteDraw& site, std::uint8_t* row, std::int64_t stride);
}  // namespace reference

namespace cpu {
void simulate_row(const SiteDraw& site, std::uint8_t* row, std::int64_t stride);
}  // namespace cpu

}  // namespace yupana::genotype
