#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/splice/align.hpp"
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
  int score_scale = 1;  ///< scores of the alignment count a match this many times
  bool aligned = true;  ///< false: there is no evidence of an alignment, and none in `alignment`
  double e_value = -1;  ///< as often is it expected by chance; below 0: not known
  int quality = no_quality;  ///< of the mapping, at most best_quality

  static constexpr int best_quality = 60;
  static constexpr int no_quality = 255;  ///< not known
};

/// First and last base, from 1, on the forward strand, of places on a strand of `bases` bases.
std::pair<std::int64_t, std::int64_t> forward_places(char strand,
                                                     std::int64_t bases,
                                                     std::int64_t first,
                                                     std::int64_t last);
/// Those of a hit's chain, which is not empty.
std::pair<std::int64_t, std::int64_t> span_of(const SplicedHit& hit);
/// "1.3e-08", or "." where it is not known.
std::string e_value_text(const SplicedHit& hit);

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

/// A line for each target: score, chain as first-last,... in forward coordinates, columns, cells,
/// E-value, mapping quality, and the direction of the target ('-': its reverse complement is the
/// cDNA). A target that is unaligned has no sequence, strand, score or chain ('.').
void write_spliced_tsv(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// gene, mRNA and exon lines; the score of an exon is that of its own columns. With a protein CDS
/// lines too, with their phase: the bases before the first codon that begins in the exon.
void write_spliced_gff3(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// PAF as minimap2 writes it: the target is the query, cg has = X I D N, cs introns as ~gt123ag,
/// with the two bases from their first and the two up to their last (an intron of one base shares
/// them with the adjacent exons); on the - strand both run along the forward strand of the
/// sequence. AS is of type i, or f where scores have fractions (exons from signals). The strand is
/// that of the target as given, ts the cDNA's against it. An unaligned target has '*' for a strand
/// and a sequence, one without an exon no line. A protein's line is as miniprot writes it: places
/// of the protein in amino acids, of the sequence in bases; cg runs along the protein on both
/// strands, with M I D in codons, N U V introns of phase 0, 1, 2 (U and V with the three bases of
/// the codon they split), and F, G bases of what these cannot say: split codons without a letter,
/// codons in three exons, bases after the last.
void write_spliced_paf(AtomicFile& file, const std::vector<SplicedHit>& hits);
/// For reading: 60 columns a line, exon by exon; proteins under codons, carried bases in lower
/// case.
void write_spliced_text(AtomicFile& file, const std::vector<SplicedHit>& hits);

}  // namespace yupana::io
