#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::io {

/// A target and where it lies, as the writers want it.
struct SplicedHit {
  std::string target;  ///< names
  std::string sequence;
  char strand = '+';
  bool antisense = false;                ///< the target's reverse complement was aligned
  const std::string* letters = nullptr;  ///< aligned: the target's, or its reverse complement's
  const std::string* bases = nullptr;    ///< of the sequence, on `strand`, in reading direction
  std::shared_ptr<const std::vector<splice::Exon>> exons;  ///< places on `strand`
  splice::SplicedAlignment alignment;
  std::shared_ptr<const splice::AlignParams> params;  ///< it was made with
  /// Set where the target is a protein: runs then count codons, see splice::align_protein.
  std::shared_ptr<const splice::ProteinParams> protein;
  /// The last codon without a letter is the stop codon, and scores as that with '*'.
  bool has_stop = false;
  /// Bases of the chain's text that are a protein's; those of a protein's hit are all.
  splice::CodingPart coding;
  splice::GeneticCode code;  ///< by which they are read
  bool frameshifts = false;  ///< one or two bases between exons are a shift of the frame
  int score_scale = 1;       ///< scores of the alignment count a match this many times
  bool aligned = true;  ///< false: there is no evidence of an alignment, and none in `alignment`
  double e_value = -1;  ///< as often is it expected by chance; below 0: not known
  int quality = no_quality;  ///< of the mapping, at most best_quality
  int rank = 1;              ///< among the places of its target, the best is 1
  int isoform = 1;           ///< among the chains of its place, the best is 1

  static constexpr int best_quality = 60;
  static constexpr int no_quality = 255;  ///< not known

  /// Another alignment of its target is better.
  bool is_secondary() const { return rank > 1 || isoform > 1; }
};

/// How often the frame of a protein's hit is shifted, and stop codons inside it.
std::int64_t count_shifts(const SplicedHit& hit);
std::int64_t count_stops(const SplicedHit& hit);

/// First and last base, from 1, on the forward strand, of places on a strand of `bases` bases.
std::pair<std::int64_t, std::int64_t> forward_places(char strand,
                                                     std::int64_t bases,
                                                     std::int64_t first,
                                                     std::int64_t last);
/// Those of a hit's chain, which is not empty.
std::pair<std::int64_t, std::int64_t> span_of(const SplicedHit& hit);
/// "1.3e-08", or "." where it is not known.
std::string e_value_text(const SplicedHit& hit);

/// ", isoform 2", or "" of a place's best chain.
std::string isoform_text(const SplicedHit& hit);

/// A score of the hit's alignment in units of the scores given, as "12", "12.5" or "12.25".
std::string score_text(const SplicedHit& hit, std::int64_t score);
/// AS of a PAF line: "i:12", or "f:12.25" where scores have fractions.
std::string score_tag(const SplicedHit& hit);

/// Columns of an alignment, added up.
struct ColumnCounts {
  std::int64_t equal = 0, unequal = 0, inserted = 0, deleted = 0, introns = 0;
  std::int64_t stops = 0;  ///< the stop codon at the end, against '*' of a protein
  /// Equal columns of all.
  double identity() const {
    const std::int64_t all = equal + unequal + inserted + deleted;
    return all == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(all);
  }
};
/// The stop codon at the end is no amino acid and no column, whether the protein names it or not
/// (has_stop); PAF covers all bases of the exons, there it is a match, or a D of cg.
ColumnCounts count_columns(const SplicedHit& hit);

/// One exon of a hit as files and pages show it. Places are on the forward strand.
struct ExonRow {
  std::int64_t first = 0, last = 0;
  std::int64_t coding_first = 0, coding_last = 0;  ///< 0: no base of it is a protein's
  int phase = 0;  ///< of the coding bases: those before the first codon that begins here
  std::int64_t target_begin = 0, target_end = 0;  ///< letters of the target as given, from 0
  std::int64_t score = 0;                         ///< of its own columns
  ColumnCounts columns;
  std::string acceptor, donor;  ///< the last two bases of the intron before, the first two after
};
/// The exons of the chain in reading order.
std::vector<ExonRow> exon_rows(const SplicedHit& hit);

