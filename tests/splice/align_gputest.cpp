#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA

#include "tests/splice/cancel.hpp"
#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/devices_cuda.hpp"

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

// Narrow and wide strips, few and all lanes, either table of packed scores, 32 bits.
const std::vector<cuda::Tuning> ways = {{},
                                        {.columns = 2, .lanes = 2},
                                        {.columns = 2, .lanes = 5},
                                        {.columns = 2, .lanes = 16, .eight_letters = true},
                                        {.columns = 4, .lanes = 2},
                                        {.columns = 4, .lanes = 8},
                                        {.columns = 8, .lanes = 32},
                                        {.columns = 8, .lanes = 3, .eight_letters = true},
                                        {.columns = 4, .lanes = 2, .wide = true},
                                        {.columns = 8, .lanes = 32, .wide = true}};

void expect_agreement(const std::vector<OwnCase>& cases,
                      const AlignParams& params,
                      const std::vector<SplicedAlignment>& expected) {
  const std::vector<Case> all = views(cases);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const auto got = cuda::align(cuda_context(), all, params, ways[way]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (params.alignment) {
        expect_equal(got[i], expected[i]);
      } else {
        EXPECT_EQ(got[i].score, expected[i].score);
      }
      if (testing::Test::HasFailure()) {
        FAIL() << "way " << way << ", case " << i << ": " << cases[i].exons.size() << " exons, "
               << cases[i].bases << " against " << cases[i].target;
      }
    }
  }
}

void expect_agreement(const std::vector<OwnCase>& cases, AlignParams params) {
  const auto expected = align(reference_context, views(cases), params);
  expect_agreement(cases, params, expected);
  params.alignment = false;
  expect_agreement(cases, params, expected);
}

TEST(AlignCuda, WorkedExampleHasItsScoreChainAndLastRows) {
  YUPANA_NEEDS_GPU();
  expect_worked_example(cuda_context());
}

