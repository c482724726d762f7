#pragma once

#include <cuda.h>

#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/spectral/block_cuda.cuh"

/// Private to the family: what kernels share that have tiles of floats brought in quarters while
/// they work, and the radices of their stages.
namespace yupana::spectral::cuda {

namespace pipe = yupana::cuda;

/// A value in a register, for butterfly().
struct SingleValue {
  static constexpr int size = 1;
  float2 at[1];
};

/// Slots of shared memory for quarters of tiles, numbered as they come; beyond four of them, parts
/// of the next tile arrive while one is transformed.
template <int Quarter, unsigned Slots>
struct TilePipeline {
  static constexpr unsigned slots = Slots;
  static constexpr int quarter_bytes = Quarter * static_cast<int>(sizeof(float2));
  static constexpr int bytes = static_cast<int>(slots) * (quarter_bytes + 8);
  float2* data;
  std::uint32_t barriers;

  __device__ __forceinline__ float2* slot(unsigned number) const {
    return data + number % slots * Quarter;
  }
  __device__ __forceinline__ std::uint32_t barrier(unsigned number) const {
    return barriers + 8 * (number % slots);
  }
  /// Of one thread; `arrivals` and its bytes complete a quarter.
  __device__ __forceinline__ void init(int arrivals) const {
    for (unsigned i = 0; i < slots; ++i) pipe::barrier_init(barrier(i), arrivals);
    pipe::barrier_init_fence();
  }
  __device__ __forceinline__ void wait(unsigned number) const {
    pipe::barrier_wait(barrier(number), number / slots & 1);
  }
};

/// The box of a matrix whose upper left corner is at column x, row y.
__device__ __forceinline__ void fetch_box(
    float2* to, const CUtensorMap* map, int x, int y, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(pipe::shared_address(to)),
      "l"(map),
      "r"(x),
      "r"(y),
      "r"(barrier)
      : "memory");
}

/// Shared memory that this thread wrote may be overwritten by the copy engine.
__device__ __forceinline__ void hand_over() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// a e^(-2 pi i K / 64), K < 32.
template <int K>
__device__ __forceinline__ float2 turned_64(float2 a) {
  if constexpr (K % 4 == 0) {
    return ComplexField<float>::rotate(a, 16, K / 4);
  } else {
    // cos(2 pi k / 64); the sine of k is the cosine of 16 - k.
    constexpr float cosines[16] = {1,
                                   0.99518472667219688624f,
                                   0.98078528040323044913f,
                                   0.95694033573220886494f,
                                   0.92387953251128675613f,
                                   0.88192126434835502971f,
                                   0.83146961230254523708f,
                                   0.77301045336273696081f,
                                   0.70710678118654752440f,
                                   0.63439328416364549822f,
                                   0.55557023301960222474f,
                                   0.47139673682599764856f,
                                   0.38268343236508977173f,
                                   0.29028467725446236764f,
                                   0.19509032201612826785f,
                                   0.09801714032956060199f};
    constexpr float c = K < 16 ? cosines[K % 16] : -cosines[(32 - K) % 16];
    constexpr float s = K < 16 ? cosines[(16 - K) % 16] : cosines[K - 16];
    return {a.x * c + a.y * s, a.y * c - a.x * s};
  }
}

/// As butterfly(), of radix 32 or 64.
template <int Radix, int Begin = 0, int Count>
__device__ __forceinline__ void large_butterfly(SingleValue (&x)[Count]) {
  using F = ComplexField<float>;
  if constexpr (Radix <= 16) {
    butterfly<F, Radix, Begin>(x);
  } else {
    for_constants<Radix / 2>([&](auto k) {
      const float2 low = x[Begin + k].at[0], high = x[Begin + k + Radix / 2].at[0];
      x[Begin + k].at[0] = F::add(low, high);
      x[Begin + k + Radix / 2].at[0] = turned_64<k*(64 / Radix)>(F::subtract(low, high));
    });
    large_butterfly<Radix / 2, Begin>(x);
    large_butterfly<Radix / 2, Begin + Radix / 2>(x);
  }
}

}  // namespace yupana::spectral::cuda
