#include "yupana/job/splice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <list>
#include <map>
#include <tuple>

#include "yupana/core/error.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/splice_cases.hpp"
#include "yupana/io/substitution_file.hpp"
#include "yupana/job/splice_ranks.hpp"

namespace yupana::job {
namespace {

using Clock = std::chrono::steady_clock;

/// One strand of one sequence, with its exons.
struct Strand {
  std::string sequence;
  char sign = '+';
  std::string bases;
  std::vector<splice::Exon> exons;
};

/// A target and the strands it is tried on.
struct Task {
  std::string target;
  const std::string* letters = nullptr;
  std::vector<const Strand*> strands;
  bool from_signals = false;
  bool is_protein = false;
  const std::string* with_stop = nullptr;  ///< the letters and '*', where it was added
};

/// Reads inputs, each file once, and keeps what is read.
class Workshop {
 public:
  Workshop(Context& context, const SpliceJobParams& params, bool any_protein)
      : context_(context), params_(params), any_protein_(any_protein) {}

  std::vector<Task> tasks(const std::vector<SpliceInput>& inputs) {
    std::vector<Task> result;
    for (const SpliceInput& input : inputs) {
      context_.check_cancelled();
      const std::list<Strand>& strands = strands_of(input);
      const bool from_signals = input.exons == "auto";
      for (const io::FastaRecord& target : fasta(input.target, input.is_protein)) {
        Task task{target.name, &target.letters, {}, from_signals, input.is_protein};
        if (from_signals && input.is_protein && !target.letters.ends_with('*')) {
          with_stop_.push_back(target.letters + '*');
          task.with_stop = &with_stop_.back();
        }
        for (const Strand& strand : strands) task.strands.push_back(&strand);
        result.push_back(std::move(task));
      }
    }
    return result;
  }

 private:
  const std::vector<io::FastaRecord>& fasta(const std::string& path, bool is_protein) {
    const auto [place, is_new] = fastas_.try_emplace({path, is_protein});
    if (is_new) {
      place->second = io::read_fasta(path,
                                     is_protein ? known(params_.protein.align.substitution)
                                     : params_.matrix.empty() || any_protein_
                                         ? std::string(io::dna_letters)
                                         : known(params_.align.substitution));
    }
    return place->second;
  }

  static std::string known(const splice::Substitution& substitution) {
    std::string letters;
    for (char c = 'A'; c <= 'Z'; ++c) {
      if (substitution.knows(c)) letters += c;
    }
    if (substitution.knows('*')) letters += '*';
    return letters;
  }

  const std::list<Strand>& strands_of(const SpliceInput& input) {
    const auto [place, is_new] =
        strands_.try_emplace({input.genome, input.exons, input.is_protein});
    if (!is_new) return place->second;
    std::list<Strand>& strands = place->second;
    const std::vector<io::FastaRecord>& genome = fasta(input.genome, false);
    for (const io::FastaRecord& record : genome) {
      for (const char sign : {'+', '-'}) {
        strands.push_back({record.name,
                           sign,
                           sign == '+' ? record.letters : io::reverse_complement(record.letters),
                           {}});
      }
    }
    if (input.exons == "auto") {
      for (Strand& strand : strands) {
        context_.check_cancelled();
        if (strand.sign == '-' && !params_.both_strands) continue;
        strand.exons = splice::candidate_exons(
            context_,
            strand.bases,
            input.is_protein ? params_.protein_candidates : params_.candidates);
      }
    } else {
      place_exons(input, strands);
    }
    strands.remove_if([](const Strand& s) { return s.exons.empty(); });
    if (strands.empty()) {
      context_.note(fmt::format("{}: no candidate exon; every score is that of the empty chain",
                                input.exons == "auto" ? input.genome : input.exons));
      strands.push_back({genome.front().name, '+', genome.front().letters, {}});
    }
    return strands;
  }

