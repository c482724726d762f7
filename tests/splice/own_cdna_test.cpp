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

TEST(OwnCdna, AcceptorsBehindPurines) {
  expect_own_exons({.acceptor = "GAAGGAGAAGGGAAGAGAAAAG"}, {150, 120, 90});
}

TEST(OwnCdna, ExonsOfThousandsOfBases) { expect_own_exons({}, {150, 3600, 90}); }

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
