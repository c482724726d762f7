#include "yupana/job/splice_inputs.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::job {
namespace {

std::shared_ptr<Exons> no_exons() { return std::make_shared<Exons>(); }

std::string letters_known(const splice::Substitution& substitution) {
  std::string letters;
  for (char c = 'A'; c <= 'Z'; ++c) {
    if (substitution.knows(c)) letters += c;
  }
  if (substitution.knows('*')) letters += '*';
  return letters;
}

/// Throws bad_input for a record of which 95 % of the letters or more are A, C, G, T or N: A, C, G,
/// T and N are a quarter of a protein.
void refuse_cdna(const std::string& path, const io::FastaRecord& record) {
  const auto is_acgt = [](char c) {
    return std::string_view("ACGTN").find(static_cast<char>(
               std::toupper(static_cast<unsigned char>(c)))) != std::string_view::npos;
  };
  const auto count = std::count_if(record.letters.begin(), record.letters.end(), is_acgt);
  if (20 * count < 19 * std::ssize(record.letters)) return;
  throw bad_file(path,
                 "expected proteins, got '{}', of which {} of {} letters are A, C, G, "
                 "T or N; give cDNAs by --target (in a batch without the word "
                 "protein), or take it as a protein with --allow-acgt",
                 record.name,
                 count,
                 record.letters.size());
}

}  // namespace

/// About what sequences, their other strands, an index and the search of candidates hold: a first
/// refusal names it, for what is met later would be refused again.
std::uint64_t SpliceInputs::expected_bytes(const std::vector<SpliceInput>& inputs) const {
  // Bytes a base; those of a search include a target's candidates, read both ways on two strands.
  constexpr std::uint64_t packed = 4, strands = 3, index = 8, search = 256;
  const auto letters = [](const std::string& path) -> std::uint64_t {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(path, none);
    return none ? 0 : size * (path.ends_with(".gz") ? packed : 1);
  };
  std::uint64_t bytes = 0;
  std::set<std::string> counted;
  for (const SpliceInput& input : inputs) {
    if (counted.insert(input.target).second) bytes += strands * letters(input.target);
    if (!counted.insert(input.genome).second) continue;
    const std::uint64_t bases = letters(input.genome);
    const bool searched = input.exons == "auto";
    const bool whole = params_.exact_window || bases <= SpliceJobParams::exact_bases;
    bytes += bases * (strands + (searched && params_.index.empty() ? index : 0) +
                      (searched && whole ? search : 0));
  }
  return bytes;
}

std::vector<Task> SpliceInputs::tasks(const std::vector<SpliceInput>& inputs) {
  expected_ = expected_bytes(inputs);
  read_sites(inputs);
  std::vector<Task> result;
  for (const SpliceInput& input : inputs) {
    context_.check_cancelled();
    std::size_t number = 0;
    for (const io::FastaRecord& target : targets(input)) {
      if (input.is_protein && !params_.allow_acgt) refuse_cdna(input.target, target);
      Task task;
      task.target = target.name;
      task.letters = &target.letters;
      task.from_signals = input.exons == "auto";
      task.is_protein = input.is_protein;
      add_trials(task, input, number++);
      result.push_back(std::move(task));
    }
  }
  return result;
}

void SpliceInputs::add_trials(Task& task, const SpliceInput& input, std::size_t number) {
  const auto make = [&](std::string letters) {
    hold(letters.size());
    made_.push_back(std::move(letters));
    return &made_.back();
  };
  const std::string* letters = task.letters;
  task.with_stop = task.from_signals && task.is_protein && !letters->ends_with('*');
  if (task.with_stop) letters = make(*letters + '*');
  // A read of a cDNA has either direction.
  const std::string* reversed = nullptr;
  if (task.from_signals && !task.is_protein && !params_.one_strand) {
    reversed = make(io::reverse_complement(*letters));
  }
  std::list<Strand>& strands = strands_of(input);
  for (const Strand& strand : strands) {
    const double directions = reversed != nullptr ? 2 : 1;
    task.searched_bases += directions * static_cast<double>(strand.bases->size());
  }
  if (!task.from_signals) {
    for (const Strand& strand : strands) {
      task.trials.push_back(
          {&strand, letters, false, strand.exons, 1, std::ssize(*strand.bases), {}});
    }
  } else {
    add_places(task, places_of(input, strands, *task.letters, number), strands, letters, reversed);
  }
  if (params_.ends == SpliceEnds::cds && !task.is_protein) keep_frame(task, reversed);
}