  void place_exons(const SpliceInput& input, std::list<Strand>& strands) {
    std::map<std::pair<std::string, char>, Strand*> by_name;
    for (Strand& strand : strands) by_name[{strand.sequence, strand.sign}] = &strand;
    for (const io::ExonRecord& record : io::read_exons(input.exons)) {
      if (record.sequence.empty() && strands.size() > 2) {
        throw bad_line(input.exons,
                       record.line,
                       fmt::format("{} has {} sequences, so each exon must name its own in a first "
                                   "column",
                                   input.genome,
                                   strands.size() / 2));
      }
      const std::string name = record.sequence.empty() ? strands.front().sequence : record.sequence;
      const auto found = by_name.find({name, '+'});
      if (found == by_name.end()) {
        throw bad_line(
            input.exons, record.line, fmt::format("'{}' is no sequence of {}", name, input.genome));
      }
      const auto length = std::ssize(found->second->bases);
      if (record.last > length) {
        throw bad_line(input.exons,
                       record.line,
                       fmt::format("exon {}..{} is outside '{}', which has {} bases",
                                   record.first,
                                   record.last,
                                   name,
                                   length));
      }
      splice::Exon exon;
      exon.first = record.first;
      exon.last = record.last;
      if (record.strand != '-') found->second->exons.push_back(exon);
      if (record.strand == '-' || (record.strand == '.' && params_.both_strands)) {
        exon.first = length + 1 - record.last;
        exon.last = length + 1 - record.first;
        by_name.at({name, '-'})->exons.push_back(exon);
      }
    }
    merge_copies(input, strands);
  }

  void merge_copies(const SpliceInput& input, std::list<Strand>& strands) const {
    std::int64_t copies = 0;
    for (Strand& strand : strands) {
      auto& exons = strand.exons;
      std::sort(exons.begin(), exons.end(), [](const splice::Exon& a, const splice::Exon& b) {
        return std::pair(a.first, a.last) < std::pair(b.first, b.last);
      });
      const auto end = std::unique(exons.begin(), exons.end());
      copies += exons.end() - end;
      exons.erase(end, exons.end());
    }
    if (copies > 0) context_.note(fmt::format("{}: {} exons twice, merged", input.exons, copies));
  }

  Context& context_;
  const SpliceJobParams& params_;
  const bool any_protein_;
  std::map<std::pair<std::string, bool>, std::vector<io::FastaRecord>> fastas_;
  std::list<std::string> with_stop_;
  std::map<std::tuple<std::string, std::string, bool>, std::list<Strand>> strands_;
};

/// Takes a letter added to the end of a target out of its alignment: its codon stands alone. True
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

/// The problems of one kind, and the best of those of each task.
class Runner {
 public:
  Runner(Context& context, const std::vector<Task>& tasks, const SpliceJobParams& params)
      : context_(context), tasks_(tasks), params_(params) {}

  void run(bool from_signals, bool is_protein, bool only_estimate, SpliceResult& result) {
    std::vector<splice::Case> cases;
    std::vector<std::pair<std::size_t, const Strand*>> places;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].from_signals != from_signals || tasks_[t].is_protein != is_protein) continue;
      const std::string* letters =
          tasks_[t].with_stop != nullptr ? tasks_[t].with_stop : tasks_[t].letters;
      for (const Strand* strand : tasks_[t].strands) {
        cases.push_back({strand->bases, strand->exons, *letters});
        places.emplace_back(t, strand);
      }
    }
    if (cases.empty()) return;
    choose_scoring(from_signals, is_protein);
    double cells = 0, longest = 0, letters = 0;
    std::vector<double> cells_of;
    for (const splice::Case& c : cases) {
      result.estimates.push_back(protein_ ? splice::estimate_protein(c, *protein_)
                                          : splice::estimate(c, *scoring_));
      const auto executed = static_cast<double>(result.estimates.back().executed_cells);
      cells += executed;
      letters += executed * static_cast<double>(c.target.size());
      cells_of.push_back(executed);
      longest = std::max(longest, executed / std::max(1.0, static_cast<double>(c.target.size())));
    }
    // A protein is one task; a long cDNA is spread over the threads.
    const auto tasks = is_protein ? std::ssize(cases) : std::ptrdiff_t{context_.threads()};
    const auto workers = context_.backend() == Backend::cuda
                             ? std::min(std::ssize(context_.devices()), std::ssize(cases))
                         : context_.backend() == Backend::cpu
                             ? std::min<std::ptrdiff_t>(context_.threads(), tasks)
                             : std::ptrdiff_t{1};
    // Of the target that a cell in the mean belongs to.
    const auto usual = static_cast<std::int64_t>(letters / std::max(1.0, cells));
    result.predicted_seconds += rate(usual).seconds(cells, longest, static_cast<double>(workers));
    if (only_estimate) return;
    const auto begin = Clock::now();
    const auto align = [&](std::span<const splice::Case> some) {
      return protein_ ? splice::align_protein(context_, some, *protein_)
                      : splice::align(context_, some, *scoring_);
    };
    std::vector<splice::SplicedAlignment> done =
        params_.comm == nullptr ? align(cases)
                                : align_by_ranks(*params_.comm, cases, cells_of, align);
    if (done.empty()) return;  // not the first rank
    result.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::size_t c = 0; c < cases.size(); ++c) {
      result.executed_cells += done[c].executed_cells;
      result.traced_cells += done[c].traced_cells;
      result.dense_cells += std::ssize(cases[c].bases) * std::ssize(cases[c].target);
      keep_best(tasks_[places[c].first],
                *places[c].second,
                std::move(done[c]),
                result.hits[places[c].first]);
    }
  }

 private:
  void choose_scoring(bool from_signals, bool is_protein) {
    if (is_protein) {
      protein_ = std::make_shared<const splice::ProteinParams>(
          from_signals ? splice::protein_for_candidates(params_.protein, params_.protein_candidates)
                       : params_.protein);
      scoring_ = std::shared_ptr<const splice::AlignParams>(protein_, &protein_->align);
    } else {
      protein_ = nullptr;
      scoring_ = std::make_shared<const splice::AlignParams>(
          from_signals ? splice::scaled_for_candidates(params_.align, params_.candidates)
                       : params_.align);
    }
  }
  void keep_best(const Task& task,
                 const Strand& strand,
                 splice::SplicedAlignment&& done,
                 io::SplicedHit& hit) const {
    if (hit.letters != nullptr && hit.alignment.score >= done.score) return;
    const bool stop = task.with_stop != nullptr && drop_last_letter(done);
    hit = {task.target,
           strand.sequence,
           strand.sign,
           task.letters,
           &strand.bases,
           &strand.exons,
           std::move(done),
           scoring_,
           protein_,
           stop};
  }
  splice::Rate rate(std::int64_t letters) {
    return protein_ ? splice::measured_protein_rate(context_, *protein_, letters)
                    : splice::measured_rate(context_, *scoring_, letters);
  }

  Context& context_;
  const std::vector<Task>& tasks_;
  const SpliceJobParams& params_;
  std::shared_ptr<const splice::AlignParams> scoring_;
  std::shared_ptr<const splice::ProteinParams> protein_;  ///< null with cDNAs
};

