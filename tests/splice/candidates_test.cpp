#include "yupana/splice/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/exon_ends.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/species.hpp"

namespace yupana::splice {
namespace {

std::string letters_of(const std::filesystem::path& fasta) {
  std::ifstream stream(fasta);
  std::string letters, line;
  while (std::getline(stream, line)) {
    if (!line.starts_with('>')) letters += line;
  }
  return letters;
}

using Ends = std::set<std::pair<std::int64_t, std::int64_t>>;

Ends ends_of(const std::vector<Exon>& exons) {
  Ends ends;
  for (const Exon& x : exons) ends.emplace(x.first, x.last);
  return ends;
}

std::vector<std::int8_t> codes_of(std::string_view bases) {
  std::vector<std::int8_t> codes;
  for (const char letter : bases) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
  return codes;
}

TEST(Candidates, ConsensusSitesScoreHighAndOtherLettersNothing) {
  const SiteModels& human = site_models(Species::vertebrate);
  EXPECT_GT(donor_odds(human, "CAGGTAAGT", 3), 10);
  EXPECT_LT(donor_odds(human, "CAGCTAAGT", 3), donor_odds(human, "CAGGTAAGT", 3) - 8);
  EXPECT_EQ(acceptor_odds(human, "TTTTTTTTTTTTTTTTTCTTG", 19),
            acceptor_odds(human, "TTTTTTTTTTTTTTTTTCTGG", 19))
      << "another pair than AG is one chance, whichever it is";
  EXPECT_GT(acceptor_odds(human, "TTTTTTTTTTTTTTTTTCAGG", 19), 10);
  EXPECT_EQ(acceptor_odds(human, "GGGGGGGGGGGGGGGGGCAGG", 19),
            acceptor_odds(human, "AGAGAGAGAGAGAGAGGCAGG", 19))
      << "one intron in 64 has any bases there";
  EXPECT_EQ(donor_odds(human, "NNNNNNNNN", 3), 0);
  EXPECT_EQ(donor_odds(human, "", 3), 0) << "beyond the ends of the text";
}

TEST(Candidates, APlantsDonorHadTheOddsOfChanceByHumanModels) {
  const SiteModels& human = site_models(Species::vertebrate);
  const double plant = donor_odds(site_models(Species::plant), "TCGGTTTTA", 3);
  EXPECT_GT(donor_odds(human, "TCGGTTTTA", 3), plant - 5);
  EXPECT_GT(donor_odds(site_models(Species::plant), "CAGGACGTC", 3) + 2,
            donor_odds(human, "CAGGACGTC", 3))
      << "GA is as rare in plants";
}

TEST(Candidates, ChanceExonsOfFiveBasesCostNoMoreThanLongOnes) {
  const auto entry_and_exit = [](std::size_t length) {
    const std::string bases = "TTTTTTTTTTTTTTTTTCAG" + std::string(length, 'C') + "GTAAGT";
    const std::vector<Exon> exons = candidate_exons(bases);
    const auto one = std::ranges::find(exons, std::ssize(bases) - 6, &Exon::last);
    EXPECT_NE(one, exons.end());
    return one->entry + one->exit;
  };
  EXPECT_EQ(entry_and_exit(20), entry_and_exit(200));
  EXPECT_NEAR(entry_and_exit(5), entry_and_exit(20) - 2 * candidate_scale * 0.6 * 2, 1);
}

TEST(Candidates, SitesOfASpeciesAreWorthMostByItsOwnModels) {
  const std::pair<Species, const char*> donors[] = {{Species::vertebrate, "CAGGTGAGT"},
                                                    {Species::worm, "TTTGTAAGA"},
                                                    {Species::plant, "AAGGTTTTT"},
                                                    {Species::yeast, "TTTGTATGT"}};
  for (const auto& [species, site] : donors) {
    for (const auto& [other, unused] : donors) {
      if (other == species) continue;
      EXPECT_GT(donor_odds(site_models(species), site, 3), donor_odds(site_models(other), site, 3))
          << site << " by " << intron_prior(other).name;
    }
  }
  const char* worm = "AAAATTTAAATTATTTTCAGA";
  EXPECT_GT(acceptor_odds(site_models(Species::worm), worm, 19),
            acceptor_odds(site_models(Species::vertebrate), worm, 19) + 4);
}

TEST(Candidates, FragmentsOfProteinsHadNoPlacesToBeginAndEnd) {
  // Each amino acid once, then again from the last to the first.
  std::string coding = "GCTTGTGATGAATTTGGTCATATTAAACTTATGAATCCTCAACGTTCTACTGTTTGGTAT";
  for (std::size_t at = coding.size(); at > 0; at -= 3) coding += coding.substr(at - 3, 3);
  const std::string whole = translation(coding, {});
  const std::string fragment = whole.substr(5, 30);
  const auto ends = [&](const std::string& after, const std::string& protein) {
    return find_protein_ends(nullptr, codes_of("CC" + coding + after), protein, {});
  };
  const std::string far = "GCTGCTGCTGCTGCTGCTTAA", soon = "GCTGCTTAA";
  using Places = std::vector<std::int64_t>;
  EXPECT_EQ(ends(far, fragment).starts, Places{18});
  EXPECT_EQ(ends(far, fragment).ends, Places{107});
  EXPECT_EQ(ends(soon, fragment).ends, Places{}) << "the gene's own stop codon";
  EXPECT_EQ(ends(far, fragment + '*').ends, Places{});
  EXPECT_EQ(ends(far, whole.substr(10, 25)).starts, Places{}) << "begins with M";
  std::string relative = fragment;
  relative[0] = relative[29] = relative[5] = relative[24] = 'W';
  EXPECT_EQ(ends(far, relative).starts, Places{18});
  EXPECT_EQ(ends(far, relative).ends, Places{107});
  EXPECT_EQ(ends(far, "").starts, Places{});
}

TEST(Candidates, SharesOfTheFourBasesAddUpToAll) {
  for (const Species species : {Species::vertebrate,
                                Species::worm,
                                Species::fly,
                                Species::plant,
                                Species::yeast,
                                Species::fungi}) {
    const auto sum = [](const std::array<double, 4>& odds) {
      double shares = 0;
      for (const double one : odds) shares += std::exp2(one) / 4;
      return shares;
    };
    for (const auto& odds : site_models(species).donor) EXPECT_NEAR(sum(odds), 1, 0.021);
    for (const auto& odds : site_models(species).acceptor) EXPECT_NEAR(sum(odds), 1, 0.021);
  }
}

TEST(Candidates, SpeciesWithoutU12IntronsHaveNoSitesOfThem) {
  const std::string bases = "CAGATATCCTTATT";
  const auto ends = [&](Species species) {
    Context context({.device = "cpu"});
    CandidateParams params;
    params.coding = false;
    return ends_of(candidate_exons(context, "ATG" + bases, site_models(species), params));
  };
  EXPECT_TRUE(ends(Species::vertebrate).count({1, 6}));
  EXPECT_FALSE(ends(Species::worm).count({1, 6}));
}

TEST(Candidates, ConsensusSitesOfU12IntronsScoreAsHighAsThoseOfOthers) {
  const auto donor = [](std::string_view bases) { return minor_donor_odds(codes_of(bases), 0); };
  EXPECT_GT(donor("ATATCCTT"), 9);
  EXPECT_LT(donor("ATATCGAT"), 1);
  EXPECT_EQ(donor(""), donor("NNNNNNNN")) << "beyond the ends of the text";
  const auto acceptor = [](std::string_view bases) {
    return minor_acceptor_odds(codes_of(bases), std::ssize(bases) - 1);
  };
  EXPECT_GT(acceptor("TTCCTTAACGTGAGTGACAC"), 9);
  EXPECT_LT(acceptor("TTCCTTAACGTGAGTGAAAC"), acceptor("TTCCTTAACGTGAGTGACAC") - 3) << "a purine";
  EXPECT_LT(acceptor("TTCCTTAACCAC"), 0) << "the branch point is too near";
  EXPECT_LT(acceptor(""), 0);
  EXPECT_EQ(donor("GTATCCTT"), donor("ATATCCTT"));
  EXPECT_EQ(acceptor("TTCCTTAACGTGAGTGACAG"), acceptor("TTCCTTAACGTGAGTGACAC"));
}

TEST(Candidates, SitesHaveTheBetterOddsOfBothKindsOfIntrons) {
  const SiteModels& human = site_models(Species::vertebrate);
  const auto best = [](const SiteModels& models, std::string_view bases) {
    return best_donor_odds(models, {bases, codes_of(bases)}, 3);
  };
  for (const std::string_view bases : {"CAGATATCCTT", "CAGGTATCCTT"}) {
    EXPECT_EQ(best(human, bases), minor_donor_odds(codes_of(bases), 3));
    EXPECT_EQ(best(site_models(Species::worm), bases),
              donor_odds(site_models(Species::worm), bases, 3));
  }
  EXPECT_EQ(best(human, "CAGGTAAGT"), donor_odds(human, "CAGGTAAGT", 3));
  const std::string_view end = "TTCCTTAACGTGAGTGACAGA";
  EXPECT_EQ(best_acceptor_odds(human, {end, codes_of(end)}, 19),
            minor_acceptor_odds(codes_of(end), 19));
}

TEST(Candidates, AreAllPairsOfSignalsWithAnOpenFrame) {
  // ATG at 3, its frame stops at 9; AG at 15 makes 17 a first base; GT behind 21.
  const std::string bases = "CCATGCCCTAACCCAGCCCAGGTAAGTCC";
  CandidateParams params;
  params.min_donor = params.min_acceptor = params.min_gc_donor = -1000;
  params.gc_donors = false;
  const Ends ends = ends_of(candidate_exons(bases, params));
  EXPECT_TRUE(ends.count({3, 11})) << "ATG to its stop: a gene of one exon";
  EXPECT_FALSE(ends.count({3, 21})) << "a stop codon in the frame of ATG";
  EXPECT_TRUE(ends.count({17, 21})) << "AG to GT";
  params.coding = false;
  EXPECT_TRUE(ends_of(candidate_exons(bases, params)).count({3, 21}));
  params.max_exon = 10;
  EXPECT_FALSE(ends_of(candidate_exons(bases, params)).count({3, 21}));
}

TEST(Candidates, OfOtherGeneticCodesReadOverTga) {
  std::string bases = "ATG";
  for (int i = 0; i < 20; ++i) bases += i % 4 == 1 ? "TGA" : "GCC";
  bases += "TAA";
  const auto has_whole = [&](int table) {
    CandidateParams params;
    params.code = GeneticCode(table);
    const std::vector<Exon> exons = candidate_exons(bases, params);
    return std::any_of(exons.begin(), exons.end(), [&](const Exon& exon) {
      return exon.first == 1 && exon.last == std::ssize(bases);
    });
  };
  EXPECT_FALSE(has_whole(1));
  EXPECT_TRUE(has_whole(4));   // TGA is W
  EXPECT_FALSE(has_whole(6));  // TGA is the only stop codon
}

TEST(Candidates, AnEndOfTwoKindsListedItsExonTwice) {
  // GT follows the stop codon TAG: base 28 ends an exon before an intron, and a gene.
  const std::string bases = "ACGTAGCCCCCCCCCCCCCCCCCCCTAGGT";
  const std::vector<Exon> exons = candidate_exons(bases);
  ASSERT_EQ(exons.size(), ends_of(exons).size());
  const auto both = std::ranges::find_if(exons, [](const Exon& x) { return x.last == 28; });
  ASSERT_NE(both, exons.end());
  EXPECT_EQ(both->first, 7);
  EXPECT_EQ(both->end, 0) << "as the stop codon's";
  EXPECT_GT(both->exit, -candidate_scale * 100) << "as the donor's";
}

/// Whether `a` scores more than `b` somewhere in a chain.
bool is_better_somewhere(const Exon& a, const Exon& b) {
  for (const auto start : {&Exon::begin, &Exon::entry}) {
    for (const auto stop : {&Exon::exit, &Exon::end}) {
      if (a.*start + a.*stop > b.*start + b.*stop) return true;
    }
  }
  return false;
}

TEST(Candidates, OfExonsListedTwiceEachIsBetterSomewhere) {
  Draw draw(1);
  std::size_t all = 0, listed_twice = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const std::string bases = draw.letters(1000);
    const std::vector<Exon> exons = candidate_exons(bases);
    all += exons.size();
    for (std::size_t i = 1; i < exons.size(); ++i) {
      const Exon &a = exons[i - 1], &b = exons[i];
      ASSERT_LE(std::pair(a.first, a.last), std::pair(b.first, b.last));
      if (a.first != b.first || a.last != b.last) continue;
      ++listed_twice;
      EXPECT_TRUE(is_better_somewhere(a, b) && is_better_somewhere(b, a));
    }
  }
  EXPECT_GT(listed_twice, 0u) << "from ATG to a stop codon, or in the midst of a chain, not both";
  EXPECT_LT(listed_twice, all / 100);
}

TEST(Candidates, TextsWithoutSignalsHaveNone) {
  for (const char* bases : {"", "A", "AT", "CCCCCCCC", "NNNNNNNNNNNN"}) {
    EXPECT_TRUE(candidate_exons(bases).empty()) << bases;
  }
}

TEST(Candidates, TheCapLeavesOutTheWeakestSites) {
  Draw draw(1);
  const std::string bases = draw.letters(5000);
  CandidateParams params;
  params.coding = false;
  const std::size_t all = candidate_exons(bases, params).size();
  params.max_exons = static_cast<std::int64_t>(all / 4);
  const auto some = candidate_exons(bases, params);
  EXPECT_LE(some.size(), all / 4);
  EXPECT_GT(some.size(), 0u);
  EXPECT_EQ(ends_of(some), ends_of(candidate_exons(bases, params)));
}

TEST(Candidates, TheCapHoldsWhereNoSpliceSiteIsLeft) {
  Draw draw(1);
  const std::string bases = draw.letters(5000);
  CandidateParams params;
  params.min_donor = params.min_gc_donor = params.min_acceptor = 1000;
  const std::vector<Exon> genes = candidate_exons(bases, params);
  ASSERT_GT(genes.size(), 20u) << "from ATG to a stop codon";
  for (const std::int64_t most : {1, 7}) {
    params.max_exons = most;
    const std::vector<Exon> kept = candidate_exons(bases, params);
    ASSERT_EQ(std::ssize(kept), most);
    std::vector<std::int64_t> lengths, longest;
    for (const Exon& x : genes) longest.push_back(x.length());
    for (const Exon& x : kept) lengths.push_back(x.length());
    std::sort(lengths.rbegin(), lengths.rend());
    std::sort(longest.rbegin(), longest.rend());
    longest.resize(lengths.size());
    EXPECT_EQ(lengths, longest);
  }
}

TEST(Candidates, BadParametersAreRefused) {
  CandidateParams params;
  params.max_exon = 2;
  test::refusal([&] { candidate_exons("ACGT", params); });
}

TEST(Candidates, StopWhenTheContextIsCancelled) {
  const std::string bases = "CCATGGCCAAGGTAAGTCCCTTTTTCCCTTTTTCAGGCCTGACC";
  Context context(ContextParams{.device = "cpu", .threads = 1});
  EXPECT_EQ(ends_of(candidate_exons(context, bases)), ends_of(candidate_exons(bases)));
  context.cancel();
  test::refusal([&] { candidate_exons(context, bases); }, ErrorCode::interrupted);
}

const std::filesystem::path vertebrate_genes =
    std::filesystem::path(YUPANA_SHARED_DATA) / "splice/vertebrate_cds";

struct Recovered {
  std::int64_t found = 0;     ///< true exons that are in the chains
  std::int64_t all = 0;       ///< true exons
  std::int64_t reported = 0;  ///< exons of the chains

