#include "yupana/splice/site_scores.hpp"

#include <algorithm>

namespace yupana::splice {

double SitesAlong::find(const std::vector<SiteScore>& sites,
                        std::int64_t at,
                        bool common,
                        double model) const {
  const std::int64_t offset = reversed_ ? size_ - before_ - at : before_ + at;
  const auto site =
      std::lower_bound(sites.begin(), sites.end(), offset, [](const SiteScore& s, std::int64_t o) {
        return s.offset < o;
      });
  if (site != sites.end() && site->offset == offset) return site->odds;
  return common ? odds_of_site_score(unlisted_site_score) : model;
}

}  // namespace yupana::splice
