#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/genotype/site_block.hpp"
#include "yupana/genotype/site_counts.hpp"

/// Private to the family: a block of sites as integers, and the sums over it.
namespace yupana::genotype {

/// Units of weights: 2^-22, which every float of at least 2 is a multiple of.
inline constexpr int weight_bits = 22;
/// Sites whose missing calls are summed at a time: a tile of codes in cache.
inline constexpr std::int64_t missing_sites = 8192;

/// What a site adds: to pairs of called samples weight * (x - x')^2, taken off; to each sample and
/// to all pairs, so that the sum of all is 2 * weight * (x - mean) * (x' - mean).
struct GrmSite {
  std::int64_t weight = 0;   ///< in units; 0 without variation
  bool fold = false;         ///< A1 is the major allele
  std::int64_t own[4] = {};  ///< by code: weight * x * (x - 2 mean); 0 where missing
  /// Of x' missing: mean * weight * (x - mean), at most 2^24.
  std::int32_t correction[4] = {};
  std::int64_t constant = 0;  ///< weight * mean^2
};
GrmSite grm_site(const SiteCounts& counts, Standardize standardize);

/// The codes of the kept samples of a row, as a block of these samples has them.
void copy_calls(const SiteBlock& from,
                std::int64_t site,
                std::span<const std::int64_t> kept,
                std::uint8_t* to);

/// A block of folded codes of the kept samples, x being copies of the minor allele, with tables of
/// four numbers a site. One more row than sites: all calls missing.
struct GrmBlock {
  SiteBlock codes;
  Array<std::int64_t> weights;
  Array<std::int64_t> own_terms;
  Array<std::int32_t> corrections;  ///< of missing calls
  bool complete = true;

  std::int64_t sites() const { return codes.sites - 1; }
};

namespace reference {
/// The sum of every pair, site by site.
void add_block(const GrmBlock& block, Grm& grm);
}  // namespace reference

namespace cpu {
void add_block(Context& context, const GrmBlock& block, Grm& grm, Stage* stage);
}  // namespace cpu

namespace cuda {

/// The sums of a GrmCounter on the context's devices. Only CUDA builds define it.
class DeviceGrm {
 public:
  virtual ~DeviceGrm() = default;
  /// Work is queued; the block is free again when this returns.
  virtual void add(const GrmBlock& block) = 0;
  /// Adds the sums of pairs, and the terms and missing calls of samples, to those of the host.
  virtual void collect(Grm& grm) = 0;
};
std::unique_ptr<DeviceGrm> device_grm(Context& context, std::int64_t samples, Range rows);
GrmRoom room_of_grm(std::uint64_t gpu_memory, std::int64_t devices, std::int64_t samples);

}  // namespace cuda

}  // namespace yupana::genotype
