// Where the cDNAs of exons = auto are tried.
#include <algorithm>
#include <iterator>

#include "yupana/core/counted.hpp"
#include "yupana/job/splice_inputs.hpp"

namespace yupana::job {
namespace {

/// Whether a strand is one along which the target reads, given its loci, best first: all are where
/// chance could have put the best.
bool is_likely(const std::vector<splice::Locus>& loci, int word, std::size_t sequence, char sign) {
  if (loci.empty() || loci.front().letters < 3 * word) return true;
  return std::any_of(loci.begin(), loci.end(), [&](const splice::Locus& locus) {
    return locus.sequence == sequence && locus.strand == sign;
  });
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

/// The bases as the other strand, of `size` bases, counts them.
std::vector<std::int64_t> mirrored(std::vector<std::int64_t> bases, std::int64_t size) {
  for (std::int64_t& base : bases) base = size + 1 - base;
  std::reverse(bases.begin(), bases.end());
  return bases;
}

}  // namespace

void SpliceInputs::add_strands(Task& task,
                               const SpliceInput& input,
                               const std::list<Strand>& strands,
                               const std::string* letters,
                               const std::string* reversed) {
  const splice::SeedIndex& index = seeds(input.genome);
  const std::vector<splice::Locus> loci = index.loci(*letters);
  const std::int64_t bases = index.bases_indexed();
  const bool local = !params_.exact_window && bases > SpliceJobParams::exact_bases;
  const bool whole = !local || (loci.empty() && bases <= SpliceJobParams::widest_bases);
  if (!whole) {
    ++search_.targets_by_loci;
    search_.loci += std::ssize(loci);
    for (const splice::Locus& l : loci) search_.locus_bases += l.last - l.first + 1;
  }
  for (const Strand& strand : strands) {
    const auto size = std::ssize(*strand.bases);
    for (const bool antisense : {false, true}) {
      if (antisense && reversed == nullptr) continue;
      // The reverse complement reads along the other strand of the same bases.
      const char sign = antisense ? (strand.sign == '+' ? '-' : '+') : strand.sign;
      Trial trial{&strand, antisense ? reversed : letters, antisense, nullptr, 1, size, {}};
      if (whole && is_likely(loci, index.word_length(), strand.index, sign)) {
        task.trials.push_back(trial);
      }
      // Beside whole sequences loci tell how good a second place is.
      if (whole && loci.size() < 2) continue;
      for (const splice::Locus& locus : loci) {
        if (locus.sequence != strand.index || locus.strand != sign) continue;
        trial.first = antisense ? size + 1 - locus.last : locus.first;
        trial.last = antisense ? size + 1 - locus.first : locus.last;
        if (!whole) task.trials.push_back(trial);
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

const splice::SeedIndex& SpliceInputs::seeds(const std::string& genome) {
  const auto found = seeds_.find(genome);
  if (found != seeds_.end()) return found->second;
  std::vector<std::string_view> sequences;
  for (const io::FastaRecord& record : this->genome(genome)) sequences.push_back(record.letters);
  const std::uint64_t bytes = splice::SeedIndex::bytes_for(sequences);
  hold(bytes);
  return seeds_.emplace(genome, splice::SeedIndex(sequences)).first->second;
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
  if (search_.exons_left_out > 0) {
    context_.note(fmt::format("--max-exons {}: {} left out, the weakest sites first",
                              params_.candidates.max_exons,
                              counted(search_.exons_left_out, "candidate exon")));
  }
}

}  // namespace yupana::job
