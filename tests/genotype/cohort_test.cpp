#include "yupana/genotype/cohort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

using Genotypes = std::vector<std::vector<int>>;  ///< [site][sample]

std::unique_ptr<Source> source_of(std::int64_t samples,
                                  std::int64_t sites,
                                  double missing,
                                  std::int64_t piece = 1 << 20) {
  return std::make_unique<BlockSource>(random_block(samples, sites, 42, missing), piece);
}

/// Everything a cohort delivers, block after block.
Genotypes read_all(Cohort& cohort, const std::vector<std::int64_t>& block_sites) {
  Genotypes result;
  PlaneBlock block;
  for (std::size_t i = 0; cohort.read(block, block_sites[i % block_sites.size()]); ++i) {
    EXPECT_EQ(block.samples, std::ssize(cohort.samples()));
    EXPECT_LE(block.sites, block_sites[i % block_sites.size()]);
    bool missing = false;
    for (std::int64_t site = 0; site < block.sites; ++site) {
      std::vector<int> row;
      for (std::int64_t s = 0; s < block.samples; ++s) row.push_back(genotype_at(block, s, site));
      missing |= std::find(row.begin(), row.end(), -1) != row.end();
      result.push_back(std::move(row));
    }
    EXPECT_EQ(block.planes, missing ? 3 : 2);
  }
  return result;
}

/// The same by hand: filters and imputation one site at a time.
Genotypes wanted_of(const SiteBlock& block,
                    const CohortParams& params,
                    const std::vector<std::int64_t>& kept) {
  Genotypes result;
  const int x_of[4] = {2, -1, 1, 0};
  for (std::int64_t site = 0; site < block.sites; ++site) {
    std::vector<int> row;
    std::int64_t counts[4] = {};
    for (const std::int64_t i : kept) {
      row.push_back(x_of[block.at(site, i)]);
      ++counts[row.back() + 1];
    }
    const double called = static_cast<double>(kept.size() - counts[0]);
    const double alleles = static_cast<double>(counts[2] + 2 * counts[3]);
    const double maf = std::min(alleles, 2 * called - alleles) / (2 * called);
    if (static_cast<double>(counts[0]) / kept.size() > params.max_site_missing) continue;
    if (called > 0 && maf < params.min_maf) continue;
    if (params.missing == Missing::mode) {
      if (called == 0) continue;
      const auto mode = static_cast<int>(std::max_element(counts + 1, counts + 4) - counts - 1);
      std::replace(row.begin(), row.end(), -1, mode);
    }
    result.push_back(std::move(row));
  }
  return result;
}

