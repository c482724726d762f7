// --indep-pairwise against the rule written out pair by pair; PLINK itself:
// peers/plink_filters_test.py.
#include "yupana/genotype/ld_prune.hpp"

#include <gtest/gtest.h>

#include "tests/genotype/ld_prune_cases.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/ld_window.hpp"
#include "yupana/genotype/site_names.hpp"

namespace yupana::genotype {
namespace {

using namespace testing;

/// y = x - 1 of the called samples.
struct Site {
  std::vector<int> x;  ///< -1: missing
  std::int64_t minor = 0, called = 0;
};

std::vector<Site> sites_of(const SiteBlock& block) {
  std::vector<Site> sites(static_cast<std::size_t>(block.sites));
  for (std::int64_t k = 0; k < block.sites; ++k) {
    Site& site = sites[static_cast<std::size_t>(k)];
    std::int64_t copies = 0;
    for (std::int64_t i = 0; i < block.samples; ++i) {
      static constexpr int dosage[] = {2, -1, 1, 0};
      const int x = dosage[block.at(k, i)];
      site.x.push_back(x);
      site.called += x >= 0;
      copies += std::max(x, 0);
    }
    site.minor = std::min(copies, 2 * site.called - copies);
  }
  return sites;
}

bool correlated(const Site& a, const Site& b, double max_r2) {
  std::int64_t n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    if (a.x[i] < 0 || b.x[i] < 0) continue;
    ++n;
    x += a.x[i];
    y += b.x[i];
    xx += a.x[i] * a.x[i];
    yy += b.x[i] * b.x[i];
    xy += a.x[i] * b.x[i];
  }
  const auto covariance = static_cast<double>(n * xy - x * y);
  return covariance * covariance > max_r2 * (1 + 0x1p-44) * static_cast<double>(n * xx - x * x) *
                                       static_cast<double>(n * yy - y * y);
}

/// Every window, in passes until nothing changes.
std::vector<bool> prune_by_hand(const SiteBlock& block, const LdPruneParams& params) {
  const std::vector<Site> sites = sites_of(block);
  std::vector<bool> stays(sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k) {
    stays[k] = !correlated(sites[k], sites[k], 0) ? false : true;
  }
  const auto count = static_cast<std::int64_t>(sites.size());
  for (std::int64_t begin = 0; begin < count;) {
    std::int64_t end = begin;
    const std::string chromosome = numbered_site(begin, count).chromosome;
    const std::int64_t first = numbered_site(begin, count).position;
    while (end < count && numbered_site(end, count).chromosome == chromosome &&
           (params.in_base_pairs ? numbered_site(end, count).position <= first + params.window
                                 : end < begin + params.window)) {
      ++end;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int64_t i = begin; i < end; ++i) {
        for (std::int64_t j = i + 1; j < end && stays[i]; ++j) {
          if (!stays[j] || !correlated(sites[i], sites[j], params.max_r2)) continue;
          const bool i_is_rarer =
              sites[i].minor * sites[j].called < sites[j].minor * sites[i].called;
          stays[i_is_rarer ? i : j] = false;
          changed = true;
          break;
        }
      }
    }
    begin += params.step;
    // A step over the end of a chromosome begins the next one at its first site.
    if (begin < count && numbered_site(begin, count).chromosome != chromosome) {
      begin -= numbered_site(begin, count).position - 1;
    }
  }
  return stays;
}

TEST(LdPrune, FollowsTheRule) {
  for (const double missing : {0.0, 0.1}) {
    for (const std::int64_t samples : {2, 63, 64, 65, 513}) {
      const SiteBlock block = correlated_block(samples, 700, 3, missing);
      for (const LdPruneParams& params : {LdPruneParams{10, false, 1, 0.2},
                                          {7, false, 3, 0.5},
                                          {5, false, 5, 0.1},
                                          {12, true, 1, 0.3},
                                          {5000, false, 5, 0.8}}) {
        const std::vector<bool> wanted = prune_by_hand(block, params);
        for (const ContextParams& how : {ContextParams{.device = "cpu", .threads = 1},
                                         {.device = "cpu", .threads = 2},
                                         {.device = "cpu", .threads = 7, .memory = 1 << 16},
                                         {.device = "reference"}}) {
          ASSERT_EQ(prune(block, params, how), wanted)
              << samples << " samples, window " << params.window << ", " << how.threads;
        }
      }
    }
  }
}

TEST(LdPrune, WindowsThatBeginInAnEarlierBlockAreThoseOfOneBlock) {
  SiteBlock block = correlated_block(300, 2000, 5, 0.02);
  name_one_chromosome(block);
  for (const LdPruneParams& params : {LdPruneParams{1500, false, 40, 0.4}, {9000, true, 1, 0.3}}) {
    const std::vector<bool> expected = prune(block, params, {.device = "reference"});
    EXPECT_EQ(prune(block, params, {.device = "cpu", .memory = 1 << 16}), expected);
    EXPECT_EQ(prune(block, params, {.device = "cpu", .threads = 3}), expected);
  }
}

TEST(LdPrune, SumsAreThoseOfTheReferenceOnEveryInstructionSet) {
  for (const std::int64_t samples : {1, 5, 64, 511, 512, 513, 3001}) {
    const SiteBlock block = random_block(samples, 2, 5, 0.2);
    std::vector<std::int64_t> founders;
    for (std::int64_t i = 0; i < samples; i += 1 + i % 2) founders.push_back(i);
    const LdSamples those = {founders, founders};
    LdMemory memory;
    const LdSite a = make_ld_site(block.row(0), those, Backend::reference, memory);
    const LdSite b = make_ld_site(block.row(1), those, Backend::reference, memory);
    const LdSums wanted = reference::ld_sums(a.planes(), b.planes());
    const std::vector<Site> sites = sites_of(block);
    std::int64_t called = 0, product = 0;
    for (const std::int64_t i : founders) {
      const int x = sites[0].x[i], y = sites[1].x[i];
      called += x >= 0 && y >= 0;
      product += x >= 0 && y >= 0 ? (x - 1) * (y - 1) : 0;
    }
    ASSERT_EQ(wanted.called, called);
    ASSERT_EQ(wanted.product, product);
    on_each_instruction_set([&] {
      const LdSite made = make_ld_site(block.row(1), those, Backend::cpu, memory);
      EXPECT_TRUE(std::equal(made.bits.begin(), made.bits.end(), b.bits.begin()));
      EXPECT_EQ(made.own, b.own) << samples;
      EXPECT_EQ(cpu::ld_sums(a.planes(), b.planes()), wanted) << samples;
      EXPECT_EQ(cpu::ld_product(a.planes(), b.planes()), wanted.product);
    });
  }
}

TEST(LdPrune, WordsAreThoseOfPlink) {
  EXPECT_EQ(ld_prune_params({"50", "5", "0.2"}), (LdPruneParams{50, false, 5, 0.2}));
  EXPECT_EQ(ld_prune_params({"50", "0.2"}), (LdPruneParams{50, false, 1, 0.2}));
  EXPECT_EQ(ld_prune_params({"200kb", "1", "0.1"}), (LdPruneParams{200'000, true, 1, 0.1}));
  EXPECT_EQ(ld_prune_params({"0.5", "kb", "0.1"}), (LdPruneParams{500, true, 1, 0.1}));
  EXPECT_THROW(ld_prune_params({"200kb", "5", "0.1"}), Error);
}

}  // namespace
}  // namespace yupana::genotype
