#pragma once

#include <cuda.h>

#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/spectral/pass_cuda.cuh"

/// Private to the family: the kernel of wide_cuda, three passes over memory in rows of 256 bytes.
/// With j = (j1 n2 + j2) n3 + j3, k = k1 + n1 (k2 + n2 k3) and k1 = 32 g + l, values lie
///   * before the first pass at (j1, j2, j3);
///   * behind it at (g, j2, j3, l): a tile of 32 columns writes pieces of 8 KB, turned around;
///   * behind the second, which works in place, at (g, k2, j3, l): the third reads its tiles as
///     they lie;
///   * behind the third at (k3, k2, k1).
///
/// The second and the third transform columns of 32 neighbours l.
namespace yupana::spectral::cuda {

namespace pipe = yupana::cuda;

enum class Part { first, second, third };

struct WidePass {
  CUtensorMap rows;  ///< what is read, as a matrix
  float2* to = nullptr;
  const float2* roots = nullptr;  ///< of the pass's length, all
  RootPair<float2> between;
  std::int64_t tiles = 0;
  int log_across = 0;  ///< tiles side by side in the matrix
  int log_jump = 0;    ///< from a frequency to the next in `to`; in the first pass from g to g + 1
  int log_first = 0, log_second = 0, log_length = 0;  ///< of n1, n2 and n
  bool inverse = false;
  float scale = 1;
};

/// A value in a register, for butterfly().
struct SingleValue {
  static constexpr int size = 1;
  float2 at[1];
};

/// As butterfly(), of radix 32.
__device__ __forceinline__ void butterfly_32(SingleValue (&x)[32]) {
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
    const float2 low = x[k].at[0], high = x[k + 16].at[0];
    const float2 a = F::subtract(low, high);
    x[k].at[0] = F::add(low, high);
    if constexpr (k % 2 == 0) {
      x[k + 16].at[0] = F::rotate(a, 16, k / 2);
    } else {
      // The sine of k is the cosine of 8 - k.
      const float c = cosines[k / 2], s = cosines[(k < 8 ? 8 - k : k - 8) / 2];
      x[k + 16].at[0] = {a.x * c + a.y * s, a.y * c - a.x * s};
    }
  });
  butterfly<F, 16, 0>(x);
  butterfly<F, 16, 16>(x);
}

/// Columns of 32 B values, 32 at a time: a thread holds 32 values, first of one column, B apart,
/// then of 32 / B transforms of B values. The next tile comes while results are stored.
template <Part Which, int LogB>
struct Wide {
  using F = ComplexField<float>;
  static constexpr int A = 32, B = 1 << LogB, log_columns = 5, columns = 32;
  static constexpr int log_length = 5 + LogB, length = 1 << log_length;
  static constexpr int threads = B * columns;
  static constexpr int blocks = LogB == 3 ? 2 : 1;
  static constexpr int groups = A / B;
  static constexpr bool turned = Which == Part::first;
  static constexpr int tile_values = length * columns;
  static constexpr int tile_bytes = tile_values * static_cast<int>(sizeof(float2));
  static constexpr int box_rows = 256;  ///< the most that one command of the copy engine fetches
  static constexpr int shared_bytes = tile_bytes + length * static_cast<int>(sizeof(float2)) + 8;

  /// A tile's upper left corner in the matrix that is read.
  struct Corner {
    int x;
    int y;
  };
  static __device__ __forceinline__ Corner corner_of(const WidePass& pass, std::int64_t tile) {
    if constexpr (Which == Part::third) {
      // Neighbours in time are neighbours g, which write side by side.
      const int log_g = pass.log_first - log_columns, log_signal = log_g + pass.log_second;
      const std::int64_t signal = tile >> log_signal;
      const std::int64_t rest = tile & ((std::int64_t{1} << log_signal) - 1);
      const std::int64_t g = (signal << log_g) + (rest & ((std::int64_t{1} << log_g) - 1));
      return {0, static_cast<int>(((g << pass.log_second) + (rest >> log_g)) << log_length)};
    } else {
      const std::int64_t across = tile & ((std::int64_t{1} << pass.log_across) - 1);
      return {static_cast<int>(across << log_columns),
              static_cast<int>((tile >> pass.log_across) << log_length)};
    }
  }

