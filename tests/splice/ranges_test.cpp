#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {
namespace {

using test::refusal;

void expect_words(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(Ranges, ScoresThatWrapWhenTheyAreScaledAreRefused) {
  AlignParams params;
  for (const int score : {1'073'741'825, max_unscaled_score + 1, INT_MIN}) {
    params.substitution = Substitution::dna(score, -1);
    expect_words(refusal([&] { scaled_for_candidates(params, {}); }), "250000");
  }
  params = {};
  params.gap_extend = INT_MIN;
  expect_words(refusal([&] { scaled_for_candidates(params, {}); }), "250000");
  ProteinParams protein;
  protein.partial_codon = -1'073'741'825;
  expect_words(refusal([&] { protein_for_candidates(protein, {}); }), "250000");
  params = {};
  params.substitution = Substitution::dna(max_unscaled_score, -max_unscaled_score);
  EXPECT_EQ(scaled_for_candidates(params, {}).substitution.highest(), largest_score);
}

TEST(Ranges, SmallestWholeNumberIsNoScore) {
  Context context(ContextParams{.device = "cpu", .threads = 1});
  AlignParams params;
  params.substitution = Substitution::dna(1, INT_MIN);
  refusal([&] { align(context, {"ACGT", {}, "AC"}, params); });
}

// Every backend has the 32-bit bound and reports it before any work.
TEST(Ranges, SumsBeyondThirtyTwoBitsAreUsageErrors) {
  const std::string bases(100, 'A');
  const std::vector<Exon> exons = {exon(1, 100)};
  AlignParams params;
  params.substitution = Substitution::dna(largest_score, -1);
  params.gap_extend = 0;
  const std::string fits(536, 'A'), too_long(537, 'A');
  for (const char* device : {"cpu", "reference"}) {
    Context context(ContextParams{.device = device, .threads = 1});
    EXPECT_EQ(align(context, {bases, exons, fits}, params).score, 100 * largest_score);
    expect_words(refusal(
                     [&] {
                       align(context, {bases, exons, too_long}, params);
                     },
                     ErrorCode::usage),
                 "at most 999759");
  }
}

TEST(Ranges, SumsOfProteinsBeyondTheirBitsAreUsageErrors) {
  Context context(ContextParams{.device = "cpu", .threads = 1});
  ProteinParams params;
  params.align.gap_open = params.align.gap_extend = -largest_score;
  const std::string bases(300, 'A'), target(200, 'K');
  const std::vector<Exon> exons = {exon(1, 300)};
  refusal(
      [&] {
        check_proteins(context, std::vector<Case>{{bases, exons, target}}, params);
      },
      ErrorCode::usage);
}

TEST(Ranges, NumbersThatAreNoneOfCandidatesAreRefused) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  double CandidateParams::*const members[] = {&CandidateParams::junction_weight,
                                              &CandidateParams::junction_cost,
                                              &CandidateParams::missing_signal,
                                              &CandidateParams::min_donor,
                                              &CandidateParams::min_acceptor,
                                              &CandidateParams::min_gc_donor};
  for (double CandidateParams::*const member : members) {
    for (const double value : {nan, infinity, -infinity, 1e6}) {
      CandidateParams params;
      params.*member = value;
      expect_words(refusal([&] { candidate_exons("ACGT", params); }), "expected a number from");
    }
  }
  CandidateParams params;
  params.max_exon = std::numeric_limits<std::int64_t>::max();
  refusal([&] { candidate_exons("ACGT", params); });
}

TEST(Ranges, IntronsBeyondAnyGenomeAreRefused) {
  Context context(ContextParams{.device = "cpu", .threads = 1});
  const std::vector<Exon> exons = {exon(1, 2), exon(3, 4)};
  AlignParams params;
  params.min_intron = std::numeric_limits<std::int64_t>::max();
  refusal([&] { align(context, {"ACGT", exons, "AC"}, params); });
}

TEST(Ranges, AnUnknownGeneticCodeIsToldTheKnownOnes) {
  const std::string text = refusal([] { GeneticCode(7); });
  for (const GeneticCodeName& one : genetic_code_names()) {
    expect_words(text, std::to_string(one.table) + " " + one.name);
    EXPECT_EQ(GeneticCode(one.table).table(), one.table);
  }
}

}  // namespace
}  // namespace yupana::splice
