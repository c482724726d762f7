#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "tests/support/site_blocks.hpp"
#include "yupana/genotype/ld_prune.hpp"

/// Cohorts of correlated sites, for CPU and GPU tests.
namespace yupana::genotype::testing {

/// Sites of which many are near copies of the one before.
inline SiteBlock correlated_block(std::int64_t samples,
                                  std::int64_t sites,
                                  unsigned seed,
                                  double missing) {
  SiteBlock block = random_block(samples, sites, seed, missing);
  std::mt19937 random(seed);
  for (std::int64_t site = 1; site < sites; ++site) {
    if (random() % 3 == 0) continue;
    const unsigned changed = random() % 3 * 10;
    for (std::int64_t i = 0; i < samples; ++i) {
      if (random() % 100 < changed) continue;
      const int shift = 2 * static_cast<int>(i % 4);
      std::uint8_t& byte = block.row(site)[i / 4];
      byte = static_cast<std::uint8_t>((byte & ~(3 << shift)) | block.at(site - 1, i) << shift);
    }
  }
  return block;
}

/// Names all sites as those of one chromosome, ten base pairs apart.
inline void name_one_chromosome(SiteBlock& block) {
  for (std::int64_t k = 0; k < block.sites; ++k) {
    block.names.push_back({"1", 10 * k + 1, fmt::format("snp{}", k + 1), "A", "G"});
  }
}

inline std::vector<bool> prune(const SiteBlock& block,
                               const LdPruneParams& params,
                               const ContextParams& how) {
  Context context(how);
  SiteBlock copy(block.samples, block.sites);
  std::memcpy(copy.codes.data(), block.codes.data(), block.codes.bytes());
  copy.sites = block.sites;
  copy.names = block.names;
  Cohort cohort(context, std::make_unique<BlockSource>(std::move(copy)));
  std::vector<bool> reported;
  std::vector<bool> stays =
      ld_prune(context, cohort, params, [&](const std::string& site, bool is_kept) {
        EXPECT_EQ(site, "snp" + std::to_string(reported.size() + 1));
        reported.push_back(is_kept);
      });
  EXPECT_EQ(reported, stays);
  return stays;
}

}  // namespace yupana::genotype::testing
