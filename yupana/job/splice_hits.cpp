#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "yupana/job/splice_inputs.hpp"
#include "yupana/splice/exon_evidence.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/local_ends.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::job {
namespace {

/// Where an alignment of a target lies.
struct AlignedPlace {
  const std::string* sequence = nullptr;
  bool reversed = false;  ///< the target reads along the sequence's - strand
  /// First and last base of each exon on the forward strand, in order.
  std::vector<std::pair<std::int64_t, std::int64_t>> exons;
  std::int64_t score = 0;
};

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

/// The scale of the hit's scores against chance.
std::int64_t bases_of(const AlignedPlace& place) {
  std::int64_t bases = 0;
  for (const auto& [first, last] : place.exons) bases += last - first + 1;
  return bases;
}

/// Whether two places are one locus: the target reads in one direction, and at least half of the
/// bases of the smaller one are in both. Spans do not tell: introns may hold a copy of the gene,
/// and copies may share the poly-A that takes their tail.
///   work: linear in the exons
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

/// Sets the hit's E-value, against `searched_bases` on all strands with the composition of
/// `around`, and its mapping quality, and takes its alignment away where the E-value is above
/// `max_e_value`.
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

/// What isoforms of a hit need, whose chain is that of its problem: in each stretch of their exons
/// that the chain does not read what chance has `max_e_value` times in `around` at most. Nothing
/// where scores gain by chance. Refers to all that it is given.
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

/// Takes a letter added to the end of a target out of its alignment: its codon is unaligned. True
/// if that was the letter itself, a stop codon.
bool drop_last_letter(splice::SplicedAlignment& alignment) {
  bool found = false, stop = false;
  for (auto part = alignment.chain.rbegin(); part != alignment.chain.rend() && !found; ++part) {
    --part->target_end;
    std::vector<splice::Run> runs;  // backwards
    const auto add = [&](char operation, std::int64_t length) {
      if (length == 0) return;
      if (runs.empty() || runs.back().operation != operation) runs.push_back({operation, 0});
      runs.back().length += length;
    };
    for (auto run = part->runs.rbegin(); run != part->runs.rend(); ++run) {
      const bool here = !found && run->operation != 'D';
      if (here) stop = run->operation == '=';
      if (here && run->operation != 'I') add('D', 1);
      add(run->operation, run->length - (here ? 1 : 0));
      found = found || here;
    }
    std::reverse(runs.begin(), runs.end());
    part->runs = std::move(runs);
    if (!found) --part->target_begin;
  }
  return stop;
}

/// The exons of a chain alone, which the chain then counts from 0.
std::shared_ptr<Exons> take_exons(const Exons& exons, splice::SplicedAlignment& alignment) {
  auto own = std::make_shared<Exons>();
  for (splice::ExonAlignment& part : alignment.chain) {
    own->push_back(exons[static_cast<std::size_t>(part.exon)]);
    part.exon = std::ssize(*own) - 1;
  }
  return own;
}

/// The bases of the hit's chain that are a protein's: all where a protein was aligned.
splice::CodingPart coding_of(const io::SplicedHit& hit, std::int64_t min_codons) {
  const splice::Case problem{*hit.bases, *hit.exons, *hit.letters};
  const std::string text = splice::spliced_bases(problem, hit.alignment.chain);
  if (!hit.protein) return splice::coding_part(text, hit.code, min_codons);
  const std::string amino = splice::translation(text, hit.code);
  return {
      0, std::ssize(text), splice::is_atg(text, 0), text.size() % 3 == 0 && amino.ends_with('*')};
}

/// The hit of one case.
io::SplicedHit make_hit(const Group& group,
                        std::size_t c,
                        const SpliceJobParams& params,
                        splice::SplicedAlignment&& done) {
  const auto& [task, trial] = group.places[c];
  const bool stop = task->with_stop && drop_last_letter(done);
  io::SplicedHit hit;
  hit.target = task->target;
  hit.sequence = trial->strand->sequence;
  hit.strand = trial->strand->sign;
  hit.antisense = trial->antisense;
  hit.letters = trial->antisense ? trial->letters : task->letters;
  hit.bases = trial->strand->bases;
  hit.exons = take_exons(*group.exons[c], done);
  hit.alignment = std::move(done);
  hit.params = group.scoring;
  hit.protein = group.protein;
  hit.has_stop = stop;
  hit.score_scale = group.score_scale;
  hit.frameshifts = hit.protein && task->from_signals && params.frameshift > 0;
  hit.code = params.protein.code;
  hit.coding = coding_of(hit, params.min_orf);
  return hit;
}

/// Where the alignments of cases [first, end) lie.
std::vector<AlignedPlace> places_of(const Group& group,
                                    const std::vector<splice::SplicedAlignment>& done,
                                    std::size_t first,
                                    std::size_t end) {
  std::vector<AlignedPlace> result;
  for (std::size_t c = first; c < end; ++c) {
    const Trial& trial = *group.places[c].second;
    const Strand& strand = *trial.strand;
    const auto bases = std::ssize(*strand.bases);
    result.push_back(
        place_of(strand.sequence, strand.sign, trial.antisense, bases, *group.exons[c], done[c]));
  }
  return result;
}

/// Judges the hit of case c; `places` are those of the cases from `first` on.
void judge_case(const Group& group,
                std::size_t first,
                std::size_t c,
                const std::vector<AlignedPlace>& places,
                const SpliceJobParams& params,
                io::SplicedHit& hit) {
  const auto& [task, trial] = group.places[c];
  std::vector<AlignedPlace> others;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (first + i != c && !places[i].exons.empty()) others.push_back(places[i]);
  }
  judge(hit, bases_of(*trial), task->searched_bases, others, params.max_e_value);
}

