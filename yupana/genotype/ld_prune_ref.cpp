#include <algorithm>

#include "yupana/genotype/ld_window.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype::reference {

LdSums ld_planes(const std::uint64_t* codes, std::uint64_t* bits, std::int64_t words) {
  std::fill_n(bits, 3 * words, 0);
  for (std::int64_t i = 0; i < 64 * words; ++i) {
    const auto code = codes[i / 32] >> (2 * (i % 32)) & 3;
    const std::int64_t word = i / 32 % words, place = 2 * (i % 32) + i / (32 * words);
    const bool planes[] = {code == homozygous_a1 || code == homozygous_a2,
                           code == homozygous_a1,
                           code != missing_call};
    for (int k = 0; k < 3; ++k) bits[k * words + word] |= std::uint64_t{planes[k]} << place;
  }
  return ld_sums({bits, words}, {bits, words});
}

LdSums ld_sums(const LdPlanes& a, const LdPlanes& b) {
  LdSums sums;
  for (std::int64_t i = 0; i < 64 * a.words; ++i) {
    const auto bit = [&](const LdPlanes& site, int plane) {
      return static_cast<std::int64_t>(site.plane(plane)[i / 64] >> (i % 64) & 1);
    };
    if (bit(a, 2) == 0 || bit(b, 2) == 0) continue;
    const std::int64_t y = 2 * bit(a, 1) - bit(a, 0), z = 2 * bit(b, 1) - bit(b, 0);
    ++sums.called;
    sums.a += y;
    sums.a_squares += y * y;
    sums.b += z;
    sums.b_squares += z * z;
    sums.product += y * z;
  }
  return sums;
}

std::int64_t ld_product(const LdPlanes& a, const LdPlanes& b) { return ld_sums(a, b).product; }

}  // namespace yupana::genotype::reference
