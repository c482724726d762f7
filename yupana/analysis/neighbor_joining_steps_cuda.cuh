#pragma once

#include <cstdint>
#include <limits>

#include "yupana/analysis/neighbor_joining_backends.hpp"
#include "yupana/core/cuda/launch.hpp"

// The three kernels of a step of neighbour joining on a GPU. Sources that include this are compiled
// with -fmad=false: every operation is rounded, as on the CPU.

namespace yupana::analysis::cuda {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int search_threads = 512;
constexpr int place_threads = 256;

/// The clusters by place, in the order of their numbers. Where a cluster is gone, sum and known are
/// -inf and key is +inf.
struct Places {
  double* sum;            ///< r
  double* variance_sum;   ///< of bionj
  double* known;          ///< u = r / (m - 2) of an earlier step
  double* key;            ///< at most the smallest d - known of the row
  std::int32_t* nearest;  ///< column of the smallest Q when the row was last read, -1: none
  std::int32_t* node;     ///< of the tree; -1 where a cluster is gone
  std::int64_t* row;      ///< where the cells of a row begin: columns before its own
};

/// A cell of a triangle and the place that it belongs to; ties go to the smaller row, then column.
struct Cell {
  double value;
  std::int32_t row, column;

  __device__ bool before(const Cell& other) const {
    if (value != other.value) return value < other.value;
    return row != other.row ? row < other.row : column < other.column;
  }
};

constexpr Cell no_cell{infinity, INT32_MAX, -1};

/// A join as the tree records it.
struct Join {
  std::int32_t node_a, node_b;
  double branch_a, branch_b;
};

/// Doubles as integers of the same order.
__host__ __device__ inline long long ordered(long long bits) {
  return bits < 0 ? bits ^ INT64_MAX : bits;
}
__device__ inline long long ordered(double x) { return ordered(__double_as_longlong(x)); }
__device__ inline double from_ordered(long long x) { return __longlong_as_double(ordered(x)); }
constexpr long long above_all = 0x7ff0000000000000, below_all = ~above_all;  // infinities

/// Extremes over all places; two in turn, so that one is cleared while the other is read.
struct Extremes {
  long long drift;   ///< largest u - known
  long long cutoff;  ///< smallest Q that is known of
};

/// What the kernels of a step pass on to each other.
struct State {
  Extremes turns[2];
  long long largest;                ///< of all distances so far
  unsigned long long read;          ///< cells since the keys were taken
  unsigned search_done, join_done;  ///< blocks
  std::int32_t a, b;                ///< places that are joined
  double known;                     ///< u of the new cluster
  Union both;
};

/// Arguments of a step's kernels.
struct Step {
  Places places;
  double* d;
  double* v;  ///< null but for bionj
  State* state;
  Cell* found;  ///< a cell a block
  Join* joins;
  std::int64_t width, alive, leaves;
  Joining method;

  __device__ double others() const { return static_cast<double>(alive - 2); }
  __device__ std::int64_t made() const { return leaves - alive; }  ///< joins before this one
  __device__ int turn() const { return static_cast<int>(alive & 1); }
  __device__ std::int64_t cell(std::int64_t i, std::int64_t j) const {
    return i > j ? places.row[i] + j : places.row[j] + i;
  }
};

__device__ inline Cell smaller(const Cell& x, const Cell& y) { return y.before(x) ? y : x; }

/// The first of the cells of all threads of the block, in thread 0.
__device__ inline Cell first_of_block(Cell cell) {
  __shared__ Cell of_warp[32];
  const auto first_of_warp = [&] {
    for (int by = 16; by > 0; by /= 2) {
      const Cell other{__shfl_down_sync(~0u, cell.value, by),
                       __shfl_down_sync(~0u, cell.row, by),
                       __shfl_down_sync(~0u, cell.column, by)};
      cell = smaller(cell, other);
    }
  };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  first_of_warp();
  __syncthreads();  // the last use of of_warp has ended
  if (lane == 0) of_warp[warp] = cell;
  __syncthreads();
  if (warp == 0) {
    cell = lane < static_cast<int>(blockDim.x / 32) ? of_warp[lane] : no_cell;
    first_of_warp();
  }
  return cell;
}

/// Stores the block's cell. In the last block of the grid, the first cell of all blocks, in thread
/// 0, and true in all threads.
__device__ inline bool is_last_block(Cell* found, unsigned* done, Cell& cell) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    found[blockIdx.x] = cell;
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  cell = no_cell;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    const volatile Cell& of = found[block];
    cell = smaller(cell, Cell{of.value, of.row, of.column});
  }
  cell = first_of_block(cell);
  if (threadIdx.x == 0) *done = 0;
  return true;
}

