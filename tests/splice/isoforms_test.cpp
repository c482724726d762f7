#include "yupana/splice/isoforms.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/splice/cases.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/exon_bounds.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {
namespace {

using Chain = std::vector<Exon>;

struct Scored {
  Chain chain;
  std::int64_t score = 0;
};

/// All chains of a few exons, each with its score.
std::vector<Scored> all_chains(const OwnCase& c, const AlignParams& params) {
  std::vector<Scored> chains;
  for (std::size_t set = 1; set < std::size_t{1} << c.exons.size(); ++set) {
    OwnCase some = c;
    some.exons.clear();
    for (std::size_t k = 0; k < c.exons.size(); ++k) {
      if (set >> k & 1) some.exons.push_back(c.exons[k]);
    }
    std::sort(some.exons.begin(), some.exons.end(), [](const Exon& a, const Exon& b) {
      return a.first < b.first;
    });
    std::string text;
    std::int64_t score = some.exons.front().begin + some.exons.back().end;
    bool legal = true;
    for (std::size_t i = 0; i < some.exons.size(); ++i) {
      const Exon& exon = some.exons[i];
      text += c.bases.substr(exon.first - 1, exon.length());
      if (i == 0) continue;
      legal = legal && some.exons[i - 1].last + params.min_intron < exon.first;
      score += some.exons[i - 1].exit + exon.entry;
    }
    if (legal) chains.push_back({some.exons, score + global_score(text, c.target, params)});
  }
  return chains;
}

bool skips_one(const Chain& chain, const Chain& better) {
  return std::any_of(better.begin(), better.end(), [&](const Exon& whole) {
    return std::none_of(chain.begin(), chain.end(), [&](const Exon& exon) {
      return exon.first <= whole.last && exon.last >= whole.first;
    });
  });
}

/// The best score of the chains that skip an exon of each listed one.
std::optional<std::int64_t> best_other(const std::vector<Scored>& all,
                                       const std::vector<Chain>& listed) {
  std::optional<std::int64_t> best;
  for (const Scored& one : all) {
    const bool other = std::all_of(listed.begin(), listed.end(), [&](const Chain& better) {
      return skips_one(one.chain, better);
    });
    if (other && (!best || one.score > *best)) best = one.score;
  }
  return best;
}

Chain chain_of(const OwnCase& c, const SplicedAlignment& alignment) {
  Chain chain;
  for (const ExonAlignment& part : alignment.chain) chain.push_back(c.exons[part.exon]);
  return chain;
}

std::vector<SplicedAlignment> isoforms_of(Context& context,
                                          const OwnCase& c,
                                          const AlignParams& params,
                                          const IsoformParams& isoforms) {
  const AlignAll all = [&](std::span<const Case> some) { return align(context, some, params); };
  std::vector<SplicedAlignment> found = {align(context, c.view(), params)};
  for (SplicedAlignment& next : next_isoforms(c.view(), found.front(), isoforms, all)) {
    found.push_back(std::move(next));
  }
  return found;
}

TEST(Isoforms, AreTheBestOfAllChainsThatSkipAnExonOfEachBetterOne) {
  Draw draw(31);
  Context context({.device = "cpu", .threads = 2});
  std::size_t others = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    OwnCase c = random_case(draw, {60, 1, 9, 14, static_cast<int>(draw.below(2) * 3), "ACG"});
    c.target.clear();
    // Of some exons in order, so that chains gain.
    for (int part = 0; part < 3; ++part) c.target += c.bases.substr(20 * part + draw.below(8), 10);
    AlignParams params;
    params.gap_open = static_cast<int>(-draw.below(3));
    params.gap_extend = -1;
    params.min_intron = draw.below(3);
    const IsoformParams isoforms{5, 0.25 * static_cast<double>(draw.below(4))};
    const std::vector<Scored> all = all_chains(c, params);
    std::vector<Chain> listed;
    std::int64_t first = 0;
    for (const SplicedAlignment& one : isoforms_of(context, c, params, isoforms)) {
      EXPECT_EQ(rescore(c.view(), one.chain, params), one.score);
      if (one.score <= 0) break;
      ASSERT_EQ(best_other(all, listed), one.score);
      listed.push_back(chain_of(c, one));
      if (listed.size() == 1) first = one.score;
    }
    if (first <= 0) continue;
    others += listed.size() - 1;
    if (listed.size() == 5) continue;
    const auto left = best_other(all, listed);
    const double share = left ? double(*left) / double(first) : -1;
    EXPECT_TRUE(share < isoforms.least_share || *left <= 0) << share;
  }
  EXPECT_GT(others, 200U);
}