TEST(AlignCuda, EqualsTheReferenceInThousandsOfTinyCasesFullOfTies) {
  YUPANA_NEEDS_GPU();
  Draw draw(11);
  for (int round = 0; round < 24; ++round) {
    AlignParams params;
    params.gap_open = round % 2 == 0 ? 0 : -static_cast<int>(draw.between(1, 3));
    params.gap_extend = -static_cast<int>(draw.below(3));
    params.min_intron = draw.below(3);
    params.substitution = Substitution::dna(static_cast<int>(draw.below(3)) + 1, -1);
    std::vector<OwnCase> cases;
    for (int i = 0; i < 250; ++i) {
      cases.push_back(random_case(draw,
                                  {.bases = draw.between(1, 14),
                                   .letters = draw.below(10),
                                   .exons = draw.below(7),
                                   .longest = draw.between(1, 6),
                                   .junction = static_cast<int>(draw.below(2) * draw.below(4)),
                                   .alphabet = draw.below(2) == 0 ? "AC" : "ACGTN"}));
    }
    expect_agreement(cases, params);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TEST(AlignCuda, EqualsTheReferenceAroundTheWidthsOfStripsAndBlocks) {
  YUPANA_NEEDS_GPU();
  Draw draw(12);
  for (const int open : {0, -4}) {
    std::vector<OwnCase> cases;
    for (const std::int64_t letters :
         {0,   1,   2,   3,   4,   7,   8,   15,  16,  30,  31,  32,   33,   63,   64,  65,
          127, 128, 129, 255, 256, 257, 509, 511, 512, 513, 767, 1023, 1024, 1025, 1531}) {
      for (const char* alphabet : {"ACGT", "AC"}) {
        cases.push_back(random_case(draw,
                                    {.bases = 400,
                                     .letters = letters,
                                     .exons = draw.between(1, 25),
                                     .longest = draw.between(1, 90),
                                     .junction = static_cast<int>(draw.below(2) * 6),
                                     .alphabet = alphabet}));
      }
    }
    AlignParams params;
    params.gap_open = open;
    params.gap_extend = open == 0 ? -2 : -1;
    expect_agreement(cases, params);
  }
}

TEST(AlignCuda, ManyExonsOfOneStartAreReadOnTheWay) {
  YUPANA_NEEDS_GPU();
  Draw draw(13);
  for (const int open : {0, -3}) {
    std::vector<OwnCase> cases;
    for (int i = 0; i < 12; ++i) {
      OwnCase c{draw.letters(600), {}, draw.letters(draw.between(0, 300))};
      for (int k = 0; k < 120; ++k) {
        const std::int64_t first = 1 + 40 * draw.below(10);
        Exon x = exon(first, first + draw.below(150));
        x.exit = static_cast<std::int32_t>(draw.between(-4, 4));
        x.entry = static_cast<std::int32_t>(first % 3);
        c.exons.push_back(x);
      }
      cases.push_back(std::move(c));
    }
    AlignParams params;
    params.gap_open = open;
    params.gap_extend = -1;
    params.min_intron = 5;
    expect_agreement(cases, params);
  }
}

TEST(AlignCuda, ScoresBeyondSixteenBitsAreDoneInThirtyTwo) {
  YUPANA_NEEDS_GPU();
  Draw draw(14);
  OwnCase c = random_case(draw, {.bases = 400, .letters = 300, .exons = 10, .longest = 100});
  EXPECT_FALSE(align(cuda_context(), c.view()).wide);
  AlignParams params;
  params.substitution = Substitution::dna(200, -200);
  params.gap_extend = -20;
  const SplicedAlignment got = align(cuda_context(), c.view(), params);
  EXPECT_TRUE(got.wide);
  expect_equal(got, align(reference_context, c.view(), params));
  // Here only the sum of many junctions passes 16 bits, which is seen on the way; the case beside
  // it stays in 16.
  OwnCase chained = c;
  chained.exons.clear();
  for (int k = 0; k < 40; ++k) {
    chained.exons.push_back(exon(1 + 10 * k, 5 + 10 * k));
    chained.exons.back().exit = 2000;
  }
  const auto both = align(cuda_context(), views({c, chained}), {});
  EXPECT_FALSE(both[0].wide);
  EXPECT_TRUE(both[1].wide);
  EXPECT_GT(both[1].score, 70000);
  expect_equal(both[0], align(reference_context, c.view()));
  expect_equal(both[1], align(reference_context, chained.view()));
}

TEST(AlignCuda, AnyMatrixOfAnyLetters) {
  YUPANA_NEEDS_GPU();
  Draw draw(15);
  const std::string letters = "ARNDCQEGHILKMFPSTWYV";
  std::vector<int> scores(400);
  for (int& score : scores) score = static_cast<int>(draw.between(-6, 9));
  AlignParams params;
  params.substitution = Substitution::matrix(letters, scores);
  for (const int open : {0, -9}) {
    params.gap_open = open;
    std::vector<OwnCase> cases;
    for (int i = 0; i < 20; ++i) {
      cases.push_back(random_case(draw,
                                  {.bases = 200,
                                   .letters = draw.between(1, 200),
                                   .exons = 12,
                                   .longest = 40,
                                   .alphabet = i % 2 == 0 ? letters : "ARNDCQE"}));
    }
    expect_agreement(cases, params);
  }
}

TEST(AlignCuda, GiantExonsOfTwentyThousandBasesBesideOnesOfOne) {
  YUPANA_NEEDS_GPU();
  Draw draw(16);
  OwnCase c{draw.letters(20'100), {exon(50, 20'049), exon(1, 1), exon(20'100, 20'100)}, "ACGTAC"};
  c.exons.push_back(exon(2, 20'000));  // overlapping giants
  expect_equal(align(cuda_context(), c.view()), align(reference_context, c.view()));
  // A chain that must hold a giant, in one piece and in slabs of its rows.
  c.exons = {exon(50, 20'049)};
  for (const std::int64_t letters : {6, 900}) {
    c.target = draw.letters(letters);
    const Case view = c.view();
    for (const int open : {0, -5}) {
      AlignParams params;
      params.gap_open = open;
      const auto expected = align(cpu_context(), view, params);
      for (const std::int64_t slab : {0, 4096}) {
        const auto got =
            cuda::align(cuda_context(), std::span(&view, 1), params, {.slab_rows = slab});
        expect_equal(got[0], expected);
      }
    }
  }
}

TEST(AlignCuda, RowsAreKeptInTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  Draw draw(23);
  std::vector<OwnCase> cases;
  for (const std::int64_t letters : {200, 1024, 1531}) {
    cases.push_back(
        random_case(draw, {.bases = 900, .letters = letters, .exons = 120, .longest = 90}));
  }
  AlignParams params;
  params.gap_open = -4;
  const LimitedGpu limited;
  expect_agreement(cases, params);
}

TEST(AlignCuda, SlabsOfFewRowsGiveTheSameAlignment) {
  YUPANA_NEEDS_GPU();
  Draw draw(17);
  for (const int open : {0, -3}) {
    AlignParams params;
    params.gap_open = open;
    std::vector<OwnCase> cases;
    for (int i = 0; i < 20; ++i) {
      cases.push_back(random_case(draw, {.bases = 300, .letters = 120, .exons = 9, .longest = 80}));
    }
    const auto expected = align(reference_context, views(cases), params);
    for (const std::int64_t slab : {1, 2, 5, 33}) {
      const auto got = cuda::align(cuda_context(), views(cases), params, {.slab_rows = slab});
      for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(got[i], expected[i]);
    }
  }
}

TEST(AlignCuda, OddMixesInSmallMemoryGiveWhatEachGivesAlone) {
  YUPANA_NEEDS_GPU();
  Draw draw(18);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 300; ++i) {
    const bool large = i % 50 == 7;
    cases.push_back(random_case(draw,
                                {.bases = large ? 9000 : draw.between(1, 500),
                                 .letters = large ? 2500 : draw.below(180),
                                 .exons = large ? 200 : draw.below(25),
                                 .longest = large ? 300 : 60,
                                 .alphabet = i % 3 == 0 ? "ACGTRYN" : "ACGT"}));
  }
  cases.push_back({"", {}, ""});
  cases.push_back({"ACGT", {}, "ACG"});
  const auto all = views(cases);
  const auto expected = align(cpu_context(), all);
  std::uint64_t memory = 0;
  for (const std::uint64_t wanted : {std::uint64_t{0}, std::uint64_t{64} << 20}) {
    memory = wanted;
    const auto got = cuda::align(cuda_context(), all, {}, {.memory = memory});
    for (std::size_t i = 0; i < all.size(); ++i) expect_equal(got[i], expected[i]);
  }
  for (const std::size_t flights : {1, 2, 3, 5}) {
    const auto got = cuda::align(cuda_context(), all, {}, {.upload = 5000, .flights = flights});
    for (std::size_t i = 0; i < all.size(); ++i) expect_equal(got[i], expected[i]);
  }
  test::expect_refusal([&] { cuda::align(cuda_context(), all, {}, {.memory = 1000}); },
                       "of GPU memory",
                       ErrorCode::out_of_resources);
}

/// Cases of sizes far apart, so that the devices' shares are odd.
std::vector<OwnCase> mixed_cases(Draw& draw, int count) {
  std::vector<OwnCase> cases;
  for (int i = 0; i < count; ++i) {
    cases.push_back(random_case(draw,
                                {.bases = draw.between(40, 2500),
                                 .letters = draw.below(700),
                                 .exons = draw.below(40),
                                 .longest = draw.between(1, 200)}));
  }
  return cases;
}

TEST(AlignCuda, OnAllDevicesHasTheAlignmentsOfOne) {
  YUPANA_NEEDS_GPU();
  if (yupana::cuda::device_count() < 2) GTEST_SKIP() << "one GPU only";
  Draw draw(19);
  Context all({.device = "cuda"});
  for (const int open : {0, -4}) {
    AlignParams params;
    params.gap_open = open;
    // Fewer cases than devices too.
    for (const int count : {0, 1, 2, 3, 5, 300}) {
      const auto cases = mixed_cases(draw, count);
      const auto expected = align(cuda_context(), views(cases), params);
      const auto got = align(all, views(cases), params);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(got[i], expected[i]);
    }
  }
}

TEST(AlignCuda, OneDeviceNamedSeveralTimesIsSharedAsSeveralAre) {
  YUPANA_NEEDS_GPU();
  Draw draw(24);
  Context several({.device = "cuda:0,0,0"});
  ASSERT_EQ(several.devices().size(), 3u);
  for (const int count : {1, 2, 3, 4, 100}) {
    const auto cases = mixed_cases(draw, count);
    const auto expected = align(cpu_context(), views(cases));
    const auto got = align(several, views(cases));
    for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(got[i], expected[i]);
  }
}

TEST(AlignCuda, LongestCasesAreDealtFirstToTheDeviceWithTheLeastWork) {
  YUPANA_NEEDS_GPU();
  const std::vector<double> work{1, 9, 3, 7, 2};
  const std::vector<std::size_t> order{1, 3, 2, 4, 0};
  EXPECT_EQ(deal(order, work, 1), (std::vector<std::vector<std::size_t>>{order}));
  EXPECT_EQ(deal(order, work, 2), (std::vector<std::vector<std::size_t>>{{1, 4}, {3, 2, 0}}));
  EXPECT_EQ(deal(order, work, 7).size(), 7u);
}

// Kernels of some seconds. Cancelled when they are at work for sure, they are over within a second.
TEST(AlignCuda, CancelEndsARunningKernelWithinASecond) {
  YUPANA_NEEDS_GPU();
  Draw draw(23);
  OwnCase c{draw.letters(60'000'000), {}, draw.letters(60)};
  for (int k = 0; k < 6; ++k) c.exons.push_back(exon(1 + 10'000'000 * k, 10'000'000 * (k + 1)));
  const Case view = c.view();
  for (const bool alignment : {false, true}) {
    AlignParams params;
    params.alignment = alignment;
    expect_cancelled([&](Context& context) {
      cuda::align(context, std::span(&view, 1), params, {.columns = 8, .lanes = 32});
    });
  }
}

TEST(AlignCuda, OneHugeCaseEqualsTheCpu) {
  YUPANA_NEEDS_GPU();
  Draw draw(20);
  const OwnCase c = random_case(
      draw, {.bases = 400'000, .letters = 2355, .exons = 500, .longest = 270, .alphabet = "ACGT"});
  for (const int open : {0, -4}) {
    AlignParams params;
    params.gap_open = open;
    expect_equal(align(cuda_context(), c.view(), params), align(cpu_context(), c.view(), params));
  }
}

}  // namespace
}  // namespace yupana::splice
#else

TEST(AlignCuda, NeedsTheCudaBuild) { YUPANA_NEEDS_GPU(); }
#endif
