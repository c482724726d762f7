#include "yupana/arrays/device_values.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {
namespace {

using namespace yupana::cuda;

constexpr int threads = 256;

/// One thread a value.
unsigned blocks_for(std::int64_t n) { return static_cast<unsigned>(divide_up(n, threads)); }

__device__ std::int64_t place() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }

template <class To, class From>
__global__ void convert_kernel(const From* from, std::int64_t n, To* to) {
  if (place() < n) to[place()] = static_cast<To>(from[place()]);
}

__global__ void offsets_kernel(const std::int64_t* offsets,
                               std::int64_t count,
                               std::int64_t values,
                               unsigned long long* first) {
  const std::int64_t i = place();
  if (i >= count) return;
  const std::int64_t least = i == 0 ? 0 : offsets[i - 1];
  if (offsets[i] < least || offsets[i] > values) {
    atomicMin(first, static_cast<unsigned long long>(i));
  }
}

}  // namespace

template <class To, class From>
void convert(const From* from, std::int64_t n, To* to, cudaStream_t stream) {
  if (n == 0) return;
  convert_kernel<<<blocks_for(n), threads, 0, stream>>>(from, n, to);
  check_launch("convert values");
}
template void convert(const std::uint32_t*, std::int64_t, std::uint64_t*, cudaStream_t);
template void convert(const std::uint64_t*, std::int64_t, std::uint32_t*, cudaStream_t);
template void convert(const std::int32_t*, std::int64_t, std::int64_t*, cudaStream_t);
template void convert(const float*, std::int64_t, double*, cudaStream_t);
template void convert(const double*, std::int64_t, float*, cudaStream_t);

std::int64_t first_bad_offset(const std::int64_t* offsets,
                              std::int64_t count,
                              std::int64_t values,
                              cudaStream_t stream) {
  if (count == 0) return 0;
  auto first = static_cast<unsigned long long>(count);
  yupana::cuda::DeviceArray<unsigned long long> there(1);
  check(cudaMemcpyAsync(there.data(), &first, sizeof(first), cudaMemcpyHostToDevice, stream),
        "check offsets");
  offsets_kernel<<<blocks_for(count), threads, 0, stream>>>(offsets, count, values, there.data());
  check_launch("check offsets");
  check(cudaMemcpyAsync(&first, there.data(), sizeof(first), cudaMemcpyDeviceToHost, stream),
        "check offsets");
  check(cudaStreamSynchronize(stream), "check offsets");
  return static_cast<std::int64_t>(first);
}

}  // namespace yupana::arrays::cuda