/// The substitution scores of cDNAs or of proteins from the matrix, where there is one.
void read_scores(SpliceJobParams& params, std::ptrdiff_t proteins, std::ptrdiff_t inputs) {
  params.align.substitution = splice::Substitution::dna(params.match, params.mismatch);
  params.protein.align.min_intron = params.align.min_intron;
  params.protein.align.alignment = params.align.alignment;
  if (params.matrix.empty()) return;
  if (proteins > 0 && proteins < inputs) {
    throw Error(
        ErrorCode::usage,
        fmt::format("splice: a matrix ({}) is of bases or of amino acids, and the batch has "
                    "cDNAs and proteins; run them apart",
                    params.matrix));
  }
  (proteins > 0 ? params.protein.align : params.align).substitution =
      io::read_substitution(params.matrix);
}

void write_files(Context& context, const SpliceJobParams& params, SpliceResult& result) {
  OutputFiles files;
  io::write_spliced_tsv(files.add(params.out + ".tsv"), result.hits);
  io::write_spliced_gff3(files.add(params.out + ".gff3"), result.hits);
  io::write_spliced_paf(files.add(params.out + ".paf"), result.hits);
  io::write_spliced_text(files.add(params.out + ".txt"), result.hits);
  context.check_cancelled();
  files.commit();
  for (const AtomicFile& file : files.files()) result.files.push_back(file.path());
}

}  // namespace

SpliceResult run_splice(Context& context, const SpliceJobParams& given) {
  SpliceJobParams params = given;
  const std::vector<SpliceInput> inputs =
      params.batch.empty() ? params.inputs : io::read_splice_cases(params.batch);
  const auto proteins = std::count_if(
      inputs.begin(), inputs.end(), [](const SpliceInput& input) { return input.is_protein; });
  read_scores(params, proteins, std::ssize(inputs));
  auto workshop = std::make_shared<Workshop>(context, params, proteins > 0);
  const std::vector<Task> tasks = workshop->tasks(inputs);
  SpliceResult result;
  result.hits.resize(tasks.size());
  Runner runner(context, tasks, params);
  // Proteins first: where the device does not take them, that is said before any work.
  for (const bool is_protein : {true, false}) {
    for (const bool from_signals : {false, true}) {
      runner.run(from_signals, is_protein, params.estimate, result);
    }
  }
  if (params.estimate) {
    result.hits.clear();
    return result;
  }
  if (params.comm != nullptr && params.comm->rank() > 0) return result;
  write_files(context, params, result);
  result.memory = workshop;
  return result;
}

}  // namespace yupana::job
