#pragma once

#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/codelets_cuda.cuh"
#include "yupana/spectral/fixed_radices_cuda.cuh"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Private to the family: the kernel of run_mixed_pass().
/// Lengths made of 2, 3, 5 and 7: Stockham stages of up to 16 values in registers, between two
/// buffers in shared memory; the radices are known at run time only. The first stage reads memory
/// and the last one writes it, each in the order in which memory lies. Powers of two have
/// pass_cuda.cuh and fft_single_pass_cuda.cuh.
namespace yupana::spectral::cuda {

inline constexpr int max_threads = 512;
// Of one buffer. Where columns lie side by side, wide lines count; otherwise blocks that hide each
// other's latency.
inline constexpr int across_bytes = 32 << 10, rows_bytes = 16 << 10;
inline constexpr int max_stages = 4;
// Two buffers, whose columns are at most a line longer than their values, and the roots.
static_assert(2 * (across_bytes + across_bytes / 4) + longest_mixed * 16 <=
              yupana::cuda::shared_bytes_everywhere);

/// i / divisor for i divisor < 2^32, as happens within a tile.
struct Divisor {
  std::uint32_t value = 1, inverse = 0;

  Divisor() = default;
  explicit Divisor(int by)
      : value(static_cast<std::uint32_t>(by)),
        inverse(by > 1 ? static_cast<std::uint32_t>((std::uint64_t{1} << 32) / value + 1) : 0) {}
  __device__ __forceinline__ int of(int i) const {
    return value == 1 ? i : static_cast<int>(__umulhi(static_cast<std::uint32_t>(i), inverse));
  }
};

/// Unit a rest + b transforms values (a radix + digit) rest + b; digit k of the result is value
/// unit + k units of the next stage.
struct MixedStage {
  int radix = 1;
  int done = 1;   ///< product of the radices before
  int rest = 1;   ///< of those after
  int units = 1;  ///< length / radix
  Divisor by_rest, by_units;
};

template <class F>
struct MixedLaunch {
  Pass<F> pass;
  int length;
  int count;
  MixedStage stages[max_stages];
  int log_columns;  ///< of a tile
  int pitch;        ///< of a column in a buffer
  int roots_at;     ///< where the length's roots begin, after both buffers
  std::int64_t tiles;
  bool across_in, across_out;  ///< neighbours in memory are columns, not values of one
  bool copy_in, copy_out;      ///< columns too short to be read or written by units
  Divisor by_length;
};

// Where threads read or write a column: value `at` of it, then every `apart`-th one.
template <class F>
struct InMemory {
  typename F::Element* values;
  std::int64_t stride;
  template <int Count, class Move>
  __device__ __forceinline__ void for_each_value(int at, int apart, const Move& move) const {
    typename F::Element* here = values + at * stride;
    const std::int64_t jump = apart * stride;
    for_constants<Count>([&](auto i) {
      move(i, *here);
      here += jump;
    });
  }
};
template <class F>
struct InBuffer {
  typename F::Element* shared;
  int begin;
  template <int Count, class Move>
  __device__ __forceinline__ void for_each_value(int at, int apart, const Move& move) const {
    typename F::Element* const here = shared + (begin + at);
    for_constants<Count>([&](auto i) { move(i, here[i * apart]); });
  }
};

/// A unit of work: which transform of which column.
struct Unit {
  int number;
  int column;
  std::int64_t global;  ///< column of the pass
};

template <class F, int Radix, bool First, bool Last, class Source, class Target>
__device__ __forceinline__ void transform_unit(const MixedLaunch<F>& launch,
                                               const MixedStage& stage,
                                               const Unit& unit,
                                               const Source& source,
                                               const Target& target,
                                               const typename F::Element* roots) {
  using Element = typename F::Element;
  const Pass<F>& pass = launch.pass;
  const int a = First ? 0 : stage.by_rest.of(unit.number), b = unit.number - a * stage.rest;
  Element v[Radix];
  source.template for_each_value<Radix>(
      a * Radix * stage.rest + b, stage.rest, [&](auto i, const Element& value) { v[i] = value; });
  if (First && pass.encode) {
    for_constants<Radix>([&](auto i) { v[i] = F::encode(v[i]); });
  }
  small_transform<F, Radix>(v);
  const auto multiply = [&](auto k, Element power) { v[k] = F::multiply(v[k], power); };
  if constexpr (!Last) {
    const Element root = roots[b * stage.done];
    for_powers<F, Radix, false>(root, root, multiply);
  } else {
    if (pass.twiddle == Twiddle::after) {
      const std::int64_t i0 = place_of(pass.to, unit.global).i0;
      for_powers<F, Radix, true>(root_of<F>(pass.inter_pass_twiddles, unit.number * i0),
                                 root_of<F>(pass.inter_pass_twiddles, stage.units * i0),
                                 multiply);
    }
    if (pass.decode) {
      for_constants<Radix>([&](auto i) { v[i] = F::decode(v[i], pass.scale); });
    }
  }
  target.template for_each_value<Radix>(
      unit.number, stage.units, [&](auto k, Element& value) { value = v[k]; });
}

template <class F, int Radix, bool First, bool Last>
__device__ __forceinline__ void transform_stage(const MixedLaunch<F>& launch,
                                                const MixedStage& stage,
                                                std::int64_t tile,
                                                typename F::Element* shared,
                                                int from,
                                                int to) {
  using Element = typename F::Element;
  const Pass<F>& pass = launch.pass;
  const bool across = First ? launch.across_in : launch.across_out;
  const int total = stage.units << launch.log_columns;
  const Element* const roots = shared + launch.roots_at;
  for (int work = static_cast<int>(threadIdx.x); work < total;
       work += static_cast<int>(blockDim.x)) {
    const int outer = across ? work >> launch.log_columns : stage.by_units.of(work);
    const int inner = across ? work & ((1 << launch.log_columns) - 1) : work - outer * stage.units;
    Unit unit{across ? outer : inner, across ? inner : outer, 0};
    unit.global = (tile << launch.log_columns) + unit.column;
    if (unit.global >= pass.columns) continue;
    const InBuffer<F> source{shared, from + unit.column * launch.pitch};
    const InBuffer<F> target{shared, to + unit.column * launch.pitch};
    const auto move = [&](const auto& from_here, const auto& to_there) {
      transform_unit<F, Radix, First, Last>(launch, stage, unit, from_here, to_there, roots);
    };
    const bool reads = First && !launch.copy_in, writes = Last && !launch.copy_out;
    if (!reads && !writes) {
      move(source, target);
      continue;
    }
    // Both where one stage is all: see run_mixed_pass().
    if constexpr (First || Last) {
      const InMemory<F> in{const_cast<Element*>(pass.in) + place_of(pass.from, unit.global).offset,
                           pass.from.stride};
      const InMemory<F> out{pass.out + place_of(pass.to, unit.global).offset, pass.to.stride};
      if constexpr (First && Last) {
        move(in, out);
      } else if constexpr (First) {
        move(in, target);
      } else {
        move(source, out);
      }
    }
  }
}

// Radices that occur at a place of the lengths up to longest_mixed, descending as radices_of() has
// them; powers of two from 16 on are not among the lengths. Code for others would take the driver
// as long again to compile.
template <bool First, bool Last>
constexpr bool occurs(int radix) {
  if (First && Last) return radix < 16;
  if (First) return radix >= 5;
  if (Last) return radix >= 3 && radix < 16;
  return radix >= 5 && radix <= 10;
}

template <class F, bool First, bool Last>
__device__ __forceinline__ void run_stage(const MixedLaunch<F>& launch,
                                          int index,
                                          std::int64_t tile,
                                          typename F::Element* shared,
                                          int from,
                                          int to) {
  const MixedStage& stage = launch.stages[index];
  switch (stage.radix) {
#define YUPANA_RADIX(r)                                                          \
  case r:                                                                        \
    if constexpr (occurs<First, Last>(r)) {                                      \
      transform_stage<F, r, First, Last>(launch, stage, tile, shared, from, to); \
    }                                                                            \
    return;
    YUPANA_RADIX(2)
    YUPANA_RADIX(3)
    YUPANA_RADIX(4)
    YUPANA_RADIX(5)
    YUPANA_RADIX(6)
    YUPANA_RADIX(7)
    YUPANA_RADIX(8)
    YUPANA_RADIX(9)
    YUPANA_RADIX(10)
    YUPANA_RADIX(12)
    YUPANA_RADIX(14)
    YUPANA_RADIX(15)
    YUPANA_RADIX(16)
#undef YUPANA_RADIX
    default:
      if constexpr (occurs<First, Last>(1)) {
        transform_stage<F, 1, First, Last>(launch, stage, tile, shared, from, to);
      }
  }
}

// The columns of a tile that lie one after the other in memory, as one run of values: body(where in
// memory, where in a buffer).
template <class F, class Body>
__device__ __forceinline__ void each_value(const MixedLaunch<F>& launch,
                                           std::int64_t tile,
                                           const Body& body) {
  const std::int64_t column = tile << launch.log_columns;
  const std::int64_t left = launch.pass.columns - column;
  const int here =
      left >> launch.log_columns > 0 ? 1 << launch.log_columns : static_cast<int>(left);
  for (int at = static_cast<int>(threadIdx.x); at < here * launch.length;
       at += static_cast<int>(blockDim.x)) {
    const int which = launch.by_length.of(at);
    body(column * launch.length + at, which * launch.pitch + at - which * launch.length);
  }
}

template <class F>
__global__ void __launch_bounds__(max_threads, sizeof(typename F::Element) == 8 ? 2 : 1)
    mixed_kernel(const __grid_constant__ MixedLaunch<F> launch) {
  using Element = typename F::Element;
  extern __shared__ uint4 shared[];
  auto* const values = reinterpret_cast<Element*>(shared);
  const int buffer = launch.pitch << launch.log_columns;
  for (int at = static_cast<int>(threadIdx.x); at < launch.length;
       at += static_cast<int>(blockDim.x)) {
    values[launch.roots_at + at] = launch.pass.roots[at];
  }
  wait_for_earlier_kernels();
  __syncthreads();
  const int last = launch.count - 1;
  for (std::int64_t tile = blockIdx.x; tile < launch.tiles; tile += gridDim.x) {
    int from = 0, to = buffer;
    if (launch.copy_in) {
      each_value(
          launch, tile, [&](std::int64_t at, int place) { values[place] = launch.pass.in[at]; });
      __syncthreads();
    }
    if (last == 0) {
      run_stage<F, true, true>(launch, 0, tile, values, from, to);
    } else {
      run_stage<F, true, false>(launch, 0, tile, values, from, to);
      __syncthreads();
      for (int index = 1; index < last; ++index) {
        from = buffer - from;
        to = buffer - to;
        run_stage<F, false, false>(launch, index, tile, values, from, to);
        __syncthreads();
      }
      from = buffer - from;
      to = buffer - to;
      run_stage<F, false, true>(launch, last, tile, values, from, to);
    }
    __syncthreads();
    if (launch.copy_out) {
      each_value(launch, tile, [&](std::int64_t at, int place) {
        launch.pass.out[at] = values[to + place];
      });
      __syncthreads();
    }
  }
}

template <class F>
void run_mixed_pass(const Pass<F>& pass, const Radices& radices, cudaStream_t stream) {
  if (run_fixed_pass(pass, radices.length, stream)) return;
  constexpr int size = static_cast<int>(sizeof(typename F::Element));
  constexpr int together = 128 / size;  // lanes whose accesses to shared memory meet
  MixedLaunch<F> launch{};
  launch.pass = pass;
  launch.length = radices.length;
  launch.by_length = Divisor(radices.length);
  launch.count = radices.count;
  launch.across_in = pass.from.s0 == 1 && pass.from.stride > 1;
  launch.across_out = pass.to.s0 == 1 && pass.to.stride > 1;
  const bool across = launch.across_in || launch.across_out;
  // Tiles of at least a sector where columns lie side by side; otherwise as wide as leaves every
  // multiprocessor two of them.
  const int sector = across ? 32 / size : 1;
  int& log = launch.log_columns;
  const int max_bytes = across ? across_bytes : rows_bytes;
  while (log < 8 && radices.length * size << (log + 1) <= max_bytes &&
         (1 << log < sector || pass.columns >> (log + 1) >= 2 * multiprocessors())) {
    ++log;
  }
  launch.tiles = ((pass.columns - 1) >> log) + 1;
  // Columns begin on different banks.
  const int apart = together >> log > 1 ? together >> log : 1;
  launch.pitch = radices.length;
  while (launch.pitch % together != apart % together) ++launch.pitch;
  launch.roots_at = 2 * (launch.pitch << log);
  int most = 1;
  for (int i = 0, done = 1; i < radices.count; ++i) {
    MixedStage& stage = launch.stages[i];
    stage.radix = radices.radix[static_cast<std::size_t>(i)];
    stage.done = done;
    stage.units = radices.length / stage.radix;
    done *= stage.radix;
    stage.rest = radices.length / done;
    stage.by_rest = Divisor(stage.rest);
    stage.by_units = Divisor(stage.units);
    most = std::max(most, stage.units << log);
  }
  const auto short_run = [&](const Layout& layout, int units) {
    return layout.stride == 1 && layout.s0 == radices.length && layout.n1 == 1 && units < 32;
  };
  launch.copy_in = short_run(pass.from, launch.stages[0].units);
  launch.copy_out = short_run(pass.to, launch.stages[radices.count - 1].units);
  if (radices.count == 1) launch.copy_in = launch.copy_out = launch.copy_in && launch.copy_out;
  const int rounds = (most + max_threads - 1) / max_threads;
  const int threads = ((most + rounds - 1) / rounds + 31) / 32 * 32;
  const int room = multiprocessors() * std::max(1, 1024 / threads) * 2;
  yupana::cuda::launch_dependent("transform columns by mixed radices",
                                 mixed_kernel<F>,
                                 {launch.tiles < room ? launch.tiles : room,
                                  threads,
                                  (launch.roots_at + radices.length) * size},
                                 stream,
                                 launch);
}

}  // namespace yupana::spectral::cuda
