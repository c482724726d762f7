#include <cuda.h>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/tensor_map_cuda.hpp"
#include "yupana/spectral/tile_pipeline_cuda.cuh"

namespace yupana::spectral::cuda {

/// Three passes over memory, at the speed at which it takes and gives rows of 256 bytes. With
/// j = (j1 n2 + j2) n3 + j3 and k = k1 + n1 (k2 + n2 k3), k1 = 32 g + l, values lie
///   before the first pass at (j1, j2, j3),
///   after it at (g, j2, j3, l): a tile of 32 columns writes pieces of 8 KB, transposed,
///   after the second, which works in place, at (g, k2, j3, l): the third reads tiles in one
///   piece, after the third at (k3, k2, k1).
/// The second and third pass transform columns of 32 neighbours l.
enum class Part { first, second, third };

struct ThreePass {
  CUtensorMap rows;  ///< what is read, as a matrix
  float2* to = nullptr;
  const float2* roots = nullptr;
  RootPair<float2> inter_pass_twiddles;
  std::int64_t tiles = 0;
  int log_across = 0;  ///< tiles side by side in the matrix; the third pass reads it as it lies
  int log_jump = 0;  ///< from one frequency to the next in `to`; the first pass: one g to the next
  int log_first = 0, log_second = 0, log_length = 0;  ///< of n1, n2 and n
  bool inverse = false;
  float scale = 1;
};

/// For lines that are not read again.
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

/// Columns of 32 B values, 32 at a time: 32 values a thread, B lengths of 32 columns each. Tiles
/// come in quarters: in a ring of six half of the next tile arrives while one is transformed.
template <Part Which, int LogB>
struct ThreePassKernel {
  using F = ComplexField<float>;
  static constexpr int A = 32, B = 1 << LogB, log_columns = 5, columns = 32;
  static constexpr int log_length = 5 + LogB, length = 1 << log_length;
  static constexpr int threads = B * columns;
  static constexpr int blocks = LogB == 3 ? 2 : 1;
  static constexpr int groups = A / B;
  static constexpr bool transposed = Which == Part::first;
  static constexpr int quarter_rows = length / 4;
  static constexpr int quarter = quarter_rows * columns;
  using Ring = TilePipeline<quarter, 6>;
  static constexpr unsigned slots = Ring::slots;
  /// Roots by column and frequency that all tiles share; see turns_of().
  static constexpr int own = transposed ? A * columns : 0;
  static constexpr int shared_bytes =
      Ring::bytes + (length + own) * static_cast<int>(sizeof(float2));

  /// A tile's upper left corner in the matrix that is read.
  struct Corner {
    int x;
    int y;
  };
  static __device__ __forceinline__ Corner corner_of(const ThreePass& pass, std::int64_t tile) {
    if constexpr (Which == Part::third) {
      return {0, static_cast<int>(tile << log_length)};
    } else {
      const std::int64_t across = tile & ((std::int64_t{1} << pass.log_across) - 1);
      return {static_cast<int>(across << log_columns),
              static_cast<int>((tile >> pass.log_across) << log_length)};
    }
  }

  // Quarter `number` of those this block takes.
  static __device__ __forceinline__ void fetch(const ThreePass& pass,
                                               const Ring& ring,
                                               unsigned number,
                                               std::uint64_t policy) {
    const std::int64_t tile = blockIdx.x + std::int64_t{number >> 2} * gridDim.x;
    if (tile >= pass.tiles) return;
    const Corner corner = corner_of(pass, tile);
    const int part = static_cast<int>(number & 3);
    pipe::barrier_expect(ring.barrier(number), Ring::quarter_bytes);
    fetch_box(ring.slot(number),
              &pass.rows,
              corner.x,
              corner.y + part * quarter_rows,
              ring.barrier(number),
              policy);
  }

  /// Of the second stage: the thread's transform `group` is that of row `a` of the first one's
  /// results, in column `column`. In the first pass neighbours are rows, else columns.
  struct Unit {
    int a;
    int column;
  };
  static __device__ __forceinline__ Unit unit_of(int group) {
    const int unit = static_cast<int>(threadIdx.x) + threads * group;
    const int low = unit & (columns - 1), high = unit >> log_columns;
    return transposed ? Unit{low, high} : Unit{high, low};
  }

