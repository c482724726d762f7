#pragma once

#include "yupana/analysis/neighbor_joining_steps_cuda.cuh"

// What neighbour joining on a GPU does before the first step and each time its places are closed
// up.

namespace yupana::analysis::cuda {

constexpr int sum_rows = 32, sum_columns = 128, sum_threads = 256;
constexpr int living_threads = 1024;

/// Clusters of one leaf, a thread each.
__global__ void start_kernel(Places of, std::int64_t n, State* state) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i == 0) {
    state->turns[0] = state->turns[1] = {below_all, above_all};
    state->largest = 0;
    state->read = 0;
    state->search_done = state->join_done = 0;
  }
  if (i >= n) return;
  of.key[i] = infinity;
  of.nearest[i] = -1;
  of.node[i] = static_cast<std::int32_t>(i);
  of.row[i] = i * (i - 1) / 2;
}

/// The cells before the diagonal of rows [begin, end), `end` cells apart. A block takes a row.
template <class T>
__global__ void take_panel_kernel(
    const T* panel, std::int64_t begin, std::int64_t end, double* d, double* v, State* state) {
  const std::int64_t i = begin + blockIdx.x, row = i * (i - 1) / 2;
  double largest = 0;
  for (std::int64_t j = threadIdx.x; j < i; j += blockDim.x) {
    const auto x = static_cast<double>(panel[blockIdx.x * end + j]);
    largest = max(largest, x);
    d[row + j] = x;
    if (v != nullptr) v[row + j] = x;
  }
  for (int by = 16; by > 0; by /= 2) largest = max(largest, __shfl_down_sync(~0u, largest, by));
  if (threadIdx.x % 32 == 0) atomicMax(&state->largest, ordered(largest));
}

/// sums[i] of all cells of places i, in the order of their columns: the cells of the row, then
/// column i of the rows after it. A lane adds up a row; all threads read tiles for it.
__global__ void __launch_bounds__(sum_threads)
    add_up_kernel(const double* cells, const std::int64_t* row, std::int64_t width, double* sums) {
  __shared__ double tile[sum_rows][sum_columns + 1];
  const std::int64_t first = std::int64_t{blockIdx.x} * sum_rows, mine = first + threadIdx.x;
  double sum = 0;
  for (std::int64_t base = 0; base < width; base += sum_columns) {
    const bool below =
        base >= first + sum_rows;  // these columns are rows: neighbours are rows of ours
    for (int at = threadIdx.x; at < sum_rows * sum_columns; at += sum_threads) {
      const int r = below ? at % sum_rows : at / sum_columns;
      const int c = below ? at / sum_rows : at % sum_columns;
      const std::int64_t i = first + r, j = base + c;
      if (i >= width || j >= width || i == j) continue;
      tile[r][c] = cells[i > j ? row[i] + j : row[j] + i];
    }
    __syncthreads();
    if (threadIdx.x < sum_rows && mine < width) {
      const auto columns = static_cast<int>(min(std::int64_t{sum_columns}, width - base));
      for (int c = 0; c < columns; ++c) {
        if (base + c != mine) sum += tile[threadIdx.x][c];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < sum_rows && mine < width) sums[mine] = sum;
}

/// u of all clusters, as the keys are about to be renewed.
__global__ void known_kernel(Step step) {
  const std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= step.width) return;
  const Places& of = step.places;
  of.known[j] = of.node[j] < 0 ? -infinity : of.sum[j] / step.others();
}

/// living[k]: the place of the k-th cluster that is left; rank: the inverse, -1 where one is gone.
__global__ void __launch_bounds__(living_threads) living_kernel(const std::int32_t* node,
                                                                std::int64_t width,
                                                                std::int32_t* living,
                                                                std::int32_t* rank) {
  __shared__ int before[living_threads / 32];
  __shared__ int total;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (std::int64_t base = 0; base < width; base += living_threads) {
    const std::int64_t i = base + threadIdx.x;
    const bool lives = i < width && node[i] >= 0;
    const unsigned mask = __ballot_sync(~0u, lives);
    if (lane == 0) before[warp] = __popc(mask);
    __syncthreads();
    int at = total + __popc(mask & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) at += before[w];
    if (lives) living[at] = static_cast<std::int32_t>(i);
    if (i < width) rank[i] = lives ? at : -1;
    __syncthreads();
    if (threadIdx.x == living_threads - 1) total = at + lives;
    __syncthreads();
  }
}

__global__ void move_places_kernel(Places from,
                                   Places to,
                                   const std::int32_t* living,
                                   const std::int32_t* rank,
                                   std::int64_t width) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= width) return;
  const std::int32_t i = living[k], near = from.nearest[i];
  to.sum[k] = from.sum[i];
  if (from.variance_sum != nullptr) to.variance_sum[k] = from.variance_sum[i];
  to.known[k] = from.known[i];
  to.key[k] = from.key[i];
  to.nearest[k] = near < 0 ? -1 : rank[near];
  to.node[k] = from.node[i];
  to.row[k] = from.row[i];
}

/// Row k keeps the columns of the clusters that are left. A block takes a row, whose cells move
/// towards its begin.
__global__ void close_up_kernel(double* cells,
                                const std::int64_t* row,
                                const std::int32_t* living) {
  const std::int64_t k = blockIdx.x;
  double* const mine = cells + row[k];
  for (std::int64_t base = 0; base < k; base += blockDim.x) {
    const std::int64_t j = base + threadIdx.x;
    const double value = j < k ? mine[living[j]] : 0;
    __syncthreads();  // cells that are about to be written were read
    if (j < k) mine[j] = value;
  }
}

}  // namespace yupana::analysis::cuda
