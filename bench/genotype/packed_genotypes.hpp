#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/planes.hpp"

// The processor's popcount instruction where it has one, chosen when the program starts: before the
// thread sanitizer has, whose code in the choosing function would crash.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define YUPANA_POPCNT __attribute__((target_clones("popcnt", "default")))
#else
#define YUPANA_POPCNT
#endif

namespace yupana::genotype {

/// The published layout for squared distances: 2 bits a genotype, the value itself (00, 01, 10),
/// site 0 in the low bits of word 0. It knows no missing calls. Kept as a second way to the same
/// numbers for tests, and in benches, where it shows what the bit planes gain.
struct PackedGenotypes {
  std::int64_t samples = 0;
  std::int64_t words = 0;  ///< 64-bit words a sample, 32 sites each
  std::vector<std::uint64_t> codes;

  const std::uint64_t* row(std::int64_t sample) const { return codes.data() + sample * words; }
};

inline constexpr std::uint64_t every_second_bit = 0x5555555555555555;

/// Bit k of the low half goes to bit 2 k.
inline std::uint64_t spread(std::uint64_t x) {
  x &= 0xffffffff;
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x << 2) & 0x3333333333333333;
  return (x | x << 1) & every_second_bit;
}

/// Throws usage for a block with missing calls.
inline PackedGenotypes pack_two_bits(const PlaneBlock& block) {
  if (block.planes != 2) {
    throw usage_error("pack_two_bits: the 2-bit code cannot hold missing calls");
  }
  constexpr std::int64_t words_per_chunk = chunk_sites / 32;
  PackedGenotypes packed{block.samples, block.chunks * words_per_chunk, {}};
  packed.codes.resize(static_cast<std::size_t>(packed.samples * packed.words));
  for (std::int64_t i = 0; i < block.samples; ++i) {
    std::uint64_t* const row = packed.codes.data() + i * packed.words;
    for (std::int64_t word = 0; word < packed.words; ++word) {
      const std::int64_t chunk = word / words_per_chunk, at = word % words_per_chunk * 4;
      std::uint32_t u, w;
      std::memcpy(&u, block.chunk(i, chunk, 0) + at, sizeof(u));
      std::memcpy(&w, block.chunk(i, chunk, 1) + at, sizeof(w));
      row[word] = spread(w) | spread(u & ~w) << 1;
    }
  }
  return packed;
}

/// Sum of (x - x')^2 over the sites of two rows. With z = a ^ b, an odd difference sets the low bit
/// of a code (01, 11) and a difference of two only its high bit (10):
///   d^2 = popc(even) + 4 popc(~even & odd)
YUPANA_POPCNT static std::uint64_t packed_squared_distance(const std::uint64_t* a,
                                                           const std::uint64_t* b,
                                                           std::int64_t words) {
  std::uint64_t ones = 0, twos = 0;
  for (std::int64_t k = 0; k < words; ++k) {
    const std::uint64_t z = a[k] ^ b[k];
    const std::uint64_t even = z & every_second_bit, odd = z >> 1 & every_second_bit;
    ones += static_cast<std::uint64_t>(std::popcount(even));
    twos += static_cast<std::uint64_t>(std::popcount(~even & odd));
  }
  return ones + 4 * twos;
}

}  // namespace yupana::genotype
