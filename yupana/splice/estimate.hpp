#pragma once

#include <cstdint>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {

/// How much work a problem is, and how much of it can be done at once. Steps count cells that
/// follow one another where everything independent is done at once.
struct Estimate {
  std::int64_t letters = 0;           ///< n
  std::int64_t exons = 0;             ///< without copies
  std::int64_t cells = 0;             ///< n times the bases of the exons: the definition's work
  std::int64_t executed_cells = 0;    ///< the same with the rows of a start computed once
  std::int64_t dense_cells = 0;       ///< n times the bases of the whole sequence
  std::int64_t sequential_steps = 0;  ///< one cell after another: cells
  std::int64_t exon_steps = 0;        ///< anti-diagonals of one exon at once: sum of |b| + n - 1
  std::int64_t group_steps = 0;  ///< and of overlapping exons: sum over groups of max |b| + n - 1
  std::int64_t bytes = 0;        ///< of memory that an alignment on a CPU holds, at most
  /// About, of a cDNA: whole rows of a chain as long as the target.
  std::int64_t traced_cells = 0;
  std::int64_t skewed_steps = 0;  ///< no barriers: n - 1 plus the bases of the longest chain
  std::vector<std::int64_t> length_histogram;  ///< exons of 2^i to 2^(i+1) - 1 bases
  std::vector<std::int64_t> group_histogram;   ///< groups of 2^i to 2^(i+1) - 1 exons
};

/// A group is a run of exons, in order of their ends, that overlap the first of them.
Estimate estimate(const Case& problem, const AlignParams& params = {});

/// The same of a protein: executed cells are three frames with a third of the rows each, and the
/// rows of the carries (at most: 18 more a start with exons before it, while bases are A, C, G, T).
Estimate estimate_protein(const Case& problem, const ProteinParams& params);

/// How fast problems are aligned where a context runs.
struct Rate {
  double cells = 0;   ///< a second: of one thread, or of one GPU that many problems fill
  double bases = 0;   ///< a second: of a GPU's way through the exons of one problem; 0: no matter
  double traced = 0;  ///< a second, of the traceback on one thread; 0: it is part of `cells`
  double call = 0;    ///< seconds that a call takes besides: of a GPU, or of each problem of a CPU

  /// Seconds for `cells` in all on `workers` threads or GPUs, of problems whose exons have at most
  /// `longest` bases in all: on a GPU a problem takes no less, however narrow its target.
  double seconds(double all_cells, double longest, double workers) const;
};
/// From runs of a part of `like`, of some ten milliseconds on one thread: neighbouring exons of its
/// own against its target, so that short exons, many ends and large scores count as they do there.
Rate measured_rate(Context& context, const AlignParams& params, const Case& like);
Rate measured_protein_rate(Context& context, const ProteinParams& params, const Case& like);
/// Seconds until a byte of memory that is new to the process is written, by writing `bytes` of it,
/// 64 MiB at most: the rows that starts saw are the memory of a large problem, each written once.
double seconds_of_fresh_byte(double bytes);
/// Columns of a cDNA that are worked on at once, each by a thread of its own, are at least this
/// many.
std::int64_t columns_of_a_thread();
/// From runs on the context's device, of about 20 ms on a CPU and 100 ms on a GPU, with targets of
/// `letters`, within limits: few fill no vectors, and the scores of many need more bits.
Rate measured_rate(Context& context, const AlignParams& params, std::int64_t letters = 1460);
/// The same with proteins.
Rate measured_protein_rate(Context& context,
                           const ProteinParams& params,
                           std::int64_t letters = 480);

}  // namespace yupana::splice
