#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::job {

/// The program, its libraries and small buffers.
inline constexpr std::uint64_t program_bytes = std::uint64_t{32} << 20;

/// Sizes of a run, as far as they are known before it.
struct PlanParams {
  std::int64_t samples = 0;
  std::int64_t sites = -1;  ///< -1: unknown (VCF)
  bool missing = true;      ///< some calls are missing, or may be
  bool hethet = false;
  std::uint64_t later_bytes = 0;  ///< what the run holds beside the counts (matrices of a closure)
  bool one_band = false;          ///< the run needs all counts at once
  int ranks = 1;                  ///< processes that count and sum what they counted
  int rank = 0;                   ///< of them, whose GPU's bands stand in the plan
  int pair_groups = 0;            ///< into which ranks are cut; 0: the plan finds the best
};

/// Memory and work of a run, decided before it starts: the same on every rank, but for the bands of
/// their GPUs.
struct Plan {
  PlanParams sizes;
  /// Ranks are cut into groups, each with about as many pairs of a band, in whole rows; the ranks
  /// of a group cut the sites among themselves.
  int pair_groups = 1;
  int planes = 2;
  std::int64_t block_sites = 0;   ///< sites packed at a time
  std::uint64_t block_bytes = 0;  ///< raw codes (twice: one read ahead) and planes of a block
  std::uint64_t count_bytes = 0;  ///< counts of the largest band, as far as a rank counts them
  std::uint64_t total_bytes = 0;
  std::vector<Range> bands;  ///< rows of the triangle whose counts the ranks hold at once
  /// This rank's rows as its GPUs hold them at once: one pass over the input each. Empty on the
  /// CPU.
  std::vector<Range> gpu_bands;
  std::uint64_t gpu_bytes = 0;  ///< on each GPU, for the largest of them
  double pair_sites = 0;        ///< n (n - 1) / 2 x sites; 0 where sites are unknown
  double seconds = 0;           ///< estimate from a short measurement on this machine; 0 unknown
};

/// Cuts a run to fit context.memory(), and ranks into groups so that reading and sums over ranks
/// take least. Throws out_of_resources, with the plan in the message, where even one row of counts
/// does not fit; usage where the ranks cannot be cut into the groups wanted.
Plan make_plan(Context& context, const PlanParams& params);

/// Passes over the input that the plan makes.
std::int64_t passes_of(const Plan& plan);

/// Adds the time estimate: pairs x sites over the rate measured on a small block.
void estimate_time(Context& context, Plan& plan);

/// Matrices a Fermat run holds at once: d^2, then W and F, and one float copy being understood.
std::uint64_t fermat_matrix_bytes(std::int64_t samples, bool missing);

/// The plan in a few lines of text, and for programs.
std::string describe(const Plan& plan);
nlohmann::ordered_json plan_json(const Plan& plan);

}  // namespace yupana::job
