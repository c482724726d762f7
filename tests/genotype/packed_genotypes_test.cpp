#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/genotype/packed_genotypes.hpp"
#include "tests/support/pack_planes.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {
namespace {

// One genotype (-1: missing) as the bits of its planes.
struct Bits {
  explicit Bits(int x)
      : u(x >= 1), v(x == 2), w(x == 1), z(x == 0), h(x == 0 || x == 2), p(x >= 0) {}
  int u, v, w, z, h, p;
};

TEST(Identities, HoldForEveryPairOfGenotypes) {
  for (int x = 0; x <= 2; ++x) {
    for (int y = 0; y <= 2; ++y) {
      const Bits a(x), b(y);
      const int squared = (x - y) * (x - y), absolute = std::abs(x - y);
      const int du = a.u ^ b.u, dv = a.v ^ b.v;
      EXPECT_EQ(squared, du + dv + 2 * (du & dv));
      EXPECT_EQ(absolute, du + dv);
      EXPECT_EQ(x * y, 2 * (a.u * b.u + a.v * b.v) - a.w * b.w);
      const int even = (x ^ y) & 1, odd = (x ^ y) >> 1;
      EXPECT_EQ(squared, even + 4 * (~even & odd));
      // Without missing calls (m = 1) two products S and W give every count.
      const int s = a.u * b.u + a.v * b.v, w = a.w * b.w;
      const int z = 1 - a.u - b.u + s, h = 1 - a.w - b.w + w;
      EXPECT_EQ(h - z, int{absolute == 2});
      EXPECT_EQ(1 - h - w, int{absolute == 1});
      EXPECT_EQ(z + w, int{absolute == 0});
    }
  }
}

TEST(Identities, HoldForEveryPairWithMissingCalls) {
  for (int x = -1; x <= 2; ++x) {
    for (int y = -1; y <= 2; ++y) {
      const Bits a(x), b(y);
      const bool both = x >= 0 && y >= 0;
      const int squared = both ? (x - y) * (x - y) : 0, absolute = both ? std::abs(x - y) : 0;
      const int p = a.p * b.p, h = a.h * b.h, z = a.z * b.z + a.v * b.v, w = a.w * b.w;
      EXPECT_EQ(squared, p + 3 * h - 4 * z - w);
      const int ibs0 = h - z, ibs1 = p - h - w, ibs2 = z + w;
      EXPECT_EQ(ibs0, int{absolute == 2});
      EXPECT_EQ(ibs1, int{absolute == 1});
      EXPECT_EQ(ibs2, int{both && absolute == 0});
      EXPECT_EQ(squared, ibs1 + 4 * ibs0);
      EXPECT_EQ(absolute, ibs1 + 2 * ibs0);
      // What the CPU kernels count.
      const int same = p & ~(a.w ^ b.w);
      EXPECT_EQ(ibs1, p - same);
      EXPECT_EQ(ibs0, same & (a.u ^ b.u));
    }
  }
}

TEST(PackedSquaredDistance, IsOneIBS1AndFourIBS0) {
  const auto g = testing::random_genotypes(20, 1111, 0, 3);
  const PlaneBlock block = testing::pack_planes(g);
  const PackedGenotypes packed = pack_two_bits(block);
  Context context({"cpu", 1});
  PairCounter counter(context, 20);
  counter.add(block);
  const PairCounts& counts = counter.counts();
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      EXPECT_EQ(packed_squared_distance(packed.row(i), packed.row(j), packed.words),
                counts.ibs1.at(i, j) + 4 * counts.ibs0.at(i, j));
    }
  }
}

TEST(PackTwoBits, RefusesMissingCalls) {
  const auto g = testing::random_genotypes(2, 10, 1, 3);
  EXPECT_THROW(pack_two_bits(testing::pack_planes(g)), Error);
}

}  // namespace
}  // namespace yupana::genotype
