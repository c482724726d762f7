#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/tensor_map_cuda.hpp"
#include "yupana/spectral/tile_pipeline_cuda.cuh"

namespace yupana::spectral::cuda {

/// Two passes over columns of 4096 values, four of them a tile: 64 values a thread, transforms of
/// 64, an exchange, transforms of 64 again, by the same instructions: written out twice, they do
/// not stay in the cache of instructions. With j = 4096 j1 + j2, k = k1 + 4096 k2 and
/// k1 = 4 g + l, values lie before the first pass at (j1, j2), after it at (g, j2, l), where a
/// tile of the second is one run, and after that at (k2, k1): only the first read and the last
/// write are 32 bytes wide.
enum class Half { first, second };

struct TwoPassRadix64Pass {
  CUtensorMap rows;  ///< the signals, for the first pass
  const float2* in = nullptr;
  float2* out = nullptr;
  const float2* roots = nullptr;         ///< of 4096
  RootPair<float2> inter_pass_twiddles;  ///< of 2^24
  std::int64_t tiles = 0;
  bool inverse = false;
  float scale = 1;
};

template <Half Which>
struct TwoPassRadix64 {
  using F = ComplexField<float>;
  static constexpr int A = 64, log_columns = 2, columns = 4;
  static constexpr int threads = A * columns;
  static constexpr int log_length = 12, length = 1 << log_length;
  static constexpr int quarter = length / 4 * columns;
  static constexpr int log_tiles = log_length - log_columns;  ///< of a signal
  /// The first pass exchanges in place, and half of the next tile comes before that. The second
  /// exchanges two columns at a time in half as much memory, and the next tile comes as soon as
  /// this one is in registers: 86 us instead of 91 (the first: 105 instead of 96).
  static constexpr bool in_place = Which == Half::first;
  using Ring = TilePipeline<quarter, in_place ? 6 : 4>;
  static constexpr int area = in_place ? 0 : length * columns / 2;
  static constexpr int ends = 8;                    ///< exponents below 64 are 8 q + s
  static constexpr int table = 2 * ends * A;        ///< root^(8 q row), root^(s row)
  static constexpr int turns = 2 * ends * columns;  ///< the same of a tile's columns
  static constexpr int shared_bytes =
      Ring::bytes + (area + table + 2 * turns) * static_cast<int>(sizeof(float2));

  struct Block {
    Ring ring;
    float2* area;
    float2* table;
    float2* turns;
  };

