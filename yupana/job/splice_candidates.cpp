// Candidate exons of exons = auto, and which of them may win.
#include <algorithm>
#include <atomic>
#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/splice_inputs.hpp"
#include "yupana/splice/exon_bounds.hpp"
#include "yupana/splice/shares.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::job {
namespace {

// Codes, next stop codons and sites of a sequence whose exons are found from signals.
constexpr std::uint64_t finder_bytes_per_base = 16;

/// Scores further apart than this, times lambda, are no doubt: the mapping quality is the largest.
constexpr double no_doubt = 20;

/// How far behind the best score one is that changes no output; infinite where scores gain by
/// chance.
double hopeless_distance(const std::vector<splice::Case>& cases,
                         const splice::Substitution& substitution) {
  double distance = 0;
  for (const splice::Case& c : cases) {
    const double lambda = splice::karlin_lambda(
        substitution, splice::base_composition(c.bases), splice::base_composition(c.target));
    if (lambda <= 0) return std::numeric_limits<double>::infinity();
    distance = std::max(distance, no_doubt / lambda);
  }
  return distance;
}

}  // namespace

// Enough work for every thread and GPU; of several ranks whatever the memory of one.
std::uint64_t SpliceInputs::block_bytes(std::uint64_t memory) const {
  constexpr std::uint64_t plenty = 64 << 20;
  return context_.comm() == nullptr ? std::min(plenty, memory / 16) : plenty;
}

std::uint64_t SpliceInputs::sufficient_bytes(
    std::vector<Task>& tasks,
    std::size_t first,
    const std::function<std::uint64_t(std::span<const Task>)>& bytes_of) {
  is_survey_ = true;
  std::uint64_t of_task = 0, later = 0;  // exons of the last task of a block, and what follows
  for (std::size_t end = first; first < tasks.size(); first = end) {
    end = find_exons(tasks, first);
    const std::span<const Task> found = std::span(tasks).subspan(first, end - first);
    later = std::max(later, bytes_of(found));
    for (const Task& task : found) {
      std::uint64_t exons = 0;
      for (const Trial& trial : task.trials) {
        exons += trial.exons->capacity() * sizeof(splice::Exon);
        later = std::max(later, finder_bytes_per_base * bases_of(trial).size());
      }
      of_task = std::max(of_task, exons);
    }
    drop_exons(tasks, first, end);
  }
  // More memory is more exons: with a sixteenth of it these are 16/15 of what the rest needs.
  const std::uint64_t rest = held_ + of_task + later;
  return rest + block_bytes(16 * (rest / 15 + 1));
}

std::size_t SpliceInputs::find_exons(std::vector<Task>& tasks, std::size_t first) {
  const std::uint64_t enough = block_bytes(context_.memory());
  const std::uint64_t before = held_;
  std::size_t end = first;
  while (end < tasks.size() && held_ - before < enough) {
    const std::size_t from = end, past = std::min(end + 32, tasks.size());
    if (!is_survey_) check_scores(std::span(tasks).subspan(from, past - from));
    std::atomic<bool> full{false};
    context_.in_order(
        static_cast<std::int64_t>(past - from),
        [&](std::int64_t i) {
          return full ? FoundExons() : exons_of(tasks[from + static_cast<std::size_t>(i)]);
        },
        [&](FoundExons& found) {
          if (full) return;
          search_.exons_left_out += found.left_out;
          auto exons = found.of_trials.begin();
          for (Trial& trial : tasks[end].trials) {
            if (trial.exons == nullptr) trial.exons = held(std::move(*exons++));
          }
          ++end;
          full = held_ - before >= enough;
        });
  }
  return end;
}

void SpliceInputs::drop_exons(std::vector<Task>& tasks, std::size_t first, std::size_t end) {
  for (; first < end; ++first) {
    for (Trial& trial : tasks[first].trials) {
      if (trial.exons.use_count() == 1) held_ -= trial.exons->capacity() * sizeof(splice::Exon);
      trial.exons.reset();
      held_ -= trial.without.size() * sizeof(std::int64_t);
      trial.without = {};
    }
  }
}

