#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/pack_planes.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::testing {

/// Blocks of at most `block_sites` sites, counted one after the other.
inline genotype::PairCounts count(const Genotypes& genotypes,
                                  const ContextParams& device,
                                  std::int64_t block_sites,
                                  const genotype::PairCountsParams& params = {}) {
  Context context(device);
  genotype::PairCounter counter(context, genotypes.samples, params);
  for (std::int64_t k = 0; k < genotypes.sites; k += block_sites) {
    counter.add(pack_planes(genotypes, k, std::min(k + block_sites, genotypes.sites)));
  }
  return counter.take();
}

inline void expect_same(const genotype::PairCounts& a, const genotype::PairCounts& b) {
  ASSERT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.called, b.called);
  EXPECT_EQ(a.heterozygous, b.heterozygous);
  EXPECT_EQ(a.homozygous, b.homozygous);
  EXPECT_EQ(a.shared.empty(), b.shared.empty());
  ASSERT_EQ(a.knows_hethet(), b.knows_hethet());
  for (std::int64_t i = a.rows.begin; i < a.rows.end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      ASSERT_EQ(a.ibs1.at(i, j), b.ibs1.at(i, j)) << i << ", " << j;
      ASSERT_EQ(a.ibs0.at(i, j), b.ibs0.at(i, j)) << i << ", " << j;
      ASSERT_EQ(a.shared_at(i, j), b.shared_at(i, j)) << i << ", " << j;
      if (!a.knows_hethet()) continue;
      ASSERT_EQ(a.hethet_at(i, j), b.hethet_at(i, j)) << i << ", " << j;
      ASSERT_EQ(a.het_at(i, j), b.het_at(i, j)) << i << ", " << j;
    }
  }
}

}  // namespace yupana::testing
