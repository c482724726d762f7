#include "yupana/splice/protein.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"

namespace yupana::splice {
namespace {

Context reference_context({.device = "reference"});

/// The standard code as tables print it, T, C, A, G: typed apart from the library's.
char amino_of(const std::string& codon) {
  static const std::string order = "TCAG";
  static const std::string amino =
      "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG";
  std::size_t index = 0;
  for (const char base : codon) {
    const std::size_t digit = order.find(base);
    if (digit == std::string::npos) return 'X';
    index = index * 4 + digit;
  }
  return amino[index];
}

std::int64_t best_of_all_chains(const OwnCase& c, const ProteinParams& params) {
  const auto read = [](const std::string& text) {
    std::string protein;
    for (std::size_t i = 0; i + 3 <= text.size(); i += 3) protein += amino_of(text.substr(i, 3));
    return protein;
  };
  const auto score_of = [&](const std::string& text) {
    return global_score(read(text), c.target, params.align) +
           (text.size() % 3 != 0 ? params.partial_codon : 0);
  };
  // Stop codons end a chain, in its last exon.
  const bool reads_over =
      c.target.substr(0, c.target.size() - !c.target.empty()).find('*') != std::string::npos;
  const auto takes = [&](const std::vector<Exon>& chain, const std::string& text) {
    if (!params.stops_end || reads_over) return true;
    std::string protein = read(text);
    if (protein.ends_with('*') && text.size() % 3 == 0 && chain.back().length() >= 3) {
      protein.pop_back();
    }
    return protein.find('*') == std::string::npos;
  };
  const std::int64_t best = best_of_all_chains(c, params.align.min_intron, score_of, takes);
  return best == INT64_MIN ? global_score("", c.target, params.align) : best;
}

TEST(Protein, WorkedExampleKeepsTheFrameOverBothPhases) {
  // ATG|GC.T|GG.. : M A W D *, with introns behind one base of A's codon and two of D's.
  //                 1234 5678901 234567 8901234 5678
  const OwnCase c{
      "ATGG"
      "GTAAAAG"
      "CTTGGGA"
      "GTCCCAG"
      "TTAA",
      {exon(1, 4), exon(12, 18), exon(26, 29), exon(12, 17), exon(1, 3)},
      "MAWD*"};
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    const SplicedAlignment got = align_protein(context, c.view());
    // BLOSUM62: M 5, A 4, W 11, D 6, * 1.
    EXPECT_EQ(got.score, 27) << device;
    ASSERT_EQ(got.chain.size(), 3u);
    EXPECT_EQ(got.chain[0].exon, 0);
    EXPECT_EQ(got.chain[1].exon, 1);
    EXPECT_EQ(got.chain[2].exon, 2);
    // Codons are columns of the exon in which they end: ATG | GCT TGG | GAT TAA.
    EXPECT_EQ(got.chain[0].runs, (std::vector<splice::Run>{{'=', 1}}));
    EXPECT_EQ(got.chain[1].runs, (std::vector<splice::Run>{{'=', 2}}));
    EXPECT_EQ(got.chain[2].runs, (std::vector<splice::Run>{{'=', 2}}));
    EXPECT_EQ(carried_bases(c.exons, got.chain), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(translation(spliced_bases(c.view(), got.chain), {}), "MAWD*");
  }
}

TEST(Protein, EqualsTheBestOfAllChainsOfThousandsOfTinyCasesOnBothBackends) {
  // Stop codons are many in A, G and T, and in A and T.
  const std::string alphabets[] = {"AG", "ACGTN", "AGT", "AT"};
  Context cpu({.device = "cpu", .threads = 1});
  Draw draw(1);
  for (int round = 0; round < 6000; ++round) {
    // Short exons: codons over three of them, exons of one and two bases.
    const OwnCase c = random_protein_case(draw,
                                          {.bases = draw.between(1, 24),
                                           .letters = draw.below(5),
                                           .exons = draw.between(1, 7),
                                           .longest = draw.between(1, 9),
                                           .junction = static_cast<int>(draw.below(2) * 4),
                                           .alphabet = alphabets[draw.below(4)]},
                                          draw.below(2) == 0 ? "KRGE" : all_amino);
    ProteinParams params;
    params.align.gap_open = -static_cast<int>(draw.below(2) * draw.below(6));
    params.align.gap_extend = -static_cast<int>(draw.below(3));
    params.align.min_intron = draw.below(3);
    params.partial_codon = -static_cast<int>(draw.below(5));
    params.stops_end = draw.below(2) == 0;
    if (draw.below(2) == 0) {
      // All letters alike but equal ones: ties are the rule.
      for (int a = 0; a < params.align.substitution.letters; ++a) {
        for (int b = 0; b < params.align.substitution.letters; ++b) {
          params.align.substitution.scores[a * params.align.substitution.letters + b] =
              a == b ? 1 : -1;
        }
      }
    }
    const SplicedAlignment expected = align_protein(reference_context, c.view(), params);
    ASSERT_EQ(expected.score, best_of_all_chains(c, params)) << "round " << round;
    expect_equal(align_protein(cpu, c.view(), params), expected);
    params.align.alignment = false;
    EXPECT_EQ(align_protein(cpu, c.view(), params).score, expected.score);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Protein, CpuEqualsTheReferenceInScoreChainAndColumnsForAnyThreads) {
  Draw draw(2);
  for (const int threads : {1, 2, 7}) {
    Context cpu({.device = "cpu", .threads = threads});
    for (int round = 0; round < 60; ++round) {
      std::vector<OwnCase> cases;
      for (int i = 0; i < 3; ++i) {
        cases.push_back(random_protein_case(draw,
                                            {.bases = draw.between(30, 500),
                                             .letters = draw.between(0, 80),
                                             .exons = draw.between(1, 30),
                                             .longest = draw.between(1, 90),
                                             .junction = static_cast<int>(draw.below(2) * 8),
                                             .alphabet = draw.below(2) == 0 ? "AG" : "ACGT"},
                                            "KRGEAVLSTN*"));
      }
      ProteinParams params;
      params.align.gap_open = -static_cast<int>(draw.below(2) * 5);
      params.align.gap_extend = -static_cast<int>(draw.between(1, 2));
      params.align.min_intron = draw.below(2) * 10;
      params.stops_end = draw.below(2) == 0;
      const std::vector<Case> all = views(cases);
      const auto got = align_protein(cpu, all, params);
      for (std::size_t i = 0; i < all.size(); ++i) {
        expect_equal(got[i], align_protein(reference_context, all[i], params));
      }
      if (testing::Test::HasFailure()) FAIL() << "round " << round;
    }
  }
}

TEST(Protein, LengthsAroundTheVectorsAgreeWithTheReference) {
  Draw draw(3);
  Context cpu({.device = "cpu", .threads = 1});
  for (const std::int64_t letters : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 509}) {
    for (const int open : {0, -4}) {
      const OwnCase c = random_protein_case(
          draw, {.bases = 300, .letters = letters, .exons = 12, .longest = 80}, "KRGEAVLSTN");
      ProteinParams params;
      params.align.gap_open = open;
      expect_equal(align_protein(cpu, c.view(), params),
                   align_protein(reference_context, c.view(), params));
    }
  }
}

TEST(Protein, ACodonMayLieInThreeExonsAndAStopMayBeFormedByAJoin) {
  // T, A, A in three exons, two of them of one base.
  OwnCase c{"ATGTCCACCA", {exon(1, 4), exon(7, 7), exon(10, 10)}, "M*"};
  c.exons[0].exit = c.exons[1].exit = 100;
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    const SplicedAlignment got = align_protein(context, c.view());
    EXPECT_EQ(got.score, 200 + 5 + 1) << device;
    ASSERT_EQ(got.chain.size(), 3u);
    EXPECT_TRUE(got.chain[1].runs.empty());
    EXPECT_EQ(got.chain[2].runs, (std::vector<splice::Run>{{'=', 1}}));
    // A stop codon before the end is scored as the matrix says.
    c.target = "MW";
    EXPECT_EQ(align_protein(context, c.view()).score, 200 + 5 - 4) << device;
    c.target = "M*";
  }
}

TEST(Protein, AStopCodonOverAJunctionWasReadOver) {
  // ATG TG|A GCT TAA: the second exon alone, or, with a base less, TGG CTT and two bases.
  OwnCase c{"ATGTGCCCAGCTTAA", {exon(1, 5), exon(9, 15), exon(10, 15)}, "MCA*"};
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    ProteinParams params;
    const SplicedAlignment over = align_protein(context, c.view(), params);
    EXPECT_EQ(translation(spliced_bases(c.view(), over.chain), {}), "M*A*") << device;
    params.stops_end = true;
    const SplicedAlignment got = align_protein(context, c.view(), params);
    EXPECT_EQ(translation(spliced_bases(c.view(), got.chain), {}), "A*") << device;
    // A protein with a stop codon of its own, or U, reads over.
    c.target = "M*A*";
    EXPECT_EQ(align_protein(context, c.view(), params).score, 5 + 1 + 4 + 1) << device;
    c.target = "MCA*";
  }
}

