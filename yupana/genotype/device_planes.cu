#include <algorithm>

#include "yupana/genotype/device_planes.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int warp_samples = 16;  // a 32-bit word of codes
constexpr int block_warps = 8;    // 128 samples: the 32 bytes that memory delivers at least
constexpr int task_sites = 256;   // eight words a plane: the 32 bytes that memory takes at least

/// 32 rows of 32 bits, one a lane, to 32 columns: bit i of lane j was bit j of lane i.
__device__ std::uint32_t transpose_bits(std::uint32_t x, int lane) {
  std::uint32_t low = 0x0000ffff;  // columns that stay in lanes without bit `s`
#pragma unroll
  for (int s = 16; s > 0; s /= 2) {
    const std::uint32_t other = __shfl_xor_sync(~0u, x, s);
    x = (lane & s) == 0 ? (x & low) | (other & low) << s : (x & ~low) | (other & ~low) >> s;
    low ^= low << (s / 2);
  }
  return x;
}

/// The words of every plane from the two code bits: 00 is x = 2, 10 x = 1, 11 x = 0, 01 missing.
template <PlaneKind kind>
__device__ void words_of(std::uint32_t low,
                         std::uint32_t high,
                         std::uint32_t valid,
                         std::uint32_t (&words)[planes_of(kind)]) {
  const std::uint32_t v = ~low & ~high & valid, w = ~low & high & valid;
  if constexpr (kind == PlaneKind::complete) {
    words[0] = v | w;
    words[1] = v;
    words[2] = w;
  } else {
    const std::uint32_t z = low & high & valid;
    words[0] = z | v | w;
    words[1] = z | v;
    words[2] = z;
    words[3] = v;
    words[4] = w;
  }
}

struct Codes {
  const std::uint8_t* bytes;
  std::int64_t stride;
  std::int64_t sites;
  const std::int32_t* samples;
  std::int64_t count;

  /// Codes of 16 rows of the result at one site.
  __device__ std::uint32_t word(std::int64_t site, std::int64_t row) const {
    const std::uint8_t* const line = bytes + site * stride;
    if (samples == nullptr) return reinterpret_cast<const std::uint32_t*>(line)[row / warp_samples];
    std::uint32_t word = 0;
    for (int i = 0; i < warp_samples && row + i < count; ++i) {
      const std::int32_t sample = samples[row + i];
      word |= static_cast<std::uint32_t>(line[sample / 4] >> (2 * (sample % 4)) & 3) << (2 * i);
    }
    return word;
  }
};

/// A warp turns 256 sites of 16 samples: eight times 32 sites, one a lane.
template <PlaneKind kind>
__global__ void __launch_bounds__(32 * block_warps)
    codes_kernel(const Codes codes, const DevicePlanes planes) {
  constexpr int count = planes_of(kind), groups = task_sites / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t first_row = (std::int64_t{blockIdx.y} * block_warps + warp) * warp_samples;
  const std::int64_t first_site = std::int64_t{blockIdx.x} * task_sites;
  if (first_row >= planes.rows) return;
  std::uint32_t words[count][groups];
  const std::int64_t row = first_row + lane / 2;
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    const std::int64_t site = first_site + 32 * g + lane;
    const bool inside = site < codes.sites && first_row < codes.count;
    const std::uint32_t bits = transpose_bits(inside ? codes.word(site, first_row) : 0, lane);
    const std::uint32_t other = __shfl_xor_sync(~0u, bits, 1);
    const std::int64_t left = codes.sites - first_site - 32 * g;
    const std::uint32_t valid = row >= codes.count || left <= 0 ? 0
                                : left >= 32                    ? ~0u
                                                                : (1u << left) - 1;
    std::uint32_t all[count];
    words_of<kind>(lane % 2 == 0 ? bits : other, lane % 2 == 0 ? other : bits, valid, all);
#pragma unroll
    for (int p = 0; p < count; ++p) words[p][g] = all[p];
  }
  const std::int64_t step = first_site / product_sites;
  const int piece = static_cast<int>(first_site % product_sites / 128);
#pragma unroll
  for (int p = 0; p < count; ++p) {
    if (p % 2 != lane % 2) continue;  // the two lanes of a sample share the planes
    *piece_of(planes, p, step, row, piece) =
        make_uint4(words[p][0], words[p][1], words[p][2], words[p][3]);
    *piece_of(planes, p, step, row, piece + 1) =
        make_uint4(words[p][4], words[p][5], words[p][6], words[p][7]);
  }
}

__device__ uint4 operator&(uint4 a, uint4 b) {
  return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}
__device__ uint4 operator~(uint4 a) { return make_uint4(~a.x, ~a.y, ~a.z, ~a.w); }

