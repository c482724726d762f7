#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {

/// The junction of a splice site, which lies before the base `offset`, from 0 on the forward
/// strand.
struct SiteScore {
  std::int64_t offset = 0;
  double odds = 0;  ///< log2-odds, as species.hpp counts them
};

/// Sites of one sequence, given by another program: of each strand (+, then -) in order of offsets.
struct SiteScores {
  std::vector<SiteScore> donors[2], acceptors[2];
};

/// A file counts 2 log2 of the odds of a site against other GT or AG; the odds of species.hpp are
/// those against any two bases, 4 bits more.
constexpr double odds_of_site_score(double score) { return 4 + score / 2; }
constexpr double site_score_of_odds(double odds) { return 2 * (odds - 4); }
/// The score of a GT or AG that a file does not list.
inline constexpr double unlisted_site_score = -7;

/// The sites of one strand of a sequence, by the bases of a text on it.
class SitesAlong {
 public:
  /// None: every site has the odds of the models.
  SitesAlong() = default;
  /// The text begins after `before` bases of the strand, which has `size` bases.
  SitesAlong(const SiteScores* scores, bool reversed, std::int64_t before, std::int64_t size)
      : scores_(scores), reversed_(reversed), before_(before), size_(size) {}

  /// The same of a text that lacks some of these bases: `places` has where each of its own lies.
  SitesAlong through(const std::vector<std::int64_t>& places) const {
    SitesAlong result = *this;
    result.places_ = &places;
    return result;
  }

  /// The odds of a donor whose intron begins at base `at` of the text, of an acceptor whose intron
  /// ends before it. `model` is what the models say of the site, `common` whether it is GT or AG.
  double donor(std::int64_t at, bool common, double model) const {
    return scores_ == nullptr ? model : find(scores_->donors[reversed_], at, common, model);
  }
  double acceptor(std::int64_t at, bool common, double model) const {
    return scores_ == nullptr ? model : find(scores_->acceptors[reversed_], at, common, model);
  }

 private:
  double find(const std::vector<SiteScore>& sites,
              std::int64_t at,
              bool common,
              double model) const;

  const SiteScores* scores_ = nullptr;
  bool reversed_ = false;
  std::int64_t before_ = 0, size_ = 0;
  const std::vector<std::int64_t>* places_ = nullptr;
};

struct CandidateParams {
  double junction_weight = 0.6;  ///< kappa: of the log2-odds of an intron's two sites
  double junction_cost = 13;     ///< lambda: of each intron, in matches
  double missing_signal = 12;    ///< cost in matches of a chain without start or stop codon
  /// Sites below these log2-odds are candidates only next to a word of the target; AT and AC there
  /// or with four at least.
  double min_donor = -7;
  double min_acceptor = -7;
  double min_gc_donor = -7;
  bool gc_donors = true;      ///< exons may end before GC too
  bool coding = true;         ///< leave out exons with stop codons in all three frames
  std::int64_t min_exon = 3;  ///< bases
  std::int64_t max_exon = 30'000;
  std::int64_t min_intron = 20;
  GeneticCode code;  ///< whose stop codons end exons, and no frame reads over
  /// More: the weakest splice sites are left out, then the shortest exons from ATG to a stop codon.
  std::int64_t max_exons = 4'000'000;
};

/// With proteins: a base's share of a codon's score, 5.2 / 3 where BLOSUM62 meets equal amino
/// acids, is 1.7 times a match, and so are weight and costs.
CandidateParams candidates_for_proteins();

/// Scores are whole numbers: with candidates, a match and all else count this many times.
inline constexpr int candidate_scale = 4;
/// Largest absolute value of a score that is still one when it is scaled.
inline constexpr int max_unscaled_score = largest_score / candidate_scale;

/// Valid ranges of the parameters, both ends included.
inline constexpr double max_junction_weight = 100;
inline constexpr double max_junction_cost = 1000;
inline constexpr double max_site_odds = 1000;  ///< of thresholds, either sign

/// Exons a coding gene may have on the strand given, by the signals at their ends: they begin
/// behind an acceptor AG or at ATG, and end before a donor GT (GC) or with a stop codon. An intron
/// adds junction_weight x (donor + acceptor) - junction_cost to a chain, where a site counts its
/// log2-odds by the models of species.hpp, vertebrate ones here, or of U12 introns where they are
/// better (AT and AC); scores are times candidate_scale and rounded to whole numbers, site by site.
/// Each site of an exon of n bases, fewer than 20, between two introns counts log2(20 / n) less.
/// A chain pays missing_signal where it begins at an acceptor or ends at a donor, as with a partial
/// target.
///
/// Exons are in order of their first and last bases. Two have the same bases only where no scores
/// of one exon say what both do: from ATG to its stop codon, alone in a chain, and between introns.
///
/// With a cDNA as `target` its words of ten bases are evidence: sites beside one are candidates
/// whatever their odds; exons with one at both ends need no open frame; and exons
/// begin or end where one of the target's first or last words says so, as a fragment's do, at
/// half that cost, or none where it is the very first or last.
///   work: bases x candidates a base; deterministic
///   errors: bad_input for parameters that admit nothing
std::vector<Exon> candidate_exons(std::string_view bases,
                                  const CandidateParams& params = {},
                                  std::string_view target = {});
/// The same for chromosomes: stops, and throws interrupted, once the context is cancelled.
/// `left_out` counts the exons beyond max_exons; `sites` have odds in place of those of the models.
std::vector<Exon> candidate_exons(const Context& context,
                                  std::string_view bases,
                                  const CandidateParams& params = {},
                                  std::string_view target = {},
                                  std::int64_t* left_out = nullptr,
                                  const SitesAlong& sites = {});

/// Parameters of align() in the scale of candidates, with their shortest intron. bad_input for a
/// score beyond max_unscaled_score. Chains of a protein read no stop codon but at their end.
AlignParams scaled_for_candidates(AlignParams params, const CandidateParams& candidates);
ProteinParams protein_for_candidates(ProteinParams params, const CandidateParams& candidates);

}  // namespace yupana::splice
