#pragma once

#include <memory>

#include "yupana/core/context.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/planes.hpp"

// Each adds a block to the counts of every pair in counts.rows and to the per-sample sums. The
// triangles exist and are wide enough; counts.sites is the caller's to raise.

namespace yupana::genotype::reference {
void add_pairs(const PlaneBlock& block, PairCounts& counts);
}  // namespace yupana::genotype::reference

namespace yupana::genotype::cpu {
/// By `threads` of the context's threads.
void add_pairs(
    Context& context, const PlaneBlock& block, PairCounts& counts, int threads, Stage* stage);
/// Bytes that each of them holds meanwhile, for a block of so many sites.
std::uint64_t thread_bytes(
    const Context& context, Range rows, std::int64_t sites, bool pairwise, bool het);
}  // namespace yupana::genotype::cpu

namespace yupana::genotype::cuda {

/// The counts of a PairCounter while they grow on the context's devices: each takes every
/// so-manieth block of sites, the sums are added at the end. Only CUDA builds define it.
class DeviceCounts {
 public:
  virtual ~DeviceCounts() = default;
  /// Work is queued; the block is free again when this returns.
  virtual void add(const PlaneBlock& block) = 0;
  virtual void add(const CallBlock& block) = 0;
  /// Sites that may be added before collect() must be called.
  virtual std::int64_t room() const = 0;
  /// Whether some block since the last collect() had missing calls.
  virtual bool any_missing() const = 0;
  /// Adds what was counted to host counts, whose triangles exist and are wide enough.
  virtual void collect(PairCounts& counts) = 0;
  /// d^2 of all pairs on the first device; empty if it does not fit. Counts stay.
  virtual DeviceDistances squared_distances() = 0;
};

std::shared_ptr<DeviceCounts> device_counts(Context& context,
                                            std::int64_t samples,
                                            Range rows,
                                            bool hethet);
std::uint64_t device_bytes(
    const Context& context, std::int64_t samples, Range rows, bool with_missing, bool hethet);

}  // namespace yupana::genotype::cuda

namespace yupana::genotype {

/// Adds to one cell of a triangle, carrying into the high words if they exist.
inline void add_to(CountTriangle& triangle, std::int64_t cell, std::uint64_t value) {
  const std::uint64_t sum = triangle.low()[cell] + value;
  triangle.low()[cell] = static_cast<std::uint32_t>(sum);
  if (std::uint32_t* const high = triangle.high()) {
    high[cell] += static_cast<std::uint32_t>(sum >> 32);
  }
}

/// Zeros of so many samples; no rows are all.
PairCounts empty_counts(std::int64_t samples, Range rows);

/// From the first missing call on, shared sites (and with hethet the heterozygous ones) are counted
/// for each pair; until then they follow from the other counts.
void store_shared(PairCounts& counts, bool hethet);

}  // namespace yupana::genotype
