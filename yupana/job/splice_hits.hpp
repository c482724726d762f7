#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "yupana/job/splice.hpp"
#include "yupana/job/splice_inputs.hpp"

/// Private to the job: from alignments to hits and their files.
namespace yupana::job {

/// The problems of one kind: of cDNAs or proteins, with exons given or from signals.
struct Group {
  std::shared_ptr<const splice::AlignParams> scoring;
  std::shared_ptr<const splice::ProteinParams> protein;  ///< null with cDNAs
  int score_scale = 1;
  std::vector<splice::Case> cases;
  std::vector<std::pair<const Task*, const Trial*>> places;  ///< of each case
  std::vector<std::shared_ptr<const Exons>> exons;           ///< that the chain of each case counts
  std::vector<double> cells, traced, bytes;  ///< executed, traced and held, of each case
  std::vector<double> planned;               ///< seconds of putting its exons in order
};

/// The hits of one task, best first.
using TaskHits = std::vector<io::SplicedHit>;

/// The hits of the task whose cases are [first, end): the best one, and of those at other loci that
/// are no chance the next best, params.max_loci in all; after each its isoforms, which `align`
/// looks for.
TaskHits keep_best(std::size_t first,
                   std::size_t end,
                   const Group& group,
                   const SpliceJobParams& params,
                   const splice::AlignAll& align,
                   std::vector<splice::SplicedAlignment>& done);

/// Mends the frame of the proteins' alignments whose places may win, by splice::mend_frame().
void mend_frames(Context& context,
                 Group& group,
                 const SpliceJobParams& params,
                 std::vector<splice::SplicedAlignment>& done);

/// Leaves of each cDNA's alignment what pays; the group's exons are then those of its chains.
void cut_ends(Context& context,
              Group& group,
              const SpliceJobParams& params,
              std::vector<splice::SplicedAlignment>& done);

/// Extends what cut_ends() has left, letters being counted from the target's first; exons that are
/// given have the ends that they have.
void extend_ends(Context& context, Group& group, std::vector<splice::SplicedAlignment>& done);

/// Counts letters from the target's first, not the first aligned.
void count_all_letters(const Group& group, std::vector<splice::SplicedAlignment>& done);

/// Writes the files of the hits, those of params.also too, and appends their names. `sequences` are
/// the header of SAM and BAM.
void write_splice_files(Context& context,
                        const SpliceJobParams& params,
                        const std::vector<io::SequenceLength>& sequences,
                        SpliceResult& result);

}  // namespace yupana::job