  // Values r + B i of the thread's column, i < 32; and back into their places as r + B k, after
  // the first stage. In the first pass columns are exchanged within a row, by k, so that reading
  // across rows meets different banks; a row belongs to a warp.
  static __device__ __forceinline__ void first_stage(const ThreePass& pass,
                                                     const Ring& ring,
                                                     unsigned number,
                                                     const float2* table) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread >> log_columns, column = thread & (columns - 1);
    SingleValue x[A];
    for_constants<4>([&](auto part) {
      ring.wait(number + part);
      const float2* const from = ring.slot(number + part) + thread;
      for_constants<8>([&](auto i) { x[8 * part + i].at[0] = from[i * B * columns]; });
    });
    if (Which == Part::first && pass.inverse) {
      for_constants<A>([&](auto i) { x[i].at[0] = F::encode(x[i].at[0]); });
    }
    large_butterfly<A>(x);
    if (transposed) __syncwarp();
    for_constants<4>([&](auto part) {
      float2* const to = ring.slot(number + part) + row * columns;
      for_constants<8>([&](auto i) {
        constexpr int k = 8 * part + i;
        float2 value = x[reversed(k, 5)].at[0];
        if (k > 0) value = F::multiply(value, table[k * B + row]);
        to[i * B * columns + (transposed ? column ^ k : column)] = value;
      });
    });
  }

  static __device__ __forceinline__ void read_exchanged(const Ring& ring,
                                                        unsigned number,
                                                        SingleValue (&x)[A]) {
    for_constants<groups>([&](auto group) {
      const Unit unit = unit_of(group);
      const float2* const from = ring.slot(number + (unit.a >> 3)) + (unit.a & 7) * B * columns +
                                 (transposed ? unit.column ^ unit.a : unit.column);
      for_constants<B>([&](auto i) { x[group * B + i].at[0] = from[i * columns]; });
    });
  }

  // Frequency a of the unit, and from there to the frequency 32 further.
  struct Target {
    float2* to;
    std::int64_t jump;
  };
  static __device__ __forceinline__ Target target_of(const ThreePass& pass,
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
  // In the first pass root^(column a), column = corner + c, is root^(corner a) root^(c a), c < 32.
  // The second factor is kept; the first is the same for all warps. Looked up whole, from 64 places
  // a warp and unit, these roots fell out of the cache that a ring of six leaves: 797 us at 2^27
  // instead of 590 with room for one tile.
  static __device__ __forceinline__ Turns turns_of(const ThreePass& pass,
                                                   Corner corner,
                                                   const float2* shared_turns) {
    Turns turns{};
    if constexpr (Which == Part::first) {
      const float2 of_corner =
          root_of<F>(pass.inter_pass_twiddles, std::int64_t{corner.x} * unit_of(0).a);
      for_constants<groups>([&](auto group) {
        const Unit unit = unit_of(group);
        const std::int64_t column = corner.x + unit.column;
        turns.base[group] = F::multiply(of_corner, shared_turns[unit.column * A + unit.a]);
        turns.step[group] = root_of<F>(pass.inter_pass_twiddles, column * A);
      });
    } else if constexpr (Which == Part::second) {
      const std::int64_t column = corner.x >> log_columns;
      for_constants<groups>([&](auto group) {
        turns.base[group] = root_of<F>(pass.inter_pass_twiddles, column * unit_of(group).a);
        turns.step[group] = root_of<F>(pass.inter_pass_twiddles, column * A);
      });
    }
    return turns;
  }

  static __device__ __forceinline__ void second_stage(const ThreePass& pass,
                                                      Corner corner,
                                                      const Turns& turns,
                                                      SingleValue (&x)[A]) {
    for_constants<groups>([&](auto group) {
      butterfly<F, B, group * B>(x);
      const auto [to, jump] = target_of(pass, corner, unit_of(group));
      if constexpr (Which == Part::third) {
        for_constants<B>([&](auto k) {
          const float2 value = x[group * B + reversed(k, LogB)].at[0];
          to[k * jump] = pass.inverse ? F::decode(value, pass.scale) : value;
        });
      } else {
        for_powers<F, B, true>(turns.base[group], turns.step[group], [&](auto k, float2 power) {
          to[k * jump] = F::multiply(x[group * B + reversed(k, LogB)].at[0], power);
        });
      }
    });
  }

  static __device__ __forceinline__ void run(const ThreePass& pass, unsigned char* shared) {
    auto* const data = reinterpret_cast<float2*>(shared);
    float2* const table = data + slots * quarter;  // root^(row a) at a B + row
    float2* const shared_turns = table + length;
    const Ring ring{data, pipe::shared_address(shared_turns + own)};
    const bool leader = threadIdx.x == 0;
    if (leader) ring.init(1);
    for (int i = static_cast<int>(threadIdx.x); i < length; i += threads) {
      table[i] = __ldg(pass.roots + (i / B) * (i % B));
    }
    for (int i = static_cast<int>(threadIdx.x); i < own; i += threads) {
      shared_turns[i] = root_of<F>(pass.inter_pass_twiddles, (i / A) * (i % A));
    }
    __syncthreads();
    wait_for_earlier_kernels();
    const std::uint64_t policy = read_once();
    if (leader) {
      for (unsigned i = 0; i < slots; ++i) fetch(pass, ring, i, policy);
    }
    unsigned number = 0;
    for (std::int64_t tile = blockIdx.x; tile < pass.tiles; tile += gridDim.x, number += 4) {
      const Corner corner = corner_of(pass, tile);
      const Turns turns = turns_of(pass, corner, shared_turns);  // looked up before their use
      first_stage(pass, ring, number, table);
      __syncthreads();
      SingleValue x[A];
      read_exchanged(ring, number, x);
      hand_over();
      __syncthreads();
      if (leader) {
        for (unsigned i = 0; i < 4; ++i) fetch(pass, ring, number + slots + i, policy);
      }
      second_stage(pass, corner, turns, x);
    }
  }
};

template <Part Which, int LogB>
__global__ void __launch_bounds__(yupana::cuda::threads_if(yupana::cuda::compiled_for >= 90,
                                                           ThreePassKernel<Which, LogB>::threads),
                                  ThreePassKernel<Which, LogB>::blocks)
    three_pass_kernel(const __grid_constant__ ThreePass pass) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char wide_shared[];
  ThreePassKernel<Which, LogB>::run(pass, wide_shared);
#endif
}
namespace {

template <Part Which, int LogB>
void launch_three_pass(ThreePass& pass, std::int64_t values, cudaStream_t stream) {
  using W = ThreePassKernel<Which, LogB>;
  pass.tiles = values / (W::length * W::columns);
  const std::int64_t room = multiprocessors() * W::blocks;
  yupana::cuda::launch_dependent(
      "transform wide columns",
      three_pass_kernel<Which, LogB>,
      {pass.tiles < room ? pass.tiles : room, W::threads, W::shared_bytes},
      stream,
      pass);
}

template <Part Which>
void launch_three_pass_of(ThreePass& pass, int log, std::int64_t values, cudaStream_t stream) {
  if (log == 8) return launch_three_pass<Which, 3>(pass, values, stream);
  launch_three_pass<Which, 4>(pass, values, stream);
}

}  // namespace