/// How far the means have moved, and the smallest Q of the pairs that rows remember.
__global__ void __launch_bounds__(place_threads) survey_kernel(Step step) {
  yupana::cuda::wait_for_predecessor();
  yupana::cuda::release_successor();
  const Places& of = step.places;
  const double share = 1 / step.others();
  long long drift = below_all, cutoff = above_all;
  for (std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; j < step.width;
       j += std::int64_t{gridDim.x} * blockDim.x) {
    if (of.node[j] < 0) continue;
    drift = max(drift, ordered(of.sum[j] * share - of.known[j]));
    const std::int32_t near = of.nearest[j];
    if (near < 0) continue;
    const double d = step.d[of.row[j] + near];
    cutoff = min(cutoff, ordered(criterion(step.others(), d, of.sum[j], of.sum[near])));
  }
  for (int by = 16; by > 0; by /= 2) {
    drift = max(drift, __shfl_down_sync(~0u, drift, by));
    cutoff = min(cutoff, __shfl_down_sync(~0u, cutoff, by));
  }
  if (threadIdx.x % 32 != 0) return;
  Extremes& extremes = step.state->turns[step.turn()];
  atomicMax(&extremes.drift, drift);
  atomicMin(&extremes.cutoff, cutoff);
}

/// The whole block reads row i: its smallest Q, in thread 0, which renews what is known of the row.
__device__ inline Cell read_row(const Step& step, std::int32_t i) {
  const Places& of = step.places;
  const double others = step.others(), sum = of.sum[i];
  const double* const row = step.d + of.row[i];
  Cell least{infinity, i, -1}, key{infinity, i, -1};
#pragma unroll 4
  for (std::int32_t j = threadIdx.x; j < i; j += search_threads) {
    const double d = row[j];
    const double q = criterion(others, d, sum, of.sum[j]);
    if (q < least.value) least.value = q, least.column = j;
    key.value = min(key.value, d - of.known[j]);
  }
  least = first_of_block(least);
  key = first_of_block(key);
  if (threadIdx.x == 0) {
    of.key[i] = key.value;
    of.nearest[i] = least.column;
  }
  return least;
}

/// Chooses what the step joins.
__device__ inline void choose(const Step& step, const Cell& best) {
  State& state = *step.state;
  const Places& of = step.places;
  const std::int32_t a = best.column, b = best.row;
  const auto sums = [&](std::int32_t i) {
    return ClusterSums{of.sum[i], step.v != nullptr ? of.variance_sum[i] : 0};
  };
  const std::int64_t cell = step.cell(b, a);
  const Union both(step.method,
                   step.others(),
                   step.d[cell],
                   step.v != nullptr ? step.v[cell] : 0,
                   sums(a),
                   sums(b));
  state.a = a;
  state.b = b;
  state.both = both;
  state.known = both.sums.distance / (step.others() - 1);
  step.joins[step.made()] = {of.node[a], of.node[b], both.branch_a, both.branch_b};
  state.turns[step.turn() ^ 1] = {below_all, above_all};
}

