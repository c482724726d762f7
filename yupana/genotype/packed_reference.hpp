#pragma once

#include <cstdint>
#include <vector>

#include "yupana/genotype/planes.hpp"

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

/// Throws usage for a block with missing calls.
PackedGenotypes pack_two_bits(const PlaneBlock& block);

/// Sum of (x - x')^2 over the sites of two rows. With z = a ^ b, an odd difference sets the low bit
/// of a code (01, 11) and a difference of two only its high bit (10):
///   d^2 = popc(even) + 4 popc(~even & odd)
std::uint64_t packed_squared_distance(const std::uint64_t* a,
                                      const std::uint64_t* b,
                                      std::int64_t words);

}  // namespace yupana::genotype
