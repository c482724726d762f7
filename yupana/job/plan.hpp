#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::job {

/// The program, its libraries and small buffers, as the smallest runs of two threads on the CPU
/// hold them, with ranks MPI's libraries too; and the stacks and blocks of further threads.
inline std::uint64_t program_bytes(const Context& context, int ranks = 1) {
  constexpr std::uint64_t thread_bytes = 40 << 10;
  return (std::uint64_t{ranks > 1 ? 31U : 13U} << 20) +
         thread_bytes * static_cast<std::uint64_t>(std::max(context.threads(), 2) - 2);
}
/// Names and summaries of a sample.
inline constexpr std::uint64_t sample_bytes = 100;

/// What reading holds next to the blocks, for few sites less; -1: unknown.
inline std::uint64_t reading_bytes(std::int64_t sites) {
  constexpr std::uint64_t most = 2 << 20, of_site = 320;
  return sites < 0 ? most : std::min(most, of_site * static_cast<std::uint64_t>(sites));
}

/// Sites of the smallest block that a run packs at a time, where it has as many.
inline constexpr std::int64_t smallest_block_sites = 4096;

/// Sizes of a run, as far as they are known before it.
struct PlanParams {
  std::int64_t samples = 0;
  bool named = true;        ///< of a file or cohort, from which samples may be left out
  std::int64_t sites = -1;  ///< -1: unknown (VCF)
  bool missing = true;      ///< some calls are missing, or may be
  bool hethet = false;
  std::uint64_t reader_bytes = reading_bytes(-1);  ///< what reading holds next to the blocks
  std::uint64_t later_bytes = 0;                   ///< held next to the counts, on every rank
  /// Held next to the counts when the blocks are gone (a tree and its distances).
  std::uint64_t unblocked_bytes = 0;
  std::uint64_t after_bytes = 0;  ///< held at most when the counts are gone (matrices of a closure)
  /// The same if no call turns out to be missing; 0: as after_bytes.
  std::uint64_t complete_after_bytes = 0;
  std::uint64_t kinship_bytes = 0;  ///< held at most by --king-cutoff, before all else
  std::uint64_t pruning_bytes = 0;  ///< by --indep-pairwise, before all else too
  std::uint64_t before_bytes() const { return std::max(kinship_bytes, pruning_bytes); }
  std::int64_t kinship_passes = 0;  ///< of it over the input
  int cell_bytes = 0;     ///< of a number of the matrix that is written from each band; 0: none
  bool one_band = false;  ///< the run needs all counts at once
  int ranks = 1;          ///< processes that count and sum what they counted
  int rank = 0;           ///< of them, whose GPU's bands are in the plan
  int pair_groups = 0;    ///< into which ranks are cut; 0: the plan finds the best
};

/// Memory and work of a run, decided before it starts: the same on every rank, but for the bands of
/// their GPUs.
struct Plan {
  PlanParams sizes;
  /// Ranks are cut into groups, each with about as many pairs of a band, in whole rows; the ranks
  /// of a group cut the sites among themselves.
  int pair_groups = 1;
  int planes = 2;                  ///< 0: sites are not packed in planes
  std::int64_t block_sites = 0;    ///< sites packed at a time
  std::uint64_t block_bytes = 0;   ///< raw codes (twice: one read ahead) and planes of a block
  int threads = 0;                 ///< that count at once on the CPU; 0: all
  std::uint64_t thread_bytes = 0;  ///< what those beyond the first two hold meanwhile
  std::uint64_t count_bytes = 0;   ///< counts of the largest band, as far as a rank counts them
  std::uint64_t write_bytes = 0;   ///< rows of the matrix that are written at a time
  std::uint64_t total_bytes = 0;   ///< the run's peak
  /// The same if no call turns out to be missing, where calls may be and the sites of one process
  /// are known.
  std::optional<std::uint64_t> complete_bytes;
  std::uint64_t output_bytes = 0;          ///< of the files, text as the least it can take
  bool output_may_grow = false;            ///< text or compressed files are among them
  bool output_may_shrink = false;          ///< filters may leave out sites
  std::optional<std::uint64_t> free_disk;  ///< where the files go, if the run names them
  std::vector<Range> bands;  ///< rows of the triangle whose counts the ranks hold at once
  /// This rank's rows as its GPUs hold them at once: one pass over the input each. Empty on the
  /// CPU.
  std::vector<Range> gpu_bands;
  std::uint64_t gpu_bytes = 0;  ///< on each GPU, for the largest of them
  std::int64_t passes = 0;      ///< over the input besides those of the bands
  /// Memory with which one pass would do, where one process on the CPU makes several; else 0.
  std::uint64_t one_pass_bytes = 0;
  bool at_most = false;   ///< sites decide how much less than the total a run holds
  double pair_sites = 0;  ///< n (n - 1) / 2 x sites; 0 where sites are unknown
};

/// Cuts a run to fit context.memory(), and ranks into groups so that reading and sums over ranks
/// take least. Throws out_of_resources, with the plan in the message, where even one row of counts
/// does not fit; usage where the ranks cannot be cut into that many groups.
Plan make_plan(Context& context, const PlanParams& params);

/// Passes over the input that the plan makes.
std::int64_t passes_of(const Plan& plan);

/// Passes that a refusal names the memory for, next to the least memory of all.
constexpr std::int64_t few_passes = 4;
/// ", or to 65M to count in at most 4 passes"; empty where the least does.
std::string few_passes_advice(std::uint64_t least, std::uint64_t few);

/// Notes that a run will make many passes, and the memory with which it makes one.
void note_passes(const Context& context, const Plan& plan);

/// Adds what the run writes and, where `out` names it, what its disk has free.
void add_disk(Plan& plan, const std::string& out, std::uint64_t output_bytes);

/// The plan in a few lines of text, and for programs.
std::string describe(const Plan& plan);
nlohmann::ordered_json plan_json(const Plan& plan);

}  // namespace yupana::job
