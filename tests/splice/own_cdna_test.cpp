#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/splice/cases.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::splice {
namespace {

using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// What stands at the ends of an intron, and between.
struct Intron {
  std::string donor = "GTAAGT";
  std::string acceptor = "TTTTCTTTTCCTTTTTTTGCAG";
  std::int64_t length = 200;
};

/// A gene of three exons in random bases, whose cDNA is its own.
struct Gene {
  std::string bases, cdna;
  Places places;

  Gene(Draw& draw, const Intron& intron, const std::vector<std::int64_t>& lengths) {
    bases = draw.letters(1000);
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      std::string exon = codons(draw, lengths[k]);
      if (k == 0) exon.replace(0, 3, "ATG");
      if (k + 1 == lengths.size()) exon += "TAA";
      if (k > 0) {
        const auto between = intron.length - std::ssize(intron.donor) - std::ssize(intron.acceptor);
        bases += intron.donor + draw.letters(between) + intron.acceptor;
      }
      places.emplace_back(std::ssize(bases) + 1, std::ssize(bases) + std::ssize(exon));
      bases += exon;
      cdna += exon;
    }
    bases += draw.letters(1000);
  }

 private:
  static std::string codons(Draw& draw, std::int64_t length) {
    static constexpr const char* without_stop[] = {"GCT", "GAC", "AAG", "CTG", "TCC", "GAA", "CAT"};
    std::string text;
    while (std::ssize(text) < length) text += without_stop[draw.below(7)];
    return text;
  }
};

Places places_of(const Gene& gene, const std::string& target) {
  Context context({.device = "cpu", .threads = 1});
  const auto exons = candidate_exons(gene.bases, {}, target);
  Places places;
  for (const ExonAlignment& part :
       align(context, {gene.bases, exons, target}, scaled_for_candidates({}, {})).chain) {
    places.emplace_back(exons[part.exon].first, exons[part.exon].last);
  }
  return places;
}

/// Six genes of random bases; each exon of each of them.
void expect_own_exons(const Intron& intron, const std::vector<std::int64_t>& lengths) {
  Draw draw(7);
  for (int g = 0; g < 6; ++g) {
    const Gene gene(draw, intron, lengths);
    EXPECT_EQ(places_of(gene, gene.cdna), gene.places) << g;
  }
}

TEST(OwnCdna, IntronsThatBeginWithGc) { expect_own_exons({.donor = "GCAAGT"}, {150, 120, 90}); }

TEST(OwnCdna, IntronsFromAtToAc) {
  expect_own_exons({.donor = "ATATCCTTT", .acceptor = "TTCCTTAACTTTCATACCAC"}, {150, 120, 90});
}

/// Thirty genes with introns of U12's consensus and random bases before YAC; the exons of each by
/// its cDNA, of which every `step`-th letter is another one.
void expect_exons_of_u12_introns(std::size_t step,
                                 const std::string& donor = "ATATCCTT",
                                 const std::string& end = "CAC") {
  Draw draw(8);
  for (int g = 0; g < 30; ++g) {
    const std::string acceptor = "TTCCTTAAC" + draw.letters(10) + end;
    const Gene gene(draw, {.donor = donor, .acceptor = acceptor}, {150, 120, 90});
    std::string target = gene.cdna;
    for (std::size_t at = 5; at + 3 < target.size(); at += step) {
      target[at] = target[at] == 'A' ? 'C' : 'A';
    }
    EXPECT_EQ(places_of(gene, target), gene.places) << g;
  }
}

TEST(OwnCdna, IntronsFromAtToAcGaveWayToGtOrAgNearby) { expect_exons_of_u12_introns(1000); }

TEST(OwnCdna, IntronsFromAtToAcNeededWordsOfTheTarget) { expect_exons_of_u12_introns(9); }

TEST(OwnCdna, AcceptorsBehindPurines) {
  expect_own_exons({.acceptor = "GAAGGAGAAGGGAAGAGAAAAG"}, {150, 120, 90});
}

/// A gene's cDNA with every `step`-th letter another one.
void expect_exons_of_relatives(const Intron& intron, std::size_t step) {
  Draw draw(9);
  for (int g = 0; g < 30; ++g) {
    const Gene gene(draw, intron, {150, 120, 90});
    std::string target = gene.cdna;
    for (std::size_t at = 5; at + 3 < target.size(); at += step) {
      target[at] = target[at] == 'A' ? 'C' : 'A';
    }
    EXPECT_EQ(places_of(gene, target), gene.places) << g;
  }
}

