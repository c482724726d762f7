#pragma once

#include <cstdint>

#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/partition_cuda.cuh"
#include "yupana/arrays/segments_cuda.cuh"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::arrays::cuda {

/// Predicate are the first keys of runs: their places become the runs' offsets.
template <class K, class Same>
struct RunTask {
  const K* keys;
  std::int64_t n;
  K* out_keys;
  std::int64_t* offsets;
  Same equal;
  __device__ bool selects(std::int64_t i) const { return i == 0 || !equal(keys[i - 1], keys[i]); }
  __device__ void put(std::int64_t place, std::int64_t i, bool is_first) const {
    if (!is_first) return;
    out_keys[place] = keys[i];
    offsets[place] = i;
  }
};

template <class K, class V, class Op, class Same>
std::int64_t reduce_by_key(Workspace& space,
                           cudaStream_t stream,
                           const K* keys,
                           const V* values,
                           std::int64_t n,
                           K* out_keys,
                           V* out_values,
                           Op op,
                           Same equal) {
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
