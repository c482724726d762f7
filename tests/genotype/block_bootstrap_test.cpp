#include "yupana/genotype/block_bootstrap.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

/// Sites on two chromosomes, some hundred base pairs apart.
class PlacedSource : public BlockSource {
 public:
  PlacedSource(const SiteBlock& block, std::vector<SiteName> names)
      : BlockSource(copy_of(block)), names_(std::move(names)) {}
  bool read(SiteBlock& block) override {
    if (!BlockSource::read(block)) return false;
    const auto from = names_.begin() + account().read - block.sites;
    block.names.assign(from, from + block.sites);
    return true;
  }
  static SiteBlock copy_of(const SiteBlock& block) {
    SiteBlock copy(block.samples, block.capacity);
    copy.sites = block.sites;
    std::memcpy(copy.codes.data(), block.codes.data(), block.codes.bytes());
    return copy;
  }

 private:
  std::vector<SiteName> names_;
};

std::vector<SiteName> names_of(std::int64_t sites) {
  std::vector<SiteName> names;
  const Random random(5);
  std::int64_t position = 1;
  for (std::int64_t i = 0; i < sites; ++i) {
    if (i == sites / 3) position = 1;
    position += static_cast<std::int64_t>(random.word(static_cast<std::uint64_t>(i)) % 900);
    SiteName& name = names.emplace_back();
    name.chromosome = i < sites / 3 ? "1" : "2";
    name.position = position;
  }
  return names;
}

/// The block of every site, by the rule written out.
std::vector<std::int64_t> blocks_of(const std::vector<SiteName>& names, const SiteBlocks& blocks) {
  std::vector<std::int64_t> of;
  std::int64_t in_block = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool next = i == 0 || names[i].chromosome != names[i - 1].chromosome;
    if (blocks.in_base_pairs && i > 0) {
      next |=
          (names[i].position - 1) / blocks.length != (names[i - 1].position - 1) / blocks.length;
    }
    next |= !blocks.in_base_pairs && in_block == blocks.length;
    if (next) in_block = 0;
    ++in_block;
    of.push_back(i == 0 ? 0 : of.back() + next);
  }
  return of;
}

struct Sums {
  std::uint64_t ibs1 = 0, ibs0 = 0, shared = 0;
  auto operator<=>(const Sums&) const = default;
};

Sums sums_of(const SiteBlock& block,
             const std::vector<std::int64_t>& blocks,
             const std::vector<std::uint32_t>& weights,
             std::int64_t i,
             std::int64_t j) {
  static constexpr int dosage[] = {2, -1, 1, 0};
  Sums sums;
  for (std::int64_t site = 0; site < block.sites; ++site) {
    const int x = dosage[block.at(site, i)], y = dosage[block.at(site, j)];
    if (x < 0 || y < 0) continue;
    const auto drawn = weights[static_cast<std::size_t>(blocks[static_cast<std::size_t>(site)])];
    sums.shared += drawn;
    if (std::abs(x - y) == 1) sums.ibs1 += drawn;
    if (std::abs(x - y) == 2) sums.ibs0 += drawn;
  }
  return sums;
}

std::vector<Sums> all_sums(const PairCounts& counts) {
  std::vector<Sums> all;
  for (std::int64_t i = 0; i < counts.samples; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      all.push_back({counts.ibs1.at(i, j), counts.ibs0.at(i, j), counts.shared_at(i, j)});
    }
  }
  return all;
}

/// The replicates' sums of all pairs, one after the other.
std::vector<Sums> replicates(int threads,
                             std::uint64_t memory,
                             const SiteBlock& block,
                             const std::vector<SiteName>& names,
                             const BootstrapParams& params) {
  Context context({.device = "cpu", .threads = threads});
  Cohort cohort(context, std::make_unique<PlacedSource>(block, names));
  std::vector<Sums> all;
  std::int64_t next = 0;
  bootstrap_counts(context, cohort, params, memory, [&](std::int64_t r, const PairCounts& counts) {
    EXPECT_EQ(r, next++);
    const std::vector<Sums> own = all_sums(counts);
    all.insert(all.end(), own.begin(), own.end());
  });
  EXPECT_EQ(next, params.replicates);
  return all;
}

