#include "yupana/job/splice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "yupana/core/messages.hpp"
#include "yupana/io/substitution_file.hpp"
#include "yupana/job/align_cases.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/splice_evidence.hpp"
#include "yupana/job/splice_inputs.hpp"
#include "yupana/splice/align_memory.hpp"

namespace yupana::job {
namespace {

using Clock = std::chrono::steady_clock;

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

/// The problems of one kind: of cDNAs or proteins, with exons given or from signals.
struct Group {
  std::shared_ptr<const splice::AlignParams> scoring;
  std::shared_ptr<const splice::ProteinParams> protein;  ///< null with cDNAs
  int score_scale = 1;
  std::vector<splice::Case> cases;
  std::vector<std::pair<const Task*, const Trial*>> places;  ///< of each case
  std::vector<double> cells, traced, bytes;  ///< executed, traced and held, of each case
  std::vector<double> planned;               ///< seconds of putting its exons in order
};

/// Rates that were measured, of cDNAs and of proteins: once a run.
using Rates = std::array<std::optional<splice::Rate>, 2>;

Group make_group(std::span<const Task> tasks,
                 const SpliceJobParams& params,
                 bool from_signals,
                 bool is_protein) {
  Group group;
  for (const Task& task : tasks) {
    if (task.from_signals != from_signals || task.is_protein != is_protein) continue;
    for (const Trial& trial : task.trials) {
      group.cases.push_back({*trial.strand->bases, *trial.exons, *trial.letters});
      group.places.emplace_back(&task, &trial);
    }
  }
  if (from_signals) group.score_scale = splice::candidate_scale;
  if (is_protein) {
    group.protein = std::make_shared<const splice::ProteinParams>(
        from_signals ? splice::protein_for_candidates(params.protein, params.protein_candidates)
                     : params.protein);
    group.scoring =
        std::shared_ptr<const splice::AlignParams>(group.protein, &group.protein->align);
  } else {
    group.scoring = std::make_shared<const splice::AlignParams>(
        from_signals ? splice::scaled_for_candidates(params.align, params.candidates)
                     : params.align);
  }
  return group;
}

/// On GPUs: one call for all, where a problem takes no less than its way through its exons.
double seconds_on_gpus(Context& context, const Group& group, std::optional<splice::Rate>& known) {
  double cells = 0, longest = 0, letters = 0;
  for (std::size_t c = 0; c < group.cases.size(); ++c) {
    const auto target = static_cast<double>(group.cases[c].target.size());
    cells += group.cells[c];
    letters += group.cells[c] * target;
    longest = std::max(longest, group.cells[c] / std::max(1.0, target));
  }
  const auto workers = std::min(context.devices().size(), group.cases.size());
  // Of the target that a cell in the mean belongs to.
  const auto usual = static_cast<std::int64_t>(letters / std::max(1.0, cells));
  if (!known) {
    known = group.protein ? splice::measured_protein_rate(context, *group.protein, usual)
                          : splice::measured_rate(context, *group.scoring, usual);
  }
  return known->seconds(cells, longest, static_cast<double>(workers));
}

/// On the CPU: by the rate of a part of the largest problem. A protein is one task; a long cDNA is
/// spread over the threads, as far as its columns go.
double seconds_on_cpu(Context& context, const Group& group, std::optional<splice::Rate>& known) {
  const auto threads = context.backend() == Backend::reference ? 1.0 : double(context.threads());
  // Less is kept by the allocator for the next problem.
  constexpr double fresh_bytes = 32 << 20;
  const auto largest = std::max_element(group.cells.begin(), group.cells.end());
  const splice::Case& like = group.cases[static_cast<std::size_t>(largest - group.cells.begin())];
  if (!known) {
    known = group.protein ? splice::measured_protein_rate(context, *group.protein, like)
                          : splice::measured_rate(context, *group.scoring, like);
  }
  const splice::Rate& rate = *known;
  double all = 0, alone = 0, bytes = 0, bytes_alone = 0, most_bytes = 0;
  for (std::size_t c = 0; c < group.cases.size(); ++c) {
    const auto blocks = static_cast<double>(std::ssize(group.cases[c].target)) /
                        static_cast<double>(splice::columns_of_a_thread());
    const double workers = group.protein ? 1 : std::clamp(blocks, 1.0, threads);
    const double forward = group.cells[c] / rate.cells;
    const double trace = rate.traced > 0 ? group.traced[c] / rate.traced : 0;
    const double on_one = trace + group.planned[c];
    all += forward + on_one;
    alone = std::max(alone, forward / workers + on_one);
    if (group.bytes[c] < fresh_bytes) continue;
    bytes += group.bytes[c];
    bytes_alone = std::max(bytes_alone, group.bytes[c] / workers);
    most_bytes = std::max(most_bytes, group.bytes[c]);
  }
  const double calls = rate.call * std::max(1.0, static_cast<double>(group.cases.size()) / threads);
  const double seconds = calls + std::max(all / threads, alone);
  if (bytes == 0) return seconds;
  const double of_byte = splice::seconds_of_fresh_byte(most_bytes);
  return seconds + std::max(bytes / threads, bytes_alone) * of_byte;
}

/// Checks the problems of a group, counts their cells and predicts their time.
void plan_group(Context& context, Group& group, Rates& rates, SpliceResult& result) {
  group.protein ? splice::check_proteins(context, group.cases, *group.protein)
                : splice::check_problems(context, group.cases, *group.scoring, group.score_scale);
  for (const splice::Case& c : group.cases) {
    const auto begin = Clock::now();
    result.estimates.push_back(group.protein ? splice::estimate_protein(c, *group.protein)
                                             : splice::estimate(c, *group.scoring));
    splice::Estimate& estimate = result.estimates.back();
    if (context.backend() == Backend::reference) {
      estimate.bytes = static_cast<std::int64_t>(group.protein ? splice::reference_protein_bytes(c)
                                                               : splice::reference_bytes(c));
    }
    // An alignment puts the exons in order as its estimate does: millions take seconds.
    group.planned.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    group.cells.push_back(static_cast<double>(estimate.executed_cells));
    group.traced.push_back(static_cast<double>(estimate.traced_cells));
    group.bytes.push_back(static_cast<double>(estimate.bytes));
  }
  std::optional<splice::Rate>& rate = rates[group.protein ? 1 : 0];
  result.predicted_seconds += context.backend() == Backend::cuda
                                  ? seconds_on_gpus(context, group, rate)
                                  : seconds_on_cpu(context, group, rate);
}

/// The alignments of cases [first, end) but the best, where they lie.
std::vector<AlignedPlace> other_places(const Group& group,
                                       const std::vector<splice::SplicedAlignment>& done,
                                       std::size_t first,
                                       std::size_t end,
                                       std::size_t best) {
  std::vector<AlignedPlace> others;
  for (std::size_t c = first; c < end; ++c) {
    const Trial& trial = *group.places[c].second;
    if (c == best || done[c].chain.empty()) continue;
    const Strand& strand = *trial.strand;
    const auto bases = std::ssize(*strand.bases);
    others.push_back(
        place_of(strand.sequence, strand.sign, trial.antisense, bases, *trial.exons, done[c]));
  }
  return others;
}

/// The exons of a chain alone, which the chain then counts from 0.
std::shared_ptr<const Exons> take_exons(const Exons& exons, splice::SplicedAlignment& alignment) {
  auto own = std::make_shared<Exons>();
  for (splice::ExonAlignment& part : alignment.chain) {
    own->push_back(exons[static_cast<std::size_t>(part.exon)]);
    part.exon = std::ssize(*own) - 1;
  }
  return own;
}

/// The hit of one alignment of a task.
io::SplicedHit make_hit(const Task& task,
                        const Trial& trial,
                        const Group& group,
                        splice::SplicedAlignment&& done) {
  const bool stop = task.with_stop && drop_last_letter(done);
  io::SplicedHit hit;
  hit.target = task.target;
  hit.sequence = trial.strand->sequence;
  hit.strand = trial.strand->sign;
  hit.antisense = trial.antisense;
  hit.letters = trial.antisense ? trial.letters : task.letters;
  hit.bases = trial.strand->bases;
  hit.exons = take_exons(*trial.exons, done);
  hit.alignment = std::move(done);
  hit.params = group.scoring;
  hit.protein = group.protein;
  hit.has_stop = stop;
  hit.score_scale = group.score_scale;
  return hit;
}

/// The cases of one task, one behind the other in a group: the best is the task's hit.
void keep_best(std::size_t first,
               std::size_t end,
               const Group& group,
               const SpliceJobParams& params,
               std::vector<splice::SplicedAlignment>& done,
               io::SplicedHit& hit) {
  std::size_t best = first;
  for (std::size_t c = first + 1; c < end; ++c) {
    if (done[c].score > done[best].score) best = c;
  }
  const auto& [task, trial] = group.places[best];
  std::vector<AlignedPlace> others;
  if (task->from_signals) others = other_places(group, done, first, end, best);
  hit = make_hit(*task, *trial, group, std::move(done[best]));
  if (!task->from_signals) return;
  const std::string_view around =
      std::string_view(*hit.bases)
          .substr(static_cast<std::size_t>(trial->first - 1),
                  static_cast<std::size_t>(trial->last - trial->first + 1));
  judge(hit, around, task->searched_bases, others, params.max_e_value);
}

void align_group(Context& context,
                 const Group& group,
                 const SpliceJobParams& params,
                 const Task* first_task,
                 std::size_t first_hit,
                 SpliceResult& result) {
  const auto begin = Clock::now();
  const auto align = [&](std::span<const splice::Case> some) {
    return group.protein ? splice::align_protein(context, some, *group.protein)
                         : splice::align(context, some, *group.scoring);
  };
  std::vector<splice::SplicedAlignment> done =
      align_cases(context, group.cases, group.cells, align);
  if (done.empty()) return;  // not the first rank
  result.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  for (std::size_t c = 0; c < group.cases.size(); ++c) {
    result.executed_cells += done[c].executed_cells;
    result.traced_cells += done[c].traced_cells;
    result.dense_cells += std::ssize(group.cases[c].bases) * std::ssize(group.cases[c].target);
  }
  for (std::size_t c = 0, end = 0; c < done.size(); c = end) {
    const Task* task = group.places[c].first;
    for (end = c + 1; end < done.size() && group.places[end].first == task;) ++end;
    io::SplicedHit& hit = result.hits[first_hit + (task - first_task)];
    keep_best(c, end, group, params, done, hit);
    if (task->from_signals && hit.e_value < 0) {
      context.note(
          "splice: the scores of unrelated letters add up to gains, so that no E-value is known "
          "and "
          "nothing is unaligned; lower --match or --mismatch, or the --matrix");
    }
  }
}

/// The substitution scores of cDNAs or of proteins from the matrix, where there is one.
void read_scores(SpliceJobParams& params, std::ptrdiff_t proteins, std::ptrdiff_t inputs) {
  params.align.substitution = splice::Substitution::dna(params.match, params.mismatch);
  params.protein.align.min_intron = params.align.min_intron;
  params.protein.align.alignment = params.align.alignment;
  if (params.matrix.empty()) return;
  if (proteins > 0 && proteins < inputs) {
    throw usage_error(
        "splice: a matrix ({}) is of bases or of amino acids, and the batch has "
        "cDNAs and proteins; run them apart",
        params.matrix);
  }
  (proteins > 0 ? params.protein.align : params.align).substitution =
      io::read_substitution(params.matrix);
}

/// Plans and aligns tasks whose exons are known, the hits from `first_hit` on being theirs.
void align_tasks(Context& context,
                 std::span<const Task> tasks,
                 const SpliceJobParams& params,
                 std::size_t first_hit,
                 Rates& rates,
                 SpliceResult& result) {
  std::vector<Group> groups;
  // Proteins first: where the device does not take them, that is said before any work.
  for (const bool is_protein : {true, false}) {
    for (const bool from_signals : {false, true}) {
      groups.push_back(make_group(tasks, params, from_signals, is_protein));
      if (groups.back().cases.empty()) groups.pop_back();
    }
  }
  for (Group& group : groups) plan_group(context, group, rates, result);
  if (params.estimate) return;
  for (const Group& group : groups) {
    align_group(context, group, params, tasks.data(), first_hit, result);
  }
}

void write_files(Context& context, const SpliceJobParams& params, SpliceResult& result) {
  OutputFiles files;
  io::write_spliced_tsv(files.add(params.out + ".tsv"), result.hits);
  io::write_spliced_gff3(files.add(params.out + ".gff3"), result.hits);
  io::write_spliced_paf(files.add(params.out + ".paf"), result.hits);
  io::write_spliced_text(files.add(params.out + ".txt"), result.hits);
  commit_files(context, files, result.files);
}

}  // namespace

SpliceResult run_splice(Context& context, const SpliceJobParams& given) {
  SpliceJobParams params = given;
  const std::vector<SpliceInput>& inputs = params.inputs;
  const auto proteins = std::count_if(
      inputs.begin(), inputs.end(), [](const SpliceInput& input) { return input.is_protein; });
  note_pipe(context, params.matrix);
  read_scores(params, proteins, std::ssize(inputs));
  auto memory = std::make_shared<SpliceInputs>(context, params, proteins > 0);
  std::vector<Task> tasks = memory->tasks(inputs);
  SpliceResult result;
  if (!params.estimate) result.hits.resize(tasks.size());
  Rates rates;
  for (std::size_t first = 0, end = 0; first < tasks.size(); first = end) {
    end = memory->find_exons(tasks, first);
    params.align.held_bytes = params.protein.align.held_bytes = memory->held_bytes();
    align_tasks(
        context, std::span(tasks).subspan(first, end - first), params, first, rates, result);
    memory->drop_exons(tasks, first, end);
  }
  result.search = memory->search();
  memory->note_search();
  if (context.backend() == Backend::cuda) result.predicted_factor = 6;
  if (params.estimate) return result;
  if (context.rank() > 0) return result;
  write_files(context, params, result);
  result.memory = memory;
  return result;
}

}  // namespace yupana::job
