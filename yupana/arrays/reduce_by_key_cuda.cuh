#pragma once

#include <cstdint>

#include "yupana/arrays/partition_cuda.cuh"
#include "yupana/arrays/segments_cuda.cuh"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::arrays::cuda {

/// Wanted are the first keys of runs: their places become the runs' offsets.
template <class K, class Same>
struct RunTask {
  const K* keys;
  std::int64_t n;
  K* out_keys;
  std::int64_t* offsets;
  Same equal;
  __device__ bool wanted(std::int64_t i) const { return i == 0 || !equal(keys[i - 1], keys[i]); }
  __device__ void put(std::int64_t place, std::int64_t i, bool is_first) const {
    if (!is_first) return;
    out_keys[place] = keys[i];
    offsets[place] = i;
  }
};

/// Runs of equal neighbouring keys in device memory: out_keys[r] is the first key of run r,
/// out_values[r] the fold of its values. Returns the number of runs, for which the host waits. The
/// outputs hold n entries in the worst case and overlap no input.
///   determinism: a run is folded from left to right, cut where the CPU cuts it: the CPU's bits
///   memory: 8 bytes a key
template <class K, class V, class Op = Plus, class Same = Equal>
std::int64_t reduce_by_key(Workspace& space,
                           cudaStream_t stream,
                           const K* keys,
                           const V* values,
                           std::int64_t n,
                           K* out_keys,
                           V* out_values,
                           Op op = {},
                           Same equal = {}) {
  using yupana::cuda::check;
  if (n <= 0) return 0;
  yupana::cuda::DeviceArray<std::int64_t> offsets(n + 1), counts(partition_counts(n));
  partition_indices(
      space, stream, RunTask<K, Same>{keys, n, out_keys, offsets.data(), equal}, n, counts.data());
  std::int64_t runs = 0;
  check(cudaMemcpyAsync(
            &runs, counts.data() + counts.size() - 1, sizeof(runs), cudaMemcpyDeviceToHost, stream),
        "count runs");
  check(cudaStreamSynchronize(stream), "count runs");
  check(cudaMemcpyAsync(offsets.data() + runs, &n, sizeof(n), cudaMemcpyHostToDevice, stream),
        "end the last run");
  fold_segments<RunOrder>(space,
                          stream,
                          values,
                          offsets.data(),
                          runs,
                          n,
                          tile_size<K>,
                          static_cast<const V*>(nullptr),
                          out_values,
                          op);
  check(cudaStreamSynchronize(stream), "reduce by key");  // offsets go
  return runs;
}

}  // namespace yupana::arrays::cuda
