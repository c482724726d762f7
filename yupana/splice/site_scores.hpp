#pragma once

#include <cstdint>
#include <vector>

namespace yupana::splice {

/// The junction of a splice site, which lies before the base `offset`, from 0 on the forward
/// strand.
struct SiteScore {
  std::int64_t offset = 0;
  double odds = 0;  ///< log2-odds, as site_odds.hpp counts them
};

/// Sites of one sequence, given by another program: of each strand (+, then -) in order of offsets.
struct SiteScores {
  std::vector<SiteScore> donors[2], acceptors[2];
};

/// A file counts 2 log2 of the odds of a site against other GT or AG; the odds of site_odds.hpp are
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

}  // namespace yupana::splice
