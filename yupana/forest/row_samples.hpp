#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/forest.hpp"

/// Private to the family.
namespace yupana::forest {

/// Trees of the whole forest, of which perhaps only a range is grown.
std::int64_t forest_trees(const ForestParams& params);

/// Rows that each tree of a bootstrap draws.
inline std::int64_t rows_drawn(const ForestParams& params, std::int64_t rows) {
  return params.max_samples > 0 ? params.max_samples : rows;
}

/// usage for a max_samples that trees cannot draw.
void check_max_samples(const ForestParams& params, std::int64_t rows);

/// How often each tree sees each row.
class RowSamples {
 public:
  /// here: false for a forest that grows on devices, which needs none.
  RowSamples(std::int64_t rows, const ForestParams& params, bool here);
  void of_tree(std::int64_t tree, std::uint8_t* repeats) const;

 private:
  std::int64_t rows_;
  const ForestParams& params_;
  Array<std::uint32_t> parts_;
};

/// A number below n from a random word (n < 2^32), in kernels too.
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
