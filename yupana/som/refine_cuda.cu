#include <algorithm>

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/filter_cuda.hpp"
#include "yupana/som/search_cuda.cuh"

namespace yupana::som::cuda {
namespace {

constexpr int threads = 256;
constexpr int held = 4 * list_capacity / 32;  // candidates of a lane

struct RefineTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  FilterRange range;
  FilterOutput output;
  std::int32_t* best;
  std::int32_t* open;
  unsigned long long* opened;
};

__device__ __forceinline__ float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

/// Candidates of a sample, `held` a lane; -1: none.
struct Candidates {
  int neuron[held];

  __device__ int count() const {
    int all = 0;
#pragma unroll
    for (int h = 0; h < held; ++h) all += __popc(__ballot_sync(0xffffffffu, neuron[h] >= 0));
    return all;
  }
  __device__ int largest() const {
    int most = -1;
#pragma unroll
    for (int h = 0; h < held; ++h) most = max(most, neuron[h]);
    return __reduce_max_sync(0xffffffffu, most);
  }
};

/// Leaves only candidates that distances in float allow.
__device__ void narrow_down(const RefineTask& task, const float* x, Candidates& candidates) {
  const auto features = static_cast<int>(task.samples.features);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float mine[held], least = INFINITY;
#pragma unroll
  for (int h = 0; h < held; ++h) {
    mine[h] = INFINITY;
    unsigned some = __ballot_sync(0xffffffffu, candidates.neuron[h] >= 0);
    while (some != 0) {
      const int from = __ffs(static_cast<int>(some)) - 1;
      some &= some - 1;
      const std::int64_t neuron = __shfl_sync(0xffffffffu, candidates.neuron[h], from);
      const float* const w = task.codebook.weights + neuron * features;
      float sum = 0;
#pragma unroll 4
      for (int j = lane; j < features; j += 32) {
        const float difference = x[j] - w[j];
        sum = fmaf(difference, difference, sum);
      }
      sum = sum_of_warp(sum);
      if (lane == from) mine[h] = sum;
      least = fminf(least, sum);
    }
  }
  const float limit = distance_limit(least, features / 32 + 6, features);
#pragma unroll
  for (int h = 0; h < held; ++h) {
    // Written so that a distance of infinity stays where all are.
    if (mine[h] > limit) candidates.neuron[h] = -1;
  }
}

/// The candidate of the smallest D, the smaller neuron of two.
__device__ int decide(const RefineTask& task, const float* x, const Candidates& candidates) {
  const auto features = static_cast<int>(task.samples.features);
  double nearest = INFINITY;
  int best = 0x7fffffff;
#pragma unroll
  for (int h = 0; h < held; ++h) {
    const int neuron = candidates.neuron[h];
    if (neuron < 0) continue;
    const float* const w = task.codebook.weights + static_cast<std::int64_t>(neuron) * features;
    double sum = 0;
#pragma unroll 4
    for (int j = 0; j < features; ++j) sum = with_square(sum, x[j], w[j]);
    if (sum < nearest || (sum == nearest && neuron < best)) nearest = sum, best = neuron;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffffu, nearest, step);
    const int neuron = __shfl_xor_sync(0xffffffffu, best, step);
    if (other < nearest || (other == nearest && neuron < best)) nearest = other, best = neuron;
  }
  return best;
}

/// A warp decides among the candidates of a sample.
__global__ void __launch_bounds__(threads) refine_kernel(RefineTask task) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * threads / 32;
  for (std::int64_t r = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
       r < task.range.rows;
       r += warps) {
    const std::int64_t at = task.range.first + r;
    const std::int64_t s = task.range.list != nullptr ? task.range.list[at] : at;
    const int4 four = task.output.counts[r];
    const float limit = task.output.limits[r];
    if (max(max(four.x, four.y), max(four.z, four.w)) > list_capacity || !(limit < INFINITY)) {
      if (lane == 0) task.open[atomicAdd(task.opened, 1ull)] = static_cast<std::int32_t>(s);
      continue;
    }
    Candidates candidates;
#pragma unroll
    for (int h = 0; h < held; ++h) {
      const int entry = lane + 32 * h, list = entry / list_capacity;
      const int count = list == 0 ? four.x : list == 1 ? four.y : list == 2 ? four.z : four.w;
      candidates.neuron[h] = -1;
      if (entry % list_capacity >= count) continue;
      const Candidate one = task.output.lists[r * (4 * list_capacity) + entry];
      if (one.score <= limit) candidates.neuron[h] = one.neuron;
    }
    const float* const x = task.samples.values + s * task.samples.stride;
    int neuron = 0;
    if (candidates.count() == 1) {
      neuron = candidates.largest();
    } else {
      narrow_down(task, x, candidates);
      neuron = candidates.count() == 1 ? candidates.largest() : decide(task, x, candidates);
    }
    if (lane == 0) task.best[s] = neuron;
  }
}

}  // namespace

void launch_refine(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   const FilterRange& range,
                   const FilterOutput& output,
                   std::int32_t* best,
                   std::int32_t* open,
                   std::int64_t* opened,
                   cudaStream_t stream) {
  if (range.rows == 0) return;
  const auto blocks =
      std::min<std::int64_t>(divide_up(range.rows, threads / 32),
                             std::int64_t{16} * yupana::cuda::device_facts().multiprocessors);
  refine_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
      {samples,
       codebook,
       range,
       output,
       best,
       open,
       reinterpret_cast<unsigned long long*>(opened)});
  yupana::cuda::check_launch("refine the nearest neurons");
}

}  // namespace yupana::som::cuda
