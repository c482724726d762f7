#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/pass_cuda.cuh"

// Columns of 2^10 to 2^12 values are too tall for rows of 128 bytes: a tile of four of them fills a
// multiprocessor. Between both passes values therefore lie in cells of 4 x 4, which the first one
// writes whole, 128 bytes, and of which the second one reads whole rows, one after the other; only
// the first reads and the last writes 32 bytes at a time.
namespace yupana::spectral::cuda {
namespace {

/// Columns of 256 R values, four at a time: a warp holds 256 values of each. What comes and goes in
/// slots of 8 KB, a ring of them: while a tile is transformed three quarters of the next arrive.
template <int LogR>
struct TwoPassKernel {
  using F = ComplexField<float>;
  struct Value {
    static constexpr int size = 1;
    float2 at[1];
  };
  static constexpr int radix = 1 << LogR;
  static constexpr int threads = 32 * radix;
  static constexpr int blocks = 16 / radix;
  static constexpr int length = 256 * radix;
  static constexpr int slot = 1024;
  static constexpr int ahead = radix * 3 / 4;
  static constexpr int slots = radix + ahead;
  static constexpr int groups = 32 / radix;
  static constexpr int shared_bytes = slots * slot * static_cast<int>(sizeof(float2));

  static __device__ __forceinline__ void fetch(float2* to, const float2* from) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from)
                 : "memory");
  }
  static __device__ __forceinline__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  // Of the fetches of this thread all but the last group where `but_last`.
  static __device__ __forceinline__ void arrived(bool but_last) {
    if (but_last) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
  }
  static __device__ __forceinline__ int wrapped(int at) { return at >= slots ? at - slots : at; }

  // 16 values apart by 64 of the slot, twice: all of a warp's slot.
  static __device__ __forceinline__ void read_slot(const float2* own, Value (&x)[32]) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    for_constants<32>([&](auto i) {
      constexpr int group = i / 16, digit = i % 16;
      x[i].at[0] = own[lane + 32 * group + 64 * digit];
    });
  }
  template <int Radix, int Count>
  static __device__ __forceinline__ void butterflies(Value (&x)[32]) {
    for_constants<Count>([&](auto group) { butterfly<F, Radix, group * Radix>(x); });
  }
  template <int Radix, int Begin, bool After>
  static __device__ __forceinline__ void turn(Value (&x)[32], float2 root) {
    for_powers<F, Radix, false>(root, root, [&](auto k, float2 power) {
      constexpr int log = Radix == 4 ? 2 : Radix == 8 ? 3 : 4;
      auto& value = x[Begin + (After ? reversed(k, log) : k)].at[0];
      value = F::multiply(value, power);
    });
  }

  // Transforms of 256 values of four columns: after read_slot() until value 16 b + a of column c is
  // that of lane a 4 + c, x[reversed b] (of the upper eight a in the upper half). In between the
  // slot holds value i of transform a of 16 at 16 a + (i ^ a).
  static __device__ __forceinline__ void transform_slot(
      float2* own, Value (&x)[32], const float2* roots, const int (&i)[2], int column) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    butterflies<16, 2>(x);
    for_constants<2>(
        [&](auto group) { turn<16, group * 16, true>(x, __ldg(roots + i[group] * radix)); });
    __syncwarp();
    for_constants<32>([&](auto at) {
      constexpr int group = at / 16, a = at % 16;
      own[64 * a + ((i[group] ^ a) << 2) + column] = x[16 * group + reversed(a, 4)].at[0];
    });
    __syncwarp();
    for_constants<32>([&](auto at) {
      constexpr int group = at / 16, digit = at % 16;
      const int a = (lane >> 2) + 8 * group;
      x[at].at[0] = own[64 * a + ((a ^ digit) << 2) + (lane & 3)];
    });
    butterflies<16, 2>(x);
  }

  // The first pass: rows of four columns, 32 bytes, to cells of 4 x 4 of one column of cells.
  static __device__ __forceinline__ void fetch_rows(const TwoPass& launch,
                                                    std::int64_t tile,
                                                    float2* own) {
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
    const int log_cells = launch.log_others - 2;
    const std::int64_t signal = tile >> log_cells;
    const std::int64_t column = (tile & ((std::int64_t{1} << log_cells) - 1)) * 4 + 2 * (lane & 1);
    const std::int64_t row = signal * length + warp + radix * (lane >> 1);
    const float2* const from = launch.in + (row << launch.log_others) + column;
    const std::int64_t step = std::int64_t{16 * radix} << launch.log_others;
    for_constants<16>([&](auto i) { fetch(own + 2 * lane + 64 * i, from + i * step); });
  }

  static __device__ __forceinline__ void first(const TwoPass& launch, float2* ring) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int i[2] = {lane >> 2, (lane >> 2) + 8};
    const bool soon = warp < ahead;
    wait_for_earlier_kernels();
    std::int64_t tile = blockIdx.x;
    int begin = 0;
    const auto own = [&](int from) { return ring + wrapped(from + warp) * slot; };
    fetch_rows(launch, tile, own(0));
    commit();
    if (soon) {
      if (tile + gridDim.x < launch.tiles) fetch_rows(launch, tile + gridDim.x, own(radix));
      commit();
    }
    Value x[32];
    while (true) {
      arrived(soon);
      __syncwarp();
      float2* const mine = own(begin);
      read_slot(mine, x);
      if (launch.inverse) for_constants<32>([&](auto at) { x[at].at[0] = F::encode(x[at].at[0]); });
      transform_slot(mine, x, launch.roots, i, lane & 3);
      for_constants<32>([&](auto at) {
        constexpr int group = at / 16, b = at % 16;
        const int a = (lane >> 2) + 8 * group;
        mine[64 * a + ((a ^ b) << 2) + (lane & 3)] = x[16 * group + reversed(b, 4)].at[0];
      });
      __syncthreads();
      for_constants<32>([&](auto at) {
        constexpr int group = at / radix, digit = at % radix;
        const int k = warp * 8 + (lane >> 2) + 8 * radix * group, a = k & 15, b = k >> 4;
        x[at].at[0] = ring[wrapped(begin + digit) * slot + 64 * a + ((a ^ b) << 2) + (lane & 3)];
      });
      __syncthreads();
      const std::int64_t next = tile + gridDim.x, later = next + gridDim.x;
      // The slots of this tile are free: the last quarter of the next tile, then the one after it.
      const int begin_next = wrapped(begin + radix);
      if (soon) {
        if (later < launch.tiles) fetch_rows(launch, later, own(wrapped(begin_next + radix)));
      } else if (next < launch.tiles) {
        fetch_rows(launch, next, own(begin_next));
      }
      commit();
      store_cells(launch, tile, x);
      if (next >= launch.tiles) return;
      tile = next;
      begin = begin_next;
    }
  }

  static __device__ __forceinline__ void store_cells(const TwoPass& launch,
                                                     std::int64_t tile,
                                                     Value (&x)[32]) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int log_cells = launch.log_others - 2;
    const std::int64_t signal = tile >> log_cells;
    const std::int64_t cell = tile & ((std::int64_t{1} << log_cells) - 1);
    const std::int64_t column = cell * 4 + (lane & 3);
    const int first_k = warp * 8 + (lane >> 2);
    for_constants<groups>([&](auto group) {
      turn<radix, group * radix, false>(x, __ldg(launch.roots + first_k + 8 * radix * group));
    });
    butterflies<radix, groups>(x);
    const float2 step = root_of<F>(launch.inter_pass_twiddles, 256 * column);
    float2* const to =
        launch.out + ((((signal * length + first_k) >> 2) << log_cells) + cell) * 16 + (lane & 15);
    for_constants<groups>([&](auto group) {
      const float2 base =
          root_of<F>(launch.inter_pass_twiddles, column * (first_k + 8 * radix * group));
      for_powers<F, radix, true>(base, step, [&](auto e, float2 power) {
        auto& value = x[group * radix + reversed(e, LogR)].at[0];
        value = F::multiply(value, power);
      });
      for_constants<radix>([&](auto e) {
        to[(std::int64_t{2 * radix * group + 64 * e} << log_cells) * 16] =
            x[group * radix + reversed(e, LogR)].at[0];
      });
    });
  }

  // The second pass: rows of cells, which lie together, to rows of 32 bytes.
  static __device__ __forceinline__ void fetch_cells(const TwoPass& launch,
                                                     std::int64_t tile,
                                                     int part,
                                                     float2* to) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const float2* const from = launch.in + (tile * radix + part) * slot + 2 * lane;
    for_constants<16>([&](auto i) { fetch(to + 2 * lane + 64 * i, from + 64 * i); });
  }

  static __device__ __forceinline__ void second(const TwoPass& launch, float2* ring) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int i[2] = {4 * (lane >> 4) + (lane & 3), 4 * (lane >> 4) + (lane & 3) + 8};
    // What a warp fetches into the slot it is done with: of the next tile, or of the one after it.
    const bool soon = warp >= radix - ahead;
    const int part = soon ? warp - (radix - ahead) : warp + ahead;
    wait_for_earlier_kernels();
    std::int64_t tile = blockIdx.x;
    int begin = 0;
    fetch_cells(launch, tile, warp, ring + warp * slot);
    commit();
    if (soon) {
      if (tile + gridDim.x < launch.tiles) {
        fetch_cells(launch, tile + gridDim.x, part, ring + wrapped(radix + part) * slot);
      }
      commit();
    }
    Value x[32];
    while (true) {
      arrived(soon);
      __syncthreads();
      for_constants<32>([&](auto at) {
        constexpr int group = at / radix, digit = at % radix;
        x[at].at[0] = ring[wrapped(begin + digit) * slot + thread + threads * group];
      });
      butterflies<radix, groups>(x);
      for_constants<groups>([&](auto group) {
        const int at = thread + threads * group;
        turn<radix, group * radix, true>(x, __ldg(launch.roots + 4 * (at >> 4) + (at & 3)));
      });
      for_constants<32>([&](auto at) {
        constexpr int group = at / radix, digit = at % radix;
        ring[wrapped(begin + digit) * slot + thread + threads * group] =
            x[group * radix + reversed(digit, LogR)].at[0];
      });
      __syncthreads();
      float2* const mine = ring + wrapped(begin + warp) * slot;
      read_slot(mine, x);
      transform_slot(mine, x, launch.roots, i, (lane >> 2) & 3);
      __syncwarp();
      const std::int64_t next = tile + gridDim.x;
      const std::int64_t ahead_tile = soon ? next + gridDim.x : next;
      if (ahead_tile < launch.tiles) fetch_cells(launch, ahead_tile, part, mine);
      commit();
      store_rows(launch, tile, x);
      if (next >= launch.tiles) return;
      tile = next;
      begin = wrapped(begin + radix);
    }
  }

  static __device__ __forceinline__ void store_rows(const TwoPass& launch,
                                                    std::int64_t tile,
                                                    Value (&x)[32]) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int log_cells = launch.log_others - 2;
    const std::int64_t signal = tile >> log_cells;
    const std::int64_t cell = tile & ((std::int64_t{1} << log_cells) - 1);
    if (launch.inverse) {
      for_constants<32>([&](auto at) { x[at].at[0] = F::decode(x[at].at[0], launch.scale); });
    }
    const std::int64_t row = signal * length + warp + radix * (lane >> 2);
    float2* const to = launch.out + (row << launch.log_others) + cell * 4 + (lane & 3);
    for_constants<32>([&](auto at) {
      constexpr int group = at / 16, b = at % 16;
      to[std::int64_t{radix * (8 * group + 16 * b)} << launch.log_others] =
          x[16 * group + reversed(b, 4)].at[0];
    });
  }
};