  void add(const std::filesystem::path& gene,
           const std::vector<Exon>& exons,
           const SplicedAlignment& got) {
    Ends chain;
    for (const ExonAlignment& part : got.chain) {
      chain.emplace(exons[part.exon].first, exons[part.exon].last);
    }
    reported += std::ssize(chain);
    std::ifstream truth(gene / "exons.tsv");
    std::string header;
    std::getline(truth, header);
    for (std::int64_t first, last; truth >> first >> last; ++all) {
      found += static_cast<std::int64_t>(chain.count({first, last}));
    }
  }
};

TEST(Candidates, RecoverTheExonsOfTenVertebrateGenesExactly) {
  if (!std::filesystem::exists(vertebrate_genes)) GTEST_SKIP() << "none at " << vertebrate_genes;
  Context context({.device = "cpu", .threads = 2});
  Recovered sum;
  for (const auto& gene : std::filesystem::directory_iterator(vertebrate_genes)) {
    const std::string bases = letters_of(gene.path() / "genomic.fa");
    const std::string target = letters_of(gene.path() / "target_cdna.fa");
    const auto exons = candidate_exons(bases, {}, target);
    sum.add(gene, exons, align(context, {bases, exons, target}, scaled_for_candidates({}, {})));
  }
  EXPECT_EQ(sum.all, 88);
  EXPECT_GE(sum.found, 86);
}

TEST(Candidates, RecoverEveryExonOfTenVertebrateGenesWithProteins) {
  if (!std::filesystem::exists(vertebrate_genes)) GTEST_SKIP() << "none at " << vertebrate_genes;
  Context context({.device = "cpu", .threads = 2});
  const CandidateParams candidates = candidates_for_proteins();
  Recovered sum;
  for (const auto& gene : std::filesystem::directory_iterator(vertebrate_genes)) {
    const std::string bases = letters_of(gene.path() / "genomic.fa");
    std::string target = translation(letters_of(gene.path() / "target_cdna.fa"), {});
    if (!target.ends_with('*')) target += '*';
    const auto exons = candidate_exons(bases, candidates);
    sum.add(gene,
            exons,
            align_protein(context, {bases, exons, target}, protein_for_candidates({}, candidates)));
  }
  EXPECT_EQ(sum.all, 88);
  EXPECT_EQ(sum.found, 88);
  EXPECT_EQ(sum.reported, 88);
}

}  // namespace
}  // namespace yupana::splice
