#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "bench/arrays/arrays_cuda_bench.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::bench {

using yupana::cuda::check;

template <class T>
void cub_scan(
    cudaStream_t stream, void* memory, std::size_t& bytes, const T* in, std::int64_t n, T* out) {
  check(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n, stream), "CUB");
}
template <class T>
void cub_reduce(
    cudaStream_t stream, void* memory, std::size_t& bytes, const T* in, std::int64_t n, T* out) {
  check(cub::DeviceReduce::Sum(memory, bytes, in, out, n, stream), "CUB");
}
YUPANA_FUNCTION(cub_scan, std::uint32_t)
YUPANA_FUNCTION(cub_scan, float)
YUPANA_FUNCTION(cub_reduce, std::uint32_t)
YUPANA_FUNCTION(cub_reduce, float)

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
template <class K>
void cub_merge(cudaStream_t stream,
               void* memory,
               std::size_t& bytes,
               const K* a,
               const K* b,
               std::int64_t size_of_each,
               K* out) {
  check(cub::DeviceMerge::MergeKeys(
            memory, bytes, a, size_of_each, b, size_of_each, out, arrays::Less{}, stream),
        "CUB");
}
YUPANA_FUNCTION(cub_merge_sort, std::uint32_t)
YUPANA_FUNCTION(cub_merge_sort, std::uint64_t)
YUPANA_FUNCTION(cub_merge_sort_pairs, std::uint32_t)
YUPANA_FUNCTION(cub_merge_sort_pairs, std::uint64_t)
YUPANA_FUNCTION(cub_merge, std::uint32_t)
YUPANA_FUNCTION(cub_merge, std::uint64_t)

}  // namespace yupana::bench