TEST(Protein, BasesBehindTheLastCodonCostPartialCodonOnce) {
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    for (int extra = 0; extra < 3; ++extra) {
      const OwnCase c{"ATGATGCC", {exon(1, 6 + extra)}, "MM"};
      ProteinParams params;
      params.partial_codon = -7;
      EXPECT_EQ(align_protein(context, c.view(), params).score, 10 - (extra > 0 ? 7 : 0)) << device;
    }
    // Less than a codon: all letters in a gap, no column.
    const SplicedAlignment got = align_protein(context, Case{"AT", std::vector{exon(1, 2)}, "M"});
    EXPECT_EQ(got.score, -12 - 12) << device;
    ASSERT_EQ(got.chain.size(), 1u);
    EXPECT_EQ(got.chain[0].runs, (std::vector<splice::Run>{{'I', 1}}));
  }
}

TEST(Protein, AmbiguousBasesAreXAndLowerCaseAndUAreBases) {
  Context cpu({.device = "cpu", .threads = 1});
  const std::vector<Exon> exons{exon(1, 6)};
  EXPECT_EQ(align_protein(cpu, Case{"augCTN", exons, "mL"}).score, 5 - 1);
  EXPECT_EQ(align_protein(cpu, Case{"AUGRTT", exons, "MX"}).score, 5 - 1);
  // Unknown letters are not equal to each other; J, O and U score as X.
  const SplicedAlignment got = align_protein(cpu, Case{"AUGNNN", exons, "MU"});
  EXPECT_EQ(got.score, 5 - 1);
  EXPECT_EQ(got.chain[0].runs, (std::vector<splice::Run>{{'=', 1}, {'X', 1}}));
}

