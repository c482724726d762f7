#include "yupana/job/splice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/splice_inputs.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/frameshifts.hpp"

namespace yupana::job {
namespace {

using Clock = std::chrono::steady_clock;

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
      group.cases.push_back({*trial.strand->bases, *trial.exons, aligned_letters(trial)});
      group.places.emplace_back(&task, &trial);
      group.exons.push_back(trial.exons);
    }
  }
  if (from_signals) group.score_scale = splice::candidate_scale;
  if (is_protein) {
    splice::ProteinParams protein =
        from_signals ? splice::protein_for_candidates(params.protein, params.protein_candidates)
                     : params.protein;
    // Evidence is judged by the scores as they are.
    group.scoring = std::make_shared<const splice::AlignParams>(protein.align);
    if (from_signals && params.frameshift > 0) {
      splice::charge_stops(protein.align.substitution, params.frameshift * group.score_scale);
      protein.stops_end = false;  // they are paid for
    }
    group.protein = std::make_shared<const splice::ProteinParams>(std::move(protein));
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
  for (std::size_t k = 0; k < group.cases.size(); ++k) {
    const splice::Case& c = group.cases[k];
    const auto& [task, trial] = group.places[k];
    const auto begin = Clock::now();
    splice::Estimate estimate = group.protein ? splice::estimate_protein(c, *group.protein)
                                              : splice::estimate(c, *group.scoring);
    if (context.backend() == Backend::reference) {
      estimate.bytes = static_cast<std::int64_t>(group.protein ? splice::reference_protein_bytes(c)
                                                               : splice::reference_bytes(c));
    }
    // An alignment puts the exons in order as its estimate does: millions take seconds.
    group.planned.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    group.cells.push_back(static_cast<double>(estimate.executed_cells));
    group.traced.push_back(static_cast<double>(estimate.traced_cells));
    group.bytes.push_back(static_cast<double>(estimate.bytes));
    const Strand& strand = *trial->strand;
    result.problems.push_back(
        {task->target, strand.sequence, strand.sign, trial->antisense, std::move(estimate)});
  }
  std::optional<splice::Rate>& rate = rates[group.protein ? 1 : 0];
  result.predicted_seconds += context.backend() == Backend::cuda
                                  ? seconds_on_gpus(context, group, rate)
                                  : seconds_on_cpu(context, group, rate);
}

