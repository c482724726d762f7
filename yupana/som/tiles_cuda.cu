#include <cuda_bf16.h>

#include <algorithm>

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/filter_cuda.hpp"

namespace yupana::som::cuda {
namespace {

constexpr int threads = 256;
constexpr int unit = 8;            // values of 16 bytes
constexpr float beyond = 3e38f;    // |b|^2 of rows past the last neuron
constexpr float above = 1.00001f;  // more than rounding takes off a norm

struct TileTask {
  const float* values;
  std::int64_t stride;
  std::int64_t features;
  const std::int32_t* list;  // rows, or null
  std::int64_t first, rows;  // of the list, or of the values
  const float* center;
  float factor;  // of the values, not of the bounds
  FilterTiles tiles;
  float* squares;  // null if not needed
  float* largest;
};

/// Sums of squares of a row: of v, of v - high, of v - high - low.
struct Norms {
  double value = 0, high = 0, low = 0;
};

/// Eight values of row `r` from feature j on.
__device__ void write_unit(
    const TileTask& task, const float* row, std::int64_t r, std::int64_t j, Norms& norms) {
  __nv_bfloat16 high[unit], low[unit];
  float value_square = 0, high_square = 0, low_square = 0;
  const bool whole = row != nullptr && task.stride % 4 == 0 && j + unit <= task.features &&
                     reinterpret_cast<std::uintptr_t>(task.values) % 16 == 0;
  float4 fours[2] = {};
  if (whole) {
    fours[0] = *reinterpret_cast<const float4*>(row + j);
    fours[1] = *reinterpret_cast<const float4*>(row + j + 4);
  }
  const float* const loaded = &fours[0].x;
#pragma unroll
  for (int i = 0; i < unit; ++i) {
    const bool inside = row != nullptr && j + i < task.features;
    const float x = whole ? loaded[i] : inside ? row[j + i] : 0.0f;
    const float v = inside ? __fsub_rn(x, task.center[j + i]) : 0.0f;
    const float first = __bfloat162float(__float2bfloat16_rn(v));
    const float second = __bfloat162float(__float2bfloat16_rn(v - first));
    high[i] = __float2bfloat16_rn(task.factor * first);
    low[i] = __float2bfloat16_rn(task.factor * second);
    value_square = fmaf(v, v, value_square);
    high_square = fmaf(v - first, v - first, high_square);
    low_square = fmaf(v - first - second, v - first - second, low_square);
  }
  norms.value += value_square;
  norms.high += high_square;
  norms.low += low_square;
  const std::int64_t tile = (r / tile_rows * task.tiles.chunks + j / tile_features) * tile_bytes;
  const auto in_tile =
      static_cast<int>(r % tile_rows * 128 + ((j % tile_features / unit) ^ (r % 8)) * 16);
  *reinterpret_cast<uint4*>(task.tiles.high + tile + in_tile) =
      *reinterpret_cast<const uint4*>(high);
  if (task.tiles.low != nullptr) {
    *reinterpret_cast<uint4*>(task.tiles.low + tile + in_tile) =
        *reinterpret_cast<const uint4*>(low);
  }
}

__device__ __forceinline__ double of_warp(double value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}
__device__ __forceinline__ void raise(float* largest, float value) {
  // Non-negative floats order as their bits do.
  atomicMax(reinterpret_cast<int*>(largest), __float_as_int(value));
}

/// A warp writes a row.
__global__ void __launch_bounds__(threads) tiles_kernel(TileTask task) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * threads / 32;
  const std::int64_t features = std::int64_t{task.tiles.chunks} * tile_features;
  for (std::int64_t r = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
       r < task.tiles.rows;
       r += warps) {
    const float* row = nullptr;
    if (r < task.rows) {
      const std::int64_t at = task.first + r;
      row = task.values + (task.list != nullptr ? task.list[at] : at) * task.stride;
    }
    Norms norms;
    for (std::int64_t j = lane * unit; j < features; j += 32 * unit) {
      write_unit(task, row, r, j, norms);
    }
    const double square = of_warp(norms.value);
    const float norm = static_cast<float>(sqrt(square)) * above;
    // The difference x - center was rounded to a float.
    const float rounding = norm * 0x1p-23f;
    const float4 bounds = {norm,
                           static_cast<float>(sqrt(of_warp(norms.high))) * above + rounding,
                           static_cast<float>(sqrt(of_warp(norms.low))) * above + rounding,
                           0};
    if (lane != 0) continue;
    task.tiles.bounds[r] = bounds;
    if (task.squares == nullptr) continue;
    task.squares[r] = row == nullptr ? beyond : fminf(static_cast<float>(square), beyond);
    raise(task.largest, bounds.x);
    raise(task.largest + 1, bounds.y);
    raise(task.largest + 2, bounds.z);
  }
}

void launch(const TileTask& task, cudaStream_t stream) {
  if (task.tiles.rows == 0) return;
  const auto blocks =
      std::min<std::int64_t>(divide_up(task.tiles.rows, threads / 32),
                             std::int64_t{8} * yupana::cuda::device_facts().multiprocessors);
  tiles_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(task);
  yupana::cuda::check_launch("cut samples into tiles");
}

}  // namespace

void launch_sample_tiles(const DeviceSamples& samples,
                         const FilterRange& range,
                         const float* center,
                         const FilterTiles& tiles,
                         cudaStream_t stream) {
  launch({samples.values,
          samples.stride,
          samples.features,
          range.list,
          range.first,
          range.rows,
          center,
          1.0f,
          tiles,
          nullptr,
          nullptr},
         stream);
}

void launch_codebook_tiles(const DeviceCodebook& codebook,
                           const FilterCodebook& filter,
                           cudaStream_t stream) {
  yupana::cuda::check(cudaMemsetAsync(filter.largest, 0, 3 * sizeof(float), stream),
                      "search a map");
  launch({codebook.weights,
          codebook.features,
          codebook.features,
          nullptr,
          0,
          codebook.neurons,
          codebook.center,
          -2.0f,
          filter.tiles,
          filter.squares,
          filter.largest},
         stream);
}

}  // namespace yupana::som::cuda
