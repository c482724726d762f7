// Where the targets of exons = auto are tried.
#include <algorithm>
#include <iterator>

#include "yupana/core/messages.hpp"
#include "yupana/io/seed_index_file.hpp"
#include "yupana/job/splice_inputs.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::job {
namespace {

/// Whether a strand is one along which the target reads: all are where chance explains its loci.
bool is_likely(const Places& places, std::size_t sequence, char sign) {
  if (!places.are_evidence) return true;
  return std::any_of(places.loci.begin(), places.loci.end(), [&](const splice::Locus& locus) {
    return locus.sequence == sequence && locus.strand == sign;
  });
}

/// Whether the best locus has words of less than a third of a protein: a far relative's, or none.
bool is_far(const std::vector<splice::Locus>& loci, std::string_view protein) {
  return loci.empty() || loci.front().letters < std::ssize(protein);  // three bases a letter
}

/// Of a cDNA: less than a quarter. By its letters alone chance has words now and then.
bool is_far_cdna(const std::vector<splice::Locus>& loci, std::string_view cdna) {
  return loci.empty() || 4 * loci.front().letters < std::ssize(cdna);
}

/// Bases in the locus that are words of its rivals and none of its own. Loci with fewer than three
/// quarters of the best one's letters are no rivals: they score far less.
std::vector<std::int64_t> words_of_rivals(const std::vector<splice::Locus>& loci,
                                          const splice::Locus& locus) {
  std::vector<std::int64_t> all, others;
  const auto is_rival = [&](const splice::Locus& l) {
    return 4 * l.letters >= 3 * loci.front().letters && l.sequence == locus.sequence &&
           l.strand == locus.strand;
  };
  for (const splice::Locus& other : loci) {
    if (&other == &locus || !is_rival(locus) || !is_rival(other)) continue;
    std::copy_if(other.words.begin(), other.words.end(), std::back_inserter(all), [&](auto word) {
      return word >= locus.first && word <= locus.last;
    });
  }
  std::sort(all.begin(), all.end());
  std::set_difference(
      all.begin(), all.end(), locus.words.begin(), locus.words.end(), std::back_inserter(others));
  return others;
}

/// Leaves of the loci what their words and the other letters justify.
void narrow(std::vector<splice::Locus>& loci,
            const std::list<Strand>& strands,
            const std::string& letters,
            std::int64_t word_length) {
  for (splice::Locus& locus : loci) {
    for (const Strand& strand : strands) {
      if (strand.index != locus.sequence || strand.sign != locus.strand) continue;
      splice::narrow_locus(locus, *strand.bases, letters, word_length);
    }
  }
}

/// The bases as the other strand, of `size` bases, counts them.
std::vector<std::int64_t> mirrored(std::vector<std::int64_t> bases, std::int64_t size) {
  for (std::int64_t& base : bases) base = size + 1 - base;
  std::reverse(bases.begin(), bases.end());
  return bases;
}

// Letters beyond the words of a locus that may belong to it.
constexpr std::int64_t letters_beyond = 20;

/// Takes of a trial's letters those of the locus, its words and as many as may be beyond them;
/// false where these are nearly all.
bool keep_letters_of(const splice::Locus& locus, Trial& trial) {
  const auto size = std::ssize(*trial.letters);
  std::int64_t first = std::max<std::int64_t>(0, locus.first_letter - letters_beyond);
  std::int64_t past = std::min(size, locus.last_letter + letters_beyond);
  if (first + size - past < letters_beyond) return false;
  if (trial.antisense) {
    std::swap(first, past);
    first = size - first, past = size - past;
  }
  trial.first_letter = first;
  trial.past_letter = past;
  return true;
}

}  // namespace

splice::LocusParams SpliceInputs::locus_params() const {
  splice::LocusParams params;
  if (params_.max_intron > 0) params.max_intron = params_.max_intron;
  params.max_loci = std::max(params.max_loci, params_.max_loci);
  return params;
}

/// An index that nothing is looked up in must be of this genome and kind, too.
void SpliceInputs::check_unused_index(const std::string& genome) {
  if (params_.index.empty() || !unused_index_of_.insert(genome).second) return;
  io::map_seed_index(context_, params_.index, sequences_of(genome), params_.protein.code.table());
  if (unused_index_of_.size() > 1) return;
  context_.note(fmt::format(
      "--index {}: not used: proteins are aligned to the whole of genomes of up to {} kb, and of "
      "all with --exact-window",
      params_.index,
      SpliceJobParams::exact_bases / 1000));
}

