#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/strip_cuda.cuh"

namespace yupana::graph::cuda {
namespace {

constexpr int edge = 64;  // divides every strip: a tile's rows lie one behind the other
constexpr int warp = 32;
constexpr int warps = 8;
constexpr int height = edge / warps;
constexpr int halves = edge / warp;
constexpr int blocks_a_row = 8;

template <class Stored>
__device__ __forceinline__ Stored* tile_at(const StripRows<Stored>& rows,
                                           std::int64_t i0,
                                           std::int64_t j0) {
  Stored* const row = row_of(rows, i0);
  return row == nullptr ? nullptr : row + j0;
}

// A block takes every eighth tile of 64 x 64 cells of a row of them above the diagonal, and adds to
// the count once. Tiles of 32 x 32 cells with an atomic a warp took seven times as long.
template <class Stored>
__global__ void __launch_bounds__(warps* warp)
    mirror_kernel(StripRows<Stored> rows, StripRows<Stored> all, unsigned long long* unchanged) {
  __shared__ Stored turned[edge][edge + 1];
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const int first = static_cast<int>(threadIdx.x) / warp * height;
  const std::int64_t i0 = std::int64_t{blockIdx.y} * edge;
  std::int64_t j0 = i0 + std::int64_t{blockIdx.x} * edge;
  if (row_of(rows, i0) == nullptr) return;
  unsigned equal = 0;  // a warp sees at most 8 n cells
  for (; j0 < rows.size; j0 += blocks_a_row * edge) {
    const Stored* const from = tile_at(all, j0, i0);
    Stored* const to = tile_at(rows, i0, j0);
    Stored below[height][halves], above[height][halves];
#pragma unroll
    for (int y = 0; y < height; ++y) {
#pragma unroll
      for (int h = 0; h < halves; ++h) {
        const int row = first + y, column = h * warp + lane;
        if (j0 + row < rows.size && i0 + column < rows.size) {
          below[y][h] = from[row * all.stride + column];
        }
        if (i0 + row < rows.size && j0 + column < rows.size) {
          above[y][h] = to[row * rows.stride + column];
        }
      }
    }
#pragma unroll
    for (int y = 0; y < height; ++y) {
#pragma unroll
      for (int h = 0; h < halves; ++h) turned[first + y][h * warp + lane] = below[y][h];
    }
    __syncthreads();
#pragma unroll
    for (int y = 0; y < height; ++y) {
#pragma unroll
      for (int h = 0; h < halves; ++h) {
        const std::int64_t i = i0 + first + y, j = j0 + h * warp + lane;
        if (j <= i || j >= rows.size) continue;
        const Stored cell = turned[h * warp + lane][first + y];
        equal += above[y][h] == cell;
        to[(first + y) * rows.stride + h * warp + lane] = cell;
      }
    }
    __syncthreads();
  }
  const unsigned mine = __reduce_add_sync(0xffffffffu, equal);
  if (lane == 0 && mine > 0) atomicAdd(unchanged, static_cast<unsigned long long>(mine));
}

__global__ void facts_kernel(StripRows<std::int32_t> rows, std::int32_t* facts) {
  std::int32_t largest = 0;
  int missing = 0;
  for (std::int64_t i = blockIdx.x; i < rows.size; i += gridDim.x) {
    const std::int32_t* const row = row_of(rows, i);
    if (row == nullptr) continue;
    for (std::int64_t j = threadIdx.x; j < i; j += blockDim.x) {
      const bool none = row[j] == unreachable<std::int32_t>;
      missing |= none;
      largest = max(largest, none ? 0 : row[j]);
    }
  }
  largest = __reduce_max_sync(0xffffffffu, largest);
  missing = __any_sync(0xffffffffu, missing);
  if (threadIdx.x % 32 == 0) {
    atomicMax(facts, largest);
    atomicMax(facts + 1, missing);
  }
}

template <class From, class To, class Convert>
__device__ void convert_rows(const StripRows<From>& from,
                             const StripRows<To>& to,
                             const Convert& convert) {
  for (std::int64_t i = blockIdx.x; i < from.size; i += gridDim.x) {
    const From* const source = row_of(from, i);
    To* const target = row_of(to, i);
    if (source == nullptr || target == nullptr) continue;
    for (std::int64_t j = threadIdx.x; j <= i; j += blockDim.x) target[j] = convert(source[j]);
  }
}

__global__ void narrow_kernel(StripRows<std::int32_t> from, StripRows<std::uint16_t> to) {
  convert_rows(from, to, [](std::int32_t value) {
    return cell_of<std::uint16_t>(value == unreachable<std::int32_t> ? packed_unreachable : value);
  });
}

__global__ void widen_kernel(StripRows<std::uint16_t> from, StripRows<std::int32_t> to) {
  convert_rows(from, to, [](std::uint16_t cell) {
    const auto length = length_of<std::int32_t>(cell);
    return length == packed_unreachable ? unreachable<std::int32_t> : length;
  });
}

constexpr unsigned row_blocks = 4096;

}  // namespace

template <class Stored>
void launch_mirror(const StripRows<Stored>& rows,
                   const StripRows<Stored>& all,
                   unsigned long long* unchanged,
                   cudaStream_t stream) {
  if (rows.size == 0) return;
  const auto side = static_cast<unsigned>(divide_up(rows.size, edge));
  mirror_kernel<<<dim3(blocks_a_row, side), warps * warp, 0, stream>>>(rows, all, unchanged);
  yupana::cuda::check_launch("mirror a triangle");
}

void launch_facts(const StripRows<std::int32_t>& rows, std::int32_t* facts, cudaStream_t stream) {
  facts_kernel<<<row_blocks, 256, 0, stream>>>(rows, facts);
  yupana::cuda::check_launch("look at the weights");
}

void launch_narrow(const StripRows<std::int32_t>& from,
                   const StripRows<std::uint16_t>& to,
                   cudaStream_t stream) {
  narrow_kernel<<<row_blocks, 256, 0, stream>>>(from, to);
  yupana::cuda::check_launch("pack the weights");
}

void launch_widen(const StripRows<std::uint16_t>& from,
                  const StripRows<std::int32_t>& to,
                  cudaStream_t stream) {
  widen_kernel<<<row_blocks, 256, 0, stream>>>(from, to);
  yupana::cuda::check_launch("unpack the lengths");
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, launch_mirror)

}  // namespace yupana::graph::cuda
