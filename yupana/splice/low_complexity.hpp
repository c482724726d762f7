#pragma once

#include <string_view>
#include <vector>

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

}  // namespace yupana::splice