  // The copy engine takes eight cycles a row however narrow, threads keep their own accesses
  // waiting: each brings half of the narrow rows (96 us; threads alone 104, the engine 128), but
  // of the first tile, for which all wait, threads bring all (no gain was seen: 193.2 for 193.3).
  static __device__ __forceinline__ void fetch_rows(const TwoPassRadix64Pass& pass,
                                                    const Ring& ring,
                                                    unsigned number,
                                                    std::int64_t tile,
                                                    int part) {
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t across = (tile & ((1 << log_tiles) - 1)) * columns;
    const std::int64_t row = (tile >> log_tiles) * length + part * (length / 4);
    const std::uint32_t barrier = ring.barrier(number);
    if (part >= 2 || number < 4) {
      const float2* const from =
          pass.in + ((row + (thread >> 1)) << log_length) + across + 2 * (thread & 1);
      const std::uint32_t to = pipe::shared_address(ring.slot(number) + 2 * thread);
      for_constants<8>([&](auto i) {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to + i * 4096),
                     "l"(from + i * (std::int64_t{threads / 2} << log_length))
                     : "memory");
      });
      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier)
                   : "memory");
    } else if (thread > 0) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
    } else {
      pipe::barrier_expect(barrier, Ring::quarter_bytes);
      for (int i = 0; i < 4; ++i) {
        fetch_box(ring.slot(number) + i * (quarter / 4),
                  &pass.rows,
                  static_cast<int>(across),
                  static_cast<int>(row) + i * (length / 16),
                  barrier);
      }
    }
  }

  // Quarter `number` of those this block takes; all threads.
  static __device__ __forceinline__ void fetch(const TwoPassRadix64Pass& pass,
                                               const Ring& ring,
                                               unsigned number) {
    const std::int64_t tile = blockIdx.x + std::int64_t{number >> 2} * gridDim.x;
    if (tile >= pass.tiles) return;
    const int part = static_cast<int>(number & 3);
    if constexpr (Which == Half::first) {
      fetch_rows(pass, ring, number, tile, part);
    } else if (threadIdx.x == 0) {
      pipe::barrier_expect(ring.barrier(number), Ring::quarter_bytes);
      pipe::bulk_copy(pipe::shared_address(ring.slot(number)),
                      pass.in + tile * (length * columns) + part * quarter,
                      Ring::quarter_bytes,
                      ring.barrier(number));
    }
  }

  /// What a thread transforms: before the exchange values row + 64 i of a column, after it
  /// frequencies row + 64 i. Lanes lie as what they store: 4 x 4 values of the work array, or rows
  /// of 32 bytes.
  struct Unit {
    int row;
    int column;
  };
  static __device__ __forceinline__ Unit unit_in() {
    const int thread = static_cast<int>(threadIdx.x);
    return {thread >> 2, thread & 3};
  }
  static __device__ __forceinline__ Unit unit_out() {
    const int thread = static_cast<int>(threadIdx.x);
    if (Which == Half::second) return unit_in();
    return {(thread & 3) | thread >> 4 << 2, thread >> 2 & 3};
  }

  static __device__ __forceinline__ void read(const Ring& ring,
                                              unsigned number,
                                              SingleValue (&x)[A]) {
    for_constants<4>([&](auto part) {
      ring.wait(number + part);
      const float2* const from = ring.slot(number + part) + threadIdx.x;
      for_constants<16>([&](auto i) { x[16 * part + i].at[0] = from[i * threads]; });
    });
  }

  // Frequency k of row r to (k, r), from there to the thread of k. Rows are exchanged among the
  // eight of a warp, by k, so that reading across k meets different banks.
  static __device__ __forceinline__ void exchange_in_place(const Ring& ring,
                                                           unsigned number,
                                                           SingleValue (&x)[A]) {
    const int thread = static_cast<int>(threadIdx.x);
    __syncwarp();
    for_constants<4>([&](auto part) {
      float2* const to = ring.slot(number + part);
      for_constants<16>([&](auto i) {
        to[i * threads + (thread ^ (i & 7) << log_columns)] = x[reversed(16 * part + i, 6)].at[0];
      });
    });
    __syncthreads();
    const auto [a, column] = unit_out();
    const float2* const from =
        ring.slot(number + static_cast<unsigned>(a >> 4)) + (a & 15) * threads + column;
    for_constants<A>([&](auto row) {
      x[row].at[0] = from[(row & ~7) * columns + (((row & 7) ^ (a & 7)) << log_columns)];
    });
    hand_over();
  }
  static __device__ __forceinline__ void exchange_by_halves(float2* area, SingleValue (&x)[A]) {
    const auto [row, column] = unit_in();
    for_constants<2>([&](auto half) {
      const bool mine = column >> 1 == half;
      if (mine) {
        for_constants<A>([&](auto k) {
          area[2 * (k * A + (row ^ (k & 7))) + (column & 1)] = x[reversed(k, 6)].at[0];
        });
      }
      __syncthreads();
      if (mine) {
        const float2* const from = area + 2 * row * A + (column & 1);
        for_constants<A>(
            [&](auto r) { x[r].at[0] = from[2 * ((r & ~7) + ((r & 7) ^ (row & 7)))]; });
      }
      if (half == 0) __syncthreads();
    });
  }

  /// Frequency k times base root^k for k < 64, where root^(8 q) lies at q pitch and root^s at
  /// (8 + s) pitch.
  static __device__ __forceinline__ void multiply(const float2* powers,
                                                  int pitch,
                                                  float2 base,
                                                  SingleValue (&x)[A]) {
    float2 small[ends];
    for_constants<ends>([&](auto s) { small[s] = powers[(ends + s) * pitch]; });
    for_constants<ends>([&](auto q) {
      const float2 large = F::multiply(base, powers[q * pitch]);
      for_constants<ends>([&](auto s) {
        auto& value = x[reversed(ends * q + s, 6)].at[0];
        value = F::multiply(value, s == 0 ? large : F::multiply(large, small[s]));
      });
    });
  }

  // root^(j2 k) of a tile's column j2 = 4 across + column and k = a + 64 i is root^(4 across a)
  // root^(column a) for all i, times root^(64 j2)^i. Only what depends on the tile is looked up
  // again, for few different numbers: the tables do not stay in the cache that is left.
  static __device__ __forceinline__ float2 root_across(const TwoPassRadix64Pass& pass,
                                                       std::int64_t tile,
                                                       int factor) {
    return root_of<F>(pass.inter_pass_twiddles, (tile & ((1 << log_tiles) - 1)) * columns * factor);
  }
  /// Of the powers kept in `table` and `turns`, which one is at this place.
  static __device__ __forceinline__ int kept_power(int at) {
    return at < ends ? ends * at : at - ends;
  }

  static __device__ __forceinline__ void store(const TwoPassRadix64Pass& pass,
                                               std::int64_t tile,
                                               SingleValue (&x)[A]) {
    const auto [a, column] = unit_out();
    const std::int64_t signal = tile >> log_tiles, across = tile & ((1 << log_tiles) - 1);
    float2* const to =
        pass.out + (signal << 2 * log_length) +
        (Which == Half::first ? (std::int64_t{a >> 2} << (log_length + log_columns)) +
                                    (across * columns + column) * columns + (a & 3)
                              : (std::int64_t{a} << log_length) + across * columns + column);
    if (Which == Half::second && pass.inverse) {
      for_constants<A>([&](auto i) { x[i].at[0] = F::decode(x[i].at[0], pass.scale); });
    }
    for_constants<A>(
        [&](auto i) { to[i * (std::int64_t{A} << log_length)] = x[reversed(i, 6)].at[0]; });
  }

  // Tile `number / 4` of this block; base and powers are those of root^(j2 k), for the first pass.
  static __device__ __forceinline__ void transform(const TwoPassRadix64Pass& pass,
                                                   const Block& block,
                                                   unsigned number,
                                                   std::int64_t tile,
                                                   float2 base,
                                                   const float2* powers) {
    const auto fetch_next = [&] {
#pragma unroll 1
      for (unsigned i = 0; i < 4; ++i) fetch(pass, block.ring, number + Ring::slots + i);
    };
    SingleValue x[A];
    read(block.ring, number, x);
    if constexpr (!in_place) {
      __syncthreads();
      fetch_next();
    }
    if (Which == Half::first && pass.inverse) {
      for_constants<A>([&](auto i) { x[i].at[0] = F::encode(x[i].at[0]); });
    }
#pragma unroll 1
    for (int stage = 0; stage < 2; ++stage) {
      large_butterfly<A>(x);
      if (Which == Half::first || stage == 0) {
        multiply(stage == 0 ? block.table + unit_in().row : powers + unit_out().column,
                 stage == 0 ? A : columns,
                 stage == 0 ? F::one() : base,
                 x);
      }
      if (stage == 1) break;
      if constexpr (in_place) {
        exchange_in_place(block.ring, number, x);
        __syncthreads();
        fetch_next();
      } else {
        exchange_by_halves(block.area, x);
      }
    }
    store(pass, tile, x);
  }

  static __device__ __forceinline__ void run(const TwoPassRadix64Pass& pass,
                                             unsigned char* shared) {
    const int thread = static_cast<int>(threadIdx.x);
    auto* const data = reinterpret_cast<float2*>(shared);
    float2* const kept = data + Ring::slots * quarter + area;
    const Block block{Ring{data, pipe::shared_address(kept + table + 2 * turns)},
                      kept - area,
                      kept,
                      kept + table};
    if (thread == 0) block.ring.init(Which == Half::first ? threads : 1);
    __syncthreads();
    for (int i = thread; i < table; i += threads) {
      kept[i] = __ldg(pass.roots + kept_power(i / A) * (i % A));
    }
    const auto [a, column] = unit_out();
    const int power = A * kept_power(thread >> log_columns);
    float2 own{}, own_kept{};
    if constexpr (Which == Half::first) {
      own = root_of<F>(pass.inter_pass_twiddles, column * a);
      own_kept = root_of<F>(pass.inter_pass_twiddles, (thread & 3) * power);
    }
    // Roots are no kernel's results: looked up while the pass before ends (3 us of 190).
    wait_for_earlier_kernels();
#pragma unroll 1
    for (unsigned i = 0; i < Ring::slots; ++i) fetch(pass, block.ring, i);
    __syncthreads();
    unsigned number = 0;
    for (std::int64_t tile = blockIdx.x; tile < pass.tiles; tile += gridDim.x, number += 4) {
      // Of two tiles: some threads may be at the one before. Barriers follow before it is read.
      float2* const powers = block.turns + (number & 4 ? turns : 0);
      float2 base{};
      if constexpr (Which == Half::first) {
        base = F::multiply(own, root_across(pass, tile, a));
        if (thread < turns) {
          powers[thread] = F::multiply(own_kept, root_across(pass, tile, power));
        }
      }
      transform(pass, block, number, tile, base, powers);
    }
  }
};