TEST(Protein, AGapOfCodonsGoesOnOverAJunctionOpenedOnce) {
  // ATG GGG G.GG GGG TGG: three codons without letters, one of them over the junction.
  OwnCase c{"ATGGGGGCCCGGGGGTGG", {exon(1, 7), exon(11, 18)}, "MW"};
  c.exons[0].exit = 1000;
  ProteinParams params;
  params.align.gap_open = -20;
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    const SplicedAlignment got = align_protein(context, c.view(), params);
    EXPECT_EQ(got.score, 1000 + 5 + 11 - 20 - 3) << device;
    ASSERT_EQ(got.chain.size(), 2u);
    EXPECT_EQ(got.chain[0].runs, (std::vector<splice::Run>{{'=', 1}, {'D', 1}}));
    EXPECT_EQ(got.chain[1].runs, (std::vector<splice::Run>{{'D', 2}, {'=', 1}}));
  }
}

TEST(Protein, WithoutExonsTheScoreIsThatOfTheEmptyChain) {
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    EXPECT_EQ(align_protein(context, Case{"ACGT", {}, "MKV"}).score, -14) << device;
    EXPECT_EQ(align_protein(context, Case{"", {}, ""}).score, 0) << device;
    EXPECT_EQ(align_protein(context, Case{"TGG", std::vector{exon(1, 3)}, "W"}).score, 11);
  }
}

