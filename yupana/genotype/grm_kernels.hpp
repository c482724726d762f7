#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/bit_products.hpp"

/// Private to the CUDA build: the steps of relationships on a GPU, each queued on a stream.
namespace yupana::genotype::cuda {

inline constexpr int weight_digits = 4;

/// Folded codes of a GrmBlock in device memory; row `sites` has every call missing.
struct SiteCodes {
  const std::uint8_t* bytes;
  std::int64_t stride;
  std::int64_t sites;
  std::int64_t samples;

#ifdef __CUDACC__
  /// Codes of 16 samples.
  __device__ std::uint32_t word(std::int64_t site, std::int64_t first_sample) const {
    return reinterpret_cast<const std::uint32_t*>(bytes + site * stride)[first_sample / 16];
  }
#endif
};

/// Rows of the lower triangle: cell (i, j) at (i - band.begin) * band.columns() + j.
struct GrmCells {
  std::int64_t* sums;
  std::uint32_t* missing_both;
  Band band;
};

/// Plane 0: x of the sites in the order of `sites`; plane 1 + d: digit d of each times x.
void make_operands(const SiteCodes& codes,
                   const std::int32_t* sites,
                   const std::uint32_t* digits,
                   const DevicePlanes& planes,
                   cudaStream_t stream);

/// sums += 2 * 2^shift * sum of digit sums * 2^(7 d), which are zeros then.
void empty_digits(std::uint32_t* digit_sums,
                  int shift,
                  const Band& band,
                  std::int64_t* sums,
                  cudaStream_t stream);

/// own[2 i] += sum over sites of terms[4 site + code of sample i]; own[2 i + 1] += missing calls.
void add_own_sums(const SiteCodes& codes,
                  const std::int64_t* terms,
                  std::int64_t* own,
                  cudaStream_t stream);

constexpr std::int64_t mask_words(std::int64_t sites) { return (sites + 31) / 32; }

/// Twice the correction of each pair for the calls missing in one of them, and the sites missing in
/// both. `masks` is room for mask_words(sites) words a sample.
void correct_missing(const SiteCodes& codes,
                     const std::int32_t* corrections,
                     std::uint32_t* masks,
                     Range rows,
                     const GrmCells& cells,
                     cudaStream_t stream);

/// The cells of some rows up to the diagonal, one after the other.
void pack_rows(
    const std::int64_t* from, const Band& band, Range rows, std::int64_t* to, cudaStream_t stream);
void pack_rows(const std::uint32_t* from,
               const Band& band,
               Range rows,
               std::uint32_t* to,
               cudaStream_t stream);

}  // namespace yupana::genotype::cuda
