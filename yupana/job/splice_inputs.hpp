#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/site_scores.hpp"
#include "yupana/io/spliced_files.hpp"
#include "yupana/job/splice.hpp"
#include "yupana/splice/isoforms.hpp"
#include "yupana/splice/loci.hpp"
#include "yupana/splice/protein_loci.hpp"

/// Private to the job: sequences, exons and targets that are read, and from alignments to files of
/// hits.
namespace yupana::job {

using Exons = std::vector<splice::Exon>;

/// One strand of one sequence, with its exons where they are the same for all targets.
struct Strand {
  std::string sequence;
  char sign = '+';
  const std::string* bases = nullptr;         ///< on this strand, in reading direction
  std::shared_ptr<Exons> exons;               ///< null: each target has its own
  std::string reversed;                       ///< what `bases` points to on the - strand
  std::size_t index = 0;                      ///< of the sequence in its file
  const splice::SiteScores* sites = nullptr;  ///< of the sequence, where a file scores them
};

/// A target, read in one direction, on a strand.
struct Trial {
  const Strand* strand = nullptr;
  const std::string* letters = nullptr;  ///< those aligned
  bool antisense = false;                ///< they are the target's reverse complement
  std::shared_ptr<const Exons> exons;
  std::int64_t first = 1;  ///< bases of the strand where its exons are looked for
  std::int64_t last = 0;
  std::vector<std::int64_t> without;  ///< bases whose exons are left out, in order
  std::vector<std::pair<std::int64_t, std::int64_t>> gaps = {};  ///< splice::Locus::gaps
  /// Of the letters those aligned, first and past the last, from 0; all where both are 0.
  std::int64_t first_letter = 0, past_letter = 0;
};

inline std::string_view aligned_letters(const Trial& trial) {
  const std::string_view all = *trial.letters;
  if (trial.past_letter == 0) return all;
  return all.substr(static_cast<std::size_t>(trial.first_letter),
                    static_cast<std::size_t>(trial.past_letter - trial.first_letter));
}

/// Where a trial's exons are looked for.
inline std::string_view bases_of(const Trial& trial) {
  return std::string_view(*trial.strand->bases)
      .substr(static_cast<std::size_t>(trial.first - 1),
              static_cast<std::size_t>(trial.last - trial.first + 1));
}

/// The scores of sites for a text that begins at base `first` of the trial's strand, from 1.
inline splice::SitesAlong sites_along(const Trial& trial, std::int64_t first) {
  const Strand& strand = *trial.strand;
  if (strand.sites == nullptr) return {};
  return {strand.sites, strand.sign == '-', first - 1, std::ssize(*strand.bases)};
}

/// A target and what is tried with it.
struct Task {
  std::string target;
  const std::string* letters = nullptr;  ///< as given
  std::vector<Trial> trials;
  bool from_signals = false;
  bool is_protein = false;
  bool with_stop = false;     ///< '*' was added to the letters aligned
  double searched_bases = 0;  ///< of all strands and directions
};

/// Where a target is tried.
struct Places {
  std::vector<splice::Locus> loci;  ///< best first
  bool whole = true;                ///< along whole sequences, else at its loci alone
  bool are_evidence = false;        ///< chance does not explain the best
};

/// Reads inputs, each file once, and keeps the texts that tasks point to. Counts the bytes it holds
/// against the context's memory; throws out_of_resources before they pass it.
class SpliceInputs {
 public:
  SpliceInputs(Context& context, const SpliceJobParams& params, bool any_protein)
      : context_(context), params_(params), any_protein_(any_protein) {}

