// Proteins whose frame is broken.
#include <algorithm>

#include "yupana/job/splice_hits.hpp"
#include "yupana/splice/frameshifts.hpp"

namespace yupana::job {
namespace {

/// Bases around a chain, into which it may extend.
constexpr std::int64_t bases_around = 20'000;

void mend_case(Context& context,
               Group& group,
               const SpliceJobParams& params,
               std::size_t c,
               splice::SplicedAlignment& done) {
  const Trial& trial = *group.places[c].second;
  const auto exon = [&](const splice::ExonAlignment& part) { return (*group.exons[c])[part.exon]; };
  const std::int64_t first = std::max(trial.first, exon(done.chain.front()).first - bases_around);
  const std::int64_t last = std::min(trial.last, exon(done.chain.back()).last + bases_around);
  const splice::SitesAlong sites = sites_along(trial, first);
  const auto find = [&](std::string_view bases, const std::vector<std::int64_t>& places) {
    return splice::candidate_exons(context,
                                   bases,
                                   splice::site_models(params.species),
                                   params.protein_candidates,
                                   {},
                                   nullptr,
                                   sites.through(places),
                                   *group.places[c].first->letters);
  };
  auto mended = splice::mend_frame(context,
                                   group.cases[c].bases.substr(first - 1, last - first + 1),
                                   group.cases[c].target,
                                   *group.protein,
                                   done.score,
                                   params.frameshift * group.score_scale,
                                   group.score_scale,
                                   find);
  if (!mended) return;
  for (splice::Exon& one : mended->exons) {
    one.first += first - 1;
    one.last += first - 1;
  }
  group.exons[c] = std::make_shared<const Exons>(std::move(mended->exons));
  done = std::move(mended->alignment);
}

}  // namespace

void mend_frames(Context& context,
                 Group& group,
                 const SpliceJobParams& params,
                 std::vector<splice::SplicedAlignment>& done) {
  for (std::size_t c = 0, end = 0; c < done.size(); c = end) {
    const Task* task = group.places[c].first;
    std::int64_t best = 1;
    for (end = c; end < done.size() && group.places[end].first == task; ++end) {
      best = std::max(best, done[end].score);
    }
    for (std::size_t i = c; i < end && task->from_signals; ++i) {
      // Where others are rivals the candidates have to be those of the search.
      if (2 * done[i].score < best || done[i].chain.empty()) continue;
      if (group.places[i].second->without.empty()) mend_case(context, group, params, i, done[i]);
    }
  }
}

}  // namespace yupana::job
