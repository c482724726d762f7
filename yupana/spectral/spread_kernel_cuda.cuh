#pragma once

#include <cuda.h>

#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/quarters_cuda.cuh"

/// Private to the family: the kernel of spread_cuda. Columns of 1024 S values, 16 at a time, in the
/// shared memory of S multiprocessors: block s of a cluster transforms values s + S m, m < 1024,
/// then all exchange, and block o makes frequencies k' + 1024 t of its S-th of k' < 1024.
namespace yupana::spectral::cuda {

enum class Half { first, second };

struct SpreadPass {
  CUtensorMap rows;  ///< what is read: columns, S, groups of S rows
  float2* to = nullptr;
  const float2* roots = nullptr;  ///< of the length, all
  RootPair<float2> between;       ///< of the whole transform
  std::int64_t tiles = 0;
  int log_others = 0;  ///< of the other pass's length
  int log_length = 0;  ///< of the whole transform
  bool inverse = false;
  float scale = 1;
};

/// In between, value k1 = 16 g + l, j2 stands at (g, j2, l).
template <Half Which, int LogS>
struct Spread {
  using F = ComplexField<float>;
  static constexpr int S = 1 << LogS, A = 32, log_columns = 4, columns = 16;
  static constexpr int part = 1024, log_length = 10 + LogS;
  static constexpr int threads = 512, share = A / S;
  static constexpr bool turned = Which == Half::first;
  static constexpr int quarter_rows = part / 4, quarter = quarter_rows * columns;
  using Ring = QuarterRing<quarter>;
  static constexpr int shared_bytes = static_cast<int>(Ring::slots) * (Ring::bytes + 8) +
                                      2 * part * static_cast<int>(sizeof(float2));

  struct Block {
    Ring ring;
    const float2* table;  ///< root of 1024^(row a) at 32 a + row
    const float2* after;  ///< root of the length^(rank k')
    std::uint64_t policy;
    int rank;
    unsigned first, step;  ///< tiles of this cluster
  };

  static __device__ __forceinline__ void fetch(const SpreadPass& pass,
                                               const Block& block,
                                               unsigned number) {
    const std::int64_t tile = block.first + std::int64_t{number >> 2} * block.step;
    if (tile >= pass.tiles) return;
    int x = 0;
    std::int64_t signal = tile;
    if constexpr (Which == Half::first) {
      const int log_across = pass.log_others - log_columns;
      x = static_cast<int>(tile & ((std::int64_t{1} << log_across) - 1)) << log_columns;
      signal = tile >> log_across;
    }
    pipe::barrier_expect(block.ring.barrier(number), Ring::bytes);
    fetch_box(block.ring.slot(number),
              &pass.rows,
              x,
              block.rank,
              static_cast<int>(signal * part + (number & 3) * quarter_rows),
              block.ring.barrier(number),
              block.policy);
  }

  /// Which k' = a + 32 i and which column are this thread's from the first exchange on.
  struct Unit {
    int a;
    int column;
  };
  static __device__ __forceinline__ Unit unit() {
    const int thread = static_cast<int>(threadIdx.x);
    if (!turned) return {thread >> log_columns, thread & (columns - 1)};
    return {(thread & 15) | (thread >> 8) << 4, thread >> 4 & 15};
  }

  // Values r + 32 i of the thread's column, and back into their places. In the first pass columns
  // are exchanged within a row, by the frequency, so that reading across rows meets different
  // banks; half a warp has the row to itself.
  static __device__ __forceinline__ void first_stage(const SpreadPass& pass,
                                                     const Block& block,
                                                     unsigned number) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread >> log_columns, column = thread & (columns - 1);
    SingleValue x[A];
    for_constants<4>([&](auto q) {
      block.ring.wait(number + q);
      const float2* const from = block.ring.slot(number + q) + thread;
      for_constants<8>([&](auto i) { x[8 * q + i].at[0] = from[i * threads]; });
    });
    if (Which == Half::first && pass.inverse) {
      for_constants<A>([&](auto i) { x[i].at[0] = F::enter(x[i].at[0]); });
    }
    butterfly_32(x);
    if (turned) __syncwarp();
    for_constants<4>([&](auto q) {
      float2* const to = block.ring.slot(number + q) + row * columns;
      for_constants<8>([&](auto i) {
        constexpr int k = 8 * q + i;
        float2 value = x[reversed(k, 5)].at[0];
        if (k > 0) value = F::multiply(value, block.table[k * 32 + row]);
        to[i * threads + (turned ? column ^ (k & 15) : column)] = value;
      });
    });
  }

  static __device__ __forceinline__ void read_exchanged(const Block& block,
                                                        unsigned number,
                                                        SingleValue (&x)[A]) {
    const auto [a, column] = unit();
    const float2* const from = block.ring.slot(number + static_cast<unsigned>(a >> 3)) +
                               (a & 7) * 32 * columns + (turned ? column ^ (a & 15) : column);
    for_constants<A>([&](auto i) { x[i].at[0] = from[i * columns]; });
  }

