#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/splice/align.hpp"

namespace yupana::splice {

/// A problem that owns what it is made of.
struct OwnCase {
  std::string bases;
  std::vector<Exon> exons;
  std::string target;
  Case view() const { return {bases, exons, target}; }
};

inline std::vector<Case> views(const std::vector<OwnCase>& cases) {
  std::vector<Case> result;
  for (const OwnCase& c : cases) result.push_back(c.view());
  return result;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : words_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(words_.word() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t a, std::int64_t b) { return a + below(b - a + 1); }
  std::string letters(std::int64_t n, std::string_view alphabet = "ACGT") {
    std::string text;
    for (std::int64_t i = 0; i < n; ++i) text += alphabet[below(std::ssize(alphabet))];
    return text;
  }

 private:
  RandomSequence words_;
};

inline Exon exon(std::int64_t first, std::int64_t last) {
  Exon result;
  result.first = first;
  result.last = last;
  return result;
}

struct Shape {
  std::int64_t bases = 10;
  std::int64_t letters = 6;
  std::int64_t exons = 4;
  std::int64_t longest = 5;
  int junction = 0;  ///< scores of begin, entry, exit and end are at most this, either way
  std::string alphabet = "ACGT";
};

inline OwnCase random_case(Draw& draw, const Shape& shape) {
  OwnCase c{
      draw.letters(shape.bases, shape.alphabet), {}, draw.letters(shape.letters, shape.alphabet)};
  for (std::int64_t k = 0; k < shape.exons; ++k) {
    Exon x;
    x.first = draw.between(1, shape.bases);
    x.last = std::min(shape.bases, x.first + draw.below(shape.longest));
    if (shape.junction > 0) {
      const auto score = [&] {
        return static_cast<std::int32_t>(draw.between(-shape.junction, shape.junction));
      };
      x.begin = score(), x.entry = score(), x.exit = score(), x.end = score();
    }
    c.exons.push_back(x);
  }
  return c;
}

inline const std::string all_amino = "ARNDCQEGHILKMFPSTWYV*X";

inline OwnCase random_protein_case(Draw& draw,
                                   const Shape& shape,
                                   const std::string& amino = all_amino) {
  OwnCase c = random_case(draw, shape);
  c.target = draw.letters(shape.letters, amino);
  return c;
}

/// The worked example of the definition.
inline OwnCase worked_example() {
  return {"ACCGTATGT", {exon(1, 2), exon(3, 4), exon(4, 5), exon(6, 8), exon(8, 9)}, "CCGGT"};
}

/// Its chain is the first, second and fifth exon, and the last rows are the definition's: ended by
/// exon k, the score against j letters.
inline void expect_worked_example(Context& context) {
  const OwnCase c = worked_example();
  const SplicedAlignment got = align(context, c.view());
  EXPECT_EQ(got.score, 3);
  std::vector<std::int64_t> chain;
  for (const ExonAlignment& part : got.chain) chain.push_back(part.exon);
  EXPECT_EQ(chain, (std::vector<std::int64_t>{0, 1, 4})) << "1-2, 3-4, 8-9";
  const std::vector<Exon> two = {exon(3, 4), exon(8, 9)};
  EXPECT_EQ(align(context, {c.bases, two, c.target}).score, 2) << "3-4, 8-9 alone";
  constexpr std::int64_t rows[5][6] = {{-4, -1, 0, -2, -4, -6},
                                       {-4, -1, 0, 1, 0, -2},
                                       {-4, -3, -2, -1, 0, 0},
                                       {-6, -5, -4, -1, -2, -1},
                                       {-4, -3, -2, -1, 0, 3}};
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t j = 0; j <= 5; ++j) {
      OwnCase last = c;
      last.exons[k].end = 1000;  // the chain has to end with this exon
      last.target.resize(j);
      EXPECT_EQ(align(context, last.view()).score - 1000, rows[k][j]) << k << " " << j;
    }
  }
}

/// The best score of all chains of a few exons that `takes`: of their junctions and
/// score_of(joined bases).
template <class Score, class Legal>
std::int64_t best_of_all_chains(const OwnCase& c,
                                std::int64_t min_intron,
                                const Score& score_of,
                                const Legal& takes) {
  const std::size_t count = c.exons.size();
  std::int64_t best = INT64_MIN;
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    std::vector<Exon> chain;
    for (std::size_t k = 0; k < count; ++k) {
      if (set >> k & 1) chain.push_back(c.exons[k]);
    }
    std::sort(
        chain.begin(), chain.end(), [](const Exon& a, const Exon& b) { return a.first < b.first; });
    std::string text;
    std::int64_t score = chain.front().begin + chain.back().end;
    bool legal = true;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      text += c.bases.substr(chain[i].first - 1, chain[i].length());
      if (i == 0) continue;
      legal = legal && chain[i - 1].last + min_intron < chain[i].first;
      score += chain[i - 1].exit + chain[i].entry;
    }
    if (legal && takes(chain, text)) best = std::max(best, score + score_of(text));
  }
  return best;
}
template <class Score>
std::int64_t best_of_all_chains(const OwnCase& c, std::int64_t min_intron, const Score& score_of) {
  return best_of_all_chains(c, min_intron, score_of, [](const auto&, const auto&) { return true; });
}

/// What two backends must agree on.
inline void expect_equal(const SplicedAlignment& a, const SplicedAlignment& b) {
  EXPECT_EQ(a.score, b.score);
  ASSERT_EQ(a.chain.size(), b.chain.size());
  for (std::size_t i = 0; i < a.chain.size(); ++i) {
    EXPECT_EQ(a.chain[i].exon, b.chain[i].exon);
    EXPECT_EQ(a.chain[i].target_begin, b.chain[i].target_begin);
    EXPECT_EQ(a.chain[i].target_end, b.chain[i].target_end);
    EXPECT_EQ(a.chain[i].runs, b.chain[i].runs);
  }
}

/// Global alignment of two texts with affine gaps, over all states: shares nothing with the
/// library but the scores of letters.
inline std::int64_t global_score(const std::string& a, const std::string& b, const AlignParams& p) {
  constexpr std::int64_t low = -1'000'000'000;
  const std::size_t n = b.size();
  std::vector<std::int64_t> best[3];  // ends in a pair, a gap of a, a gap of b
  for (auto& row : best) row.assign(n + 1, low);
  best[0][0] = 0;
  const std::int64_t open = p.gap_open + p.gap_extend, extend = p.gap_extend;
  for (std::size_t j = 1; j <= n; ++j) best[2][j] = p.gap_open + p.gap_extend * std::int64_t(j);
  for (const char base : a) {
    std::vector<std::int64_t> next[3];
    for (auto& row : next) row.assign(n + 1, low);
    for (std::size_t j = 0; j <= n; ++j) {
      next[1][j] = std::max({best[0][j] + open, best[2][j] + open, best[1][j] + extend});
      if (j == 0) continue;
      const std::int64_t before = std::max({best[0][j - 1], best[1][j - 1], best[2][j - 1]});
      next[0][j] = before + p.substitution.score(base, b[j - 1]);
      next[2][j] =
          std::max({next[0][j - 1] + open, next[1][j - 1] + open, next[2][j - 1] + extend});
    }
    for (int s = 0; s < 3; ++s) best[s] = next[s];
  }
  return std::max({best[0][n], best[1][n], best[2][n]});
}

}  // namespace yupana::splice
