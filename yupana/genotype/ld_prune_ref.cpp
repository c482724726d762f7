#include "yupana/genotype/ld_prune_backends.hpp"

namespace yupana::genotype::reference {

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
