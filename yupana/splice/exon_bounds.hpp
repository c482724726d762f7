#pragma once

#include <cstdint>
#include <vector>

#include "yupana/splice/align.hpp"

namespace yupana::splice {

/// Upper bounds on the scores of chains, from passes over all bases in which every exon may end
/// where any exon ends: one row a base, not one a base and start. What precedes an exon may lie
/// anywhere in the bases, and gaps cost nothing to open.
///   work: bases x target letters a pass
///   memory: 16 bytes a base, 8 an exon, and up to 400 a target letter
///   determinism: the same on every machine
class ExonBounds {
 public:
  /// The pass that best() needs, of a problem that check_problems() takes. It and its params are
  /// referenced, not copied.
  ExonBounds(const Context& context, const Case& problem, const AlignParams& params);

  /// No chain of one exon or more scores more.
  std::int64_t best() const { return best_; }
  /// No chain that contains an exon scores more, for each exon of the problem: another pass.
  std::vector<std::int64_t> of_exons() const;

 private:
  const Context& context_;
  const Case problem_;
  const AlignParams& params_;
  bool narrow_ = true;  ///< 16-bit scores do
  std::int64_t best_ = 0;
  std::vector<std::int64_t> chains_;  ///< by letters consumed: chains that continue
};

struct CompetitiveExons {
  std::vector<Exon> exons;
  std::int64_t score = 0;  ///< of some chain, most often the best
};

/// The exons of the problem, in their order, whose bounds reach the score of some chain. align() of
/// these is align() of all: the same score, chain and alignment, ties included. With a share below
/// 1 chains that score so much of the best one's gain are left, too.
///   work: that of the bounds, and the score of an eighth of the exons a few times at most
CompetitiveExons competitive_exons(Context& context,
                                   const Case& problem,
                                   const AlignParams& params,
                                   const ExonBounds& bounds,
                                   double share = 1);

}  // namespace yupana::splice
