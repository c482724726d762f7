// --maf counts founders, whatever the backend, the blocks and the part of the sites a rank reads.
#include <gtest/gtest.h>

#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {
namespace {

/// Random genotypes whose every third sample names a parent.
class PedigreeSource : public BlockSource {
 public:
  explicit PedigreeSource(SiteBlock block) : BlockSource(std::move(block)) {
    for (std::size_t i = 0; i < samples().size(); ++i) nonfounders_.push_back(i % 3 == 0);
  }
  const std::vector<bool>& nonfounders() const override { return nonfounders_; }

 private:
  std::vector<bool> nonfounders_;
};

constexpr std::int64_t sample_count = 41, site_count = 1200;

SiteBlock block() { return random_block(sample_count, site_count, 9, 0.1); }

/// Sites whose minor-allele frequency over the samples is at least `least`.
std::int64_t sites_by_hand(double least, bool founders_alone) {
  const SiteBlock codes = block();
  std::int64_t kept = 0;
  for (std::int64_t site = 0; site < site_count; ++site) {
    std::int64_t alleles = 0, called = 0;
    for (std::int64_t i = 0; i < sample_count; ++i) {
      if (i == 5 || (founders_alone && i % 3 == 0)) continue;  // sample 5 is left out
      const Code code = codes.at(site, i);
      called += code != missing_call;
      alleles += code == homozygous_a1 ? 2 : code == heterozygous ? 1 : 0;
    }
    const auto minor = static_cast<double>(std::min(alleles, 2 * called - alleles));
    kept += minor >= least * 2 * static_cast<double>(called) * (1 - 1e-12);
  }
  return kept;
}

std::int64_t sites_of(const char* device, CohortParams params, std::int64_t block_sites) {
  Context context({.device = device, .threads = 2});
  params.remove = {"s5"};
  Cohort cohort(context, std::make_unique<PedigreeSource>(block()), params);
  PlaneBlock planes;
  std::int64_t sites = 0;
  while (cohort.read(planes, block_sites)) sites += planes.sites;
  EXPECT_EQ(cohort.summary().sites.kept, sites);
  return sites;
}

TEST(Founders, AloneCountForMafOnEveryBackendAndBlock) {
  for (const double least : {0.2, 0.45}) {
    ASSERT_NE(sites_by_hand(least, true), sites_by_hand(least, false)) << least;
    for (const bool nonfounders : {false, true}) {
      CohortParams params;
      params.min_maf = least;
      params.nonfounders = nonfounders;
      for (const char* device : {"cpu", "reference"}) {
        for (const std::int64_t block_sites : {1, 100, 5000}) {
          EXPECT_EQ(sites_of(device, params, block_sites), sites_by_hand(least, !nonfounders))
              << least << " " << device << " " << block_sites;
        }
      }
    }
  }
}

TEST(Founders, PartsOfTheSitesAddUp) {
  CohortParams params;
  params.min_maf = 0.45;
  params.parts = 3;
  std::int64_t sites = 0;
  for (params.part = 0; params.part < params.parts; ++params.part) {
    sites += sites_of("cpu", params, 100);
  }
  EXPECT_EQ(sites, sites_by_hand(0.45, true));
}

TEST(Founders, WithoutOneMafDropsNothingAndANoteSaysSo) {
  Context context;
  std::vector<std::string> notes;
  context.on_note([&](const std::string& note) { notes.push_back(note); });
  CohortParams params;
  params.min_maf = 0.45;
  params.keep = {"s0", "s3", "s6"};
  Cohort cohort(context, std::make_unique<PedigreeSource>(block()), params);
  PlaneBlock planes;
  while (cohort.read(planes, 500)) {
  }
  EXPECT_EQ(cohort.summary().sites.kept, site_count);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("--maf counts founders, and there is none"), std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace yupana::genotype
