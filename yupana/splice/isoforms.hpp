#pragma once

#include <functional>
#include <span>
#include <vector>

#include "yupana/splice/align.hpp"

namespace yupana::splice {

struct IsoformParams {
  int most = 1;              ///< chains, the best one among them
  double least_share = 0.9;  ///< of the best one's score, that each has at least
  /// With exons = auto alone: how often chance, in the bases of the place, has what speaks for each
  /// stretch of an exon that the best chain does not read, at most; see exons_with_evidence().
  double max_e_value = 0.01;
};

/// What isoforms need besides their scores.
struct IsoformEvidence {
  std::vector<bool> exons;  ///< that they may have, one for each of the problem's; empty: any
  /// Whether a chain is one; those that are none are passed over.
  std::function<bool(const std::vector<ExonAlignment>&)> holds = [](const auto&) { return true; };
};

/// Aligns problems by align() or align_protein(), with one set of scores.
using AlignAll = std::function<std::vector<SplicedAlignment>(std::span<const Case>)>;

/// The next best chains of a problem whose best one is `best`, best first: each is, with its
/// alignment, the best of all chains that skip an exon of every one before it. A chain skips an
/// exon if none of its own overlaps it, so other splice sites of the same exons make no isoform;
/// nor does a chain that has all exons of a better one and more. Exact: of equally good ones that
/// is listed which was found first. None where the best one does not gain. With evidence all this
/// is so of the chains of its exons, and the chains listed that do not hold it are not returned.
///   work: an alignment for each exon of the best chain, then for sets of exons of the chains
///   listed, as far as scores reach the share: many sets where many chains are listed
///   memory: copies of the candidates, 64 MB of them or one at a time
///   determinism: the same on every device, for any number of threads
std::vector<SplicedAlignment> next_isoforms(const Case& problem,
                                            const SplicedAlignment& best,
                                            const IsoformParams& params,
                                            const AlignAll& align,
                                            const IsoformEvidence& evidence = {});

}  // namespace yupana::splice