Places SpliceInputs::places_of(const SpliceInput& input,
                               const std::list<Strand>& strands,
                               const std::string& letters,
                               std::size_t number) {
  std::int64_t bases = 0;
  for (const std::string_view sequence : sequences_of(input.genome)) bases += std::ssize(sequence);
  const bool local = !params_.exact_window && bases > SpliceJobParams::exact_bases;
  Places places;
  if (input.is_protein) {
    if (!local) {
      check_unused_index(input.genome);
      return places;
    }
    places.loci = protein_loci_of(input)[number];
    places.whole = false;
  } else {
    const splice::SeedIndex& index = seeds(input.genome);
    // Where no word is found, whole sequences are tried up to a size: that is exact.
    CdnaLoci found = cdna_loci_of(input, number, local && bases > SpliceJobParams::widest_bases);
    places.loci = std::move(found.loci);
    places.are_evidence =
        !places.loci.empty() && places.loci.front().letters >= 3 * index.word_length();
    places.whole = !local || (places.loci.empty() && bases <= SpliceJobParams::widest_bases);
    // Of whole sequences a second place has what the best one has: a tail far away, too. Next
    // to segments no evidence is looked for: their letters differ too much.
    if (!places.whole && !found.are_far) {
      narrow(places.loci, strands, letters, index.word_length());
    }
  }
  if (!places.whole) {
    ++search_.targets_by_loci;
    search_.loci += std::ssize(places.loci);
    for (const splice::Locus& l : places.loci) search_.locus_bases += l.last - l.first + 1;
  }
  return places;
}

void SpliceInputs::add_places(Task& task,
                              const Places& places,
                              std::list<Strand>& strands,
                              const std::string* letters,
                              const std::string* reversed) {
  const auto& [loci, whole, are_evidence] = places;
  for (Strand& strand : strands) {
    const auto size = std::ssize(*strand.bases);
    for (const bool antisense : {false, true}) {
      if (antisense && reversed == nullptr) continue;
      // The reverse complement reads along the other strand of the same bases.
      const char sign = antisense ? (strand.sign == '+' ? '-' : '+') : strand.sign;
      Trial trial{&strand, antisense ? reversed : letters, antisense, nullptr, 1, size, {}};
      if (whole && is_likely(places, strand.index, sign)) task.trials.push_back(trial);
      // Of whole sequences loci tell how good a second place is.
      if (whole && loci.size() < 2) continue;
      for (const splice::Locus& locus : loci) {
        if (locus.sequence != strand.index || locus.strand != sign) continue;
        trial.first = antisense ? size + 1 - locus.last : locus.first;
        trial.last = antisense ? size + 1 - locus.first : locus.last;
        trial.gaps = locus.gaps;
        if (!whole) task.trials.push_back(trial);
        // Letters that are not from here would draw the others elsewhere.
        Trial part = trial;
        if (!task.is_protein && params_.ends == SpliceEnds::local && keep_letters_of(locus, part)) {
          task.trials.push_back(std::move(part));
        }
        const std::vector<std::int64_t> rivals = words_of_rivals(loci, locus);
        if (!whole && rivals.empty()) continue;
        // Where loci overlap, the best chain of one may be that of the other.
        Trial alone = trial;
        alone.without = antisense ? mirrored(rivals, size) : rivals;
        hold(alone.without.size() * sizeof(std::int64_t));
        task.trials.push_back(std::move(alone));
      }
    }
  }
  if (task.trials.empty()) {
    task.trials.push_back({&strands.front(), letters, false, std::make_shared<Exons>(), 1, 0, {}});
  }
}

std::vector<std::string_view> SpliceInputs::sequences_of(const std::string& genome) {
  std::vector<std::string_view> sequences;
  for (const io::FastaRecord& record : this->genome(genome)) sequences.push_back(record.letters);
  return sequences;
}

const splice::SeedIndex& SpliceInputs::seeds(const std::string& genome) {
  const auto found = seeds_.find(genome);
  if (found != seeds_.end()) return found->second;
  const std::vector<std::string_view> sequences = sequences_of(genome);
  if (!params_.index.empty()) {
    return seeds_.emplace(genome, io::map_seed_index(context_, params_.index, sequences))
        .first->second;
  }
  const std::uint64_t bytes = splice::SeedIndex::bytes_for(sequences, false);
  hold(bytes);
  return seeds_.emplace(genome, splice::SeedIndex(sequences)).first->second;
}

const std::vector<std::vector<splice::Locus>>& SpliceInputs::protein_loci_of(
    const SpliceInput& input) {
  const auto [place, is_new] = protein_loci_.try_emplace({input.genome, input.target});
  if (!is_new) return place->second;
  const std::vector<std::string_view> sequences = sequences_of(input.genome);
  std::vector<std::string_view> proteins;
  for (const io::FastaRecord& record : targets(input)) proteins.push_back(record.letters);
  const splice::GeneticCode& code = params_.protein.code;
  if (!params_.index.empty()) {
    const splice::SeedIndex index =
        io::map_seed_index(context_, params_.index, sequences, code.table());
    place->second = splice::protein_loci(context_, index, proteins, locus_params());
    find_far(place->second, sequences, proteins);
    return place->second;
  }
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const std::uint64_t bytes = std::min(most, left() / 4);
  hold(bytes);
  place->second = splice::protein_loci(context_, sequences, proteins, code, locus_params(), bytes);
  held_ -= bytes;
  find_far(place->second, sequences, proteins);
  return place->second;
}