void align_group(Context& context,
                 Group& group,
                 const SpliceJobParams& params,
                 const Task* first_task,
                 TaskHits* hits,
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
  const bool local = params.ends == SpliceEnds::local && !group.protein;
  if (local) cut_ends(context, group, params, done);
  count_all_letters(group, done);
  if (local) extend_ends(context, group, done);
  if (params.frameshift > 0 && group.protein) mend_frames(context, group, params, done);
  for (std::size_t c = 0, end = 0; c < done.size(); c = end) {
    const Task* task = group.places[c].first;
    for (end = c + 1; end < done.size() && group.places[end].first == task;) ++end;
    hits[task - first_task] = keep_best(c, end, group, params, align, done);
    const TaskHits& own = hits[task - first_task];
    if (task->from_signals && !own.empty() && own.front().e_value < 0) {
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

/// With exons = auto what chance explains is unaligned: where nothing gains, everything, and where
/// gaps cost nothing, what they cut into short pieces.
void check_gains(Context& context, const SpliceJobParams& params) {
  for (const SpliceInput& input : params.inputs) {
    const splice::AlignParams& align = input.is_protein ? params.protein.align : params.align;
    const auto& scores = align.substitution;
    if (input.exons == "auto" && align.gap_open == 0 && align.gap_extend == 0) {
      context.note(
          "splice: --gap-open 0 and --gap-extend 0: gaps that cost nothing cut alignments into "
          "pieces so short that chance explains them, and targets may be unaligned for that alone; "
          "give one of the two a cost");
    }
    if (input.exons != "auto" || scores.highest() > 0) continue;
    throw usage_error(
        "splice: expected some letters to score above 0 with --exons auto, for which every target "
        "is unaligned otherwise, got {}; give higher scores",
        params.matrix.empty()
            ? fmt::format("--match {}, --mismatch {}", params.match, params.mismatch)
            : params.matrix);
  }
}

/// Says before the work that the reference is for small cases, once: where the cells of the
/// problems after the first `noted` ones make a run long.
void note_reference(Context& context, const SpliceResult& result, std::size_t noted) {
  constexpr double many_cells = 1e8;
  if (context.backend() != Backend::reference) return;
  double before = 0, all = 0;
  for (std::size_t k = 0; k < result.problems.size(); ++k) {
    all += static_cast<double>(result.problems[k].estimate.cells);
    if (k < noted) before = all;
  }
  if (before >= many_cells || all < many_cells) return;
  context.note(fmt::format(
      "splice: --device reference is for small cases: it fills {} cells, every one of the "
      "definition, one after the other; --device cpu finds the same alignments",
      human_count(all)));
}

/// The problems of tasks whose exons are known. Proteins first: where the device does not take
/// them, that is said before any work.
std::vector<Group> make_groups(std::span<const Task> tasks, const SpliceJobParams& params) {
  std::vector<Group> groups;
  for (const bool is_protein : {true, false}) {
    for (const bool from_signals : {false, true}) {
      groups.push_back(make_group(tasks, params, from_signals, is_protein));
      if (groups.back().cases.empty()) groups.pop_back();
    }
  }
  return groups;
}

/// Finds the exons of tasks from `first` on, as many as are aligned together, and plans these;
/// moves `first` past them. Where memory is too small for these or later ones, the refusal names
/// what suffices for all.
std::vector<Group> plan_tasks(Context& context,
                              SpliceInputs& memory,
                              std::vector<Task>& tasks,
                              std::size_t& first,
                              SpliceJobParams& params,
                              Rates& rates,
                              SpliceResult& result) {
  const auto bytes_of = [&](std::span<const Task> some) {
    std::uint64_t bytes = 0;
    for (const Group& group : make_groups(some, params)) {
      bytes = std::max(
          bytes,
          group.protein
              ? splice::sufficient_protein_bytes(context, group.cases, group.protein->align)
              : splice::sufficient_bytes(context, group.cases, *group.scoring));
    }
    return bytes;
  };
  try {
    const std::size_t end = memory.find_exons(tasks, first);
    // What is held next to alignments: exons of as many targets as memory allows.
    params.align.held_bytes = params.protein.align.held_bytes = memory.held_bytes();
    std::vector<Group> groups = make_groups(std::span(tasks).subspan(first, end - first), params);
    for (Group& group : groups) plan_group(context, group, rates, result);
    first = end;
    return groups;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources) throw;
    const std::uint64_t bytes = memory.sufficient_bytes(tasks, first, bytes_of);
    if (bytes <= context.memory()) throw;  // a GPU's
    throw resource_error(
        "splice: sequences, candidate exons and the largest alignment need {} of memory and {} are "
        "allowed; give --memory {}, fewer candidates or shorter targets",
        needed_bytes(static_cast<double>(bytes)),
        allowed_bytes(static_cast<double>(context.memory())),
        memory_option(static_cast<double>(bytes)));
  }
}

/// Refuses what SAM or BAM cannot hold before any work.
void check_sam(const std::vector<Task>& tasks,
               const std::vector<io::SequenceLength>& sequences,
               bool bam) {
  std::vector<std::string> cdnas;
  for (const Task& task : tasks) {
    if (!task.is_protein) cdnas.push_back(task.target);
  }
  io::check_spliced_sam(cdnas, sequences, bam);
}

/// --max-intron, or a species', is no bound of what global ends align.
void note_long_introns(Context& context,
                       const SpliceJobParams& params,
                       std::span<const io::SplicedHit> hits) {
  if (params.max_intron == 0) return;
  std::int64_t longer = 0;
  for (const io::SplicedHit& hit : hits) {
    if (!hit.aligned) continue;
    const std::vector<io::ExonRow> rows = io::exon_rows(hit);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::int64_t bases =
          std::max(rows[i].first, rows[i - 1].first) - std::min(rows[i].last, rows[i - 1].last) - 1;
      if (bases > params.max_intron) ++longer;
    }
  }
  if (longer == 0) return;
  const splice::IntronPrior& prior = splice::intron_prior(params.species);
  const bool of_species = params.max_intron == prior.max_intron;
  context.note(
      fmt::format("--max-intron {}{}: {} {} longer; it bounds where targets are looked for, and "
                  "introns with --ends local alone",
                  params.max_intron,
                  of_species ? fmt::format(" (--species {})", prior.name) : "",
                  counted(longer, "intron"),
                  longer == 1 ? "is" : "are"));
}

}  // namespace

SpliceResult run_splice(Context& context, const SpliceJobParams& given) {
  SpliceJobParams params = given;
  const std::vector<SpliceInput>& inputs = params.inputs;
  const auto proteins = std::count_if(
      inputs.begin(), inputs.end(), [](const SpliceInput& input) { return input.is_protein; });
  note_pipe(context, params.matrix);
  read_scores(params, proteins, std::ssize(inputs));
  check_gains(context, params);
  auto memory = std::make_shared<SpliceInputs>(context, params, proteins > 0);
  std::vector<Task> tasks = memory->tasks(inputs);
  std::vector<io::SequenceLength> sequences;
  if (params.also.sam || params.also.bam) sequences = memory->sequences(inputs);
  if (params.also.sam || params.also.bam) check_sam(tasks, sequences, params.also.bam);
  SpliceResult result;
  std::vector<TaskHits> hits(tasks.size());
  Rates rates;
  for (std::size_t first = 0, end = 0; first < tasks.size(); first = end) {
    const std::size_t noted = result.problems.size();
    std::vector<Group> groups =
        plan_tasks(context, *memory, tasks, end = first, params, rates, result);
    if (!params.estimate) {
      note_reference(context, result, noted);
      for (Group& group : groups) {
        align_group(context, group, params, tasks.data() + first, hits.data() + first, result);
      }
    }
    groups.clear();
    memory->drop_exons(tasks, first, end);
  }
  result.search = memory->search();
  memory->note_search();
  if (context.backend() == Backend::cuda) result.predicted_factor = 6;
  // It walks through whole tables, slower the more of them are beyond the caches.
  if (context.backend() == Backend::reference) result.predicted_seconds = std::nan("");
  if (params.estimate) return result;
  if (context.rank() > 0) return result;
  for (TaskHits& own : hits) {
    std::move(own.begin(), own.end(), std::back_inserter(result.hits));
  }
  note_long_introns(context, params, result.hits);
  write_splice_files(context, params, sequences, result);
  result.memory = memory;
  return result;
}

}  // namespace yupana::job
