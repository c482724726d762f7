// Sentences about shares, estimates and units are true and add up.
#include <gtest/gtest.h>

#include "yupana/job/describe.hpp"
#include "yupana/job/units.hpp"

namespace yupana::job {
namespace {

using Texts = std::vector<std::string>;

AlphaFindings run_of(double kept, double replaced, double longer, double unreachable) {
  AlphaFindings run;
  run.alpha = run.unit.alpha = 4;
  run.kept_edges = kept;
  run.replaced_edges = replaced;
  run.longer_edges = longer;
  run.unreachable_pairs = unreachable;
  run.method = "symmetric R-Kleene";
  run.lengths_precision = run.weights_precision = "float32";
  return run;
}

std::string sentence_of(const FermatJobParams& params, const AlphaFindings& run) {
  return findings_in_words(params, {run}, std::vector<MatrixFindings>(4)).at(0);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Findings, PercentsAddUpAndNeverReadAsNothingOrAll) {
  EXPECT_EQ(percent_texts({0.99962, 0.00038}), (Texts{"99.96 %", "0.04 %"}));
  EXPECT_EQ(percent_texts({0.5, 0.5}), (Texts{"50.0 %", "50.0 %"}));
  EXPECT_EQ(percent_texts({1, 0}), (Texts{"100.0 %", "0.0 %"}));
  const Texts nearly = percent_texts({1 - 2e-10, 2e-10});
  EXPECT_EQ(nearly, (Texts{"99.99999998 %", "0.00000002 %"}));
}

TEST(Findings, SharesOfAnExactRunAreKeptReplacedAndUnreachable) {
  const FermatJobParams params;
  EXPECT_EQ(
      sentence_of(params, run_of(0.99962, 0.00038, 0, 0)),
      "At α = 4 99.96 % of the pairs keep their direct edge as shortest path; Fermat replaced "
      "the other 0.04 %: it changed little.");
  const std::string apart = sentence_of(params, run_of(0.25, 0.25, 0, 0.5));
  EXPECT_TRUE(has(apart, "25.0 % of the pairs keep")) << apart;
  EXPECT_TRUE(has(apart, "No path joins 50.0 %")) << apart;
  EXPECT_FALSE(has(apart, "the other")) << apart;
  EXPECT_TRUE(has(sentence_of(params, run_of(0, 0, 0, 1)), "every length is infinite"));
  const std::string nothing = sentence_of(params, run_of(0.5, 0, 0, 0.5));
  EXPECT_TRUE(has(nothing, "changed nothing") && has(nothing, "No path joins 50.0 %")) << nothing;
}

// "every pair's direct edge is its own shortest path ... No path joins 50.0 % of the pairs."
TEST(Findings, PairsThatNoPathJoinsHaveNoShortestPath) {
  const std::string apart = sentence_of({}, run_of(0.5, 0, 0, 0.5));
  EXPECT_TRUE(has(apart, "of every pair that a path joins the direct edge is its own")) << apart;
  EXPECT_TRUE(has(sentence_of({}, run_of(1, 0, 0, 0)), "every pair's direct edge is its own"));
}

// 4.4 % replaced at alpha = 64, and not a word of the half that was promised.
TEST(Findings, AlphaAutoSaysWhereItFindsNoHalf) {
  FermatJobParams params;
  params.automatic_alpha = true;
  AlphaFindings run = run_of(0.956, 0.044, 0, 0);
  EXPECT_TRUE(notices_of(params, run).empty());  // at 4 the search has ended well
  run.alpha = 64;
  for (const double replaced : {0.0, 0.005, 0.044, 0.49}) {
    run.kept_edges = 1 - replaced;
    run.replaced_edges = replaced;
    const Texts notices = notices_of(params, run);
    ASSERT_FALSE(notices.empty()) << replaced;
    EXPECT_TRUE(has(notices.back(), "no α up to 64 changes half of the edges")) << notices.back();
  }
  run.kept_edges = run.replaced_edges = 0.5;
  EXPECT_TRUE(notices_of(params, run).empty());
}

TEST(Findings, MatricesAloneHaveNoPicturesAndNoTree) {
  FermatJobParams params;
  params.matrix_only = true;
  AlphaFindings run = run_of(0.995, 0.005, 0, 0);
  run.unit.rooted = true;
  const Texts notices = notices_of(params, run);
  ASSERT_EQ(notices.size(), 2u);
  for (const std::string& notice : notices) {
    for (const char* const word : {"picture", "coordinates", ".nwk", "scores"}) {
      EXPECT_FALSE(has(notice, word)) << notice;
    }
  }
  EXPECT_TRUE(has(notices[1], ".fermat.npy holds F^(1/α).")) << notices[1];
  params.matrix_only = false;
  EXPECT_TRUE(has(notices_of(params, run)[1], ".nwk hold F^(1/α); pictures, coordinates"));
}

TEST(Findings, NearestNeighborsClaimWhatTheyFoundAndNoMore) {
  FermatJobParams params;
  params.fermat.neighbors = 5;
  AlphaFindings run = run_of(0.1, 0.03, 0.2, 0.67);
  run.certified = 0.04;
  run.components = 3;
  const std::string text = sentence_of(params, run);
  EXPECT_TRUE(has(text, "3.0 % of the pairs: so many, at least")) << text;
  EXPECT_TRUE(has(text, "67.0 % are joined by no path")) << text;
  EXPECT_FALSE(has(text, "Fermat replaced") || has(text, "most of the matrix")) << text;
  const Texts notices = notices_of(params, run);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_TRUE(has(notices[0], "3 components") && has(notices[0], "67.0 %")) << notices[0];
  EXPECT_TRUE(has(notices[1], "4.0 % of the lengths are proven")) << notices[1];
  run = run_of(0.9, 0.1, 0, 0);
  run.certified = 1;
  EXPECT_TRUE(has(sentence_of(params, run), "Fermat replaced the other 10.0 %"));
  EXPECT_TRUE(has(notices_of(params, run).back(), "every length is proven"));
}

TEST(Findings, LandmarksAreEstimatesInEverySentence) {
  FermatJobParams params;
  params.fermat.landmarks = 20;
  const AlphaFindings run = run_of(0.995, 0.005, 0, 0);
  std::vector<MatrixFindings> matrices(4);
  for (MatrixFindings& matrix : matrices) matrix.scores.emplace();
  for (const auto estimate : {graph::LandmarkEstimate::upper,
                              graph::LandmarkEstimate::lower,
                              graph::LandmarkEstimate::mean}) {
    params.fermat.estimate = estimate;
    AlphaFindings named = run;
    named.method = "estimate (of some kind) through 20 landmarks";
    for (const std::string& text : findings_in_words(params, {named}, matrices)) {
      EXPECT_TRUE(has(text, "estimate") || has(text, "Estimate")) << text;
      EXPECT_FALSE(has(text, "Fermat replaced") || has(text, "changed")) << text;
    }
    for (const std::string& notice : notices_of(params, named)) {
      EXPECT_FALSE(has(notice, "own shortest path")) << notice;
    }
  }
}

TEST(Findings, AnAlphaIsPrintedWithTheDigitsThatSelectIt) {
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(23.15), "23.15");
  EXPECT_EQ(number_text(2.0000000001), "2.0000000001");
  AlphaFindings run = run_of(0.5, 0.5, 0, 0);
  run.alpha = 23.15;
  EXPECT_TRUE(has(sentence_of({}, run), "α = 23.15 ")) << sentence_of({}, run);
}

TEST(Findings, TwoAxesSayWhatThePicturesShow) {
  std::vector<MatrixFindings> matrices(4);
  matrices[0].share = {0.15, 0.05, 0.02};
  matrices[1].share = {0.2, 0.1};
  matrices[2].share = {0.3, 0.25};
  matrices[3].share = {0.9, 0.03};
  const AlphaFindings run = run_of(0.5, 0.5, 0, 0);
  const auto sentence = [&](const AlphaFindings& of) {
    const Texts texts = findings_in_words({}, {of}, matrices);
    return texts.size() > 1 ? texts[1] : "";
  };
  EXPECT_EQ(sentence(run),
            "Two axes hold 20.0 % of d and 93.0 % of F (of the bare power d^4 55.0 %).");
  matrices[2].share[0] = 1.3;
  EXPECT_TRUE(has(sentence(run), "d^4 155.0 %). More than 100 %: no Euclidean")) << sentence(run);
  EXPECT_EQ(sentence(run_of(1, 0, 0, 0)), "");  // F is the power
  matrices[0].share.pop_back();
  matrices[0].share.pop_back();
  EXPECT_EQ(sentence(run), "");
}

TEST(Findings, ScoresOfSeveralAlphasNameTheirAlpha) {
  std::vector<MatrixFindings> matrices(7);
  for (MatrixFindings& matrix : matrices) matrix.scores.emplace();
  AlphaFindings two = run_of(1, 0, 0, 0), four = run_of(0.5, 0.5, 0, 0);
  two.alpha = 2;
  const Texts texts = findings_in_words({}, {two, four}, matrices);
  ASSERT_EQ(texts.size(), 6u);
  EXPECT_TRUE(has(texts[1], "F beside d^2") && has(texts[2], "F^(1/2) beside d")) << texts[1];
  EXPECT_TRUE(has(texts[4], "F beside d^4") && has(texts[5], "F^(1/4) beside d")) << texts[4];
}

TEST(Findings, AUnitNamesPowerScaleAndRoot) {
  EXPECT_EQ((LengthUnit{2, 1, false}).length_name(), "sum of d^2");
  EXPECT_EQ((LengthUnit{16, 64, false}).length_name(), "sum of (d / 64)^16");
  EXPECT_EQ((LengthUnit{3, 1, true}).length_name(),
            "1/3 power of the sum of d^3, in the unit of d");
  const LengthUnit rooted{300, 64, true};
  EXPECT_EQ(rooted.length_scale(), 1);
  EXPECT_NEAR(rooted.length(rooted.weight(40)), 40, 1e-12);
  EXPECT_EQ((LengthUnit{300, 64, false}).length_scale(), 64);
}

TEST(Findings, EqualAlphasAreComputedOnce) {
  Context context({.device = "cpu"});
  EXPECT_EQ(distinct_alphas(context, {2, 4, 2, 2.0000000001}),
            (std::vector<double>{2, 4, 2.0000000001}));
}

TEST(Findings, MatricesWithoutAnEmbeddingAreNamed) {
  std::vector<MatrixFindings> matrices(2);
  EXPECT_TRUE(notices_of_infinite(matrices).empty());
  matrices[1].name = "d^2";
  matrices[1].finite = false;
  ASSERT_EQ(notices_of_infinite(matrices).size(), 1u);
  EXPECT_TRUE(has(notices_of_infinite(matrices)[0], ": d^2."));
}

}  // namespace
}  // namespace yupana::job
