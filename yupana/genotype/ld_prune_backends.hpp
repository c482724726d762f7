#pragma once

#include <cstdint>

namespace yupana::genotype {

/// Calls of one site over the founders, a bit each, in planes of `words` words one after the other:
///   plane 0: homozygous      plane 1: x = 2      plane 2: called
/// With y = x - 1, which has the same correlations, y is 1 where plane 1 is, -1 where plane 0 alone
/// is. Words are a multiple of 8; bits past the last founder are zero. Sample 32 w + p is bit 2 p
/// of word w or, from w = words on, bit 2 p + 1 of word w - words: no bit of the codes leaves its
/// word.
struct LdPlanes {
  const std::uint64_t* bits;
  std::int64_t words;

  const std::uint64_t* plane(int k) const { return bits + k * words; }
};

/// Sums over the samples where sites a and b are both called.
struct LdSums {
  std::int64_t called = 0;
  std::int64_t a = 0;          ///< of y of a
  std::int64_t a_squares = 0;  ///< of its squares
  std::int64_t b = 0;
  std::int64_t b_squares = 0;
  std::int64_t product = 0;

  bool operator==(const LdSums&) const = default;
};

namespace reference {
LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words);
LdSums ld_sums(const LdPlanes& a, const LdPlanes& b);
std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b);
}  // namespace reference

namespace cpu {
/// Makes the planes of the codes of 64 * words samples, missing past the last founder; the sums of
/// the site with itself.
LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words);
LdSums ld_sums(const LdPlanes& a, const LdPlanes& b);
/// The product alone: the other sums are a site's own where no call is missing.
std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b);
}  // namespace cpu

}  // namespace yupana::genotype
