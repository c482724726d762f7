#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/spliced_files.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/estimate.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/isoforms.hpp"
#include "yupana/splice/species.hpp"

namespace yupana::job {

using SpliceInput = io::SpliceCase;

/// Files of a run besides .tsv, .gff3, .paf and .txt.
struct SpliceFiles {
  bool gtf = false;       ///< .gtf
  bool sam = false;       ///< .sam, of cDNAs
  bool bam = false;       ///< .bam and its index, of cDNAs
  bool proteins = false;  ///< .faa: what the CDS lines read
  bool page = false;      ///< .html: pictures of the exons
};

/// What the names of a run's files end in, of any run.
inline constexpr std::initializer_list<const char*> splice_endings = {".tsv",
                                                                      ".gff3",
                                                                      ".paf",
                                                                      ".txt",
                                                                      ".gtf",
                                                                      ".sam",
                                                                      ".bam",
                                                                      ".bam.bai",
                                                                      ".bam.csi",
                                                                      ".faa",
                                                                      ".html"};

/// Which letters of a cDNA are aligned.
enum class SpliceEnds {
  global,  ///< all
  local,   ///< those at either end that do not pay are left out, see splice::keep_best_stretch
  cds,     ///< those of its reading frame, see splice::coding_part, the longer of both directions
};

struct SpliceJobParams {
  std::vector<SpliceInput> inputs;
  std::string command;  ///< the command line, for the page; may be empty
  std::string matrix;   ///< a file of substitution scores; empty: match and mismatch, or BLOSUM62
  int match = 1;
  int mismatch = -1;
  splice::AlignParams align;           ///< its substitution is set from the above
  splice::ProteinParams protein;       ///< of proteins; min_intron is that of `align`
  splice::CandidateParams candidates;  ///< for exons = auto
  std::string site_scores;             ///< auto: a file of io::read_site_scores(), or empty
  std::string index;                   ///< auto: a file of io::map_seed_index(), or empty
  splice::Species species = splice::Species::vertebrate;  ///< auto: whose sites the models are of
  splice::CandidateParams protein_candidates = splice::candidates_for_proteins();
  bool both_strands = false;  ///< exons without strand: try both
  /// auto: try the strand given alone, and cDNAs as they are; else both strands of the sequence and
  /// of a cDNA.
  bool one_strand = false;
  /// auto: whole sequences, however long; else targets against more than exact_bases look for loci
  /// first; cDNAs take whole sequences of up to widest_bases in all where they find none.
  bool exact_window = false;
  static constexpr std::int64_t exact_bases = 100'000;
  static constexpr std::int64_t widest_bases = 1'000'000;
  /// auto: bases between two words of a locus, and looked at beyond them, at most; 0:
  /// those of splice::LocusParams. With local ends no intron is longer.
  std::int64_t max_intron = 0;
  int max_loci = 1;  ///< auto: places at most that are reported for a target
  /// Of each place: the best chain and the next best ones, see splice::next_isoforms; with global
  /// ends and no frameshift. Neither the cells and seconds of the result nor its estimates have
  /// what the next ones take.
  splice::IsoformParams isoforms;
  SpliceEnds ends = SpliceEnds::global;  ///< of cDNAs
  /// auto: what is expected by chance more often than this is no alignment; see
  /// splice::expected_by_chance.
  double max_e_value = 1e-3;
  /// auto, proteins: what a shift of the frame or a stop codon inside costs, in the units of the
  /// matrix; 0: there are none. See splice::mend_frame.
  int frameshift = 0;
  bool estimate = false;  ///< say what it would take; align nothing
  /// Take proteins of which nearly all letters are A, C, G, T or N: a cDNA is none.
  bool allow_acgt = false;
  /// Codons of a cDNA's open reading frame at least, besides the stop codon; see
  /// splice::coding_part.
  std::int64_t min_orf = 100;
  SpliceFiles also;
  std::string out;  ///< prefix of .tsv .gff3 .paf .txt
};

/// Where targets of exons = auto were tried, and what was not.
struct SpliceSearch {
  std::int64_t targets_by_loci = 0;  ///< that were tried at loci alone, not along whole sequences
  std::int64_t loci = 0;             ///< of these targets
  std::int64_t locus_bases = 0;
  std::int64_t without_frame = 0;   ///< targets whose letters are all aligned for lack of one
  std::int64_t exons_left_out = 0;  ///< candidates beyond max_exons, of all searches
};

/// A target, read in one direction, against one strand of a sequence, and what that takes.
struct SpliceProblem {
  std::string target, sequence;
  char strand = '+';
  bool antisense = false;  ///< the target's reverse complement
  splice::Estimate estimate;
};

struct SpliceResult {
  /// The best place of each target, then its others, each with its isoforms; views into `memory`.
  std::vector<io::SplicedHit> hits;
  std::shared_ptr<void> memory;  ///< what was read
  std::vector<SpliceProblem> problems;
  SpliceSearch search;
  std::int64_t executed_cells = 0, traced_cells = 0, dense_cells = 0;
  double seconds = 0;  ///< of aligning
  /// Of aligning, from a rate measured before; NaN with --device reference.
  double predicted_seconds = 0;
  /// The prediction is within this factor where nothing else runs on the machine.
  double predicted_factor = 3;
  std::vector<std::string> files;
};

/// Each target of each input against each sequence of its genome that has candidate exons; of the
/// strands and sequences the best score is kept, the + strand and the first sequence where equal.
/// With exons = auto a cDNA is read in both directions, and what chance explains is unaligned; the
/// mapping quality is the smaller of -10 log10 of the E-value and of the odds that the best
/// alignment elsewhere is the right one, scores read as log-odds; at most 60.
/// With exons = auto scores of the hits' alignments count a match splice::candidate_scale times
/// (SplicedHit::score_scale; the files have them in matches), and a protein without '*' at its end
/// is aligned with one: the stop codon, which is then reported as a codon without a letter.
/// Everything is checked, and the memory of every problem counted, before the first alignment; with
/// exons = auto before the first of each batch of targets.
///   errors: bad_input naming file and line; usage for scores that could pass 32 bits;
///   out_of_resources where sequences, exons and the tables of a problem pass the context's memory
SpliceResult run_splice(Context& context, const SpliceJobParams& params);

/// What is made of a genome once, for many runs of run_splice().
enum class SpliceSave {
  nothing,
  index,          ///< SpliceJobParams::index, for cDNAs
  protein_index,  ///< the same for proteins
  sites,          ///< SpliceJobParams::site_scores
};

struct SpliceSaveParams {
  SpliceSave what = SpliceSave::index;
  std::string genome;
  splice::Species species = splice::Species::vertebrate;  ///< whose models sites are scored by
  splice::GeneticCode code;                               ///< of the index for proteins
  std::string out;                                        ///< the file
};

/// Writes the file and returns its name, on the first rank.
///   errors: bad_input naming file and line; out_of_resources where the genome and what is made of
///   it pass the context's memory
std::vector<std::string> save_splice(Context& context, const SpliceSaveParams& params);

/// The alignments of all cases, in their order; each made by one rank of the context: longest
/// first, `cells` saying how long, always to the rank that has the least work so far. Collective,
/// with the same cases: ranks other than the first return nothing.
std::vector<splice::SplicedAlignment> align_cases(
    Context& context,
    std::span<const splice::Case> cases,
    const std::vector<double>& cells,
    const std::function<std::vector<splice::SplicedAlignment>(std::span<const splice::Case>)>&
        align);

}  // namespace yupana::job
