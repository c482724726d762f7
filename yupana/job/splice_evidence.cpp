#include "yupana/job/splice_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "yupana/splice/exon_evidence.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::job {
namespace {

/// The scale of the hit's scores against chance.
double lambda_of(const io::SplicedHit& hit, std::string_view around) {
  const splice::Composition bases = splice::base_composition(around);
  if (!hit.protein) {
    return splice::karlin_lambda(
        hit.params->substitution, bases, splice::base_composition(*hit.letters));
  }
  return splice::karlin_lambda(hit.params->substitution,
                               splice::codon_composition(bases, hit.protein->code),
                               splice::amino_composition(*hit.letters));
}

splice::Mask mask_of(const io::SplicedHit& hit) {
  return hit.protein ? splice::low_complexity_amino_acids : splice::low_complexity_bases;
}

/// Scores of the hit's alignment that no repeat explains.
std::vector<std::int64_t> evidence_of(const io::SplicedHit& hit) {
  const splice::Case problem{*hit.bases, *hit.exons, *hit.letters};
  std::string text = splice::spliced_bases(problem, hit.alignment.chain);
  if (hit.protein) text = splice::translation(text, hit.protein->code);
  return splice::segment_scores(
      text, *hit.letters, hit.alignment.chain, hit.params->substitution, mask_of(hit));
}

/// -10 log10 of the probability that the best alignment elsewhere is right and the hit is not.
double quality_against(const io::SplicedHit& hit,
                       double lambda,
                       std::span<const AlignedPlace> others) {
  const AlignedPlace own = place_of(
      hit.sequence, hit.strand, hit.antisense, std::ssize(*hit.bases), *hit.exons, hit.alignment);
  double quality = io::SplicedHit::best_quality;
  for (const AlignedPlace& other : others) {
    if (is_same_locus(own, other)) continue;
    const auto ahead = static_cast<double>(own.score - other.score);
    quality = std::min(quality, 10 * std::log10(1 + std::exp(std::min(lambda * ahead, 50.0))));
  }
  return quality;
}

std::int64_t bases_of(const AlignedPlace& place) {
  std::int64_t bases = 0;
  for (const auto& [first, last] : place.exons) bases += last - first + 1;
  return bases;
}

}  // namespace

AlignedPlace place_of(const std::string& sequence,
                      char strand,
                      bool antisense,
                      std::int64_t bases,
                      const std::vector<splice::Exon>& exons,
                      const splice::SplicedAlignment& alignment) {
  AlignedPlace place{&sequence, antisense == (strand == '+'), {}, alignment.score};
  for (const splice::ExonAlignment& part : alignment.chain) {
    const splice::Exon& exon = exons[static_cast<std::size_t>(part.exon)];
    place.exons.push_back(io::forward_places(strand, bases, exon.first, exon.last));
  }
  if (strand == '-') std::reverse(place.exons.begin(), place.exons.end());
  return place;
}

bool is_same_locus(const AlignedPlace& a, const AlignedPlace& b) {
  if (*a.sequence != *b.sequence || a.reversed != b.reversed) return false;
  std::int64_t common = 0;
  for (auto x = a.exons.begin(), y = b.exons.begin(); x != a.exons.end() && y != b.exons.end();) {
    const auto first = std::max(x->first, y->first), last = std::min(x->second, y->second);
    common += std::max<std::int64_t>(0, last - first + 1);
    x->second < y->second ? ++x : ++y;
  }
  return 2 * common >= std::min(bases_of(a), bases_of(b));
}

void judge(io::SplicedHit& hit,
           std::string_view around,
           double searched_bases,
           std::span<const AlignedPlace> others,
           double max_e_value) {
  const double lambda = lambda_of(hit, around);
  const std::vector<std::int64_t> scores = evidence_of(hit);
  // Scores that gain by chance say nothing of it.
  if (lambda > 0 || scores.empty()) {
    hit.e_value = splice::expected_by_chance(
        scores, lambda, searched_bases, static_cast<double>(hit.letters->size()));
  }
  hit.aligned = !hit.alignment.chain.empty() && hit.e_value <= max_e_value;
  if (!hit.aligned) {
    hit.alignment.chain.clear();
    hit.quality = 0;
  } else if (lambda > 0) {
    const double evidence = -10 * std::log10(std::max(hit.e_value, 1e-300));
    const double quality = std::min(evidence, quality_against(hit, lambda, others));
    hit.quality = static_cast<int>(std::lround(std::max(quality, 0.0)));
  }
}

splice::IsoformEvidence evidence_of_isoforms(const io::SplicedHit& best,
                                             const splice::Case& problem,
                                             const std::vector<splice::ExonAlignment>& chain,
                                             std::string_view around,
                                             double max_e_value) {
  const double lambda = lambda_of(best, around);
  if (lambda <= 0) return {};
  const auto expected = [&](std::vector<std::int64_t> scores) {
    return splice::expected_by_chance(std::move(scores),
                                      lambda,
                                      static_cast<double>(around.size()),
                                      static_cast<double>(problem.target.size()));
  };
  if (expected({}) <= max_e_value) return {};
  splice::EvidenceParams params;
  while (expected({params.least_score}) > max_e_value) ++params.least_score;
  if (best.protein) params.code = &best.protein->code;
  params.low_complexity = mask_of(best);
  const splice::Substitution& scores = best.params->substitution;
  return {splice::exons_with_evidence(problem, chain, scores, params),
          [=, &problem, &chain, &scores](const std::vector<splice::ExonAlignment>& other) {
            return splice::holds_evidence(problem, chain, other, scores, params);
          }};
}

}  // namespace yupana::job
