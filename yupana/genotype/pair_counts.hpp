#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/planes.hpp"

namespace yupana::genotype {

/// 64-bit totals of a band of rows of a lower triangle (diagonal included), kept as 32-bit words
/// until a total can pass 2^32.
class CountTriangle {
 public:
  CountTriangle() = default;
  explicit CountTriangle(Range rows);

  std::uint64_t at(std::int64_t i, std::int64_t j) const {
    const std::int64_t cell = offset(i) + j;
    return low_[cell] | (high_.empty() ? 0 : std::uint64_t{high_[cell]} << 32);
  }
  /// Where row i starts; row i holds cells j = 0 .. i.
  std::int64_t offset(std::int64_t i) const {
    return triangle_cells(i) - triangle_cells(rows_.begin);
  }
  Range rows() const { return rows_; }
  bool empty() const { return low_.empty(); }
  std::uint32_t* low() { return low_.data(); }
  /// 32 more bits a cell, zero until needed; null before widen().
  std::uint32_t* high() { return high_.empty() ? nullptr : high_.data(); }
  void widen();
  const Array<std::uint32_t>& low_words() const { return low_; }
  const Array<std::uint32_t>& high_words() const { return high_; }

 private:
  Range rows_;
  Array<std::uint32_t> low_;
  Array<std::uint32_t> high_;
};

/// Exact counts for every pair of individuals, from which every metric is a formula. Over the sites
/// where both are called, with difference |x - x'|:
///   ibs1: sites that differ by 1    ibs0: sites that differ by 2 (opposite homozygotes)
///   shared: sites called in both    hethet: sites heterozygous in both
/// While no call is missing, shared and hethet follow from the rest and are not stored; read them
/// through shared_at, hethet_at and het_at.
struct PairCounts {
  std::int64_t samples = 0;
  std::int64_t sites = 0;  ///< sites counted so far
  Range rows;              ///< rows of the lower triangle held; [0, samples) for all
  CountTriangle ibs1, ibs0;
  CountTriangle shared;  ///< empty while no call was missing: then every pair shares `sites`
  CountTriangle hethet;  ///< only if requested, and once a call was missing
  CountTriangle het;     ///< with hethet: sites heterozygous in i, the row, and called in j
  std::vector<std::uint64_t> called;        ///< per sample: calls
  std::vector<std::uint64_t> heterozygous;  ///< per sample: x = 1
  std::vector<std::uint64_t> homozygous;    ///< per sample: x = 2

