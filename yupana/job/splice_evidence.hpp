#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/io/spliced_files.hpp"
#include "yupana/splice/isoforms.hpp"

/// Private to the job: what speaks for a hit, and against.
namespace yupana::job {

/// Where an alignment of a target lies.
struct AlignedPlace {
  const std::string* sequence = nullptr;
  bool reversed = false;  ///< the target reads along the sequence's - strand
  /// First and last base of each exon on the forward strand, in order.
  std::vector<std::pair<std::int64_t, std::int64_t>> exons;
  std::int64_t score = 0;
};

AlignedPlace place_of(const std::string& sequence,
                      char strand,
                      bool antisense,
                      std::int64_t bases,
                      const std::vector<splice::Exon>& exons,
                      const splice::SplicedAlignment& alignment);

/// Whether two places are one locus: the target reads in one direction, and at least half of the
/// bases of the smaller one are in both. Spans do not tell: introns may hold a copy of the gene,
/// and copies may share the poly-A that takes their tail.
///   work: linear in the exons
bool is_same_locus(const AlignedPlace& a, const AlignedPlace& b);

/// Sets the hit's E-value, against `searched_bases` on all strands with the composition of
/// `around`, and its mapping quality, and takes its alignment away where the E-value is above
/// `max_e_value`.
void judge(io::SplicedHit& hit,
           std::string_view around,
           double searched_bases,
           std::span<const AlignedPlace> others,
           double max_e_value);

/// What isoforms of a hit need, whose chain is that of its problem: in each stretch of their exons
/// that the chain does not read what chance has `max_e_value` times in `around` at most. Nothing
/// where scores gain by chance. Refers to all that it is given.
splice::IsoformEvidence evidence_of_isoforms(const io::SplicedHit& best,
                                             const splice::Case& problem,
                                             const std::vector<splice::ExonAlignment>& chain,
                                             std::string_view around,
                                             double max_e_value);

}  // namespace yupana::job
