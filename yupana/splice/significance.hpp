#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {

/// Marks letters of a text.
using Mask = std::vector<bool> (*)(std::string_view text);

/// Marks the letters that lie in a repeat of short words: poly-A, microsatellites. An interval of
/// l >= 2 triplets, of which triplet t occurs c(t) times, scores
///
///   sum over t of c(t) (c(t) - 1) / 2 / (l - 1)
///
/// and is marked where it has at most 62 triplets (64 bases), scores above 2, and holds no interval
/// that scores more. No interval has letters but A, C, G, T, U. Exact: compared as fractions.
///   work: 62 a letter
///   source: Morgulis, Gertz, Schaffer, Agarwala 2006, A fast and symmetric DUST implementation
std::vector<bool> low_complexity_bases(std::string_view text);

/// The same with pairs of amino acids ('*' is one, 'X' none): runs of one amino acid and short
/// repeats are marked, a composition of few amino acids in no order is not.
std::vector<bool> low_complexity_amino_acids(std::string_view text);

/// Letters and their shares, which add up to 1.
struct Composition {
  std::string_view letters;
  std::vector<double> shares;
};
/// A, C, G and T of a text; of one without any a quarter each.
Composition base_composition(std::string_view text);
/// The amino acids of a text, of one without any a twentieth each; '*' has none.
Composition amino_composition(std::string_view text);
/// Amino acids and '*' that codons of bases drawn with these shares stand for.
Composition codon_composition(const Composition& bases, const GeneticCode& code);

/// The scale of scores against letters of chance (Karlin, Altschul 1990): the positive solution of
/// sum of p(a) q(b) exp(lambda score(a, b)) = 1. 0 where there is none: such scores gain by chance.
double karlin_lambda(const Substitution& substitution,
                     const Composition& bases,
                     const Composition& target);

/// The best score of columns without a gap between two gaps or ends of exons, of each such stretch
/// that gains. `text` is what the chain reads: its bases, or with a protein their translation.
/// Columns with a letter that `low_complexity` marks gain nothing: a repeat lies along every other
/// of its kind, whatever is next to it.
std::vector<std::int64_t> segment_scores(std::string_view text,
                                         std::string_view target,
                                         const std::vector<ExonAlignment>& chain,
                                         const Substitution& substitution,
                                         Mask low_complexity);

/// How many such sets of segments, in order along both, texts of chance of these sizes are expected
/// to have: sum statistics of the r best segments (Karlin, Altschul 1993),
///
///   T = lambda sum S - r ln(K bases letters) + ln r!,   E = 2^r e^-T T^(r-1) / (r! (r-1)!)
///
/// at the r where E is least, of those where the formula holds, T > r^2 + r - 1; K is 1/3, the
/// scores of introns and signals count nothing. 1 or more without any evidence.
double expected_by_chance(std::vector<std::int64_t> segments,
                          double lambda,
                          double bases,
                          double letters);

}  // namespace yupana::splice
