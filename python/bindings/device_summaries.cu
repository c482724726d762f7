#include <algorithm>
#include <limits>
#include <type_traits>

#include "python/bindings/device_summaries.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::python::device {
namespace {

using yupana::cuda::check;
using yupana::cuda::check_launch;
using yupana::cuda::DeviceArray;

constexpr int edge = 32, rows_at_once = 8;
constexpr int threads = 256;
constexpr unsigned most_blocks = 1024;

/// A value that launch() changes on the device.
template <class T, class Launch>
T summarized(T value, const Launch& launch) {
  DeviceArray<T> there(1);
  yupana::cuda::upload("check an array", there.data(), &value, 1);
  launch(there.data());
  check_launch("check an array");
  check(cudaMemcpy(&value, there.data(), sizeof(T), cudaMemcpyDeviceToHost), "check an array");
  return value;
}

unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>(divide_up(n, threads), 1, std::int64_t{most_blocks}));
}

/// No sum of two such integers passes 32 bits; see shortest_paths.hpp.
constexpr int no_edge = (1 << 30) - 1;

/// A block compares a tile with the one across the diagonal. Cells there may change meanwhile, to
/// values that are equal to what they were; those of the diagonal are not compared.
template <class T>
__global__ void weights_kernel(T* w, std::int64_t n, WeightsSummary* summary) {
  __shared__ T across[edge][edge + 1];
  const std::int64_t row = std::int64_t{blockIdx.y} * edge,
                     column = std::int64_t{blockIdx.x} * edge;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = column + k, j = row + threadIdx.x;
    if (i < n && j < n) across[k][threadIdx.x] = w[i * n + j];
  }
  __syncthreads();
  unsigned asymmetric = 0, negative = 0, unreachable = 0;
  int largest = 0;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = row + k, j = column + threadIdx.x;
    if (i >= n || j >= n) continue;
    const T x = w[i * n + j];
    if (i == j) {
      if (!(x >= 0)) atomicMin(&summary->bad_diagonal, static_cast<unsigned long long>(i));
      w[i * n + j] = 0;
      continue;
    }
    asymmetric |= x != across[threadIdx.x][k];
    negative |= x < 0;
    bool bad = false;
    if constexpr (std::is_integral_v<T>) {
      bad = x > no_edge || x <= -no_edge;
      unreachable |= x == no_edge;
      if (x < no_edge) largest = max(largest, x);
    } else {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      bad = x != x || x == -infinity;
      unreachable |= x == infinity;
      if (x == 0) w[i * n + j] = 0;  // also where it is -0.0
    }
    if (bad) atomicMin(&summary->bad, static_cast<unsigned long long>(i * n + j));
  }
  if (__syncthreads_or(static_cast<int>(asymmetric)) != 0 && threadIdx.x + threadIdx.y == 0) {
    summary->asymmetric = 1;
  }
  if (negative != 0) summary->negative = 1;
  if (unreachable != 0) summary->unreachable = 1;
  if (largest > summary->largest) atomicMax(&summary->largest, largest);
}

__device__ unsigned long long sum_of_warp(unsigned long long x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}
__device__ unsigned long long most_of_warp(unsigned long long x) {
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__global__ void integers_kernel(const std::int64_t* values,
                                std::int64_t n,
                                IntegersSummary* summary) {
  IntegersSummary mine;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    const auto bits = static_cast<unsigned long long>(values[i]);
    const unsigned long long size = values[i] < 0 ? 0 - bits : bits;
    mine.most = max(mine.most, size);
    mine.low += size & 0xffffffffu;
    mine.high += size >> 32;
  }
  mine = {most_of_warp(mine.most), sum_of_warp(mine.low), sum_of_warp(mine.high)};
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&summary->most, mine.most);
  atomicAdd(&summary->low, mine.low);
  atomicAdd(&summary->high, mine.high);
}

__global__ void finite_kernel(const double* values, std::int64_t n, unsigned long long* first) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    if (!isfinite(values[i])) atomicMin(first, static_cast<unsigned long long>(i));
  }
}

