#include <algorithm>

#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(n, threads), 1 << 14));
}

template <class U>
__global__ void __launch_bounds__(threads) flip_kernel(U* keys, std::int64_t n) {
  constexpr U sign = U{1} << (8 * sizeof(U) - 1);
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    keys[i] ^= sign;
  }
}

template <class U>
void flip(cudaStream_t stream, U* keys, std::int64_t n) {
  flip_kernel<<<blocks_for(n), threads, 0, stream>>>(keys, n);
  yupana::cuda::check_launch("flip signs");
}

template <class K, class U>
__global__ void __launch_bounds__(threads)
    number_kernel(const K* keys, std::int64_t n, U* numbers) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    numbers[i] = cpu::ascending_radix_key(keys[i]);
  }
}

template <class U, class K>
void sort_floats(Workspace& space, cudaStream_t stream, K* keys, std::int64_t n) {
  yupana::cuda::DeviceArray<U> numbers(n);
  number_kernel<<<blocks_for(n), threads, 0, stream>>>(
      static_cast<const K*>(keys), n, numbers.data());
  yupana::cuda::check_launch("number floats");
  radix_sort_unsigned<U, U>(space, stream, {numbers.data(), reinterpret_cast<U*>(keys)}, n);
  yupana::cuda::check(cudaStreamSynchronize(stream), "sort floats");  // the numbers go
}

}  // namespace

void flip_signs(cudaStream_t stream, std::uint32_t* keys, std::int64_t n) { flip(stream, keys, n); }
void flip_signs(cudaStream_t stream, std::uint64_t* keys, std::int64_t n) { flip(stream, keys, n); }

void radix_sort_floats(Workspace& space, cudaStream_t stream, float* keys, std::int64_t n) {
  sort_floats<std::uint32_t>(space, stream, keys, n);
}
void radix_sort_floats(Workspace& space, cudaStream_t stream, double* keys, std::int64_t n) {
  sort_floats<std::uint64_t>(space, stream, keys, n);
}

}  // namespace yupana::arrays::cuda
