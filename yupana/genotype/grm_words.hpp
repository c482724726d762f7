#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/tiles.hpp"

namespace yupana::genotype {

/// Sites of a word, which have one weight: the bits of a 16-bit population count.
inline constexpr std::int64_t word_sites = 16;
/// Sites of a slab: 32 chunks, whose digit sums fit 32 bits (64 * (2^15 - 1) * 2^10 < 2^31) and
/// whose planes of two tiles of samples fit the second-level cache.
inline constexpr std::int64_t slab_sites = 16384;

/// Sites in words of one weight. Weights of at most 24 significant bits are sums of parts; a site
/// is in one word for each part that is not zero.
struct WeightWords {
  /// Whole chunks of words; a weight is (low + high * 2^15) * 2^shift.
  struct Slab {
    Range sites;  ///< in `sites`
    int shift;
  };
  std::vector<std::int64_t> sites;  ///< of every bit; `blank` where a word or chunk is not full
  std::vector<std::int16_t> low;    ///< per word
  std::vector<std::int16_t> high;
  int digits = 2;  ///< 1: all high digits are 0
  std::vector<Slab> slabs;
};

/// Words of sites 0, 1, ... (fewer than 2^27), with weights 0 (left out) or at least 2^23, of 24
/// significant bits. Weights are one part of two digits, or sums of some of one digit, whichever
/// takes the fewest operations.
///   work: about five sorts of the sites
WeightWords weight_words(std::span<const std::int64_t> weights, std::int64_t blank);

}  // namespace yupana::genotype
