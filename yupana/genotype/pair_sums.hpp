#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/device_planes.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/planes.hpp"

/// Private to the CUDA build: sums from which pair counts follow, on one device.
namespace yupana::genotype::cuda {

/// The matrices of sums. With S = uu' + vv', W = ww', Z = zz' + vv', H = hh', P = pp', counts
/// follow as IBS0 = v + v' + W - S, IBS1 = w + w' - 2 W over complete blocks, IBS0 = H - Z, IBS1 =
/// P - H - W, shared = P over the others, het-het = W, and the sites heterozygous in i and called
/// in j = wp'.
struct SumMatrices {
  std::uint32_t* s = nullptr;
  std::uint32_t* w = nullptr;
  std::uint32_t* p = nullptr;
  std::uint32_t* h = nullptr;
  std::uint32_t* z = nullptr;
  std::uint32_t* wm = nullptr;  ///< W of the blocks with missing calls
  std::uint32_t* wp = nullptr;
  const unsigned long long* complete = nullptr;  ///< per plane and row: set bits, complete blocks
  const unsigned long long* pairwise = nullptr;  ///< the same of the other blocks
  std::uint32_t complete_sites = 0;
  std::uint32_t sites = 0;  ///< with those of the other blocks
  std::int64_t padded_samples = 0;
  Band band;
};

struct PairSumsParams {
  std::int64_t samples = 0;
  Range rows;                                      ///< of the triangle
  bool hethet = false;                             ///< sum wp', too
  std::uint64_t memory = std::uint64_t{16} << 30;  ///< device bytes for sums, blocks and distances
  BitMethod method = BitMethod::automatic;
};

/// Sums of one device. Blocks are queued; the caller's memory is free again after each call.
class PairSums {
 public:
  /// To be called with `device` current.
  PairSums(int device, const PairSumsParams& params);

  void add(const PlaneBlock& block);
  void add(const CallBlock& block);
  /// Codes of all samples in page-locked memory that stays as it is until wait(): copied from
  /// there.
  void add_pinned(const std::uint8_t* codes,
                  std::int64_t stride,
                  std::int64_t sites,
                  bool complete);
  /// Planes that are in this device's memory already.
  void add(const DevicePlanes& planes, PlaneKind kind, std::int64_t sites);
  /// Takes over the sums of another device, whose own are empty then.
  void take_from(PairSums& other);
  /// Adds the sums to host counts and empties them. counts.sites is the caller's to raise.
  void move_to(Context& context, PairCounts& counts);

  /// d^2 of all pairs, as device_distances; the sums stay. For a band of every row.
  DeviceDistances squared_distances();

  bool any_missing() const { return pairwise_sites_ > 0 || (gathered_ > 0 && !gathered_complete_); }
  /// Whether no codes wait in the buffer for more.
  bool sent() const { return gathered_ == 0; }
  /// Sites of either kind whose sums stay below 2^32: S counts up to two for a site.
  static constexpr std::int64_t most_sites = (std::int64_t{1} << 31) - 1;
  /// Sites that may still be added.
  std::int64_t room() const;
  int device() const { return device_; }
  /// Device bytes in use: sums and the blocks in flight.
  std::uint64_t held_bytes() const;
  /// Device bytes for a band of rows, without the blocks.
  static std::uint64_t bytes(Range rows, bool with_missing, bool hethet);
  /// Device bytes for the two blocks in flight and their planes.
  static std::uint64_t block_bytes(std::int64_t samples, std::uint64_t memory);

  cudaStream_t stream() const { return work_; }
  /// Until everything queued is done.
  void wait();
  SumMatrices matrices();

 private:
  /// Host and device memory of one block in flight.
  struct Slot {
    yupana::cuda::PinnedArray<std::uint8_t> host;
    yupana::cuda::DeviceArray<std::uint8_t> codes;
    yupana::cuda::Event copied, read;
    bool used = false;
  };
  using Sums = yupana::cuda::DeviceArray<std::uint32_t>;

  Slot& next_slot(std::int64_t bytes);
  void send(Slot& slot, const std::uint8_t* from, std::int64_t bytes);
  void flush();
  void multiply(const DevicePlanes& planes, PlaneKind kind, std::int64_t sites);
  std::uint32_t* ready(Sums& sums);
  void clear();

  void sum_rows(const DevicePlanes& planes, PlaneKind kind);
  bool has_whole_diagonal() const {
    return band_.begin == 0 && band_.end >= samples_ && band_.end > 0;
  }

  int device_;
  std::int64_t samples_;
  std::uint64_t memory_;
  Range rows_;
  bool hethet_;
  Band band_;
  yupana::cuda::Stream copy_, work_;
  BitProducts products_;
  PlaneMemory planes_;
  Slot slots_[2];
  int slot_ = 0;
  // Sites gathered in the current slot until it is full.
  std::int64_t slot_sites_;
  std::int64_t gathered_ = 0, stride_ = 0;
  bool gathered_complete_ = true;
  yupana::cuda::DeviceArray<std::int32_t> kept_;
  std::vector<std::int64_t> kept_host_;
  Sums s_, w_, p_, h_, z_, wm_, wp_;
  yupana::cuda::DeviceArray<unsigned long long> complete_rows_, pairwise_rows_;
  std::int64_t complete_sites_ = 0, pairwise_sites_ = 0;
};

}  // namespace yupana::genotype::cuda
