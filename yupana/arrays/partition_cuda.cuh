#pragma once

#include <cstdint>

#include "yupana/arrays/scan_counts_cuda.hpp"
#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {

struct PartitionShape {
  static constexpr int threads = 256, rows = 16;
  static constexpr int slice = 32 * rows;  // of a warp
  static constexpr int tile = threads * rows;
};

/// A partition of indices [0, n): task.selects(i), and task.put(place, i, predicate) for what is
/// kept. Each tile counts; `counts` holds a place more, which is set to 0.
template <class Task>
__global__ void __launch_bounds__(PartitionShape::threads)
    count_kernel(Task task, std::int64_t n, std::int64_t* counts) {
  using Shape = PartitionShape;
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const std::int64_t first = std::int64_t{blockIdx.x} * Shape::tile;
  int count = 0;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const std::int64_t i = first + r * Shape::threads + threadIdx.x;
    count += i < n && task.selects(i) ? 1 : 0;
  }
  count = static_cast<int>(__reduce_add_sync(all_lanes, static_cast<unsigned>(count)));
  if (threadIdx.x % 32 == 0) atomicAdd(&total, count);
  __syncthreads();
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = total;
    if (blockIdx.x + 1 == gridDim.x) counts[gridDim.x] = 0;
  }
}

/// Each tile puts its own: a warp's slice row by row, so that the order is kept.
template <class Task>
__global__ void __launch_bounds__(PartitionShape::threads)
    put_kernel(Task task, std::int64_t n, const std::int64_t* places) {
  using Shape = PartitionShape;
  __shared__ int of_warp[Shape::threads / 32];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = std::int64_t{blockIdx.x} * Shape::tile + warp * Shape::slice;
  unsigned selected_lanes[Shape::rows];
  int count = 0;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const std::int64_t i = first + r * 32 + lane;
    selected_lanes[r] = __ballot_sync(all_lanes, i < n && task.selects(i));
    count += __popc(selected_lanes[r]);
  }
  if (lane == 0) of_warp[warp] = count;
  __syncthreads();
  std::int64_t place = places[blockIdx.x];
  for (int w = 0; w < warp; ++w) place += of_warp[w];
  const std::int64_t all = places[gridDim.x];
  const unsigned lower = (1u << lane) - 1;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const std::int64_t i = first + r * 32 + lane;
    const std::int64_t own = place + __popc(selected_lanes[r] & lower);
    const bool selected = (selected_lanes[r] >> lane & 1) != 0;
    if (i < n) task.put(selected ? own : all + i - own, i, selected);
    place += __popc(selected_lanes[r]);
  }
}

/// *count = how many are predicate. The scan of the counts works in `space`, the counts do not.
template <class Task>
void partition_indices(
    Workspace& space, cudaStream_t stream, const Task& task, std::int64_t n, std::int64_t* counts) {
  const std::int64_t tiles = divide_up(n, PartitionShape::tile);
  const auto blocks = static_cast<unsigned>(tiles);
  count_kernel<<<blocks, PartitionShape::threads, 0, stream>>>(task, n, counts);
  scan_counts(space, stream, counts, tiles + 1);
  put_kernel<<<blocks, PartitionShape::threads, 0, stream>>>(task, n, counts);
  yupana::cuda::check_launch("partition");
}

inline std::int64_t partition_counts(std::int64_t n) {
  return divide_up(n, PartitionShape::tile) + 1;
}

template <bool keep_others, class T, class Predicate>
struct PartitionTask {
  const T* in;
  T* out;
  Predicate selected;
  __device__ bool selects(std::int64_t i) const { return selected(in[i]); }
  __device__ void put(std::int64_t place, std::int64_t i, bool kept) const {
    if (keep_others || kept) out[place] = in[i];
  }
};

/// Stable partition (keep_others) or selection in device memory: what satisfies `predicate` first,
/// the others after them, both in their order. The function object is called twice for each value.
///   out: n values (compact: as many as satisfy it), no overlap with in
///   counts: partition_counts(n) numbers of device memory; the last one becomes how many satisfy
///   it. The host does not wait
template <bool keep_others, class T, class Predicate>
void partition(Workspace& space,
               cudaStream_t stream,
               const T* in,
               std::int64_t n,
               T* out,
               std::int64_t* counts,
               Predicate predicate) {
  if (n <= 0) {
    yupana::cuda::check(cudaMemsetAsync(counts, 0, sizeof(std::int64_t), stream), "count nothing");
    return;
  }
  partition_indices(
      space, stream, PartitionTask<keep_others, T, Predicate>{in, out, predicate}, n, counts);
}

}  // namespace yupana::arrays::cuda