/// Bits of floats without their sign are in the order of their sizes, infinity and NaN above all.
__global__ void extents_kernel(const float* values,
                               std::int64_t rows,
                               std::int64_t cols,
                               unsigned* most) {
  const std::int64_t column = std::int64_t{blockIdx.y} * edge + threadIdx.x;
  if (column >= cols) return;
  unsigned mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * rows_at_once + threadIdx.y; i < rows;
       i += std::int64_t{gridDim.x} * rows_at_once) {
    mine = max(mine, __float_as_uint(values[i * cols + column]) & 0x7fffffffu);
  }
  atomicMax(most + column, mine);
}

__global__ void rows_kernel(const float* values,
                            std::int64_t cols,
                            const std::int64_t* chosen,
                            std::int64_t count,
                            float* to) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < count * cols;
       at += std::int64_t{gridDim.x} * threads) {
    to[at] = values[chosen[at / cols] * cols + at % cols];
  }
}

template <class T>
__global__ void column_kernel(const T* values, std::int64_t n, std::int64_t j, T* to) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    to[i] = values[i * n + j];
  }
}

}  // namespace

template <class T>
WeightsSummary prepare_weights(T* w, std::int64_t n) {
  if (n == 0) return {};
  const auto tiles = static_cast<unsigned>(divide_up(n, edge));
  return summarized(WeightsSummary{}, [&](WeightsSummary* summary) {
    weights_kernel<<<dim3(tiles, tiles), dim3(edge, rows_at_once)>>>(w, n, summary);
  });
}
YUPANA_FUNCTIONS(YUPANA_DISTANCES, prepare_weights)

IntegersSummary summarize_integers(const std::int64_t* values, std::int64_t n) {
  return summarized(IntegersSummary{}, [&](IntegersSummary* summary) {
    integers_kernel<<<blocks_for(n), threads>>>(values, n, summary);
  });
}

unsigned long long first_not_finite(const double* values, std::int64_t n) {
  return summarized(nowhere, [&](unsigned long long* first) {
    finite_kernel<<<blocks_for(n), threads>>>(values, n, first);
  });
}

std::vector<float> column_extents(const float* values, std::int64_t rows, std::int64_t cols) {
  std::vector<float> extents(static_cast<std::size_t>(cols));
  DeviceArray<unsigned> most(cols);
  check(cudaMemset(most.data(), 0, most.bytes()), "check samples");
  const dim3 blocks(static_cast<unsigned>(
                        std::clamp<std::int64_t>(divide_up(rows, rows_at_once), 1, most_blocks)),
                    static_cast<unsigned>(divide_up(cols, edge)));
  extents_kernel<<<blocks, dim3(edge, rows_at_once)>>>(values, rows, cols, most.data());
  check_launch("check samples");
  check(cudaMemcpy(extents.data(), most.data(), most.bytes(), cudaMemcpyDeviceToHost),
        "check samples");
  return extents;
}

void fetch_rows(const float* values,
                std::int64_t cols,
                const std::vector<std::int64_t>& chosen,
                float* to) {
  const std::int64_t count = std::ssize(chosen);
  DeviceArray<float> fetched(count * cols);
  const auto rows = yupana::cuda::uploaded("fetch rows", chosen);
  rows_kernel<<<blocks_for(count * cols), threads>>>(
      values, cols, rows.data(), count, fetched.data());
  check_launch("fetch rows");
  check(cudaMemcpy(to, fetched.data(), fetched.bytes(), cudaMemcpyDeviceToHost), "fetch rows");
}

template <class T>
void fetch_column(const T* values, std::int64_t n, std::int64_t j, T* room, T* to) {
  column_kernel<<<blocks_for(n), threads>>>(values, n, j, room);
  check_launch("fetch a column");
  check(cudaMemcpy(to, room, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost),
        "fetch a column");
}
YUPANA_FUNCTIONS(YUPANA_DISTANCES, fetch_column)

}  // namespace yupana::python::device