/// One thread moves one piece of 16 bytes of every plane.
template <PlaneKind kind>
__global__ void block_kernel(const std::uint8_t* rows,
                             int block_planes,
                             std::int64_t chunks,
                             std::int64_t count,
                             const DevicePlanes planes) {
  constexpr int pieces = static_cast<int>(product_bytes / 16);
  const std::int64_t cells = planes.steps * planes.rows * pieces;
  for (std::int64_t cell = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; cell < cells;
       cell += std::int64_t{gridDim.x} * blockDim.x) {
    const int piece = static_cast<int>(cell % pieces);
    const std::int64_t row = cell / pieces % planes.rows, step = cell / pieces / planes.rows;
    const std::int64_t chunk = 2 * step + piece / 4;
    uint4 u{}, w{}, p{};
    if (row < count && chunk < chunks) {
      const std::uint8_t* const from =
          rows + (row * chunks + chunk) * block_planes * 64 + piece % 4 * 16;
      u = *reinterpret_cast<const uint4*>(from);
      w = *reinterpret_cast<const uint4*>(from + 64);
      if (kind == PlaneKind::pairwise) p = *reinterpret_cast<const uint4*>(from + 128);
    }
    if constexpr (kind == PlaneKind::complete) {
      *piece_of(planes, 0, step, row, piece) = u;
      *piece_of(planes, 1, step, row, piece) = u & ~w;
      *piece_of(planes, 2, step, row, piece) = w;
    } else {
      *piece_of(planes, 0, step, row, piece) = p;
      *piece_of(planes, 1, step, row, piece) = p & ~w;
      *piece_of(planes, 2, step, row, piece) = p & ~u;
      *piece_of(planes, 3, step, row, piece) = u & ~w;
      *piece_of(planes, 4, step, row, piece) = w;
    }
  }
}

/// A warp counts one row of one plane over a range of steps.
__global__ void row_sums_kernel(const DevicePlanes planes, int first, unsigned long long* sums) {
  const int lane = threadIdx.x % 32;
  const std::int64_t row = std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  const int plane = first + static_cast<int>(blockIdx.y);
  if (row >= planes.rows) return;
  unsigned count = 0;
  for (int step = blockIdx.z; step < planes.steps; step += gridDim.z) {
    const std::int64_t table = plane * std::int64_t{planes.steps} + step;
    count += __popc(reinterpret_cast<const std::uint32_t*>(planes.tile(table, row))[lane]);
  }
  count = __reduce_add_sync(~0u, count);
  if (lane == 0)
    atomicAdd(sums + plane * planes.rows + row, static_cast<unsigned long long>(count));
}

}  // namespace

DevicePlanes PlaneMemory::shape(std::int64_t samples, std::int64_t sites, PlaneKind kind) {
  DevicePlanes planes;
  planes.rows = round_up(samples, product_edge);
  planes.planes = planes_of(kind);
  planes.steps = static_cast<int>(divide_up(sites, product_sites));
  if (planes.size() > bytes_.size()) {
    bytes_ = {};  // the old memory first
    bytes_ = DeviceArray<std::uint8_t>(planes.size());
  }
  planes.bytes = bytes_.data();
  return planes;
}

void planes_from_codes(const std::uint8_t* codes,
                       std::int64_t stride,
                       std::int64_t sites,
                       const std::int32_t* samples,
                       std::int64_t count,
                       PlaneKind kind,
                       const DevicePlanes& planes,
                       cudaStream_t stream) {
  const Codes from = {codes, stride, sites, samples, count};
  const dim3 grid(static_cast<unsigned>(planes.steps * (product_sites / task_sites)),
                  static_cast<unsigned>(divide_up(planes.rows, warp_samples * block_warps)));
  if (kind == PlaneKind::complete) {
    codes_kernel<PlaneKind::complete><<<grid, 32 * block_warps, 0, stream>>>(from, planes);
  } else {
    codes_kernel<PlaneKind::pairwise><<<grid, 32 * block_warps, 0, stream>>>(from, planes);
  }
  check_launch("turn sites into bit planes");
}

void planes_from_block(const std::uint8_t* rows,
                       int block_planes,
                       std::int64_t chunks,
                       std::int64_t count,
                       PlaneKind kind,
                       const DevicePlanes& planes,
                       cudaStream_t stream) {
  if (kind == PlaneKind::complete) {
    block_kernel<PlaneKind::complete>
        <<<2048, 256, 0, stream>>>(rows, block_planes, chunks, count, planes);
  } else {
    block_kernel<PlaneKind::pairwise>
        <<<2048, 256, 0, stream>>>(rows, block_planes, chunks, count, planes);
  }
  check_launch("arrange bit planes");
}

void add_row_sums(const DevicePlanes& planes,
                  int first,
                  int count,
                  unsigned long long* sums,
                  cudaStream_t stream) {
  constexpr int warps = 8;
  const dim3 grid(static_cast<unsigned>(divide_up(planes.rows, warps)),
                  static_cast<unsigned>(count),
                  static_cast<unsigned>(std::min(planes.steps, 16)));
  row_sums_kernel<<<grid, 32 * warps, 0, stream>>>(planes, first, sums);
  check_launch("count calls of samples");
}

}  // namespace yupana::genotype::cuda