/// Reads the rows whose bound reaches the smallest Q, or for `all` every row, to renew the keys.
template <bool all>
__global__ void __launch_bounds__(search_threads) search_kernel(Step step) {
  yupana::cuda::wait_for_predecessor();
  yupana::cuda::release_successor();
  __shared__ std::int32_t rows[search_threads];
  __shared__ int count;
  __shared__ double best_now;
  const Places& of = step.places;
  State& state = *step.state;
  Extremes& extremes = state.turns[step.turn()];
  volatile long long& cutoff = extremes.cutoff;
  const double drift = all ? 0 : from_ordered(extremes.drift);
  const double rounding =
      static_cast<double>(step.alive) * from_ordered(state.largest) * bound_roundings;
  const auto bound = [&](std::int64_t i) {
    return step.others() * (of.key[i] - drift) - of.sum[i] - rounding;
  };
  Cell best = no_cell;
  unsigned long long read = 0;
  const std::int64_t each = (step.width + gridDim.x - 1) / gridDim.x;
  for (std::int64_t first = 0; first < each; first += search_threads) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const std::int64_t at = first + threadIdx.x, i = blockIdx.x + at * gridDim.x;
    if (at < each && i < step.width && i > 0 && of.node[i] >= 0 &&
        (all || bound(i) <= from_ordered(cutoff))) {
      rows[atomicAdd(&count, 1)] = static_cast<std::int32_t>(i);
    }
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      if constexpr (!all) {
        if (threadIdx.x == 0) best_now = from_ordered(cutoff);
        __syncthreads();
        if (bound(rows[k]) > best_now) {
          __syncthreads();
          continue;
        }
      }
      const Cell least = read_row(step, rows[k]);
      read += static_cast<unsigned long long>(rows[k]);
      if constexpr (!all) {
        if (threadIdx.x == 0) {
          best = smaller(best, least);
          if (ordered(least.value) < cutoff) atomicMin(&extremes.cutoff, ordered(least.value));
        }
        __syncthreads();
      }
    }
  }
  if constexpr (!all) {
    if (threadIdx.x == 0 && read > 0) atomicAdd(&state.read, read);
    if (is_last_block(step.found, &state.search_done, best) && threadIdx.x == 0) {
      choose(step, best);
    }
  }
}

/// Distances to the new cluster, which takes b's place.
__global__ void __launch_bounds__(place_threads) join_kernel(Step step) {
  yupana::cuda::wait_for_predecessor();
  yupana::cuda::release_successor();
  State& state = *step.state;
  const Union both = state.both;
  const std::int32_t a = state.a, b = state.b;
  const Places& of = step.places;
  Cell key = no_cell;
  double largest = 0;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < step.width;
       k += std::int64_t{gridDim.x} * blockDim.x) {
    if (k == a) {
      of.node[k] = -1;
      of.sum[k] = of.known[k] = -infinity;
      of.key[k] = infinity;
    } else if (k == b) {
      of.node[k] = static_cast<std::int32_t>(step.leaves + step.made());
      of.sum[k] = both.sums.distance;
      if (step.v != nullptr) of.variance_sum[k] = both.sums.variance;
      of.known[k] = state.known;
    } else if (of.node[k] >= 0) {
      const double to_a = step.d[step.cell(k, a)];
      double& to_b = step.d[step.cell(k, b)];
      const double fresh = both.distance(to_a, to_b);
      of.sum[k] = joined_sum(of.sum[k], to_a, to_b, fresh);
      to_b = fresh;
      largest = max(largest, abs(fresh));
      if (k < b) {
        key = smaller(key, {fresh - of.known[k], b, static_cast<std::int32_t>(k)});
      } else if (fresh - state.known < of.key[k]) {
        of.key[k] = fresh - state.known;
        of.nearest[k] = b;
      }
      if (step.v != nullptr) {
        double& variance = step.v[step.cell(k, b)];
        const double from_a = step.v[step.cell(k, a)];
        const double to_new = both.variance_to(from_a, variance);
        of.variance_sum[k] = joined_sum(of.variance_sum[k], from_a, variance, to_new);
        variance = to_new;
      }
    }
  }
  key = first_of_block(key);
  for (int by = 16; by > 0; by /= 2) largest = max(largest, __shfl_down_sync(~0u, largest, by));
  if (threadIdx.x % 32 == 0 && ordered(largest) > state.largest) {
    atomicMax(&state.largest, ordered(largest));
  }
  if (is_last_block(step.found, &state.join_done, key) && threadIdx.x == 0) {
    of.key[b] = key.value;
    of.nearest[b] = key.column;
  }
}

}  // namespace yupana::analysis::cuda
