#include "yupana/splice/local_ends.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/splice/cases.hpp"

namespace yupana::splice {
namespace {

/// An alignment with the chain's own exons.
struct Owned {
  std::vector<Exon> exons;
  SplicedAlignment alignment;
};

Owned own(const OwnCase& c, const SplicedAlignment& done) {
  Owned result{{}, done};
  for (ExonAlignment& part : result.alignment.chain) {
    result.exons.push_back(c.exons[part.exon]);
    part.exon = std::ssize(result.exons) - 1;
  }
  return result;
}

/// The score of a chain by rescore(), of the letters that it has alone.
std::int64_t score_of(const OwnCase& c, const AlignParams& params, const Owned& cut) {
  if (cut.alignment.chain.empty()) return 0;
  std::vector<ExonAlignment> chain = cut.alignment.chain;
  const std::int64_t first = chain.front().target_begin, last = chain.back().target_end;
  for (ExonAlignment& part : chain) {
    part.target_begin -= first;
    part.target_end -= first;
  }
  const std::string letters = c.target.substr(first, last - first);
  return rescore({c.bases, cut.exons, letters}, chain, params);
}

/// Columns [from, to) of an alignment, one by one, cut out the plain way.
Owned part_of(const Owned& all, std::int64_t from, std::int64_t to) {
  Owned result;
  std::int64_t column = 0;
  for (const ExonAlignment& part : all.alignment.chain) {
    const Exon& exon = all.exons[part.exon];
    std::int64_t base = exon.first, letter = part.target_begin;
    ExonAlignment kept{std::ssize(result.exons), 0, 0, {}};
    Exon kept_exon = exon;
    kept_exon.begin = kept_exon.end = 0;
    bool any = false;
    for (const auto& run : part.runs) {
      for (std::int64_t i = 0; i < run.length; ++i, ++column) {
        if (column >= from && column < to) {
          if (!any) {
            kept_exon.first = base;
            kept.target_begin = letter;
            any = true;
          }
          if (kept.runs.empty() || kept.runs.back().operation != run.operation) {
            kept.runs.push_back({run.operation, 0});
          }
          ++kept.runs.back().length;
        }
        base += run.operation != 'I';
        letter += run.operation != 'D';
        if (column >= from && column < to) {
          kept_exon.last = base - 1;
          kept.target_end = letter;
        }
      }
    }
    if (!any) continue;
    result.exons.push_back(kept_exon);
    result.alignment.chain.push_back(kept);
  }
  return result;
}

/// The priors of a chain's introns by their lengths' logarithms; none may be longer.
std::optional<std::int64_t> priors_of(const Owned& cut, const StretchParams& stretch) {
  std::int64_t sum = 0;
  for (std::size_t k = 1; k < cut.exons.size(); ++k) {
    const std::int64_t bases = cut.exons[k].first - cut.exons[k - 1].last - 1;
    if (bases > stretch.max_intron) return {};
    int bits = 0;
    while (bases >> bits != 0) ++bits;
    sum += stretch.score_scale * bits / 2;
  }
  return sum;
}

TEST(LocalEnds, AreThoseOfTheBestOfAllStretches) {
  Draw draw(1);
  int cut_ends = 0, emptied = 0;
  for (int round = 0; round < 400; ++round) {
    Shape shape{60, draw.between(1, 25), 8, 25, static_cast<int>(draw.below(4)), "ACGT"};
    const OwnCase c = random_case(draw, shape);
    AlignParams params;
    params.gap_open = -static_cast<int>(draw.below(3));
    params.gap_extend = -static_cast<int>(draw.between(1, 2));
    StretchParams stretch{static_cast<int>(draw.below(2)) * 3 + 1};
    if (draw.below(2) == 0) stretch.max_intron = draw.between(0, 20);
    Context context;
    const SplicedAlignment done = align(context, c.view(), params);
    const Owned all = own(c, done);
    std::int64_t columns = 0, best = 0;
    for (const ExonAlignment& part : done.chain) {
      for (const auto& run : part.runs) columns += run.length;
    }
    for (std::int64_t from = 0; from < columns; ++from) {
      for (std::int64_t to = from + 1; to <= columns; ++to) {
        const Owned part = part_of(all, from, to);
        // Exons without a base, of insertions alone, are none that a chain may have.
        const auto is_empty = [](const Exon& exon) { return exon.last < exon.first; };
        if (std::any_of(part.exons.begin(), part.exons.end(), is_empty)) continue;
        const auto priors = priors_of(part, stretch);
        if (priors) best = std::max(best, score_of(c, params, part) - *priors);
      }
    }
    Owned cut = all;
    keep_best_stretch(c.view(), params, stretch, cut.exons, cut.alignment);
    ASSERT_TRUE(priors_of(cut, stretch)) << round;
    ASSERT_EQ(cut.alignment.score - *priors_of(cut, stretch), best) << round;
    ASSERT_EQ(score_of(c, params, cut), cut.alignment.score) << round;
    for (const Exon& exon : cut.exons) ASSERT_TRUE(exon.begin == 0 && exon.end == 0);
    emptied += cut.alignment.chain.empty();
    cut_ends += !cut.alignment.chain.empty() && cut.alignment.chain != done.chain;
  }
  EXPECT_GT(cut_ends, 100);
  EXPECT_GT(emptied, 0);
}

/// The most that letters and bases behind a place add up to, all of each tried.
std::int64_t best_extension(const std::string& bases,
                            const std::string& letters,
                            const AlignParams& params) {
  std::int64_t best = 0;
  for (std::size_t i = 0; i <= bases.size(); ++i) {
    for (std::size_t j = 0; j <= letters.size(); ++j) {
      best = std::max(best, global_score(bases.substr(0, i), letters.substr(0, j), params));
    }
  }
  return best;
}

TEST(LocalEnds, AStretchEndedWhereTheNextLettersHadBeenPutIntoAnotherExon) {
  Draw draw(2);
  int extended = 0;
  for (int round = 0; round < 300; ++round) {
    Shape shape{60, draw.between(1, 16), 8, 25, static_cast<int>(draw.below(4)), "AC"};
    const OwnCase c = random_case(draw, shape);
    AlignParams params;
    params.gap_open = -static_cast<int>(draw.below(3));
    params.gap_extend = -static_cast<int>(draw.between(1, 2));
    Context context;
    Owned cut = own(c, align(context, c.view(), params));
    keep_best_stretch(c.view(), params, {}, cut.exons, cut.alignment);
    std::int64_t expected = cut.alignment.score;
    if (!cut.alignment.chain.empty()) {
      const auto reversed = [](std::string text) {
        std::reverse(text.begin(), text.end());
        return text;
      };
      const std::string bases_before = c.bases.substr(0, cut.exons.front().first - 1);
      const std::string before = c.target.substr(0, cut.alignment.chain.front().target_begin);
      expected += best_extension(reversed(bases_before), reversed(before), params);
      expected += best_extension(c.bases.substr(cut.exons.back().last),
                                 c.target.substr(cut.alignment.chain.back().target_end),
                                 params);
    }
    extended += expected > cut.alignment.score;
    extend_stretch(c.view(), params, cut.exons, cut.alignment);
    ASSERT_EQ(cut.alignment.score, expected) << round;
    ASSERT_EQ(score_of(c, params, cut), expected) << round;
  }
  EXPECT_GT(extended, 30);
}

TEST(LocalEnds, AreExtendedByHundredsOfLettersWithGaps) {
  Draw draw(3);
  const std::string own_letters = draw.letters(700);
  OwnCase c{own_letters, {exon(300, 309)}, own_letters};
  c.target.erase(500, 3);
  c.target.insert(100, "A");
  Owned cut{{exon(300, 309)}, {10, {{0, 300, 310, {{'=', 10}}}}}};
  AlignParams params;
  params.gap_open = -3;
  extend_stretch(c.view(), params, cut.exons, cut.alignment);
  EXPECT_EQ(cut.exons, std::vector{exon(1, 700)});
  EXPECT_EQ(cut.alignment.score, 697 - (3 + 2) - (3 + 3 * 2));
  EXPECT_EQ(score_of(c, params, cut), cut.alignment.score);
}

}  // namespace
}  // namespace yupana::splice
