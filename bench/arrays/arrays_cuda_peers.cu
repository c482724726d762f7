#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/scan.h>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "bench/arrays/arrays_cuda_bench.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::bench {

using yupana::cuda::check;

void cub_scan(cudaStream_t stream,
              void* memory,
              std::size_t& bytes,
              const std::uint32_t* in,
              std::int64_t n,
              std::uint32_t* out) {
  check(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n, stream), "CUB");
}
void cub_scan(cudaStream_t stream,
              void* memory,
              std::size_t& bytes,
              const float* in,
              std::int64_t n,
              float* out) {
  check(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n, stream), "CUB");
}
void cub_reduce(cudaStream_t stream,
                void* memory,
                std::size_t& bytes,
                const std::uint32_t* in,
                std::int64_t n,
                std::uint32_t* out) {
  check(cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream), "CUB");
}
void cub_reduce(cudaStream_t stream,
                void* memory,
                std::size_t& bytes,
                const float* in,
                std::int64_t n,
                float* out) {
  check(cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream), "CUB");
}
template <class K>
void cub_merge_sort(
    cudaStream_t stream, void* memory, std::size_t& bytes, K* keys, std::int64_t n) {
  check(cub::DeviceMergeSort::StableSortKeys(memory, bytes, keys, n, arrays::Less{}, stream),
        "CUB");
}
template <class K>
void cub_merge_sort_pairs(
    cudaStream_t stream, void* memory, std::size_t& bytes, K* keys, K* values, std::int64_t n) {
  check(
      cub::DeviceMergeSort::StableSortPairs(memory, bytes, keys, values, n, arrays::Less{}, stream),
      "CUB");
}
template void cub_merge_sort(cudaStream_t, void*, std::size_t&, std::uint32_t*, std::int64_t);
template void cub_merge_sort(cudaStream_t, void*, std::size_t&, std::uint64_t*, std::int64_t);
template void cub_merge_sort_pairs(
    cudaStream_t, void*, std::size_t&, std::uint32_t*, std::uint32_t*, std::int64_t);
template void cub_merge_sort_pairs(
    cudaStream_t, void*, std::size_t&, std::uint64_t*, std::uint64_t*, std::int64_t);
void thrust_scan(cudaStream_t stream, const std::uint32_t* in, std::int64_t n, std::uint32_t* out) {
  thrust::exclusive_scan(thrust::device.on(stream), in, in + n, out, 0u);
}
void thrust_merge(cudaStream_t stream,
                  const std::uint32_t* a,
                  std::int64_t a_size,
                  const std::uint32_t* b,
                  std::int64_t b_size,
                  std::uint32_t* out) {
  thrust::merge(thrust::device.on(stream), a, a + a_size, b, b + b_size, out, arrays::Less{});
}

}  // namespace yupana::bench