  // To the thread of the same number in block o: frequencies share o and on, in place of quarters
  // that all blocks have read.
  static __device__ __forceinline__ void spread(const Block& block,
                                                unsigned number,
                                                const SingleValue (&x)[A]) {
    const int place = block.rank * share;
    const std::uint32_t mine =
        pipe::shared_address(block.ring.slot(number + static_cast<unsigned>(place >> 3)) +
                             (place & 7) * threads + threadIdx.x);
    for_constants<S>([&](auto o) {
      std::uint32_t there;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "n"(int{o}));
      for_constants<share>([&](auto i) {
        const float2 value = x[reversed(o * share + i, 5)].at[0];
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(
                         there + i * threads * static_cast<int>(sizeof(float2))),
                     "f"(value.x),
                     "f"(value.y)
                     : "memory");
      });
    });
  }
  static __device__ __forceinline__ void gather(const Block& block,
                                                unsigned number,
                                                SingleValue (&x)[A]) {
    for_constants<S>([&](auto s) {
      for_constants<share>([&](auto i) {
        constexpr int place = s * share + i;
        x[i * S + s].at[0] = block.ring.slot(number + place / 8)[place % 8 * threads + threadIdx.x];
      });
    });
  }

  /// What the values of a tile are multiplied by at the end of the first pass.
  struct Turns {
    float2 base, step, far;
  };
  static __device__ __forceinline__ Turns turns_of(const SpreadPass& pass,
                                                   const Block& block,
                                                   std::int64_t tile) {
    if constexpr (Which == Half::second) return {};
    const auto [a, column] = unit();
    const int log_across = pass.log_others - log_columns;
    const std::int64_t j2 = (tile & ((std::int64_t{1} << log_across) - 1)) * columns + column;
    return {root_of<F>(pass.between, j2 * (a + A * share * block.rank)),
            root_of<F>(pass.between, j2 * A),
            root_of<F>(pass.between, j2 * part)};
  }

  // x[i S + s]: of k' = a + 32 (share rank + i), from block s.
  static __device__ __forceinline__ void last_stage(const SpreadPass& pass,
                                                    const Block& block,
                                                    std::int64_t tile,
                                                    const Turns& turns,
                                                    SingleValue (&x)[A]) {
    for_constants<share>([&](auto i) { butterfly<F, S, i * S>(x); });
    const auto [a, column] = unit();
    const std::int64_t k = a + A * share * block.rank;
    if constexpr (Which == Half::first) {
      const int log_across = pass.log_others - log_columns;
      const std::int64_t j2 = (tile & ((std::int64_t{1} << log_across) - 1)) * columns + column;
      const std::int64_t signal = tile >> log_across;
      const std::int64_t jump = std::int64_t{columns} << pass.log_others;  // from g to g + 1
      float2* const to =
          pass.to + ((signal << log_length | k) >> log_columns) * jump + j2 * columns + (k & 15);
      for_powers<F, share, true>(turns.base, turns.step, [&](auto i, float2 near) {
        for_powers<F, S, true>(near, turns.far, [&](auto t, float2 power) {
          to[(A * i + part * t) / columns * jump] =
              F::multiply(x[i * S + reversed(t, LogS)].at[0], power);
        });
      });
    } else {
      const int log_g = pass.log_others - log_columns;
      float2* const to = pass.to + ((tile >> log_g) << pass.log_length) +
                         (tile & ((std::int64_t{1} << log_g) - 1)) * columns + column +
                         (k << pass.log_others);
      for_constants<A>([&](auto at) {
        constexpr int i = at / S, t = at % S;
        const float2 value = x[i * S + reversed(t, LogS)].at[0];
        to[std::int64_t{A * i + part * t} << pass.log_others] =
            pass.inverse ? F::leave(value, pass.scale) : value;
      });
    }
  }

  static __device__ __forceinline__ void arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void wait_for_others() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  static __device__ __forceinline__ void run(const SpreadPass& pass, unsigned char* shared) {
    auto* const data = reinterpret_cast<float2*>(shared);
    float2* const table = data + Ring::slots * quarter;
    float2* const after = table + part;
    const int rank = pipe::cluster_rank();
    const Block block{Ring{data, pipe::shared_address(after + part)},
                      table,
                      after,
                      read_once(),
                      rank,
                      blockIdx.x / S,
                      gridDim.x / S};
    const bool leader = threadIdx.x == 0;
    if (leader) block.ring.init();
    for (int i = static_cast<int>(threadIdx.x); i < part; i += threads) {
      table[i] = __ldg(pass.roots + S * (i / 32) * (i % 32));
      after[i] = __ldg(pass.roots + rank * i);
    }
    __syncthreads();
    wait_for_earlier_kernels();
    if (leader) {
      for (unsigned i = 0; i < Ring::slots; ++i) fetch(pass, block, i);
    }
    const auto [a, column] = unit();
    unsigned number = 0;
    for (std::int64_t tile = block.first; tile < pass.tiles; tile += block.step, number += 4) {
      const Turns turns = turns_of(pass, block, tile);
      first_stage(pass, block, number);
      __syncthreads();
      SingleValue x[A];
      read_exchanged(block, number, x);
      arrive();
      butterfly_32(x);
      for_constants<A>([&](auto k) {
        auto& value = x[reversed(k, 5)].at[0];
        value = F::multiply(value, after[a + A * k]);
      });
      wait_for_others();
      spread(block, number, x);
      arrive();
      wait_for_others();
      gather(block, number, x);
      hand_over();
      __syncthreads();
      if (leader) {
        for (unsigned i = 0; i < 4; ++i) fetch(pass, block, number + Ring::slots + i);
      }
      last_stage(pass, block, tile, turns, x);
    }
  }
};

template <Half Which, int LogS>
__global__ void __launch_bounds__(512, 1) spread_kernel(const __grid_constant__ SpreadPass pass) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char spread_shared[];
  Spread<Which, LogS>::run(pass, spread_shared);
#endif
}

}  // namespace yupana::spectral::cuda
