#pragma once

#include <cstdint>
#include <span>

#include "yupana/core/context.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/protein.hpp"

/// Private to the family: bytes of host memory that a problem needs, known before any work.
namespace yupana::splice {

/// Counts that bound the memory of a problem's tables.
struct TableCounts {
  std::int64_t readings = 0;
  std::int64_t starts = 0;
  std::int64_t slots = 0;
  std::int64_t versions = 0;
  std::int64_t ended = 0;
  std::int64_t rows = 0;
  std::int64_t longest = 0;

  static TableCounts of(const Plan& plan);
  /// At least those of the plan, without making it.
  static TableCounts bound(std::span<const Exon> exons);
};

/// Bytes of the context's memory that are left to alignments.
std::uint64_t memory_left(const Context& context, const AlignParams& params);

/// Rows of an exon that the traceback keeps at once: as many as `saved_bytes` hold, and no fewer
/// than the square root, below which the rows above the slabs outgrow the slab.
std::int64_t slab_rows(std::int64_t saved_bytes, std::int64_t row_bytes, std::int64_t rows);

/// Bytes of an alignment on the CPU with scores of `score_bytes` (2 or 4), where `left` are
/// allowed.
std::uint64_t cpu_bytes(const Case& problem,
                        const AlignParams& params,
                        const TableCounts& counts,
                        std::int64_t score_bytes,
                        std::uint64_t left);
/// The same of a protein.
std::uint64_t cpu_protein_bytes(const Case& problem,
                                const AlignParams& params,
                                const TableCounts& counts);

/// Throws out_of_resources where a problem needs more than is left on the context's backend, of
/// several for the one that needs most. The plan of a problem is made only where the bound does not
/// fit.
void check_memory(Context& context, std::span<const Case> problems, const AlignParams& params);
void check_protein_memory(Context& context,
                          std::span<const Case> problems,
                          const AlignParams& params);

/// Bytes that suffice for each of the problems, whatever the context allows; 0 on a GPU.
std::uint64_t sufficient_bytes(Context& context,
                               std::span<const Case> problems,
                               const AlignParams& params);
std::uint64_t sufficient_protein_bytes(Context& context,
                                       std::span<const Case> problems,
                                       const AlignParams& params);

/// Problems that may run side by side, 1 to `threads`, where the largest needs `bytes`.
int problems_at_once(int threads, std::uint64_t bytes, std::uint64_t left);

/// What --device reference holds: whole tables.
std::uint64_t reference_bytes(const Case& problem);
std::uint64_t reference_protein_bytes(const Case& problem);

[[noreturn]] void refuse_memory(const Case& problem,
                                const AlignParams& params,
                                const char* letters,
                                std::uint64_t bytes,
                                std::uint64_t left);

}  // namespace yupana::splice
