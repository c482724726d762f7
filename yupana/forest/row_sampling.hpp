#pragma once

#include <cstdint>

#include "yupana/core/random.hpp"

/// RowSamples of rows that the processor and the devices share. Private to the family; kernels may
/// call what is constexpr.
namespace yupana::forest {

/// A number below n from a random word (n < 2^32).
constexpr std::int64_t below(std::uint64_t word, std::int64_t n) {
  return static_cast<std::int64_t>(((word >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

// Draws of one row saturate here.
inline constexpr std::uint32_t max_repeats = 255;

/// Of parts_of_rows.
inline Random parts_random(std::uint64_t seed) { return Random(seed, 0x70617274); }
/// Of the rows that a tree of a bootstrap draws.
inline Random rows_random(std::uint64_t seed, std::int64_t tree) {
  return Random(seed, static_cast<std::uint64_t>(tree) + 1);
}

}  // namespace yupana::forest