void SpliceInputs::read_sites(const std::vector<SpliceInput>& inputs) {
  if (params_.site_scores.empty()) return;
  note_pipe(context_, params_.site_scores);
  sites_ = io::read_site_scores(params_.site_scores);
  for (const auto& [name, scores] : sites_) {
    for (const auto* sites : {&scores.donors, &scores.acceptors}) {
      for (const std::vector<splice::SiteScore>& one : *sites) {
        hold(one.capacity() * sizeof(splice::SiteScore));
      }
    }
  }
  bool any = false;
  for (const SpliceInput& input : inputs) {
    if (input.exons != "auto") continue;
    for (const io::FastaRecord& record : genome(input.genome)) {
      const auto found = sites_.find(record.name);
      if (found == sites_.end()) continue;
      any = true;
      for (const auto* sites : {&found->second.donors, &found->second.acceptors}) {
        for (const std::vector<splice::SiteScore>& one : *sites) {
          if (one.empty() || one.back().offset <= std::ssize(record.letters)) continue;
          throw bad_file(params_.site_scores,
                         "expected offsets of '{}' up to its {} bases, got {}; give the scores of "
                         "this genome",
                         record.name,
                         record.letters.size(),
                         one.back().offset);
        }
      }
    }
  }
  if (any) return;
  throw bad_file(params_.site_scores,
                 "expected splice sites of the genome's sequences, got none; give the scores of "
                 "this genome");
}

// What align() refuses whatever the exons are, before scores are used.
void SpliceInputs::check_scores(std::span<const Task> tasks) {
  std::vector<splice::Case> cases;
  for (const Task& task : tasks) {
    if (task.from_signals && !task.is_protein) cases.push_back({{}, {}, *task.letters});
  }
  splice::check_problems(context_,
                         cases,
                         splice::scaled_for_candidates(params_.align, params_.candidates),
                         splice::candidate_scale);
}

SpliceInputs::FoundExons SpliceInputs::exons_of(const Task& task) {
  std::vector<const Trial*> trials;
  FoundExons result;
  std::vector<Exons>& found = result.of_trials;
  for (const Trial& trial : task.trials) {
    if (trial.exons != nullptr) continue;
    trials.push_back(&trial);
    found.push_back(candidates(trial, task, result.left_out));
  }
  if (!task.is_protein) leave_competitive(trials, found);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    for (splice::Exon& exon : found[t]) {
      exon.first += trials[t]->first - 1;
      exon.last += trials[t]->first - 1;
    }
  }
  return result;
}

void SpliceInputs::leave_competitive(const std::vector<const Trial*>& trials,
                                     std::vector<Exons>& found) {
  const splice::AlignParams scoring =
      splice::scaled_for_candidates(params_.align, params_.candidates);
  std::vector<splice::Case> cases;
  std::vector<splice::ExonBounds> bounds;
  std::vector<double> highest;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    cases.push_back({bases_of(*trials[t]), found[t], aligned_letters(*trials[t])});
    bounds.emplace_back(context_, cases.back(), scoring);
    highest.push_back(static_cast<double>(bounds.back().best()));
  }
  // Other places are reported, or may win once their ends are cut.
  const double distance = params_.max_loci > 1 || params_.ends == SpliceEnds::local
                              ? std::numeric_limits<double>::infinity()
                              : hopeless_distance(cases, scoring.substitution);
  const double share = params_.isoforms.most > 1 ? params_.isoforms.least_share : 1;
  auto best = -std::numeric_limits<double>::infinity();
  for (const std::size_t t : splice::by_work(highest)) {
    if (static_cast<double>(bounds[t].best()) < best - distance) {
      found[t] = Exons();
      continue;
    }
    splice::CompetitiveExons competitive =
        splice::competitive_exons(context_, cases[t], scoring, bounds[t], share);
    found[t] = std::move(competitive.exons);
    best = std::max(best, static_cast<double>(competitive.score));
  }
}

Exons SpliceInputs::candidates(const Trial& trial, const Task& task, std::int64_t& all_left_out) {
  context_.check_cancelled();
  const std::string_view bases = bases_of(trial);
  need(finder_bytes_per_base * bases.size());
  // Proteins have no words of bases to tell candidates by.
  const std::string_view none;
  std::int64_t left_out = 0;
  Exons exons =
      splice::candidate_exons(context_,
                              bases,
                              splice::site_models(params_.species),
                              task.is_protein ? params_.protein_candidates : params_.candidates,
                              task.is_protein ? none : aligned_letters(trial),
                              &left_out,
                              sites_along(trial, trial.first),
                              task.is_protein ? std::string_view(*task.letters) : none);
  all_left_out += left_out;
  const std::int64_t before = trial.first - 1;
  std::erase_if(exons, [&](const splice::Exon& exon) {
    const auto& without = trial.without;
    const auto base = std::lower_bound(without.begin(), without.end(), before + exon.first);
    if (base != without.end() && *base <= before + exon.last) return true;
    return std::any_of(trial.gaps.begin(), trial.gaps.end(), [&](const auto& gap) {
      return gap.first <= before + exon.first && before + exon.last <= gap.second;
    });
  });
  return exons;
}

std::shared_ptr<Exons> SpliceInputs::held(Exons exons) {
  exons.shrink_to_fit();
  hold(exons.capacity() * sizeof(splice::Exon));
  return std::make_shared<Exons>(std::move(exons));
}

}  // namespace yupana::job