/// Appends the isoforms of the last hit, that of case c, whose alignment was `best`.
void add_isoforms(const Group& group,
                  std::size_t first,
                  std::size_t c,
                  const std::vector<AlignedPlace>& places,
                  const SpliceJobParams& params,
                  const splice::AlignAll& align,
                  const splice::SplicedAlignment& best,
                  TaskHits& hits) {
  const int rank = hits.back().rank;
  int number = 1;
  const auto& [task, trial] = group.places[c];
  // Appending hits would move the one that the evidence refers to.
  const io::SplicedHit first_hit = hits.back();
  splice::IsoformEvidence evidence;
  if (task->from_signals) {
    evidence = evidence_of_isoforms(
        first_hit, group.cases[c], best.chain, bases_of(*trial), params.isoforms.max_e_value);
  }
  for (splice::SplicedAlignment& next :
       splice::next_isoforms(group.cases[c], best, params.isoforms, align, evidence)) {
    io::SplicedHit hit = make_hit(group, c, params, std::move(next));
    if (task->from_signals) {
      judge_case(group, first, c, places, params, hit);
      if (!hit.aligned) continue;
      hit.quality = 0;
    }
    hit.rank = rank;
    hit.isoform = ++number;
    hits.push_back(std::move(hit));
  }
}

}  // namespace

TaskHits keep_best(std::size_t first,
                   std::size_t end,
                   const Group& group,
                   const SpliceJobParams& params,
                   const splice::AlignAll& align,
                   std::vector<splice::SplicedAlignment>& done) {
  std::vector<std::size_t> order(end - first);
  std::iota(order.begin(), order.end(), first);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t a) { return done[a].score; });
  TaskHits hits;
  const bool from_signals = group.places[first].first->from_signals;
  std::vector<AlignedPlace> places;
  if (from_signals) places = places_of(group, done, first, end);
  std::vector<std::size_t> kept;
  for (const std::size_t c : order) {
    if (static_cast<int>(kept.size()) == (from_signals ? params.max_loci : 1)) break;
    const auto is_same = [&](std::size_t k) {
      return is_same_locus(places[c - first], places[k - first]);
    };
    if (!hits.empty() &&
        (done[c].chain.empty() || std::any_of(kept.begin(), kept.end(), is_same))) {
      continue;
    }
    io::SplicedHit hit = make_hit(group, c, params, splice::SplicedAlignment(done[c]));
    if (from_signals) judge_case(group, first, c, places, params, hit);
    if (!hits.empty() && !hit.aligned) continue;
    hit.rank = static_cast<int>(kept.size()) + 1;
    if (hit.rank > 1) hit.quality = 0;
    hits.push_back(std::move(hit));
    kept.push_back(c);
    if (params.isoforms.most > 1 && hits.back().aligned) {
      add_isoforms(group, first, c, places, params, align, done[c], hits);
    }
    if (!hits.front().aligned) break;
  }
  return hits;
}

void cut_ends(Context& context,
              Group& group,
              const SpliceJobParams& params,
              std::vector<splice::SplicedAlignment>& done) {
  splice::StretchParams stretch{group.score_scale};
  if (params.max_intron > 0) stretch.max_intron = params.max_intron;
  context.parallel_for(std::ssize(done), 1, [&](std::int64_t c) {
    auto own = take_exons(*group.exons[c], done[c]);
    splice::keep_best_stretch(group.cases[c], *group.scoring, stretch, *own, done[c]);
    group.exons[c] = std::move(own);
  });
}

void extend_ends(Context& context, Group& group, std::vector<splice::SplicedAlignment>& done) {
  context.parallel_for(std::ssize(done), 1, [&](std::int64_t c) {
    const auto& [task, trial] = group.places[c];
    if (!task->from_signals) return;
    auto own = std::make_shared<Exons>(*group.exons[c]);
    splice::extend_stretch(
        {*trial->strand->bases, {}, *trial->letters}, *group.scoring, *own, done[c]);
    group.exons[c] = std::move(own);
  });
}

void count_all_letters(const Group& group, std::vector<splice::SplicedAlignment>& done) {
  for (std::size_t c = 0; c < done.size(); ++c) {
    const std::int64_t before = group.places[c].second->first_letter;
    for (splice::ExonAlignment& part : done[c].chain) {
      part.target_begin += before;
      part.target_end += before;
    }
  }
}

}  // namespace yupana::job
