#pragma once

#include <cstdint>
#include <string_view>

#include "yupana/splice/loci.hpp"

/// Private to the search for loci: how much of the bases next to a chain of words a cDNA justifies.
namespace yupana::splice {

/// Bases next to a chain that are always looked at where so many letters lie beyond it: 50 times
/// the number of words of that length, 2,000 at most.
std::int64_t nearest_bases(std::int64_t letters);

/// How far from the end of `text` the furthest segment begins that is evidence for `letters`, plus
/// nearest_bases() of the letters before it; 0 where there is none. A segment has a word of eight
/// bases, and scores 1 for each equal base and -2 for each other without a gap; it is evidence
/// where chance has one of its score less than once in 32 pairs of texts and letters of these
/// sizes. Repeats of short words are no evidence.
///   work: linear in the text, and the segments
std::int64_t furthest_evidence(std::string_view text, std::string_view letters);

/// Narrows a locus, bases of `strand`, to its chain of words of `length` letters, nearest_bases()
/// on both sides, and what furthest_evidence() of the target's letters beyond the chain adds.
void narrow_locus(Locus& locus,
                  std::string_view strand,
                  std::string_view target,
                  std::int64_t length);

}  // namespace yupana::splice