bool three_pass_supports(int log) {
  using W = ThreePassKernel<Part::first, 4>;
  return log >= 25 && log <= 27 && has_tensor_maps() &&
         yupana::cuda::is_compiled(three_pass_kernel<Part::first, 4>, W::threads, W::shared_bytes);
}

void run_three_pass(const ThreePassTransform& transform,
                    const float2* in,
                    float2* out,
                    std::int64_t count,
                    bool inverse,
                    cudaStream_t stream) {
  const auto [log1, log2, log3] = transform.logs;
  const int log = log1 + log2 + log3, log_rest = log2 + log3;
  const std::int64_t values = count << log;
  ThreePass pass;
  pass.log_first = log1;
  pass.log_second = log2;
  pass.log_length = log;
  pass.inverse = inverse;
  pass.scale = static_cast<float>(1.0L / static_cast<long double>(std::int64_t{1} << log));

  pass.rows = matrix_of(in, std::int64_t{1} << log_rest, count << log1, {32, 1, 1 << (log1 - 2)});
  pass.to = transform.work;
  pass.roots = transform.roots[0];
  pass.inter_pass_twiddles = transform.inter_pass_twiddles[0];
  pass.log_across = log_rest - 5;
  pass.log_jump = log_rest + 5;
  launch_three_pass_of<Part::first>(pass, log1, values, stream);

  const std::int64_t width = std::int64_t{32} << log3;
  pass.rows = matrix_of(transform.work, width, values / width, {32, 1, 1 << (log2 - 2)});
  pass.roots = transform.roots[1];
  pass.inter_pass_twiddles = transform.inter_pass_twiddles[1];
  pass.log_across = log3;
  pass.log_jump = log3 + 5;
  launch_three_pass_of<Part::second>(pass, log2, values, stream);

  pass.rows = matrix_of(transform.work, 32, values / 32, {32, 1, 1 << (log3 - 2)});
  pass.to = out;
  pass.roots = transform.roots[2];
  pass.log_jump = log1 + log2;
  launch_three_pass_of<Part::third>(pass, log3, values, stream);
}

}  // namespace yupana::spectral::cuda