  std::uint64_t shared_at(std::int64_t i, std::int64_t j) const {
    return shared.empty() ? static_cast<std::uint64_t>(sites) : shared.at(i, j);
  }
  /// True if hethet_at and het_at are valid.
  bool knows_hethet() const { return shared.empty() || !hethet.empty(); }
  /// Sites heterozygous in both; i >= j. An IBS1 site is heterozygous in exactly one.
  std::uint64_t hethet_at(std::int64_t i, std::int64_t j) const {
    return shared.empty() ? (het_of(i) + het_of(j) - ibs1.at(i, j)) / 2 : hethet.at(i, j);
  }
  /// Sites heterozygous in i and called in j; i >= j. That of j is
  /// ibs1 + 2 hethet_at(i, j) - het_at(i, j).
  std::uint64_t het_at(std::int64_t i, std::int64_t j) const {
    return shared.empty() ? het_of(i) : het.at(i, j);
  }
  std::uint64_t het_of(std::int64_t i) const { return heterozygous[static_cast<std::size_t>(i)]; }
};

/// Rows of a lower triangle cut into `parts` that follow on each other and hold about as many cells
/// each; some are empty where there are fewer rows.
std::vector<Range> triangle_shares(Range rows, int parts);

/// The sum of what every rank has counted of the same rows, each from sites of its own. Rank r
/// keeps the rows shares[r]; these follow on each other and are the rows counted. The same counts
/// as those of one process that read all sites. `hethet` as of the counters.
///   memory: a share in addition to the counts; work: one reduction of them
PairCounts sum_over_ranks(Comm& comm,
                          PairCounts counts,
                          bool hethet,
                          const std::vector<Range>& shares);

namespace cuda {
class DeviceCounts;
}  // namespace cuda

struct PairCountsParams {
  bool hethet = false;  ///< count sites heterozygous in both (KING needs them if calls miss)
  Range rows;           ///< rows of the triangle to compute; {0, 0}: all
  /// That count at once on the CPU; 0: as many as an eighth of the context's memory holds the
  /// buffers of, two at the least.
  int threads = 0;
};

/// Adds blocks of sites to pair counts.
///   work: pairs x sites / 512 vector steps; the same counts on every backend, for any order and
///   size of blocks and any number of threads.
class PairCounter {
 public:
  PairCounter(Context& context, std::int64_t samples, const PairCountsParams& params = {});
  /// Reports finished work to `stage`, if given, in pair-SNPs. Throws usage if the block has
  /// another number of samples, interrupted on cancellation (the counts are then unusable).
  void add(const PlaneBlock& block, Stage* stage = nullptr);
  /// The same from codes: GPUs make the planes themselves.
  void add(const CallBlock& block, Stage* stage = nullptr);
  /// Bytes of count storage that a counter of these rows holds below 2^32 sites; twice as many
  /// beyond.
  static std::uint64_t bytes(Range rows, bool with_shared, bool with_hethet);
  /// Bytes that each GPU holds for such a counter, blocks in flight included.
  static std::uint64_t gpu_bytes(
      const Context& context, std::int64_t samples, Range rows, bool with_shared, bool hethet);
  /// Bytes that a thread holds while it counts blocks of at most so many sites on the CPU.
  static std::uint64_t thread_bytes(
      const Context& context, Range rows, std::int64_t sites, bool with_shared, bool with_hethet);
  /// Of the context's threads those whose buffers, beyond the first two's, take `bytes` at most.
  static int threads_within(const Context& context, std::uint64_t bytes, std::uint64_t of_thread);
  std::int64_t samples() const { return counts_.samples; }
  Range rows() const { return counts_.rows; }
  /// The counts so far; those on GPUs are fetched.
  const PairCounts& counts();
  PairCounts take();
  /// Resumes from counts saved earlier (a checkpoint).
  void resume(PairCounts counts) { counts_ = std::move(counts); }
  /// The counts, if all of them are still on devices; else null.
  cuda::DeviceCounts* device_counts() const {
    return counts_.sites == 0 && queued_ > 0 ? device_.get() : nullptr;
  }

 private:
  void check_samples(std::int64_t samples) const;
  void make_room(std::int64_t sites, bool with_missing);
  double pairs() const;
  void fetch();

  Context& context_;
  bool hethet_;
  PairCounts counts_;
  int threads_;                                 ///< that count at once on the CPU
  PlaneBlock planes_;                           ///< of a block of codes, on the CPU
  std::shared_ptr<cuda::DeviceCounts> device_;  ///< null but for CUDA
  std::int64_t queued_ = 0;                     ///< sites on the devices, not yet in counts_
};

/// Counts of a whole cohort, block after block, with progress ("pair-SNP").
PairCounts pair_counts(Context& context, Cohort& cohort, const PairCountsParams& params = {});

/// Squared distances where they were counted, and their copy on the host.
struct DeviceDistances {
  DeviceMatrix on_device;
  std::variant<SquareMatrix<std::int32_t>, SquareMatrix<double>> on_host;
  std::int64_t unshared = 0;  ///< pairs without a shared site; their distance is NaN
};

/// d^2 of all pairs from counts on a GPU, without bringing the counts to the host:
/// integers while no call is missing, else doubles with the bits of `distances`. Empty where the
/// counts are not on GPUs (or only in part), do not cover every row, where d^2 could pass 2^29, or
/// where counts and matrix together exceed the context's gpu_memory().
///   memory on the device: n^2 words; moves: one copy of the matrix to the host
DeviceDistances device_distances(Context& context, PairCounter& counter);

}  // namespace yupana::genotype