/// A sequence that hits may lie on.
struct SequenceLength {
  std::string name;
  std::int64_t bases = 0;
};

/// A line for each target: score, chain as first-last,... in forward coordinates, columns, cells,
/// E-value, mapping quality, and the direction of the target ('-': its reverse complement is the
/// cDNA), its letters that are aligned, from 1 as given, and the rank among its places. A target
/// that is unaligned has no sequence, strand, score or chain ('.'). With isoforms their number is
/// the last column.
void write_spliced_tsv(AtomicFile& file,
                       const std::vector<SplicedHit>& hits,
                       bool with_isoforms = false);
/// gene, mRNA and exon lines, isoforms as further mRNAs of one gene, mrna1.2 after mrna1; the
/// score of an exon is that of its own columns. CDS lines where bases are a protein's, the stop
/// codon included, with their phase; an exon with a shift of the frame is two, and the mRNA has
/// frameshift and stop_codon with how many there are; of a cDNA whose frame the alignment cuts off
/// they have partial=true, and start_range or end_range on that side of the sequence.
void write_spliced_gff3(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// GTF 2.2: transcript, exon, CDS without the stop codon, start_codon and stop_codon; the numbers
/// of genes and transcripts are those of the GFF3.
void write_spliced_gtf(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// FASTA of what the CDS lines read, without the stop codon, under the GFF3's names of mRNAs.
void write_spliced_proteins(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// PAF as minimap2 writes it: the target is the query, cg has = X I D N, cs introns as ~gt123ag,
/// with the two bases from their first and the two up to their last (an intron of one base shares
/// them with the adjacent exons); on the - strand both run along the forward strand of the
/// sequence. AS is of type i, or f where scores have fractions (exons from signals). The strand is
/// that of the target as given, ts the cDNA's against it. An unaligned target has '*' for a strand
/// and a sequence, one without an exon no line; places other than the best have tp:A:S. A protein's
/// line is as miniprot writes it: places of the protein in amino acids, of the sequence in bases;
/// cg runs along the protein on both strands, with M I D in codons, N U V introns of phase 0, 1, 2
/// (U and V with the three bases of the codon they split), and F, G bases of what these cannot say:
/// split codons without a letter, codons in three exons, bases after the last. F also has the bases
/// of shifts, which fs counts (SplicedHit::frameshifts).
void write_spliced_paf(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// SAM of cDNAs, with NM, AS (rounded), ts, XS where there are introns, and cs; letters that are
/// not aligned are clipped (S), a target without an alignment has flag 4.
void write_spliced_sam(AtomicFile& file,
                       const std::vector<SplicedHit>& hits,
                       const std::vector<SequenceLength>& sequences);
/// The same records as BAM, ordered by sequence and place with what is not aligned last, and its
/// index: of BAI, or of CSI where that is the name's end. BAM keeps no lower case.
void write_spliced_bam(AtomicFile& file,
                       AtomicFile& index,
                       const std::vector<SplicedHit>& hits,
                       const std::vector<SequenceLength>& sequences);
/// What the name of the index ends in: ".bam.bai", or ".bam.csi" for sequences of 2^29 bases.
const char* bam_index_ending(const std::vector<SequenceLength>& sequences);
/// bad_input for a target's name or a sequence that SAM, or with `bam` BAM, cannot hold.
void check_spliced_sam(const std::vector<std::string>& targets,
                       const std::vector<SequenceLength>& sequences,
                       bool bam);
/// For reading: 60 columns a line, exon by exon; proteins under codons, carried bases in lower
/// case.
void write_spliced_text(AtomicFile& file, const std::vector<SplicedHit>& hits);

}  // namespace yupana::io