TEST(BlockBootstrap, EveryReplicateIsTheSumOfTheBlocksThatItDraws) {
  constexpr std::int64_t samples = 9, sites = 700, count = 5;
  const std::vector<SiteName> names = names_of(sites);
  for (const double missing : {0.0, 0.05}) {
    const SiteBlock block = random_block(samples, sites, 3, missing);
    for (const SiteBlocks& cut : {SiteBlocks{10'000, true}, SiteBlocks{37, false}}) {
      const BootstrapParams params{count, cut, 11};
      const std::vector<std::int64_t> blocks = blocks_of(names, cut);
      std::vector<Sums> want;
      for (std::int64_t r = 0; r < count; ++r) {
        const auto weights = block_weights(blocks.back() + 1, r, params.seed);
        for (std::int64_t i = 0; i < samples; ++i) {
          for (std::int64_t j = 0; j < i; ++j) {
            want.push_back(sums_of(block, blocks, weights, i, j));
          }
        }
      }
      for (const int threads : {1, 2, 7}) {
        // Memory for all at once, and for one replicate at a time.
        for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{4'205'400}}) {
          EXPECT_EQ(replicates(threads, memory, block, names, params), want);
        }
      }
    }
  }
}

TEST(BlockBootstrap, BlocksEndWithTheirChromosome) {
  const std::vector<SiteName> names = names_of(100);
  const SiteBlock block = random_block(3, 100, 1, 0.1);
  Context context;
  Cohort cohort(context, std::make_unique<PlacedSource>(block, names));
  EXPECT_EQ(block_sizes(cohort, {20, false}), (std::vector<std::int64_t>{20, 13, 20, 20, 20, 7}));
}

// Every change of window began a block: 100 sites that alternate between two windows were 100
// blocks, and support came from draws of single sites.
TEST(BlockBootstrap, RefusesSitesOutOfOrder) {
  const SiteBlock block = random_block(3, 100, 1, 0);
  const auto sizes = [&](const std::vector<SiteName>& names, const SiteBlocks& cut) {
    Context context;
    Cohort cohort(context, std::make_unique<PlacedSource>(block, names));
    return block_sizes(cohort, cut);
  };
  const std::vector<SiteName> sorted = names_of(100);
  std::vector<SiteName> swapped = sorted, apart = sorted;
  std::swap(swapped[70], swapped[90]);
  apart[99].chromosome = "1";
  for (const SiteBlocks& cut : {SiteBlocks{10'000, true}, SiteBlocks{20, false}}) {
    EXPECT_NO_THROW(sizes(sorted, cut));
    EXPECT_THROW(sizes(swapped, cut), Error);
    EXPECT_THROW(sizes(apart, cut), Error);
  }
}

TEST(BlockBootstrap, EachReplicateDrawsAsManyBlocksAsThereAre) {
  std::vector<std::uint64_t> drawn(50);
  for (std::int64_t r = 0; r < 400; ++r) {
    const std::vector<std::uint32_t> weights = block_weights(50, r, 7);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0u), 50u);
    for (std::size_t b = 0; b < 50; ++b) drawn[b] += weights[b];
  }
  for (const std::uint64_t times : drawn) EXPECT_NEAR(static_cast<double>(times), 400, 100);
  EXPECT_NE(block_weights(50, 0, 7), block_weights(50, 1, 7));
  EXPECT_NE(block_weights(50, 0, 7), block_weights(50, 0, 8));
}

TEST(BlockBootstrap, RefusesOneBlockAndTooLittleMemory) {
  std::vector<SiteName> names = names_of(60);
  const SiteBlock block = random_block(4, 60, 1, 0);
  for (SiteName& name : names) name.chromosome = "1";
  EXPECT_THROW(replicates(1, 1 << 30, block, names, {2, {60, false}, 0}), Error);
  EXPECT_THROW(replicates(1, 1000, block, names, {2, {10, false}, 0}), Error);
}

TEST(BlockBootstrap, ReadsTheWordsOfBlock) {
  EXPECT_EQ(site_blocks("100kb").length, 100'000);
  EXPECT_TRUE(site_blocks("100kb").in_base_pairs);
  EXPECT_EQ(site_blocks("500").length, 500);
  EXPECT_FALSE(site_blocks("500").in_base_pairs);
  for (const char* word : {"", "kb", "0", "0kb", "-1", "1.5kb", "100mb", "100 kb", "3000000kb"}) {
    EXPECT_THROW(site_blocks(word), Error) << word;
  }
}

}  // namespace
}  // namespace yupana::genotype