void SpliceInputs::keep_frame(Task& task, const std::string* reversed) {
  const auto frame_of = [&](const std::string* letters) {
    if (letters == nullptr) return splice::CodingPart();
    return splice::coding_part(*letters, params_.protein.code, params_.min_orf);
  };
  const auto worth = [](const splice::CodingPart& part) {
    return std::pair(part.starts && part.stops, part.end - part.begin);
  };
  const splice::CodingPart sense = frame_of(task.letters), turned = frame_of(reversed);
  const bool antisense = worth(turned) > worth(sense);
  const splice::CodingPart& part = antisense ? turned : sense;
  if (part.empty()) {
    ++search_.without_frame;
    return;
  }
  const auto is_other = [&](const Trial& trial) { return trial.antisense != antisense; };
  if (!std::all_of(task.trials.begin(), task.trials.end(), is_other)) {
    std::erase_if(task.trials, is_other);
  }
  for (Trial& trial : task.trials) {
    trial.first_letter = part.begin;
    trial.past_letter = part.end;
  }
}

std::vector<io::SequenceLength> SpliceInputs::sequences(const std::vector<SpliceInput>& inputs) {
  std::vector<io::SequenceLength> result;
  std::map<std::string, std::int64_t> lengths;
  for (const SpliceInput& input : inputs) {
    for (const io::FastaRecord& record : genome(input.genome)) {
      const auto [known, is_new] = lengths.try_emplace(record.name, std::ssize(record.letters));
      if (is_new) result.push_back({record.name, known->second});
      if (known->second == std::ssize(record.letters)) continue;
      throw bad_file(
          input.genome,
          "expected '{}' to have {} as in another genome of the batch, for SAM and BAM name "
          "each sequence once, got {}; align them apart or leave out sam and bam",
          record.name,
          counted(known->second, "base"),
          record.letters.size());
    }
  }
  return result;
}

void SpliceInputs::need(std::uint64_t bytes) const {
  if (is_survey_ || bytes <= left()) return;
  // What the targets still to come need is not known; named to the byte, each would be refused.
  const auto needed = static_cast<double>(held_ + bytes);
  throw resource_error(
      "splice: sequences and candidate exons so far need {} of memory and {} are "
      "allowed; give at least --memory {}, shorter sequences or fewer exons",
      needed_bytes(needed),
      allowed_bytes(static_cast<double>(context_.memory())),
      memory_option(2 * std::max(needed, static_cast<double>(expected_))));
}

void SpliceInputs::hold(std::uint64_t bytes) {
  need(bytes);
  held_ += bytes;
}

const std::vector<io::FastaRecord>& SpliceInputs::fasta(const std::string& path,
                                                        bool is_protein,
                                                        const char* letters_hint) {
  const auto [place, is_new] = fastas_.try_emplace({path, is_protein});
  if (is_new) {
    note_pipe(context_, path);
    const bool is_dna = !is_protein && (params_.matrix.empty() || any_protein_);
    const splice::Substitution& scores =
        (is_protein ? params_.protein.align : params_.align).substitution;
    place->second = io::read_fasta(path,
                                   is_dna ? std::string(io::dna_letters) : letters_known(scores),
                                   is_dna ? letters_hint : "",
                                   left(),
                                   held_ + 2 * expected_);
    hold(io::held_bytes(place->second));
  }
  return place->second;
}