void SpliceInputs::find_far(std::vector<std::vector<splice::Locus>>& loci,
                            std::span<const std::string_view> sequences,
                            std::span<const std::string_view> proteins) {
  std::vector<std::size_t> numbers;
  std::vector<std::string_view> far;
  std::int64_t longest = 0;
  for (std::size_t p = 0; p < proteins.size(); ++p) {
    if (!is_far(loci[p], proteins[p])) continue;
    numbers.push_back(p);
    far.push_back(proteins[p]);
    longest = std::max(longest, std::ssize(proteins[p]));
  }
  if (far.empty()) return;
  const std::uint64_t bytes = splice::far_protein_bytes(longest, context_.threads());
  hold(bytes);
  auto found =
      splice::far_protein_loci(context_, sequences, far, params_.protein.code, locus_params());
  held_ -= bytes;
  for (std::size_t i = 0; i < far.size(); ++i) {
    if (!found[i].empty()) loci[numbers[i]] = std::move(found[i]);
  }
}

SpliceInputs::CdnaLoci SpliceInputs::cdna_loci_of(const SpliceInput& input,
                                                  std::size_t number,
                                                  bool search_far) {
  constexpr std::size_t together = 1024;
  const std::pair files(input.genome, input.target);  // a genome is searched in one way
  CdnaBlock& block = cdna_loci_;
  if (block.files != files || number < block.first || number >= block.first + block.of.size()) {
    const std::vector<io::FastaRecord>& records = targets(input);
    std::vector<std::string_view> cdnas;
    for (std::size_t t = number; t < std::min(records.size(), number + together); ++t) {
      cdnas.push_back(records[t].letters);
    }
    block = {files, number, std::vector<CdnaLoci>(cdnas.size())};
    const splice::SeedIndex& index = seeds(input.genome);
    context_.parallel_for(std::ssize(cdnas), 1, [&](std::int64_t c) {
      context_.check_cancelled();
      block.of[c].loci = index.loci(cdnas[c], locus_params());
    });
    if (search_far) find_far_cdnas(sequences_of(input.genome), cdnas);
  }
  return std::exchange(block.of[number - block.first], {});
}

void SpliceInputs::find_far_cdnas(std::span<const std::string_view> sequences,
                                  std::span<const std::string_view> cdnas) {
  std::vector<CdnaLoci*> places;
  std::vector<std::string_view> far;
  std::int64_t longest = 0;
  for (std::size_t c = 0; c < cdnas.size(); ++c) {
    if (!is_far_cdna(cdna_loci_.of[c].loci, cdnas[c])) continue;
    places.push_back(&cdna_loci_.of[c]);
    far.push_back(cdnas[c]);
    longest = std::max(longest, std::ssize(cdnas[c]));
  }
  if (far.empty()) return;
  const std::uint64_t bytes = splice::far_cdna_bytes(longest, context_.threads());
  hold(bytes);
  auto found = splice::far_cdna_loci(context_, sequences, far, locus_params());
  held_ -= bytes;
  for (std::size_t i = 0; i < far.size(); ++i) {
    const std::vector<splice::Locus>& words = places[i]->loci;
    if (found[i].empty()) continue;
    if (!words.empty() && words.front().letters >= found[i].front().letters) continue;
    *places[i] = {std::move(found[i]), true};
  }
}

void SpliceInputs::note_search() const {
  if (search_.targets_by_loci > 0) {
    context_.note(fmt::format(
        "sequences beyond {} kb: {} tried at {} of {:.0f} kb in all, where words agree, and exact "
        "there alone; --exact-window tries whole sequences",
        SpliceJobParams::exact_bases / 1000,
        counted(search_.targets_by_loci, "target"),
        counted(search_.loci, "locus", "loci"),
        static_cast<double>(search_.locus_bases) / 1000));
  }
  if (search_.without_frame > 0) {
    context_.note(fmt::format(
        "--ends cds: all letters are aligned of {} without a reading frame of {} codons",
        counted(search_.without_frame, "target"),
        params_.min_orf));
  }
  if (search_.exons_left_out > 0) {
    context_.note(fmt::format("--max-exons {}: {} left out, the weakest sites first",
                              params_.candidates.max_exons,
                              counted(search_.exons_left_out, "candidate exon")));
  }
}

}  // namespace yupana::job