ErrorCode code_of(const std::function<void()>& body, std::string* message = nullptr) {
  try {
    body();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::usage;
}

TEST(Cohort, DeliversEverySiteInOrderWhateverTheBlockSize) {
  Context context;
  const SiteBlock block = random_block(37, 3000, 42, 0.05);
  const Genotypes wanted = wanted_of(block, {}, identity(37));
  for (const std::vector<std::int64_t>& sizes :
       std::vector<std::vector<std::int64_t>>{{1000}, {3000}, {5000}, {7, 512, 1}, {600, 100}}) {
    for (const std::int64_t piece : {1 << 20, 100, 13}) {
      Cohort cohort(context, source_of(37, 3000, 0.05, piece));
      EXPECT_EQ(cohort.sites(), 3000);
      EXPECT_EQ(read_all(cohort, sizes), wanted) << sizes[0] << ", pieces of " << piece;
      EXPECT_EQ(cohort.sites(), 0);
      cohort.rewind();
      EXPECT_EQ(read_all(cohort, {999}), wanted);
    }
  }
}

TEST(Cohort, FiltersAndImputesAsByHandOnEveryBackend) {
  const SiteBlock block = random_block(41, 1500, 42, 0.1);
  for (const Missing missing : {Missing::pairwise, Missing::mode}) {
    CohortParams params;
    params.max_site_missing = 0.1;
    params.min_maf = 0.45;
    params.missing = missing;
    params.keep = {"s1", "s3", "s40", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s2"};
    params.remove = {"s8", "s0"};
    const std::vector<std::int64_t> kept{1, 2, 3, 7, 9, 10, 11, 12, 13, 40};
    const Genotypes wanted = wanted_of(block, params, kept);
    ASSERT_GT(wanted.size(), 20u);
    ASSERT_LT(wanted.size(), 1400u);
    for (const char* device : {"reference", "cpu"}) {
      Context context({.device = device});
      Cohort cohort(context, source_of(41, 1500, 0.1), params);
      EXPECT_EQ(cohort.samples().size(), 10u);
      EXPECT_EQ(cohort.samples()[1], "s2");
      EXPECT_EQ(read_all(cohort, {64}), wanted) << device;
      const CohortSummary& summary = cohort.summary();
      EXPECT_EQ(summary.samples_read, 41);
      EXPECT_EQ(summary.samples_kept, 10);
      EXPECT_EQ(summary.samples_dropped.at("not in --keep"), 30);
      EXPECT_EQ(summary.samples_dropped.at("in --remove"), 1);
      EXPECT_EQ(summary.sites.read, 1500);
      EXPECT_EQ(summary.sites.kept, std::ssize(wanted));
      std::int64_t skipped = 0;
      for (const auto& [reason, count] : summary.sites.skipped) skipped += count;
      EXPECT_EQ(skipped + summary.sites.kept, 1500);
      EXPECT_GT(summary.calls_missing, 0);
    }
  }
}

TEST(Cohort, BlocksAreFilledAlthoughFiltersDropSites) {
  Context context;
  CohortParams params;
  params.thin = 0.3;
  Cohort cohort(context, source_of(9, 20000, 0), params);
  PlaneBlock block;
  std::vector<std::int64_t> sizes;
  while (cohort.read(block, 512)) sizes.push_back(block.sites);
  ASSERT_GT(sizes.size(), 8u);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) EXPECT_EQ(sizes[i], 512);
  const double kept = static_cast<double>(cohort.summary().sites.kept);
  EXPECT_NEAR(kept, 6000, 5 * std::sqrt(20000 * 0.3 * 0.7));
}

TEST(Cohort, ThinningDependsOnTheSeedAlone) {
  Context context;
  CohortParams params;
  params.thin = 0.5;
  Cohort a(context, source_of(5, 900, 0), params);
  Cohort b(context, source_of(5, 900, 0, 11), params);
  const Genotypes first = read_all(a, {100});
  EXPECT_EQ(first, read_all(b, {33}));
  params.seed = 1;
  Cohort c(context, source_of(5, 900, 0), params);
  EXPECT_NE(first, read_all(c, {100}));
}

TEST(Cohort, MindDropsSamplesAboveTheRateAndKeepsThoseAtIt) {
  SiteBlock block = random_block(4, 1000, 3, 0);
  for (int site = 0; site < 1000; ++site) {
    if (site < 100) set_code(block, site, 1, missing_call);  // exactly 0.1
    if (site < 101) set_code(block, site, 2, missing_call);
  }
  Context context;
  CohortParams params;
  params.max_sample_missing = 0.1;
  Cohort cohort(context, std::make_unique<BlockSource>(std::move(block)), params);
  EXPECT_EQ(cohort.samples(), (std::vector<std::string>{"s0", "s1", "s3"}));
  read_all(cohort, {1000});
  EXPECT_EQ(cohort.summary().samples_dropped.at("missing rate above --mind"), 1);
  EXPECT_EQ(cohort.summary().calls_missing, 100);
  EXPECT_DOUBLE_EQ(cohort.summary().missing_rate(), 100.0 / 3000);
}

TEST(Cohort, GenoAndMafKeepSitesExactlyAtTheThreshold) {
  SiteBlock block(10, 3);
  block.sites = 3;
  std::memset(block.codes.data(), 0, block.codes.bytes());
  set_code(block, 0, 0, missing_call);                              // missing 1 of 10, maf 0
  for (int i = 0; i < 2; ++i) set_code(block, 1, i, missing_call);  // 2 of 10
  set_code(block, 2, 0, homozygous_a2);                             // maf 0.1
  Context context;
  CohortParams params;
  params.max_site_missing = 0.1;
  Cohort geno(context, std::make_unique<BlockSource>(random_block(10, 1, 1, 0)), params);
  EXPECT_EQ(read_all(geno, {10}).size(), 1u);
  SiteBlock copy(10, 3);
  copy.sites = 3;
  std::memcpy(copy.codes.data(), block.codes.data(), block.codes.bytes());
  Cohort both(context, std::make_unique<BlockSource>(std::move(copy)), params);
  EXPECT_EQ(read_all(both, {10}).size(), 2u);
  EXPECT_EQ(both.summary().sites.skipped.at("missing rate above --geno"), 1);
  params.max_site_missing = 1;
  params.min_maf = 0.1;
  Cohort maf(context, std::make_unique<BlockSource>(std::move(block)), params);
  EXPECT_EQ(read_all(maf, {10}).size(), 1u);
  EXPECT_EQ(maf.summary().sites.skipped.at("minor-allele frequency below --maf"), 2);
}

TEST(Cohort, SitesWithoutACallPassMafAndAreDroppedByModeOnly) {
  for (const Missing missing : {Missing::pairwise, Missing::mode}) {
    SiteBlock block = random_block(6, 5, 1, 0);
    for (int i = 0; i < 6; ++i) set_code(block, 2, i, missing_call);
    Context context;
    CohortParams params;
    params.missing = missing;
    params.min_maf = 1e-9;
    Cohort cohort(context, std::make_unique<BlockSource>(std::move(block)), params);
    const auto sites = read_all(cohort, {100}).size();
    const std::int64_t dropped =
        cohort.summary().sites.skipped.count("no call to impute from (--missing mode)");
    EXPECT_EQ(dropped, missing == Missing::mode ? 1 : 0);
    EXPECT_LE(sites, 5u);
  }
}

TEST(Cohort, MissingErrorNamesTheFirstKeptSampleAndTheSite) {
  SiteBlock block = random_block(6, 50, 1, 0);
  set_code(block, 30, 2, missing_call);
  set_code(block, 40, 4, missing_call);
  set_code(block, 40, 5, missing_call);
  Context context;
  CohortParams params;
  params.missing = Missing::error;
  params.remove = {"s2"};
  Cohort cohort(context, std::make_unique<BlockSource>(std::move(block)), params);
  PlaneBlock planes;
  for (int again = 0; again < 2; ++again) {
    std::string message;
    EXPECT_EQ(code_of(
                  [&] {
                    while (cohort.read(planes, 8)) continue;
                  },
                  &message),
              ErrorCode::bad_input);
    EXPECT_NE(message.find("'s4' has no call at site number 41"), std::string::npos) << message;
  }
}

TEST(Cohort, NothingLeftIsBadInputWithCounts) {
  Context context;
  CohortParams params;
  params.thin = 0;
  Cohort cohort(context, source_of(5, 77, 0), params);
  PlaneBlock block;
  std::string message;
  EXPECT_EQ(code_of([&] { cohort.read(block, 8); }, &message), ErrorCode::bad_input);
  EXPECT_NE(message.find("no site left of 77 read, 77 thinned out"), std::string::npos) << message;

  params = {};
  params.remove = {"s0", "s1"};
  EXPECT_EQ(code_of([&] { Cohort(context, source_of(2, 5, 0), params); }, &message),
            ErrorCode::bad_input);
  EXPECT_NE(message.find("no sample left of 2 read, 2 in --remove"), std::string::npos) << message;
  EXPECT_EQ(code_of([&] { Cohort(context, source_of(0, 5, 0)); }), ErrorCode::bad_input);
  Cohort empty(context, source_of(2, 0, 0));
  EXPECT_EQ(code_of([&] { empty.read(block, 8); }), ErrorCode::bad_input);
}

TEST(Cohort, UnknownSamplesAndImpossibleRatesAreRefused) {
  Context context;
  std::string message;
  CohortParams params;
  params.keep = {"s1", "nobody", "none"};
  EXPECT_EQ(code_of([&] { Cohort(context, source_of(2, 5, 0), params); }, &message),
            ErrorCode::bad_input);
  EXPECT_NE(message.find("'nobody'"), std::string::npos) << message;
  for (const double bad : {-0.1, 1.5, std::nan("")}) {
    params = {};
    params.thin = bad;
    EXPECT_EQ(code_of([&] { Cohort(context, source_of(2, 5, 0), params); }), ErrorCode::usage);
    params = {};
    params.min_maf = bad;
    EXPECT_EQ(code_of([&] { Cohort(context, source_of(2, 5, 0), params); }), ErrorCode::usage);
  }
}

/// Fails or dawdles after some sites.
class HardSource : public BlockSource {
 public:
  HardSource(std::int64_t good, bool slow)
      : BlockSource(random_block(3, 10000, 1, 0), 100), good_(good), slow_(slow) {}
  bool read(SiteBlock& block) override {
    if ((good_ -= 100) < 0) {
      if (!slow_) throw bad_file("x.bed", "cut short");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return BlockSource::read(block);
  }

 private:
  std::int64_t good_;
  bool slow_;
};

TEST(Cohort, ErrorsOfTheReaderThreadReachTheCaller) {
  Context context;
  Cohort cohort(context, std::make_unique<HardSource>(500, false));
  PlaneBlock block;
  EXPECT_TRUE(cohort.read(block, 400));
  std::string message;
  EXPECT_EQ(code_of([&] { cohort.read(block, 400); }, &message), ErrorCode::bad_input);
  EXPECT_EQ(message, "x.bed: cut short");
}

TEST(Cohort, CancellingStopsAReadThatWaits) {
  Context context;
  Cohort cohort(context, std::make_unique<HardSource>(0, true));
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    context.cancel();
  });
  PlaneBlock block;
  EXPECT_EQ(code_of([&] {
              while (cohort.read(block, 10000)) continue;
            }),
            ErrorCode::interrupted);
  user.join();
}

TEST(Cohort, CanBeDestroyedOrRewoundWhileReadingAhead) {
  Context context;
  PlaneBlock block;
  {
    Cohort cohort(context, std::make_unique<HardSource>(100, true));
    EXPECT_TRUE(cohort.read(block, 100));
  }
  Cohort cohort(context, source_of(11, 4000, 0.01));
  const Genotypes wanted = wanted_of(random_block(11, 4000, 42, 0.01), {}, identity(11));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(cohort.read(block, 100));
    cohort.rewind();
  }
  EXPECT_EQ(read_all(cohort, {1000}), wanted);
  EXPECT_EQ(cohort.summary().sites.kept, 4000);
}

TEST(Cohort, ModeImputationIsNotedOnce) {
  Context context;
  std::vector<std::string> notes;
  context.on_note([&](const std::string& text) { notes.push_back(text); });
  CohortParams params;
  params.missing = Missing::mode;
  Cohort cohort(context, source_of(11, 400, 0.1), params);
  read_all(cohort, {100});
  cohort.rewind();
  read_all(cohort, {100});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("most frequent genotype"), std::string::npos);
}

}  // namespace
}  // namespace yupana::genotype