  /// The targets; those of exons = auto have none before find_exons().
  std::vector<Task> tasks(const std::vector<SpliceInput>& inputs);
  /// Finds the exons of tasks from `first` on, of as many as are aligned together; returns the end
  /// of these, the same on every rank.
  std::size_t find_exons(std::vector<Task>& tasks, std::size_t first);
  /// Gives back the memory of exons that one task alone had.
  void drop_exons(std::vector<Task>& tasks, std::size_t first, std::size_t end);
  /// The sequences of all genomes, each name once. bad_input for a name with two lengths.
  std::vector<io::SequenceLength> sequences(const std::vector<SpliceInput>& inputs);
  /// Bytes of sequences and exons.
  std::uint64_t held_bytes() const { return held_; }
  /// Bytes that suffice for finding the exons of the tasks from `first` on and aligning them, where
  /// bytes_of(tasks) suffice for an alignment of some. Their exons are found and dropped.
  std::uint64_t sufficient_bytes(
      std::vector<Task>& tasks,
      std::size_t first,
      const std::function<std::uint64_t(std::span<const Task>)>& bytes_of);
  /// What was searched, once all exons are found.
  const SpliceSearch& search() const { return search_; }
  /// Notes what of the search was not exact.
  void note_search() const;

 private:
  /// Throws out_of_resources where so many bytes more are not left.
  void need(std::uint64_t bytes) const;
  void hold(std::uint64_t bytes);
  std::uint64_t left() const { return context_.memory() - std::min(context_.memory(), held_); }
  /// Bytes of exons after which no more targets are aligned together, where `memory` is allowed.
  std::uint64_t block_bytes(std::uint64_t memory) const;
  const std::vector<io::FastaRecord>& fasta(const std::string& path,
                                            bool is_protein,
                                            const char* letters_hint);
  const std::vector<io::FastaRecord>& targets(const SpliceInput& input) {
    return fasta(input.target, input.is_protein, "give proteins by --protein");
  }
  const std::vector<io::FastaRecord>& genome(const std::string& path) {
    return fasta(path, false, "a genome is DNA; proteins are targets, of --protein");
  }
  std::list<Strand>& strands_of(const SpliceInput& input);
  /// The task of one target, `number` in its file.
  void add_trials(Task& task, const SpliceInput& input, std::size_t number);
  /// Aligns of a cDNA the letters of its reading frame alone, in that frame's direction.
  void keep_frame(Task& task, const std::string* reversed);
  void add_places(Task& task,
                  const Places& places,
                  std::list<Strand>& strands,
                  const std::string* letters,
                  const std::string* reversed);
  void check_unused_index(const std::string& genome);
  Places places_of(const SpliceInput& input,
                   const std::list<Strand>& strands,
                   const std::string& letters,
                   std::size_t number);
  splice::LocusParams locus_params() const;
  std::vector<std::string_view> sequences_of(const std::string& genome);
  const splice::SeedIndex& seeds(const std::string& genome);
  const std::vector<std::vector<splice::Locus>>& protein_loci_of(const SpliceInput& input);
  /// Looks for the loci of proteins whose words are few by segments.
  void find_far(std::vector<std::vector<splice::Locus>>& loci,
                std::span<const std::string_view> sequences,
                std::span<const std::string_view> proteins);
  /// Where the words of a cDNA are.
  struct CdnaLoci {
    std::vector<splice::Locus> loci;
    bool are_far = false;  ///< found by segments
  };
  /// Of one of an input's cDNAs, each looked up once; those of far relatives many at a time.
  CdnaLoci cdna_loci_of(const SpliceInput& input, std::size_t number, bool search_far);
  void find_far_cdnas(std::span<const std::string_view> sequences,
                      std::span<const std::string_view> cdnas);
  void check_scores(std::span<const Task> tasks);
  struct FoundExons {
    std::vector<Exons> of_trials;
    std::int64_t left_out = 0;  ///< beyond max_exons
  };
  /// The exons of a task's trials that have none.
  FoundExons exons_of(const Task& task);
  void read_sites(const std::vector<SpliceInput>& inputs);
  std::uint64_t expected_bytes(const std::vector<SpliceInput>& inputs) const;
  /// Leaves of each trial's exons those that may change an output.
  void leave_competitive(const std::vector<const Trial*>& trials, std::vector<Exons>& found);
  /// The exons of a trial, counted from its first base; adds those left out.
  Exons candidates(const Trial& trial, const Task& task, std::int64_t& left_out);
  std::shared_ptr<Exons> held(Exons exons);
  void find_strands(const SpliceInput& input, std::list<Strand>& strands);
  void place_exons(const SpliceInput& input, std::list<Strand>& strands);
  void place(const SpliceInput& input,
             const io::ExonRecord& record,
             Strand& forward,
             Strand& backward) const;
  void merge_copies(const SpliceInput& input, std::list<Strand>& strands) const;
  void reverse(Strand& strand);