template <Half Which>
__global__ void __launch_bounds__(yupana::cuda::threads_if(yupana::cuda::compiled_for >= 90,
                                                           TwoPassRadix64<Which>::threads),
                                  1)
    two_pass_radix64_kernel(const __grid_constant__ TwoPassRadix64Pass pass) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char tile_memory[];
  TwoPassRadix64<Which>::run(pass, tile_memory);
#endif
}
namespace {

template <Half Which>
void launch_two_pass_radix64(const TwoPassRadix64Pass& pass, cudaStream_t stream) {
  using K = TwoPassRadix64<Which>;
  // As many blocks as share the rounds evenly: 128 with eight tiles each disturb one another less
  // than 132, of which 32 have seven (190.2 us for 193.1).
  const std::int64_t rounds = divide_up(pass.tiles, multiprocessors());
  yupana::cuda::launch_dependent("transform columns of 4096",
                                 two_pass_radix64_kernel<Which>,
                                 {divide_up(pass.tiles, rounds), K::threads, K::shared_bytes},
                                 stream,
                                 pass);
}

}  // namespace

bool two_pass_radix64_supports(int log) {
  using K = TwoPassRadix64<Half::first>;
  return log == 24 && has_tensor_maps() &&
         yupana::cuda::is_compiled(
             two_pass_radix64_kernel<Half::first>, K::threads, K::shared_bytes);
}

void run_two_pass_radix64(const TwoPassRadix64Transform& transform,
                          const float2* in,
                          float2* out,
                          std::int64_t count,
                          bool inverse,
                          cudaStream_t stream) {
  TwoPassRadix64Pass pass;
  pass.roots = transform.roots;
  pass.inter_pass_twiddles = transform.inter_pass_twiddles;
  pass.tiles = count << TwoPassRadix64<Half::first>::log_tiles;
  pass.inverse = inverse;
  pass.scale = 1.0f / (1 << 24);
  pass.rows = matrix_of(in, 1 << 12, count << 12, {4, 256});
  pass.in = in;
  pass.out = transform.work;
  launch_two_pass_radix64<Half::first>(pass, stream);
  pass.in = transform.work;
  pass.out = out;
  launch_two_pass_radix64<Half::second>(pass, stream);
}

}  // namespace yupana::spectral::cuda
