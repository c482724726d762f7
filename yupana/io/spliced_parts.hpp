#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/io/spliced_files.hpp"

/// Private to the writers of spliced alignments.
namespace yupana::io {

/// First and last base on the forward strand of places on the hit's own.
std::pair<std::int64_t, std::int64_t> forward(const SplicedHit& hit,
                                              std::int64_t first,
                                              std::int64_t last);

/// Whether the target as given reads along the - strand of the sequence.
inline bool is_reversed(const SplicedHit& hit) { return hit.antisense == (hit.strand == '+'); }

const splice::Exon& exon_of(const SplicedHit& hit, const splice::ExonAlignment& part);

/// Where letters [begin, end) of the text that was aligned lie in the target as given.
std::pair<std::int64_t, std::int64_t> given_letters(const SplicedHit& hit,
                                                    std::int64_t begin,
                                                    std::int64_t end);

/// Target letters of the chain, [begin, end) as given: of a reverse complement, those that it has.
std::pair<std::int64_t, std::int64_t> target_span(const SplicedHit& hit);

/// Bases of the chain's text in one exon.
struct TextPart {
  std::size_t exon = 0;    ///< in reading order
  std::int64_t first = 0;  ///< on the forward strand
  std::int64_t last = 0;
  std::int64_t before = 0;  ///< bases of the text's part that are read before
  /// Bases before the first codon that begins here, where the part begins with a codon.
  int phase() const { return static_cast<int>((3 - before % 3) % 3); }
};
/// Where the bases [begin, end) of the chain's text lie, in reading order.
std::vector<TextPart> text_parts(const SplicedHit& hit, std::int64_t begin, std::int64_t end);

/// Bases with T for U, which BAM and readers of cs do not know.
std::string as_dna(std::string bases);

/// The alignment along the forward strand: = X I D N, and as cs writes it.
struct ForwardRuns {
  std::string cigar, differences;
};
ForwardRuns forward_runs(const SplicedHit& hit);

/// Names in GFF3 are letters, digits and .:^*$@!+_?-|; all else is %XX.
std::string escaped_name(const std::string& name);

/// A line on the intron before exon `index` > 0 of the chain, with the two bases at its either end:
/// what one looks at first where a boundary is in doubt. Empty where no base lies between.
std::string intron_line(const SplicedHit& hit, std::size_t index);

/// The first two bases of that intron and its last two, in upper case; empty where it has fewer
/// than three.
std::pair<std::string, std::string> intron_sites(const SplicedHit& hit, std::size_t index);

/// Score of the columns of exon `index` of the chain.
std::int64_t protein_exon_score(const SplicedHit& hit, std::size_t index);
/// A line as miniprot writes it; bases first to last on the forward strand.
std::string protein_paf_line(const SplicedHit& hit, std::int64_t first, std::int64_t last);
/// Exon by exon: codons, their amino acids, and the target.
std::string protein_text(const SplicedHit& hit);

}  // namespace yupana::io
