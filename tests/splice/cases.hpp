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