  Context& context_;
  const SpliceJobParams& params_;
  const bool any_protein_;
  std::uint64_t held_ = 0;
  bool is_survey_ = false;      ///< what is needed is counted, nothing refused
  std::uint64_t expected_ = 0;  ///< by the sizes of the files, before any is read
  SpliceSearch search_;
  std::map<std::string, splice::SiteScores> sites_;  ///< by sequence
  std::map<std::pair<std::string, bool>, std::vector<io::FastaRecord>> fastas_;
  std::list<std::string> made_;  ///< letters with '*', reverse complements
  std::map<std::string, splice::SeedIndex> seeds_;
  std::set<std::string> unused_index_of_;  ///< genomes
  std::map<std::pair<std::string, std::string>, std::vector<std::vector<splice::Locus>>>
      protein_loci_;  ///< by genome and proteins
  /// Of cDNAs that follow each other in a file, from `first` on.
  struct CdnaBlock {
    std::pair<std::string, std::string> files;  ///< genome and cDNAs
    std::size_t first = 0;
    std::vector<CdnaLoci> of;
  } cdna_loci_;
  std::map<std::tuple<std::string, std::string, bool>, std::list<Strand>> strands_;
};

/// The problems of one kind: of cDNAs or proteins, with exons given or from signals.
struct Group {
  std::shared_ptr<const splice::AlignParams> scoring;
  std::shared_ptr<const splice::ProteinParams> protein;  ///< null with cDNAs
  int score_scale = 1;
  std::vector<splice::Case> cases;
  std::vector<std::pair<const Task*, const Trial*>> places;  ///< of each case
  std::vector<std::shared_ptr<const Exons>> exons;           ///< that the chain of each case counts
  std::vector<double> cells, traced, bytes;  ///< executed, traced and held, of each case
  std::vector<double> planned;               ///< seconds of putting its exons in order
};

/// The hits of one task, best first.
using TaskHits = std::vector<io::SplicedHit>;

/// The hits of the task whose cases are [first, end): the best one, and of those at other loci that
/// are no chance the next best, params.max_loci in all; after each its isoforms, which `align`
/// looks for.
TaskHits keep_best(std::size_t first,
                   std::size_t end,
                   const Group& group,
                   const SpliceJobParams& params,
                   const splice::AlignAll& align,
                   std::vector<splice::SplicedAlignment>& done);

/// Mends the frame of the proteins' alignments whose places may win, by splice::mend_frame().
void mend_frames(Context& context,
                 Group& group,
                 const SpliceJobParams& params,
                 std::vector<splice::SplicedAlignment>& done);

/// Leaves of each cDNA's alignment what pays; the group's exons are then those of its chains.
void cut_ends(Context& context,
              Group& group,
              const SpliceJobParams& params,
              std::vector<splice::SplicedAlignment>& done);

/// Extends what cut_ends() has left, letters being counted from the target's first; exons that are
/// given have the ends that they have.
void extend_ends(Context& context, Group& group, std::vector<splice::SplicedAlignment>& done);

/// Counts letters from the target's first, not the first aligned.
void count_all_letters(const Group& group, std::vector<splice::SplicedAlignment>& done);

/// Writes the files of the hits, those of params.also too, and appends their names. `sequences` are
/// the header of SAM and BAM.
void write_splice_files(Context& context,
                        const SpliceJobParams& params,
                        const std::vector<io::SequenceLength>& sequences,
                        SpliceResult& result);

}  // namespace yupana::job
