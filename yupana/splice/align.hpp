#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {

/// A candidate exon: bases first..last, counted from 1, both included, and what its place in a
/// chain adds to the score. All four are 0 in the published definition.
struct Exon {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int32_t begin = 0;  ///< added where the exon is the first of its chain
  std::int32_t entry = 0;  ///< added where another exon stands before it: its acceptor
  std::int32_t exit = 0;   ///< added where another exon follows: its donor
  std::int32_t end = 0;    ///< added where the exon is the last of its chain

  std::int64_t length() const { return last - first + 1; }
  bool operator==(const Exon&) const = default;
};

/// Largest absolute value of one score of a letter, a gap or a junction: sums stay far below 2^63.
inline constexpr int largest_score = 1'000'000;
/// Largest bound on the length of an intron or an exon.
inline constexpr std::int64_t largest_length = 1'000'000'000;
/// Scores of an alignment are computed in 32 bits: the best score of a letter less two gap
/// extensions, times the target letters, is below this.
inline constexpr std::int64_t score_sum_limit = std::int64_t{1} << 29;

struct AlignParams {
  Substitution substitution = Substitution::dna();
  int gap_open = 0;             ///< added once a gap, besides the next; at most 0
  int gap_extend = -2;          ///< added for each letter of a gap; at most 0
  std::int64_t min_intron = 0;  ///< bases at least between two exons of a chain
  bool alignment = true;        ///< chain and alignment; false: the score alone
  /// Bytes of the context's memory that the caller holds, and align() may not.
  std::uint64_t held_bytes = 0;
};

/// One alignment problem. Views: the caller keeps the letters and the exons.
struct Case {
  std::string_view bases;
  std::span<const Exon> exons;  ///< in any order
  std::string_view target;
};

/// A run of equal columns: '=' and 'X' a base against a target letter (equal letters or not), 'D' a
/// base against nothing, 'I' a target letter against nothing.
struct Run {
  char operation = '=';
  std::int64_t length = 0;
  bool operator==(const Run&) const = default;
};

/// One exon of a chain.
struct ExonAlignment {
  std::int64_t exon = 0;          ///< index into Case::exons
  std::int64_t target_begin = 0;  ///< target letters [target_begin, target_end), from 0
  std::int64_t target_end = 0;
  std::vector<Run> runs;
  bool operator==(const ExonAlignment&) const = default;
};

struct SplicedAlignment {
  std::int64_t score = 0;
  std::vector<ExonAlignment> chain;  ///< left to right; empty where only the score was asked
  std::int64_t executed_cells = 0;   ///< computed for the score
  std::int64_t traced_cells = 0;     ///< computed again for the alignment
  bool wide = false;  ///< done in 32 bits; backends may differ here, as in traced_cells
};

/// The best spliced alignment of a target to chains of candidate exons (Gelfand, Mironov, Pevzner
/// 1996): of all chains in which each exon ends before the next begins, one whose concatenation has
/// the best global alignment to the whole target.
///
///   S(i,j,k) = max { S(i-1,j-1,k) + w(s_i, t_j), best gap of bases ending at i,
///                    best gap of target letters ending at j }                     i >= first_k
///   S(first_k - 1, j, k) = max { begin_k + gap(j),
///                                entry_k + max over l with last_l + min_intron < first_k
///                                          of S(last_l, j, l) + exit_l }
///   score = max over k of S(last_k, n, k) + end_k;   gap(g) = g ? gap_open + g gap_extend : 0
///
/// A gap of bases goes on over the junction of two exons, opened once, as it does in the
/// concatenation. Without any exon the score is that of the empty chain, gap(n).
///
/// Ties are broken alike by every backend, thread count and block size. Exons are ordered by
/// (last, first, begin, entry, exit, end), equal ones by place, and are tried in this order: the
/// first of the best wins, as the last exon and as the predecessor at each target position, where
/// having none comes first of all. Inside an exon, from its end backwards: diagonal, then a gap of
/// bases, then a gap of target letters; an affine gap is taken as short as possible.
///
///   work: n times the bases of the exons, those that begin together with the same scores counted
///   once, by the longest (`executed_cells`); the alignment adds n times the bases of its chain
///   memory: for each start O(n) of 6 bytes where the alignment is wanted, else O(n) alone
///   errors: bad_input for an exon outside the bases, a letter the substitution does not know, a
///   gap that gains; usage for scores whose sums could pass 32 bits; out_of_resources
/// Exact: 16-bit arithmetic where it provably holds, else 32.
SplicedAlignment align(Context& context, const Case& problem, const AlignParams& params = {});
/// Many problems at once, longest first; results in the order given.
std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params = {});

/// Throws what align() throws before it does any work: bad_input for what is wrong in a problem,
/// usage for scores that could pass 32 bits, out_of_resources where a problem needs more host
/// memory than the context has. The scores count one of the user's `score_scale` times: messages
/// have the user's.
void check_problems(Context& context,
                    std::span<const Case> problems,
                    const AlignParams& params = {},
                    int score_scale = 1);

/// The score of an alignment from its columns alone; also checks that the chain is one, and that
/// the columns cover its exons and the whole target. Throws Error(device) naming what does not add
/// up. align() does this to each alignment it returns.
std::int64_t rescore(const Case& problem,
                     const std::vector<ExonAlignment>& chain,
                     const AlignParams& params);

}  // namespace yupana::splice
