#include <algorithm>
#include <cstddef>

#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {
namespace {

using yupana::cuda::check;

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

/// As number_kernel for floats in place, but each pattern of bits keeps a number of its own, so
/// that restore_kernel finds it again. Counts what number_kernel would number otherwise: -0 and
/// NaN.
template <class U, class K>
__global__ void __launch_bounds__(threads)
    order_kernel(K* keys, std::int64_t n, std::uint32_t* special) {
  constexpr U sign = U{1} << (8 * sizeof(U) - 1);
  auto* const bits = reinterpret_cast<U*>(keys);
  bool found = false;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    const K key = keys[i];
    const U old = bits[i];
    found |= key != key || old == sign;
    bits[i] = (old & sign) != 0 ? ~old : old | sign;
  }
  if (found) atomicAdd(special, 1u);
}

template <class U>
__global__ void __launch_bounds__(threads) restore_kernel(U* bits, std::int64_t n) {
  constexpr U sign = U{1} << (8 * sizeof(U) - 1);
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    bits[i] = (bits[i] & sign) != 0 ? bits[i] ^ sign : ~bits[i];
  }
}

/// -0 and +0 are equal, and so are all NaN: where there are any, their numbers are sorted with the
/// floats as values. Else the floats' bits are, which takes half the time.
template <class U, class K>
void sort_floats(Workspace& space, cudaStream_t stream, K* keys, std::int64_t n) {
  auto* const bits = reinterpret_cast<U*>(keys);
  std::uint32_t* const special = space.counter(stream);
  std::uint32_t found = 0;
  order_kernel<U><<<blocks_for(n), threads, 0, stream>>>(keys, n, special);
  yupana::cuda::check_launch("order floats");
  check(cudaMemcpyAsync(&found, special, sizeof(found), cudaMemcpyDeviceToHost, stream),
        "count special floats");
  check(cudaStreamSynchronize(stream), "count special floats");
  if (found == 0) radix_sort_unsigned<U, NoValue>(space, stream, {bits, nullptr}, n);
  restore_kernel<<<blocks_for(n), threads, 0, stream>>>(bits, n);
  yupana::cuda::check_launch("restore floats");
  if (found == 0) return;
  check(cudaMemsetAsync(special, 0, sizeof(found), stream), "clear a counter");
  auto* const numbers = static_cast<U*>(space.beside(static_cast<std::uint64_t>(n) * sizeof(U)));
  number_kernel<<<blocks_for(n), threads, 0, stream>>>(static_cast<const K*>(keys), n, numbers);
  yupana::cuda::check_launch("number floats");
  radix_sort_unsigned<U, U>(space, stream, {numbers, bits}, n);
}

template <class K, class U, class N>
__global__ void __launch_bounds__(threads)
    number_places_kernel(const K* keys, std::int64_t n, U* numbers, N* places) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    numbers[i] = cpu::ascending_radix_key(keys[i]);
    places[i] = static_cast<N>(i);
  }
}

__global__ void __launch_bounds__(threads)
    widen_kernel(const std::uint32_t* from, std::int64_t n, std::int64_t* to) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
    to[i] = from[i];
  }
}

/// Sorts the keys' numbers, and the places with them.
template <class N, class K>
void sort_places(Workspace& space,
                 cudaStream_t stream,
                 const K* keys,
                 std::int64_t n,
                 KeyBits<K>* numbers,
                 N* places) {
  number_places_kernel<<<blocks_for(n), threads, 0, stream>>>(keys, n, numbers, places);
  yupana::cuda::check_launch("number places");
  sort_by_key(space, stream, Columns<KeyBits<K>, N>{numbers, places}, n);
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

template <class K>
void argsort(
    Workspace& space, cudaStream_t stream, const K* keys, std::int64_t n, std::int64_t* places) {
  using U = KeyBits<K>;
  if (n == 0) return;
  const auto numbers_bytes =
      static_cast<std::uint64_t>(round_up(n * static_cast<std::int64_t>(sizeof(U)), 256));
  if (n > std::int64_t{1} << 32) {
    auto* const numbers = static_cast<U*>(space.beside(numbers_bytes));
    auto* const own = reinterpret_cast<std::uint64_t*>(places);
    return sort_places(space, stream, keys, n, numbers, own);
  }
  auto* const memory = static_cast<std::byte*>(
      space.beside(numbers_bytes + static_cast<std::uint64_t>(n) * sizeof(std::uint32_t)));
  auto* const shorter = reinterpret_cast<std::uint32_t*>(memory + numbers_bytes);
  sort_places(space, stream, keys, n, reinterpret_cast<U*>(memory), shorter);
  widen_kernel<<<blocks_for(n), threads, 0, stream>>>(shorter, n, places);
  yupana::cuda::check_launch("widen places");
}

template <class K>
void argsort_on_gpu(Context& context, const K* keys, std::int64_t n, std::int64_t* places) {
  on_its_gpu(context, keys, [&](KeptSpace& kept, cudaStream_t stream) {
    argsort(kept.space, stream, keys, n, places);
  });
}

#define YUPANA_INTEGERS(make, name)                                           \
  make(name, std::int32_t) make(name, std::uint32_t) make(name, std::int64_t) \
      make(name, std::uint64_t)
YUPANA_FUNCTIONS(YUPANA_INTEGERS, argsort, argsort_on_gpu)
YUPANA_FUNCTIONS(YUPANA_FLOATS, argsort, argsort_on_gpu)

}  // namespace yupana::arrays::cuda
