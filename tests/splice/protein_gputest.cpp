#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include "tests/splice/cancel.hpp"
#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

Context reference_context({.device = "reference"});

Context& cuda_context() {
  static Context context({.device = "cuda:0"});
  return context;
}
Context& cpu_context() {
  static Context context({.device = "cpu"});
  return context;
}

/// Of align_protein() with the device's context, alignments and scores alone.
void expect_agreement(Context& context,
                      const std::vector<OwnCase>& cases,
                      ProteinParams params,
                      const std::vector<SplicedAlignment>& expected) {
  const std::vector<Case> all = views(cases);
  for (const bool alignment : {true, false}) {
    params.align.alignment = alignment;
    const auto got = cuda::align_protein(context, all, params);
    ASSERT_EQ(got.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(got[i].score, expected[i].score);
      if (alignment) expect_equal(got[i], expected[i]);
      if (testing::Test::HasFailure()) {
        std::string exons;
        for (const Exon& x : cases[i].exons) exons += fmt::format(" {}..{}", x.first, x.last);
        FAIL() << "case " << i << ":" << exons << "; " << cases[i].bases << " against "
               << cases[i].target << "; alignment " << alignment;
      }
    }
  }
}

TEST(ProteinCuda, EqualsCpuAndReferenceInThousandsOfTinyCasesFullOfTies) {
  YUPANA_NEEDS_GPU();
  // Stop codons are many in A, G and T, and in A and T.
  const std::string alphabets[] = {"AG", "ACGTN", "AGT", "AT"};
  Draw draw(31);
  for (int round = 0; round < 30; ++round) {
    ProteinParams params;
    params.align.gap_open = -static_cast<int>(draw.below(2) * draw.below(6));
    params.align.gap_extend = -static_cast<int>(draw.below(3));
    params.align.min_intron = draw.below(3);
    params.partial_codon = -static_cast<int>(draw.below(5));
    params.stops_end = round % 4 < 2;
    if (round % 2 == 0) {
      // All letters alike but equal ones: ties are the rule.
      const int letters = params.align.substitution.letters;
      for (int a = 0; a < letters; ++a) {
        for (int b = 0; b < letters; ++b) {
          params.align.substitution.scores[a * letters + b] = a == b ? 1 : -1;
        }
      }
    }
    std::vector<OwnCase> cases;
    for (int i = 0; i < 300; ++i) {
      // Short exons: codons over three of them, exons of one and two bases.
      cases.push_back(random_protein_case(draw,
                                          {.bases = draw.between(1, 30),
                                           .letters = draw.below(6),
                                           .exons = draw.below(9),
                                           .longest = draw.between(1, 9),
                                           .junction = static_cast<int>(draw.below(2) * 4),
                                           .alphabet = alphabets[draw.below(4)]},
                                          draw.below(2) == 0 ? "KRGE" : all_amino));
    }
    const auto expected = align_protein(reference_context, views(cases), params);
    const auto on_cpu = align_protein(cpu_context(), views(cases), params);
    for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(on_cpu[i], expected[i]);
    expect_agreement(cuda_context(), cases, params, expected);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TEST(ProteinCuda, EqualsTheReferenceAroundStripsWarpsAndBlocks) {
  YUPANA_NEEDS_GPU();
  Draw draw(32);
  for (const int open : {0, -11}) {
    std::vector<OwnCase> cases;
    for (const std::int64_t letters :
         {0, 1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 254, 255, 256, 257, 511, 512, 513, 769}) {
      for (const char* alphabet : {"ACGT", "AG"}) {
        cases.push_back(random_protein_case(draw,
                                            {.bases = 700,
                                             .letters = letters,
                                             .exons = draw.between(1, 14),
                                             .longest = draw.between(1, 300),
                                             .junction = static_cast<int>(draw.below(2) * 9),
                                             .alphabet = alphabet},
                                            "KRGEAVLSTN*"));
      }
    }
    ProteinParams params;
    params.align.gap_open = open;
    const auto expected = align_protein(reference_context, views(cases), params);
    expect_agreement(cuda_context(), cases, params, expected);
  }
}

TEST(ProteinCuda, LongExonsOverManyBlocksEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  Draw draw(33);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 6; ++i) {
    OwnCase c = random_protein_case(draw,
                                    {.bases = 60'000,
                                     .letters = draw.between(1, 3000),
                                     .exons = 60,
                                     .longest = i < 2 ? 20'000 : 900},
                                    all_amino);
    cases.push_back(std::move(c));
  }
  // A target that follows its exons, so that the path runs on diagonals through all blocks.
  OwnCase true_gene = cases.front();
  true_gene.exons = {exon(100, 1300), exon(1501, 4600), exon(5000, 8005), exon(4700, 4701)};
  std::vector<ExonAlignment> chain(3);
  for (int k = 0; k < 3; ++k) chain[k].exon = k;
  true_gene.target = translation(spliced_bases(true_gene.view(), chain), {});
  for (std::size_t i = 0; i < true_gene.target.size(); i += 9) true_gene.target[i] = 'W';
  true_gene.target.erase(1000, 5);
  cases.push_back(true_gene);
  for (const int open : {0, -11}) {
    ProteinParams params;
    params.align.gap_open = open;
    expect_agreement(
        cuda_context(), cases, params, align_protein(cpu_context(), views(cases), params));
  }
}

TEST(ProteinCuda, JunctionScoresOfManyCandidatesEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  Draw draw(34);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 4; ++i) {
    cases.push_back(random_protein_case(
        draw,
        {.bases = 9000, .letters = 400, .exons = 900, .longest = 250, .junction = 40},
        all_amino));
  }
  ProteinParams params;
  params.align.min_intron = 30;
  expect_agreement(
      cuda_context(), cases, params, align_protein(cpu_context(), views(cases), params));
}

std::vector<OwnCase> mixed_cases(Draw& draw, int count) {
  std::vector<OwnCase> cases;
  for (int i = 0; i < count; ++i) {
    cases.push_back(random_protein_case(draw,
                                        {.bases = draw.between(40, 2500),
                                         .letters = draw.below(500),
                                         .exons = draw.below(30),
                                         .longest = draw.between(1, 200)},
                                        all_amino));
  }
  return cases;
}

TEST(ProteinCuda, SmallMemoryGivesTheSameInSeveralBatches) {
  YUPANA_NEEDS_GPU();
  Draw draw(35);
  const auto cases = mixed_cases(draw, 80);
  const auto expected = align_protein(cpu_context(), views(cases));
  const auto got = cuda::align_protein(cuda_context(), views(cases), {}, {.memory = 8 << 20});
  for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(got[i], expected[i]);
  test::expect_refusal(
      [&] { cuda::align_protein(cuda_context(), views(cases), {}, {.memory = 1000}); },
      "of GPU memory",
      ErrorCode::out_of_resources);
}

TEST(ProteinCuda, OnAllDevicesHasTheAlignmentsOfOne) {
  YUPANA_NEEDS_GPU();
  Draw draw(36);
  // One device three times is dealt to as three are.
  for (const std::string device : {"cuda:0,0,0", "cuda"}) {
    Context all({.device = device});
    for (const int count : {0, 1, 2, 3, 5, 150}) {
      const auto cases = mixed_cases(draw, count);
      const auto expected = align_protein(cpu_context(), views(cases));
      const auto got = align_protein(all, views(cases));
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(got[i], expected[i]);
    }
  }
}

TEST(ProteinCuda, WithoutExonsOrLettersTheScoreIsThatOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const std::vector<Exon> whole{exon(1, 3)}, two{exon(1, 2)};
  for (const Case& c : {Case{"ACGT", {}, "MKV"},
                        Case{"", {}, ""},
                        Case{"TGG", whole, "W"},
                        Case{"TGG", whole, ""},
                        Case{"TGG", two, "W"},
                        Case{"TGG", two, ""}}) {
    expect_equal(align_protein(cuda_context(), c), align_protein(cpu_context(), c));
  }
}

TEST(ProteinCuda, CancelEndsARunningKernelWithinASecond) {
  YUPANA_NEEDS_GPU();
  Draw draw(37);
  OwnCase c{draw.letters(90'000'000), {}, draw.letters(60, all_amino)};
  for (int k = 0; k < 9; ++k) c.exons.push_back(exon(1 + 10'000'000 * k, 10'000'000 * (k + 1)));
  const Case view = c.view();
  ProteinParams params;
  params.align.alignment = false;
  expect_cancelled(
      [&](Context& context) { cuda::align_protein(context, std::span(&view, 1), params); });
}

}  // namespace
}  // namespace yupana::splice
#else

TEST(ProteinCuda, NeedsTheCudaBuild) { YUPANA_NEEDS_GPU(); }
#endif
