#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"

namespace yupana::genotype {

/// Adds blocks of sites with dosages to a relationship matrix, into Grm::products.
///   method  z = (dosage - 2p) / deviation is rounded to a float, so that a product is exact as a
///           double; each pair adds its products one by one, in the order of sites. Missing dosages
///           are z = 0, and counted for the pairs of samples that both miss.
///   bound   |error of A_jk| <= 2^-23 sqrt(A_jj A_kk) + sites 2^-53 times the mean of |z z'|
///   work    pairs x sites products and sums of doubles; 8 bytes a pair in memory, 12 with missing
///           dosages
///   determinism: the same bits for any threads, blocks, bands and vector instructions
///   errors: usage for blocks without dosages
void add_dosages(Context& context,
                 const CallBlock& block,
                 Standardize standardize,
                 Grm& grm,
                 Stage* stage = nullptr);

/// Bytes that add_dosages() holds in addition to the matrix.
std::uint64_t grm_dosages_bytes(std::int64_t samples);

/// Private: standardized dosages of a few sites, by tiles of samples: z[(tile * sites + site) *
/// tile_samples + sample of the tile], zeros past the last sample.
struct DosageTiles {
  static constexpr std::int64_t tile_samples = 64;
  static constexpr std::int64_t max_sites = 256;

  std::int64_t sites = 0;
  Array<double> z;
  const double* tile(std::int64_t number) const { return &z[number * sites * tile_samples]; }
};

namespace reference {
/// sums(i, j) += sum over sites of z z', of one tile of rows and one of columns.
void add_dosage_tile(const double* rows, const double* columns, std::int64_t sites, double* sums);
}  // namespace reference
namespace cpu {
void add_dosage_tile(const double* rows, const double* columns, std::int64_t sites, double* sums);
}  // namespace cpu

}  // namespace yupana::genotype