TEST(OwnCdna, RelativesLostAcceptorsBehindPurines) {
  expect_exons_of_relatives({.acceptor = "GAAGGAGAAGGGAAGAGAAAAG"}, 9);
}

TEST(OwnCdna, U12IntronsFromGtToAgGaveWayToSitesNearby) {
  expect_exons_of_u12_introns(1000, "GTATCCTT", "CAG");
  expect_exons_of_u12_introns(9, "GTATCCTT", "CAG");
}

TEST(OwnCdna, ExonsOfThousandsOfBases) {
  expect_own_exons({}, {150, 3600, 90});
  expect_own_exons({}, {150, 9000, 90});
}

TEST(OwnCdna, IntronsOfTwentyFiveBases) {
  expect_own_exons({.acceptor = "TTTTCTTTTTGCAG", .length = 25}, {150, 120, 90});
}

TEST(OwnCdna, FragmentsBeginAndEndInsideExons) {
  Draw draw(7);
  for (int g = 0; g < 6; ++g) {
    Gene gene(draw, {}, {150, 120, 90});
    const std::string target = gene.cdna.substr(50, gene.cdna.size() - 50 - 40);
    gene.places.front().first += 50;
    gene.places.back().second -= 40;
    EXPECT_EQ(places_of(gene, target), gene.places) << g;
  }
}

TEST(OwnCdna, ErrorsBesideAnIntronHidExonsWithStopCodons) {
  Draw draw(10);
  for (int g = 0; g < 6; ++g) {
    Gene gene(draw, {}, {150, 120, 90});
    std::string target = gene.cdna;
    // Stop codons in all frames, as after coding parts, and an error in each word next to it.
    const auto [first, last] = gene.places[2];
    const std::size_t letter = target.size() - static_cast<std::size_t>(last - first + 1);
    for (std::string* text : {&gene.bases, &target}) {
      text->replace((text == &target ? letter : first - 1) + 30, 15, "TAACTAACTAACTGA");
    }
    target[letter + 8] = target[letter + 8] == 'A' ? 'C' : 'A';
    EXPECT_EQ(places_of(gene, target), gene.places) << g;
  }
}

TEST(OwnCdna, ReadsWithErrorsAtTheirEndsHadExonsFarAway) {
  Draw draw(7);
  for (int g = 0; g < 6; ++g) {
    Gene gene(draw, {}, {150, 120, 90});
    gene.bases = draw.letters(20'000) + gene.bases + draw.letters(20'000);
    std::string target = gene.cdna.substr(50, gene.cdna.size() - 50 - 40);
    for (const std::size_t at : {2u, 5u, 12u}) {
      for (char* letter : {&target[at], &target[target.size() - 1 - at]}) {
        *letter = *letter == 'A' ? 'C' : 'A';
      }
    }
    for (auto& [first, last] : gene.places) first += 20'000, last += 20'000;
    Places places = places_of(gene, target);
    ASSERT_EQ(places.size(), 3u) << g;
    // Beside an error an end is as good one base on.
    EXPECT_NEAR(static_cast<double>(places[0].first - gene.places[0].first), 50, 5) << g;
    EXPECT_NEAR(static_cast<double>(gene.places[2].second - places[2].second), 40, 5) << g;
    places[0].first = gene.places[0].first;
    places[2].second = gene.places[2].second;
    EXPECT_EQ(places, gene.places) << g;
  }
}

TEST(OwnCdna, ExonsOutsideTheCodingPart) {
  Draw draw(7);
  for (int g = 0; g < 6; ++g) {
    Gene gene(draw, {}, {150, 120, 90});
    // The middle exon has stop codons in every frame.
    const std::string stops = "TAGCTAGCTAGCCC";
    gene.bases.replace(static_cast<std::size_t>(gene.places[1].first) + 39, stops.size(), stops);
    std::string target;
    for (const auto& [first, last] : gene.places) {
      target += gene.bases.substr(static_cast<std::size_t>(first - 1),
                                  static_cast<std::size_t>(last - first + 1));
    }
    EXPECT_EQ(places_of(gene, target), gene.places) << g;
  }
}

}  // namespace
}  // namespace yupana::splice