TEST(Protein, OtherGeneticCodesReadTheirCodons) {
  const auto read = [](int table, const char* codons) {
    return translation(codons, GeneticCode(table));
  };
  EXPECT_EQ(read(1, "TGAATACTGAGA"), "*ILR");
  EXPECT_EQ(read(2, "TGAATACTGAGA"), "WML*");
  EXPECT_EQ(read(3, "TGAATACTGAGA"), "WMTR");
  EXPECT_EQ(read(4, "TGAATACTGAGA"), "WILR");
  EXPECT_EQ(read(5, "TGAATACTGAGA"), "WMLS");
  EXPECT_EQ(read(6, "TAATAGTGA"), "QQ*");
  EXPECT_EQ(read(12, "CTGTGA"), "S*");
  EXPECT_THROW(GeneticCode(7), Error);
  for (int codon = 0; codon < 64; ++codon) {
    const std::string text{"ACGT"[codon / 16], "ACGT"[codon / 4 % 4], "ACGT"[codon % 4]};
    EXPECT_EQ(translation(text, {})[0], amino_of(text)) << text;
  }
}

TEST(Protein, TheMatrixIsTheOneThatSpalnBrings) {
  std::ifstream file("/usr/share/spaln/table/blosum62");
  if (!file) GTEST_SKIP() << "no /usr/share/spaln/table/blosum62 (Debian package spaln)";
  const Substitution ours = Substitution::blosum62();
  std::string line, letters;
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (line.empty() || line[0] == '#') continue;
    if (letters.empty()) {
      for (char letter; words >> letter;) letters += letter;
      continue;
    }
    char row = 0;
    words >> row;
    for (const char column : letters) {
      int score = 0;
      words >> score;
      EXPECT_EQ(ours.score(row, column), score) << row << column;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 24);
}

TEST(Protein, BadInputIsRefusedWithItsPlace) {
  Context cpu({.device = "cpu", .threads = 1});
  const auto says = [&](const Case& c, const ProteinParams& params, const char* words) {
    test::expect_refusal([&] { align_protein(cpu, c, params); }, words);
  };
  const std::vector<Exon> exons{exon(1, 3)};
  says({"ACGT", exons, "MK-V"}, {}, "target letter 3 is '-'");
  says({"AC!T", exons, "M"}, {}, "base 3 is '!'");
  says({"ACET", exons, "M"}, {}, "base 3 is 'E'");
  ProteinParams params;
  params.align.substitution = Substitution::dna();
  says({"ACGT", exons, "A"}, params, "one without 'E'");
  params = {};
  params.partial_codon = 1;
  says({"ACGT", exons, "A"}, params, "partial codon");
  params = {};
  params.align.gap_extend = -1'000'000;
  const std::string target(2000, 'W');
  const std::string message = test::refusal(
      [&] {
        align_protein(cpu, {"ACGT", exons, target}, params);
      },
      ErrorCode::usage);
  EXPECT_NE(message.find("2000 target letters"), std::string::npos) << message;
  EXPECT_NE(message.find("expected below 268435455"), std::string::npos) << message;
}

TEST(RescoreProtein, RefusesWhatDoesNotAddUp) {
  const OwnCase c{"ATGGCCTGGTAA", {exon(1, 4), exon(5, 12)}, "MAW*"};
  const ProteinParams params;
  const auto chain = align_protein(reference_context, c.view()).chain;
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(rescore_protein(c.view(), chain, params), 21);
  auto broken = chain;
  broken[0].runs[0].operation = 'X';
  EXPECT_THROW(rescore_protein(c.view(), broken, params), Error);
  broken = chain;
  broken.pop_back();
  EXPECT_THROW(rescore_protein(c.view(), broken, params), Error);
  broken = chain;
  broken[1].runs.push_back({'D', 1});
  EXPECT_THROW(rescore_protein(c.view(), broken, params), Error);
}

}  // namespace
}  // namespace yupana::splice
