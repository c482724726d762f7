#pragma once

#include <cuda.h>

#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/spectral/block_cuda.cuh"

/// Private to the family: what kernels share that have the copy engine bring tiles of floats in
/// quarters.
namespace yupana::spectral::cuda {

namespace pipe = yupana::cuda;

/// A value in a register, for butterfly().
struct SingleValue {
  static constexpr int size = 1;
  float2 at[1];
};

/// Six slots of shared memory for quarters of tiles: half of the next tile arrives while one is
/// transformed. Quarters are numbered as they come.
template <int Quarter>
struct QuarterRing {
  static constexpr unsigned slots = 6;
  static constexpr int bytes = Quarter * static_cast<int>(sizeof(float2));
  float2* data;
  std::uint32_t barriers;

  __device__ __forceinline__ float2* slot(unsigned number) const {
    return data + number % slots * Quarter;
  }
  __device__ __forceinline__ std::uint32_t barrier(unsigned number) const {
    return barriers + 8 * (number % slots);
  }
  __device__ __forceinline__ void init() const {
    for (unsigned i = 0; i < slots; ++i) pipe::barrier_init(barrier(i), 1);
    pipe::barrier_init_fence();
  }
  __device__ __forceinline__ void wait(unsigned number) const {
    pipe::barrier_wait(barrier(number), number / slots & 1);
  }
};

/// What is read this way is not read again.
__device__ __forceinline__ std::uint64_t read_once() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// The box of a matrix whose upper left corner is at column x, row y.
__device__ __forceinline__ void fetch_box(
    float2* to, const CUtensorMap* map, int x, int y, std::uint32_t barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(pipe::shared_address(to)),
      "l"(map),
      "r"(x),
      "r"(y),
      "r"(barrier),
      "l"(policy)
      : "memory");
}
/// Of every n-th row, from row y on in row z of those groups.
__device__ __forceinline__ void fetch_box(float2* to,
                                          const CUtensorMap* map,
                                          int x,
                                          int y,
                                          int z,
                                          std::uint32_t barrier,
                                          std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(pipe::shared_address(to)),
      "l"(map),
      "r"(x),
      "r"(y),
      "r"(z),
      "r"(barrier),
      "l"(policy)
      : "memory");
}

/// Shared memory that this thread wrote may be overwritten by the copy engine.
__device__ __forceinline__ void hand_over() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// As butterfly(), of radix 32.
template <int Begin = 0, int Count>
__device__ __forceinline__ void butterfly_32(SingleValue (&x)[Count]) {
  using F = ComplexField<float>;
  // cos(2 pi k / 32) for odd k, at k / 2
  constexpr float cosines[8] = {0.98078528040323044913f,
                                0.83146961230254523708f,
                                0.55557023301960222474f,
                                0.19509032201612826785f,
                                -0.19509032201612826785f,
                                -0.55557023301960222474f,
                                -0.83146961230254523708f,
                                -0.98078528040323044913f};
  for_constants<16>([&](auto k) {
    const float2 low = x[Begin + k].at[0], high = x[Begin + k + 16].at[0];
    const float2 a = F::subtract(low, high);
    x[Begin + k].at[0] = F::add(low, high);
    if constexpr (k % 2 == 0) {
      x[Begin + k + 16].at[0] = F::rotate(a, 16, k / 2);
    } else {
      // The sine of k is the cosine of k - 8, which is that of 8 - k.
      const float c = cosines[k / 2], s = cosines[(k < 8 ? 8 - k : k - 8) / 2];
      x[Begin + k + 16].at[0] = {a.x * c + a.y * s, a.y * c - a.x * s};
    }
  });
  butterfly<F, 16, Begin>(x);
  butterfly<F, 16, Begin + 16>(x);
}

}  // namespace yupana::spectral::cuda