  // Rows that are read are not read again.
  static __device__ __forceinline__ std::uint64_t read_once() {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
  }
  static __device__ __forceinline__ void fetch(const WidePass& pass,
                                               Corner corner,
                                               float2* to,
                                               std::uint32_t barrier,
                                               std::uint64_t policy) {
    pipe::barrier_expect(barrier, tile_bytes);
    for_constants<length / box_rows>([&](auto i) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
          ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
              pipe::shared_address(to + i * box_rows * columns)),
          "l"(&pass.rows),
          "r"(corner.x),
          "r"(corner.y + i * box_rows),
          "r"(barrier),
          "l"(policy)
          : "memory");
    });
  }
  // Shared memory that this thread wrote may be overwritten by the copy engine.
  static __device__ __forceinline__ void hand_over() {
    asm volatile("fence.proxy.async;" ::: "memory");
  }

  /// Of the second stage: a thread's transform `group` is that of row `a` of the first stage's
  /// results, in column `column`. In the first pass neighbours are rows, else columns.
  struct Unit {
    int a;
    int column;
  };
  static __device__ __forceinline__ Unit unit_of(int group) {
    const int unit = static_cast<int>(threadIdx.x) + threads * group;
    const int low = unit & (columns - 1), high = unit >> log_columns;
    return turned ? Unit{low, high} : Unit{high, low};
  }

  // Values row + B i of the thread's column, i < 32, to frequencies k in their places row + B k. In
  // the first pass columns are exchanged within a row, by k, so that reading across rows meets
  // different banks; a row belongs to a warp.
  static __device__ __forceinline__ void first_stage(const WidePass& pass,
                                                     float2* tile,
                                                     const float2* table) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread >> log_columns, column = thread & (columns - 1);
    SingleValue x[A];
    for_constants<A>([&](auto i) { x[i].at[0] = tile[thread + i * threads]; });
    if (Which == Part::first && pass.inverse) {
      for_constants<A>([&](auto i) { x[i].at[0] = F::enter(x[i].at[0]); });
    }
    if (turned) __syncwarp();
    butterfly_32(x);
    for_constants<A>([&](auto k) {
      float2 value = x[reversed(k, 5)].at[0];
      if (k > 0) value = F::multiply(value, table[k * B + row]);
      tile[(row + B * k) * columns + (turned ? column ^ k : column)] = value;
    });
  }

  static __device__ __forceinline__ void read_exchanged(const float2* tile, SingleValue (&x)[A]) {
    for_constants<groups>([&](auto group) {
      const Unit unit = unit_of(group);
      const float2* const from =
          tile + unit.a * B * columns + (turned ? unit.column ^ unit.a : unit.column);
      for_constants<B>([&](auto i) { x[group * B + i].at[0] = from[i * columns]; });
    });
  }

  /// Where frequency a of a unit goes, and from there to the frequency 32 further.
  struct Target {
    float2* to;
    std::int64_t jump;
  };
  static __device__ __forceinline__ Target target_of(const WidePass& pass,
                                                     Corner corner,
                                                     Unit unit) {
    const std::int64_t jump = std::int64_t{1} << pass.log_jump;
    if constexpr (Which == Part::first) {
      const std::int64_t g = corner.y >> log_columns;
      return {pass.to + g * jump + std::int64_t{corner.x + unit.column} * columns + unit.a, jump};
    } else if constexpr (Which == Part::second) {
      return {pass.to + (corner.y + unit.a) * jump + corner.x + unit.column, A * jump};
    } else {
      const int log_g = pass.log_first - log_columns;
      const std::int64_t line = corner.y >> log_length;
      const std::int64_t k2 = line & ((std::int64_t{1} << pass.log_second) - 1);
      const std::int64_t block = line >> pass.log_second;
      const std::int64_t g = block & ((std::int64_t{1} << log_g) - 1);
      return {pass.to + ((block >> log_g) << pass.log_length) + (k2 << pass.log_first) +
                  g * columns + unit.column + unit.a * jump,
              A * jump};
    }
  }

  /// What a unit's values are multiplied by on the way to the next pass: base step^k.
  struct Turns {
    float2 base[groups];
    float2 step[groups];
  };
  static __device__ __forceinline__ Turns turns_of(const WidePass& pass, Corner corner) {
    Turns turns{};
    if constexpr (Which != Part::third) {
      for_constants<groups>([&](auto group) {
        const Unit unit = unit_of(group);
        const std::int64_t column = turned ? corner.x + unit.column : corner.x >> log_columns;
        turns.base[group] = root_of<F>(pass.between, column * unit.a);
        turns.step[group] = root_of<F>(pass.between, column * A);
      });
    }
    return turns;
  }

  static __device__ __forceinline__ void second_stage(const WidePass& pass,
                                                      Corner corner,
                                                      const Turns& turns,
                                                      SingleValue (&x)[A]) {
    for_constants<groups>([&](auto group) {
      butterfly<F, B, group * B>(x);
      const auto [to, jump] = target_of(pass, corner, unit_of(group));
      if constexpr (Which == Part::third) {
        if (pass.inverse) {
          for_constants<B>([&](auto k) {
            auto& value = x[group * B + k].at[0];
            value = F::leave(value, pass.scale);
          });
        }
        for_constants<B>([&](auto k) { to[k * jump] = x[group * B + reversed(k, LogB)].at[0]; });
      } else {
        for_powers<F, B, true>(turns.base[group], turns.step[group], [&](auto k, float2 power) {
          to[k * jump] = F::multiply(x[group * B + reversed(k, LogB)].at[0], power);
        });
      }
    });
  }

  static __device__ __forceinline__ void run(const WidePass& pass, unsigned char* shared) {
    auto* const tile = reinterpret_cast<float2*>(shared);
    float2* const table = tile + tile_values;  // root^(row a) at a B + row
    const std::uint32_t barrier = pipe::shared_address(table + length);
    const bool leader = threadIdx.x == 0;
    if (leader) {
      pipe::barrier_init(barrier, 1);
      pipe::barrier_init_fence();
    }
    for (int i = static_cast<int>(threadIdx.x); i < length; i += threads) {
      table[i] = __ldg(pass.roots + (i / B) * (i % B));
    }
    __syncthreads();
    wait_for_earlier_kernels();
    const std::uint64_t policy = read_once();
    if (leader) fetch(pass, corner_of(pass, blockIdx.x), tile, barrier, policy);
    std::uint32_t parity = 0;
    for (std::int64_t at = blockIdx.x; at < pass.tiles; at += gridDim.x, parity ^= 1) {
      const Corner corner = corner_of(pass, at);
      const Turns turns = turns_of(pass, corner);  // looked up before they are wanted
      pipe::barrier_wait(barrier, parity);
      first_stage(pass, tile, table);
      __syncthreads();
      SingleValue x[A];
      read_exchanged(tile, x);
      hand_over();
      __syncthreads();
      const std::int64_t next = at + gridDim.x;
      if (leader && next < pass.tiles) {
        fetch(pass, corner_of(pass, next), tile, barrier, policy);
      }
      second_stage(pass, corner, turns, x);
    }
  }
};

template <Part Which, int LogB>
__global__ void __launch_bounds__(Wide<Which, LogB>::threads, Wide<Which, LogB>::blocks)
    wide_kernel(const __grid_constant__ WidePass pass) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char wide_shared[];
  Wide<Which, LogB>::run(pass, wide_shared);
#endif
}

}  // namespace yupana::spectral::cuda
