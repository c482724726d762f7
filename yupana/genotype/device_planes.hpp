#pragma once

#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/genotype/bit_products.hpp"

/// Private to the CUDA build: bit planes made in device memory.
namespace yupana::genotype::cuda {

/// Which planes a block needs. With x the genotype: u = [x >= 1], v = [x = 2], w = [x = 1],
/// z = [x = 0], h = [x = 0 or 2], p = [called].
enum class PlaneKind {
  complete,  ///< u v w: no call is missing
  pairwise,  ///< p h z v w
};
inline constexpr int planes_of(PlaneKind kind) { return kind == PlaneKind::complete ? 3 : 5; }
inline constexpr int plane_v(PlaneKind kind) { return kind == PlaneKind::complete ? 1 : 3; }
inline constexpr int plane_w(PlaneKind kind) { return kind == PlaneKind::complete ? 2 : 4; }

/// Memory for the planes of one block; grows to the largest.
class PlaneMemory {
 public:
  /// Planes of `sites` sites of `samples` samples; rows past the samples are written too.
  DevicePlanes shape(std::int64_t samples, std::int64_t sites, PlaneKind kind);
  std::uint8_t* bytes() { return bytes_.data(); }

 private:
  yupana::cuda::DeviceArray<std::uint8_t> bytes_;
};

/// Site-major 2-bit codes (site_block.hpp) to planes: row r is sample samples[r] of the codes, or r
/// where `samples` is null. All pointers are device memory.
void planes_from_codes(const std::uint8_t* codes,
                       std::int64_t stride,
                       std::int64_t sites,
                       const std::int32_t* samples,
                       std::int64_t count,
                       PlaneKind kind,
                       const DevicePlanes& planes,
                       cudaStream_t stream);

/// Rows of a PlaneBlock (planes.hpp; 2 or 3 planes, `chunks` of 512 sites) to planes.
void planes_from_block(const std::uint8_t* rows,
                       int block_planes,
                       std::int64_t chunks,
                       std::int64_t count,
                       PlaneKind kind,
                       const DevicePlanes& planes,
                       cudaStream_t stream);

/// sums[plane x rows + i] += set bits of row i, for `count` planes from `first` on.
void add_row_sums(const DevicePlanes& planes,
                  int first,
                  int count,
                  unsigned long long* sums,
                  cudaStream_t stream);

#ifdef __CUDACC__
/// Piece `piece` of 16 bytes of plane `plane` of step `step` in row `row`.
__device__ inline uint4* piece_of(
    const DevicePlanes& planes, int plane, std::int64_t step, std::int64_t row, int piece) {
  const std::int64_t table = plane * std::int64_t{planes.steps} + step;
  auto* const bytes = const_cast<std::uint8_t*>(planes.tile(table, row));
  return reinterpret_cast<uint4*>(bytes + 16 * (piece ^ static_cast<int>(row % 8)));
}
#endif

}  // namespace yupana::genotype::cuda
