#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {

struct ProteinParams {
  /// Scores of amino acids and gaps of them: a gap scores gap_open + gap_extend for each amino acid
  /// or codon in it.
  AlignParams align;
  GeneticCode code;
  int partial_codon = -12;  ///< added where 1 or 2 bases are left behind the last codon; at most 0
  /// Of a protein without '*' and U before its last letter: chains read no stop codon but as their
  /// last codon, in one exon and with no bases after it, not even in a gap.
  bool stops_end = false;

  /// BLOSUM62, gaps of -11 and -1 for each amino acid.
  ProteinParams();
};

/// The best spliced alignment of a protein: of all chains of exons (see align) one whose
/// concatenation, read in codons from its first base on and translated, has the best global
/// alignment to the whole target. The reading frame goes on over introns: a codon may have its
/// bases in two exons, or in three. There are no frame shifts; up to two bases behind the last
/// codon stand alone, at partial_codon once. Stop codons are letters like others, '*': the target
/// may have one at its end. With stops_end a frame's rows end with its first stop codon, which
/// leads to no other exon, and a carry with which the first codon is one is not read.
///
/// A state of the recurrence is an exon and the carry with which it is left: the 0, 1 or 2 bases of
/// a codon that is not complete. Codons that are complete make rows. In exon k, with u the bases
/// carried in and q_1 q_2 ... the amino acids of the codons that end in the exon,
///
///   S(c,j | u) = max { S(c-1,j-1 | u) + w(q_c, t_j), best gap of codons ending at c,
///                      best gap of target letters ending at j }                  c >= 1
///   S(0,j | u) = max { begin_k + gap(j) if u is empty,
///                      entry_k + max over l with last_l + min_intron < first_k, and over what was
///                                carried into l, of S(all codons of l, j) + exit_l
///                                where l is left with u }
///   score = max over k of S(all codons of k, n) + end_k + (partial_codon unless left with none)
///
/// q_1 alone depends on u, so the rows from the first on are the maximum over all u of one length:
/// three tables an exon, each with a third of the rows, and the same work as with a cDNA. What is
/// kept between exons is one running maximum for each of the 1 + 5 + 25 carries over A, C, G, T and
/// other letters, so the optimum is exact.
///
/// The result is that of align(), where runs count codons, a codon being a column of the exon that
/// has its last base: an exon of length L that begins with p bases carried has (p + L) / 3 columns
/// beside 'I' ones. '=' are equal letters other than X.
///
/// Ties: as in align(), where of one exon as the last the fewest bases carried in win; where the
/// first codon of an exon can continue from several carries, the first of the best predecessors
/// wins, in the order of exons, then the carry in the order A, C, G, T, other.
///
///   memory: where the alignment is wanted up to 48 n bytes for each end of exons, and n for
///   each codon of the longest exon of the chain
///   errors: as align(), and bad_input for a matrix without one of the twenty amino acids, X and *;
///   usage for scores whose sums could pass 28 bits
/// Exact: whole numbers of 32 bits.
SplicedAlignment align_protein(Context& context,
                               const Case& problem,
                               const ProteinParams& params = {});
std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params = {});

/// What check_problems() is to align().
void check_proteins(Context& context,
                    std::span<const Case> problems,
                    const ProteinParams& params = {});

/// The score of an alignment from its columns alone, as rescore(). align_protein() does this to
/// each alignment it returns.
std::int64_t rescore_protein(const Case& problem,
                             const std::vector<ExonAlignment>& chain,
                             const ProteinParams& params);

/// The bases of a codon that each exon of a chain begins with, 0 to 2 (its carry's length).
std::vector<int> carried_bases(std::span<const Exon> exons,
                               const std::vector<ExonAlignment>& chain);
/// What a chain reads, one exon behind the other, and its amino acids.
std::string spliced_bases(const Case& problem, const std::vector<ExonAlignment>& chain);
std::string translation(std::string_view bases, const GeneticCode& code);

}  // namespace yupana::splice
