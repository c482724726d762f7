#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/site_blocks.hpp"
#include "yupana/genotype/grm.hpp"

/// Relationships of made-up blocks, for CPU and GPU tests.
namespace yupana::genotype::testing {

/// Sites of every frequency, some without variation or without a call.
inline SiteBlock mixed_block(std::int64_t samples,
                             std::int64_t sites,
                             double missing,
                             std::uint64_t seed) {
  SiteBlock block = random_block(samples, sites, seed, missing);
  const Random random(seed, 1);
  for (std::int64_t site = 0; site < sites; ++site) {
    const double frequency = random.uniform(site);
    for (std::int64_t i = 0; i < samples; ++i) {
      if (block.at(site, i) == missing_call) continue;
      const Random call(seed, 2);
      const int x = (call.uniform(2 * (site * samples + i)) < frequency) +
                    (call.uniform(2 * (site * samples + i) + 1) < frequency);
      constexpr int codes[3] = {homozygous_a2, heterozygous, homozygous_a1};
      set_code(block, site, i, site % 29 == 3 ? int{homozygous_a2} : codes[x]);
      if (site % 31 == 7 && missing > 0) set_code(block, site, i, missing_call);
    }
  }
  return block;
}

inline CallBlock calls_of(const SiteBlock& from, Range sites, std::vector<std::int64_t> samples) {
  CallBlock block;
  block.codes = SiteBlock(from.samples, sites.size());
  block.codes.sites = sites.size();
  std::memcpy(block.codes.codes.data(), from.row(sites.begin), sites.size() * from.stride);
  block.complete = true;
  for (std::int64_t site = sites.begin; site < sites.end; ++site) {
    for (const std::int64_t i : samples) block.complete &= from.at(site, i) != missing_call;
  }
  block.samples = std::move(samples);
  return block;
}

struct Run {
  const char* device = "cpu";
  int threads = 2;
  std::int64_t block_sites = 1 << 20;
  GrmParams params = {};
};

inline Grm grm_of(const SiteBlock& block, const Run& run, std::vector<std::int64_t> samples = {}) {
  if (samples.empty()) samples = identity(block.samples);
  Context context({.device = run.device, .threads = run.threads});
  GrmCounter counter(context, std::ssize(samples), run.params);
  for (std::int64_t begin = 0; begin < block.sites; begin += run.block_sites) {
    const Range sites = {begin, std::min(begin + run.block_sites, block.sites)};
    counter.add(calls_of(block, sites, samples));
  }
  return counter.take();
}

inline void expect_same(const Grm& a, const Grm& b) {
  ASSERT_EQ(a.sites, b.sites);
  for (std::int64_t i = a.rows.begin; i < a.rows.end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      ASSERT_EQ(a.shared(i, j), b.shared(i, j)) << i << ' ' << j;
      if (a.shared(i, j) == 0) continue;
      ASSERT_EQ(a.at(i, j), b.at(i, j)) << i << " " << j;
    }
  }
}

}  // namespace yupana::genotype::testing