template <int LogR, bool Second>
__global__ void __launch_bounds__(TwoPassKernel<LogR>::threads, TwoPassKernel<LogR>::blocks)
    two_pass_kernel(const __grid_constant__ TwoPass launch) {
  extern __shared__ uint4 shared[];
  auto* const ring = reinterpret_cast<float2*>(shared);
  if constexpr (Second) {
    TwoPassKernel<LogR>::second(launch, ring);
  } else {
    TwoPassKernel<LogR>::first(launch, ring);
  }
}

template <int LogR, bool Second>
void launch_two_pass(const TwoPass& pass, cudaStream_t stream) {
  using T = TwoPassKernel<LogR>;
  const std::int64_t room = multiprocessors() * T::blocks;
  yupana::cuda::launch_dependent(
      "transform long columns",
      two_pass_kernel<LogR, Second>,
      {pass.tiles < room ? pass.tiles : room, T::threads, T::shared_bytes},
      stream,
      pass);
}

template <bool Second>
void launch_tall_of(const TwoPass& pass, int log_length, cudaStream_t stream) {
  switch (log_length) {
    case 10:
      return launch_two_pass<2, Second>(pass, stream);
    case 11:
      return launch_two_pass<3, Second>(pass, stream);
    default:
      return launch_two_pass<4, Second>(pass, stream);
  }
}

}  // namespace

bool two_pass_supports(int log) {
  if (log < 21 || log > 24) return false;
  return yupana::cuda::is_compiled(
      two_pass_kernel<4, false>, TwoPassKernel<4>::threads, TwoPassKernel<4>::shared_bytes);
}

void run_two_pass(const TwoPass& first,
                  const TwoPass& second,
                  int log_first,
                  int log_second,
                  cudaStream_t stream) {
  launch_tall_of<false>(first, log_first, stream);
  launch_tall_of<true>(second, log_second, stream);
}

}  // namespace yupana::spectral::cuda
