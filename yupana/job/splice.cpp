#include "yupana/job/splice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <list>
#include <map>

#include "yupana/core/error.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/substitution_file.hpp"

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
};

/// Reads inputs, each file once, and keeps what is read.
class Workshop {
 public:
  Workshop(Context& context, const SpliceJobParams& params) : context_(context), params_(params) {}

  std::vector<Task> tasks(const std::vector<SpliceInput>& inputs) {
    std::vector<Task> result;
    for (const SpliceInput& input : inputs) {
      context_.check_cancelled();
      const std::list<Strand>& strands = strands_of(input);
      for (const io::FastaRecord& target : fasta(input.target)) {
        Task task{target.name, &target.letters, {}, input.exons == "auto"};
        for (const Strand& strand : strands) task.strands.push_back(&strand);
        result.push_back(std::move(task));
      }
    }
    return result;
  }

 private:
  const std::vector<io::FastaRecord>& fasta(const std::string& path) {
    const auto [place, is_new] = fastas_.try_emplace(path);
    if (is_new) place->second = io::read_fasta(path, letters_allowed());
    return place->second;
  }

  std::string letters_allowed() const {
    if (params_.matrix.empty()) return std::string(io::dna_letters);
    std::string letters;
    for (char c = 'A'; c <= 'Z'; ++c) {
      if (params_.align.substitution.knows(c)) letters += c;
    }
    return letters;
  }

  const std::list<Strand>& strands_of(const SpliceInput& input) {
    const auto [place, is_new] = strands_.try_emplace({input.genome, input.exons});
    if (!is_new) return place->second;
    std::list<Strand>& strands = place->second;
    const std::vector<io::FastaRecord>& genome = fasta(input.genome);
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
        strand.exons = splice::candidate_exons(strand.bases, params_.candidates);
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
  std::map<std::string, std::vector<io::FastaRecord>> fastas_;
  std::map<std::pair<std::string, std::string>, std::list<Strand>> strands_;
};

std::vector<SpliceInput> read_batch(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto beside = [&](std::string_view name) { return (folder / name).string(); };
  std::vector<SpliceInput> inputs;
  io::LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    std::array<std::string_view, 4> fields;
    const std::size_t count = io::split_fields(line, fields.data(), fields.size());
    if (count == 0 || fields[0].starts_with('#')) continue;
    if (inputs.empty() && fields[0] == "genome") continue;
    if (count != 3) {
      throw bad_line(path,
                     reader.number(),
                     fmt::format("{} columns; genome, exons (or auto) and target wanted", count));
    }
    inputs.push_back(
        {beside(fields[0]), fields[1] == "auto" ? "auto" : beside(fields[1]), beside(fields[2])});
  }
  if (inputs.empty()) throw bad_file(path, "no case: lines of genome, exons and target wanted");
  return inputs;
}

/// The problems of one kind, and the best of those of each task.
class Runner {
 public:
  Runner(Context& context, const std::vector<Task>& tasks, const SpliceJobParams& params)
      : context_(context), tasks_(tasks), params_(params) {}

  void run(bool from_signals, bool only_estimate, SpliceResult& result) {
    std::vector<splice::Case> cases;
    std::vector<std::pair<std::size_t, const Strand*>> places;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].from_signals != from_signals) continue;
      for (const Strand* strand : tasks_[t].strands) {
        cases.push_back({strand->bases, strand->exons, *tasks_[t].letters});
        places.emplace_back(t, strand);
      }
    }
    if (cases.empty()) return;
    const auto scoring = std::make_shared<const splice::AlignParams>(
        from_signals ? splice::scaled_for_candidates(params_.align, params_.candidates)
                     : params_.align);
    const splice::AlignParams& align = *scoring;
    double cells = 0;
    for (const splice::Case& c : cases) {
      result.estimates.push_back(splice::estimate(c, align));
      cells += static_cast<double>(result.estimates.back().executed_cells);
    }
    result.predicted_seconds += cells / (rate(align) * context_.threads());
    if (only_estimate) return;
    const auto begin = Clock::now();
    std::vector<splice::SplicedAlignment> done = splice::align(context_, cases, align);
    result.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::size_t c = 0; c < cases.size(); ++c) {
      result.executed_cells += done[c].executed_cells;
      result.traced_cells += done[c].traced_cells;
      result.dense_cells += std::ssize(cases[c].bases) * std::ssize(cases[c].target);
      io::SplicedHit& hit = result.hits[places[c].first];
      if (hit.letters != nullptr && hit.alignment.score >= done[c].score) continue;
      const Strand& strand = *places[c].second;
      const Task& task = tasks_[places[c].first];
      hit = {task.target,
             strand.sequence,
             strand.sign,
             task.letters,
             &strand.bases,
             &strand.exons,
             std::move(done[c]),
             scoring};
    }
  }

 private:
  double rate(const splice::AlignParams& align) {
    return context_.backend() == Backend::reference ? 2e7 : splice::measured_rate(align);
  }

  Context& context_;
  const std::vector<Task>& tasks_;
  const SpliceJobParams& params_;
};

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
  params.align.substitution = params.matrix.empty()
                                  ? splice::Substitution::dna(params.match, params.mismatch)
                                  : io::read_substitution(params.matrix);
  auto workshop = std::make_shared<Workshop>(context, params);
  const std::vector<SpliceInput> inputs =
      params.batch.empty() ? params.inputs : read_batch(params.batch);
  const std::vector<Task> tasks = workshop->tasks(inputs);
  SpliceResult result;
  result.hits.resize(tasks.size());
  Runner runner(context, tasks, params);
  for (const bool from_signals : {false, true}) runner.run(from_signals, params.estimate, result);
  if (params.estimate) {
    result.hits.clear();
    return result;
  }
  write_files(context, params, result);
  result.memory = workshop;
  return result;
}

}  // namespace yupana::job