TEST(Isoforms, WithEvidenceAreTheBestChainsOfItsExonsLessThoseThatDoNotHoldIt) {
  Draw draw(33);
  Context context({.device = "cpu", .threads = 2});
  const AlignParams params;
  const AlignAll align_all = [&](std::span<const Case> some) {
    return align(context, some, params);
  };
  std::size_t others = 0, passed_over = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    OwnCase c = random_case(draw, {60, 1, 9, 14, 0, "ACG"});
    c.target = c.bases.substr(draw.below(8), 12) + c.bases.substr(30 + draw.below(8), 12);
    const SplicedAlignment best = align(context, c.view(), params);
    if (best.score <= 0) continue;
    IsoformEvidence evidence;
    OwnCase some = c;
    some.exons.clear();
    for (const Exon& exon : c.exons) {
      evidence.exons.push_back(draw.below(3) > 0);
      if (evidence.exons.back()) some.exons.push_back(exon);
    }
    // Chains of an even number of exons are taken for good.
    evidence.holds = [](const auto& chain) { return chain.size() % 2 == 0; };
    const std::vector<Scored> all = all_chains(some, params);
    std::vector<Chain> listed = {chain_of(c, best)};
    for (const SplicedAlignment& one :
         next_isoforms(c.view(), best, {100, 0}, align_all, {evidence.exons, {[](const auto&) {
                                                               return true;
                                                             }}})) {
      ASSERT_EQ(best_other(all, listed), one.score);
      listed.push_back(chain_of(c, one));
    }
    std::vector<Chain> good;
    for (const SplicedAlignment& one : next_isoforms(c.view(), best, {3, 0}, align_all, evidence)) {
      good.push_back(chain_of(c, one));
    }
    listed.erase(listed.begin());
    passed_over += std::erase_if(listed, [](const Chain& chain) { return chain.size() % 2; });
    listed.resize(std::min<std::size_t>(listed.size(), 2));
    EXPECT_EQ(good, listed);
    others += good.size();
  }
  EXPECT_GT(others, 100U);
  EXPECT_GT(passed_over, 50U);
}

TEST(Isoforms, OfCompetitiveExonsAreThoseOfAll) {
  Draw draw(32);
  Context context({.device = "cpu", .threads = 1});
  const CandidateParams found;
  const AlignParams params = scaled_for_candidates({}, found);
  const std::string intron = "GTAAGT" + draw.letters(200) + "TTTTCTTTTCCTTTTTTTGCAG";
  OwnCase c{draw.letters(60), {}, ""};
  const auto add = [&](const std::string& exon, bool in_target) {
    c.bases += exon + intron;
    if (in_target) c.target += exon;
  };
  std::string exons[4] = {"ATG", "", "", ""};
  for (std::string& exon : exons) {
    constexpr const char* codons[] = {"GCT", "AAG", "GAC", "CTG", "TGG", "CCA", "GAA", "ATC"};
    for (int codon = 0; codon < 40; ++codon) exon += codons[draw.below(8)];
  }
  add(exons[0], true);
  for (const int k : {1, 2}) {  // and a copy that excludes it
    add(exons[k], true);
    for (const int at : {30, 60, 90}) exons[k][at] = exons[k][at] == 'G' ? 'C' : 'G';
    add(exons[k], false);
  }
  c.bases += exons[3] + "TAA" + draw.letters(60);
  c.target += exons[3] + "TAA";
  c.exons = candidate_exons(context, c.bases, found);
  const IsoformParams isoforms{4, 0.95};
  const ExonBounds bounds(context, c.view(), params);
  const auto few_of = [&](double share) {
    OwnCase few = c;
    few.exons = competitive_exons(context, c.view(), params, bounds, share).exons;
    return few;
  };
  const OwnCase few = few_of(isoforms.least_share);
  EXPECT_LT(few.exons.size(), c.exons.size());
  EXPECT_LT(few_of(1).exons.size(), few.exons.size());
  const auto all = isoforms_of(context, c, params, isoforms);
  const auto some = isoforms_of(context, few, params, isoforms);
  EXPECT_EQ(all.size(), 4U) << "each copy alone, and both";
  ASSERT_EQ(all.size(), some.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(all[k].score, some[k].score);
    EXPECT_EQ(chain_of(c, all[k]), chain_of(few, some[k]));
  }
}

TEST(Isoforms, OfAProteinSkipOneOfTwoExonsThatExcludeEachOther) {
  Context context({.device = "cpu", .threads = 1});
  const std::string before = "ATGGCTAAGTGGCATTGT", after = "GAACGTTTTTATCCGATG";
  OwnCase c;
  c.bases = before + "GTCCAG" + "AAAGACTGGTGC" + "GTCCAG" + "AAAGAATGGTGC" + "GTCCAG" + after;
  c.exons = {exon(1, 18), exon(25, 36), exon(28, 36), exon(43, 54), exon(61, 78)};
  c.target = "MAKWHCKDWCERFYPM";
  const ProteinParams params;
  const AlignAll all = [&](std::span<const Case> some) {
    return align_protein(context, some, params);
  };
  const SplicedAlignment best = align_protein(context, c.view(), params);
  EXPECT_EQ(chain_of(c, best), (Chain{c.exons[0], c.exons[1], c.exons[4]}));
  const auto next = next_isoforms(c.view(), best, {2, 0.9}, all);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(chain_of(c, next[0]), (Chain{c.exons[0], c.exons[3], c.exons[4]}));
  EXPECT_EQ(best.score - next[0].score, 4) << "D and D, D and E";
}

}  // namespace
}  // namespace yupana::splice