std::list<Strand>& SpliceInputs::strands_of(const SpliceInput& input) {
  const auto [place, is_new] = strands_.try_emplace({input.genome, input.exons, input.is_protein});
  if (!is_new) return place->second;
  std::list<Strand>& strands = place->second;
  const std::vector<io::FastaRecord>& genome = this->genome(input.genome);
  for (std::size_t r = 0; r < genome.size(); ++r) {
    const auto scored = sites_.find(genome[r].name);
    const splice::SiteScores* sites = scored == sites_.end() ? nullptr : &scored->second;
    for (const char sign : {'+', '-'}) {
      strands.push_back({genome[r].name, sign, &genome[r].letters, no_exons(), {}, r, sites});
    }
  }
  if (input.exons == "auto") {
    find_strands(input, strands);
    return strands;
  }
  place_exons(input, strands);
  strands.remove_if([](const Strand& s) { return s.exons->empty(); });
  if (strands.empty()) {
    throw bad_file(input.exons,
                   "expected exons (GFF3, GTF, BED, a table or GENSCAN's text), got none; give a "
                   "file that has some, or --exons auto");
  }
  return strands;
}

void SpliceInputs::reverse(Strand& strand) {
  hold(strand.bases->size());
  strand.reversed = io::reverse_complement(*strand.bases);
  strand.bases = &strand.reversed;
}

void SpliceInputs::find_strands(const SpliceInput& input, std::list<Strand>& strands) {
  if (params_.both_strands) {
    context_.note(
        fmt::format("{}: --exons auto always tries both strands, so --both-strands changes nothing",
                    input.genome));
  }
  if (params_.one_strand) strands.remove_if([](const Strand& s) { return s.sign == '-'; });
  for (Strand& strand : strands) {
    if (strand.sign == '-') reverse(strand);
    strand.exons = nullptr;
  }
}

void SpliceInputs::place_exons(const SpliceInput& input, std::list<Strand>& strands) {
  std::map<std::pair<std::string, char>, Strand*> by_name;
  for (Strand& strand : strands) by_name[{strand.sequence, strand.sign}] = &strand;
  bool any_without_strand = false;
  note_pipe(context_, input.exons);
  for (const io::ExonRecord& record : io::read_exons(input.exons)) {
    if (record.sequence.empty() && strands.size() > 2) {
      throw bad_line(input.exons,
                     record.line,
                     "{} has {} sequences, so each exon must name its own in a first column",
                     input.genome,
                     strands.size() / 2);
    }
    const std::string name = record.sequence.empty() ? strands.front().sequence : record.sequence;
    const auto found = by_name.find({name, '+'});
    if (found == by_name.end()) {
      throw bad_line(input.exons, record.line, "'{}' is no sequence of {}", name, input.genome);
    }
    any_without_strand |= record.strand == '.';
    place(input, record, *found->second, *by_name.at({name, '-'}));
  }
  if (params_.both_strands && !any_without_strand) {
    context_.note(fmt::format("{}: every exon names its strand, so --both-strands changes nothing",
                              input.exons));
  }
  merge_copies(input, strands);
  for (Strand& strand : strands) {
    hold(strand.exons->capacity() * sizeof(splice::Exon));
    if (strand.sign == '-' && !strand.exons->empty()) reverse(strand);
  }
}

void SpliceInputs::place(const SpliceInput& input,
                         const io::ExonRecord& record,
                         Strand& forward,
                         Strand& backward) const {
  const auto length = std::ssize(*forward.bases);
  if (record.last > length) {
    throw bad_line(input.exons,
                   record.line,
                   "exon {}..{} is outside '{}', which has {}",
                   record.first,
                   record.last,
                   forward.sequence,
                   counted(length, "base"));
  }
  splice::Exon exon;
  exon.first = record.first;
  exon.last = record.last;
  if (record.strand != '-') forward.exons->push_back(exon);
  if (record.strand == '-' || (record.strand == '.' && params_.both_strands)) {
    exon.first = length + 1 - record.last;
    exon.last = length + 1 - record.first;
    backward.exons->push_back(exon);
  }
}

void SpliceInputs::merge_copies(const SpliceInput& input, std::list<Strand>& strands) const {
  std::int64_t copies = 0;
  for (Strand& strand : strands) {
    auto& exons = *strand.exons;
    std::ranges::sort(exons, {}, [](const splice::Exon& a) { return std::pair(a.first, a.last); });
    const auto end = std::unique(exons.begin(), exons.end());
    copies += exons.end() - end;
    exons.erase(end, exons.end());
  }
  if (copies > 0)
    context_.note(fmt::format("{}: {} given twice, merged", input.exons, counted(copies, "exon")));
}

}  // namespace yupana::job
