#include "yupana/splice/site_scores.hpp"

#include <algorithm>

namespace yupana::splice {

double SitesAlong::find(const std::vector<SiteScore>& sites,
                        std::int64_t at,
                        bool common,
                        double model) const {
  if (places_ != nullptr) {
    if (at >= std::ssize(*places_)) return model;  // the text ends: no exon or intron follows
    at = (*places_)[static_cast<std::size_t>(at)];
  }
  const std::int64_t offset = reversed_ ? size_ - before_ - at : before_ + at;
  const auto site = std::ranges::lower_bound(sites, offset, {}, &SiteScore::offset);
  if (site != sites.end() && site->offset == offset) return site->odds;
  return common ? odds_of_site_score(unlisted_site_score) : model;
}

}  // namespace yupana::splice
