#pragma once

#include <cstdint>
#include <span>

#include "yupana/genotype/grm.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/site_block.hpp"

/// Private to the family: sums of a relationship matrix, by the instructions of the processor.
namespace yupana::genotype::cpu {

/// Samples whose codes are one line of the cache.
inline constexpr std::int64_t line_samples = 256;
inline constexpr std::int64_t line_bytes = line_samples / 4;

/// Pairs of rows and columns of one slab.
struct PairTile {
  const PlaneBlock& planes;
  const std::int16_t* low;  ///< of the words of the slab
  const std::int16_t* high;
  int digits;
  int shift;
  Range rows;
  Range columns;
};

/// Sums over some sites of a number that the code of a sample chooses, for `line_samples`
/// samples from a multiple of them.
struct Lookup {
  const SiteBlock& codes;
  const std::int64_t* tables;  ///< four numbers a site, and four more
  const std::int32_t* sites;
  std::int64_t count;
  std::int64_t line;
};

/// Corrections of `line_samples` samples, by their codes, for the sites at which a call of
/// another sample is missing.
struct Corrections {
  const SiteBlock& codes;
  const std::int32_t* of_codes;  ///< four numbers a site, and twelve more
  std::span<const std::int32_t> sites;
  std::int64_t line;

  const std::uint8_t* row(std::size_t k) const { return codes.row(sites[k]) + line * line_bytes; }
};

/// Takes the sums of a tile off its pairs.
void subtract_tile(const PairTile& tile, Grm& grm);
/// Adds to sums[0 .. line_samples).
void correction_sums(const Corrections& of, std::int64_t* sums);
/// Adds the missing calls of sample 4 i + k to counts[k * line_bytes + i].
void count_missing(const Corrections& of, std::uint32_t* counts);
/// Adds to sums[0 .. line_samples).
void lookup_sums(const Lookup& lookup, std::int64_t* sums);

}  // namespace yupana::genotype::cpu
