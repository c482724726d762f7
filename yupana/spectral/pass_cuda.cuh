#pragma once
// Over 400 lines: one pass over memory, its tiles, roots and exchanges, which are one template.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/block_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Over 400 lines: a kernel and its launch, which must agree on its shared memory.
/// Private to the family: the kernel of a pass over columns of a power of two, and its launch.
/// Blocks stay and take tile after tile; while one is transformed in registers the next one arrives
/// in shared memory, each thread fetching what it will itself read.
namespace yupana::spectral::cuda {

struct ColumnPlace {
  std::int64_t offset;
  std::int64_t i0;
};

__device__ __forceinline__ ColumnPlace place_of(const Layout& layout, std::int64_t column) {
  if (column < layout.n0) return {column * layout.s0, column};
  std::int64_t i0, i1, i2;
  if (column <= UINT32_MAX) {  // 64-bit divisions take several times as long
    const auto c = static_cast<std::uint32_t>(column);
    const auto n0 = static_cast<std::uint32_t>(layout.n0);
    const std::uint32_t rest = c / n0;
    i0 = c - rest * n0;
    i2 = layout.n1 > rest ? 0 : rest / static_cast<std::uint32_t>(layout.n1);
    i1 = rest - i2 * layout.n1;
  } else {
    const std::int64_t rest = column / layout.n0;
    i0 = column - rest * layout.n0;
    i2 = rest / layout.n1;
    i1 = rest - i2 * layout.n1;
  }
  return {i0 * layout.s0 + i1 * layout.s1 + i2 * layout.s2, i0};
}

template <class F>
__device__ __forceinline__ typename F::Element root_of(const RootPair<typename F::Element>& roots,
                                                       std::int64_t exponent) {
  return F::multiply(__ldg(roots.high + (exponent >> roots.shift)),
                     __ldg(roots.low + (exponent & ((std::int64_t{1} << roots.shift) - 1))));
}

/// After this call the preceding kernels of the stream have completed.
__device__ __forceinline__ void wait_for_earlier_kernels() {
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
}

template <int Bytes>
__device__ __forceinline__ void fetch(void* to, const void* from, int valid) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address),
                 "l"(from),
                 "r"(valid)
                 : "memory");
  } else {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(valid)
        : "memory");
  }
}
__device__ __forceinline__ void wait_for_fetches() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// How a kernel goes about a pass.
template <class F>
struct PassLaunch {
  Pass<F> pass;
  std::int64_t tiles;
  bool vector_in;  ///< packs are 16 bytes in a row, aligned
  bool vector_out;
  bool rows_in;  ///< columns lie one after the other in memory, aligned to 16 bytes
};

template <class Tile>
struct PassKernel {
  using F = typename Tile::Field;
  using Element = typename F::Element;
  using Values = Pack<F>[Tile::packs];
  static constexpr int size = Pack<F>::size;
  static constexpr int first_step = Tile::length / Tile::first_radix;
  static constexpr int last_step = Tile::length / Tile::last_radix;
  static constexpr int exchange_bytes = (Tile::places * 8 + 15) / 16 * 16;
  /// Columns fetched as they lie, this many elements apart: reads by pack meet different banks.
  static constexpr int pad = 8 / Tile::width > size ? 8 / Tile::width : size;
  static constexpr int pitch = Tile::length + pad;
  static constexpr int fetch_bytes = Tile::columns * pitch * static_cast<int>(sizeof(Element));

  static __device__ __forceinline__ std::int64_t column_of(std::int64_t tile) {
    return (tile * Tile::width + (threadIdx.x & (Tile::width - 1))) * size;
  }

  template <class Body>
  static __device__ __forceinline__ void each_value(Values& x, const Body& body) {
    for_constants<Tile::packs * size>([&](auto i) { body(x[i / size].at[i % size]); });
  }

  // Calls move(index, v, address, elements in range) for each piece of this thread's input.
  template <class Move>
  static __device__ __forceinline__ void each_input(const PassLaunch<F>& launch,
                                                    std::int64_t tile,
                                                    const Move& move) {
    const Pass<F>& pass = launch.pass;
    const std::int64_t column = column_of(tile);
    const std::int64_t stride = pass.from.stride;
    const int pieces = launch.vector_in ? 1 : size;
    const int length = launch.vector_in ? size : 1;
#pragma unroll
    for (int v = 0; v < size; ++v) {
      if (v >= pieces) break;
      const bool in_range = column + v < pass.columns;
      const std::int64_t base = in_range ? place_of(pass.from, column + v).offset : 0;
      for_slots<Tile, false>([&](auto index, Slot slot) {
        const std::int64_t at = base + (slot.row + std::int64_t{slot.digit} * first_step) * stride;
        std::int64_t count = in_range ? length : 0;
        if constexpr (F::powers_from_table) {
          count = in_range ? min(std::int64_t{length}, max(std::int64_t{0}, pass.limit - at)) : 0;
        }
        move(index, v, count > 0 ? pass.in + at : pass.in, static_cast<int>(count));
      });
    }
  }

  static __device__ __forceinline__ void load(const PassLaunch<F>& launch,
                                              std::int64_t tile,
                                              Values& x) {
    if (launch.vector_in) {
      each_input(launch, tile, [&](auto index, int, const Element* from, int count) {
        if (count == size) {
          get(x[index], from);
        } else {
#pragma unroll
          for (int v = 0; v < size; ++v) x[index].at[v] = v < count ? from[v] : Element{};
        }
      });
    } else {
      each_input(launch, tile, [&](auto index, int v, const Element* from, int count) {
        x[index].at[v] = count > 0 ? *from : Element{};
      });
    }
  }

  static __device__ __forceinline__ void fetch_tile(const PassLaunch<F>& launch,
                                                    std::int64_t tile,
                                                    Pack<F>* fetched) {
    constexpr int bytes = static_cast<int>(sizeof(Element));
    const auto place = [&](int index) { return fetched + index * Tile::threads + threadIdx.x; };
    if (launch.vector_in) {
      each_input(launch, tile, [&](auto index, int, const Element* from, int count) {
        fetch<16>(place(index), from, count * bytes);
      });
    } else {
      each_input(launch, tile, [&](auto index, int v, const Element* from, int count) {
        fetch<bytes>(&place(index)->at[v], from, count * bytes);
      });
    }
  }

  // Neighbouring threads fetch neighbouring 16 bytes of a column; all threads read them.
  static __device__ __forceinline__ void fetch_rows(const PassLaunch<F>& launch,
                                                    std::int64_t tile,
                                                    Element* fetched) {
    constexpr int log_pieces = Tile::log_length - (size == 2 ? 1 : 0);
    const Pass<F>& pass = launch.pass;
    for_constants<Tile::packs>([&](auto i) {
      const int piece = static_cast<int>(threadIdx.x) + i * Tile::threads;
      const int row = piece >> log_pieces, at = (piece & ((1 << log_pieces) - 1)) * size;
      const std::int64_t column = tile * Tile::columns + row;
      const bool in_range = column < pass.columns;
      fetch<16>(fetched + row * pitch + at,
                in_range ? pass.in + place_of(pass.from, column).offset + at : pass.in,
                in_range ? 16 : 0);
    });
  }

  static __device__ __forceinline__ void read_rows(const Element* fetched, Values& x) {
    wait_for_fetches();
    __syncthreads();
    const int column = (static_cast<int>(threadIdx.x) & (Tile::width - 1)) * size;
    for_slots<Tile, false>([&](auto index, Slot slot) {
      for_constants<size>([&](auto v) {
        x[index].at[v] = fetched[(column + v) * pitch + slot.row + slot.digit * first_step];
      });
    });
    __syncthreads();
  }

  // Every value times root^(+-k i0); k is the value's row before or after the transform.
  template <bool After>
  static __device__ __forceinline__ void twiddle_columns(const Pass<F>& pass,
                                                         std::int64_t tile,
                                                         Values& x) {
    constexpr int radix = After ? Tile::last_radix : Tile::first_radix;
    constexpr int log_radix = After ? Tile::last_log : Tile::stages.log[0];
    constexpr int step = Tile::length / radix;
    const std::int64_t column = column_of(tile);
#pragma unroll
    for (int v = 0; v < size; ++v) {
      if (column + v >= pass.columns) break;
      const std::int64_t i0 = place_of(After ? pass.to : pass.from, column + v).i0;
      const auto power = [&](std::int64_t k) {
        const std::int64_t e = k * i0;
        return root_of<F>(pass.inter_pass_twiddles,
                          After || e == 0 ? e : pass.inter_pass_twiddles.order - e);
      };
      const Element by_step = power(step);
      for_constants<Tile::packs / radix>([&](auto group) {
        const int unit = static_cast<int>(threadIdx.x) + Tile::threads * group;
        for_powers<F, radix, true>(
            power(unit >> Tile::log_width), by_step, [&](auto k, Element factor) {
              constexpr int at = group * radix + (After ? reversed(k, log_radix) : k);
              Element& value = x[at].at[v];
              value = F::multiply(value, factor);
            });
      });
    }
  }

  static __device__ __forceinline__ void store(const PassLaunch<F>& launch,
                                               std::int64_t tile,
                                               const Values& x) {
    const Pass<F>& pass = launch.pass;
    const std::int64_t column = column_of(tile);
    const std::int64_t stride = pass.to.stride;
    const int pieces = launch.vector_out ? 1 : size;
#pragma unroll
    for (int v = 0; v < size; ++v) {
      if (v >= pieces || column + v >= pass.columns) break;
      const std::int64_t offset = place_of(pass.to, column + v).offset;
      for_slots<Tile, true>([&](auto index, Slot slot) {
        int row = slot.row + slot.digit * last_step;
        if (pass.reverse) row = (Tile::length - row) & (Tile::length - 1);
        const std::int64_t at = offset + row * stride;
        Element* const to = pass.out + at;
        if constexpr (F::powers_from_table) {
          if (at + (launch.vector_out ? size : 1) > pass.out_limit) {
            // Of a pack across the end the first ones.
            if (launch.vector_out && at < pass.out_limit) *to = x[index].at[0];
            return;
          }
        }
        if (launch.vector_out) {
          put(to, x[index]);
        } else {
          *to = x[index].at[v];
        }
      });
    }
  }

  static __device__ __forceinline__ void run(const PassLaunch<F>& launch, unsigned char* shared) {
    const Pass<F>& pass = launch.pass;
    auto* const fetched = reinterpret_cast<Pack<F>*>(shared + exchange_bytes);
    Values x;
    wait_for_earlier_kernels();
    std::int64_t tile = blockIdx.x;
    auto* const rows = reinterpret_cast<Element*>(fetched);
    // Exact products have no such columns; but without the branch the compiler spills for them.
    if (launch.rows_in) {
      fetch_rows(launch, tile, rows);
      read_rows(rows, x);
    } else {
      load(launch, tile, x);
    }
    while (true) {
      const std::int64_t next = tile + gridDim.x;
      if (next < launch.tiles) {
        if (launch.rows_in) {
          fetch_rows(launch, next, rows);
        } else {
          fetch_tile(launch, next, fetched);
        }
      }
      if (pass.encode) {
        each_value(x, [&](Element& value) { value = F::encode(value); });
      }
      if constexpr (F::powers_from_table) {
        if (pass.twiddle == Twiddle::before) twiddle_columns<false>(pass, tile, x);
      }
      transform<Tile>(x, shared, pass.roots);
      if (pass.twiddle == Twiddle::after) twiddle_columns<true>(pass, tile, x);
      if (pass.decode) {
        each_value(x, [&](Element& value) { value = F::decode(value, pass.scale); });
      }
      store(launch, tile, x);
      if (next >= launch.tiles) return;
      if (launch.rows_in) {
        read_rows(rows, x);
      } else {
        wait_for_fetches();
        for_constants<Tile::packs>(
            [&](auto i) { get(x[i], fetched + i * Tile::threads + threadIdx.x); });
      }
      tile = next;
    }
  }
};

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    pass_kernel(const __grid_constant__ PassLaunch<typename Tile::Field> launch) {
  extern __shared__ uint4 shared[];
  PassKernel<Tile>::run(launch, reinterpret_cast<unsigned char*>(shared));
}

inline std::int64_t multiprocessors() { return yupana::cuda::device_facts().multiprocessors; }

/// Columns begin at multiples of 16 bytes.
template <class F>
bool starts_packs(const void* data, const Layout& layout) {
  constexpr int size = Pack<F>::size;
  return layout.s0 % size == 0 && layout.s1 % size == 0 && layout.s2 % size == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// Neighbouring columns are neighbours in memory, whole packs of them.
template <class F>
bool takes_packs(const void* data, const Layout& layout) {
  constexpr int size = Pack<F>::size;
  return size == 1 || (layout.s0 == 1 && layout.n0 % size == 0 && layout.s1 % size == 0 &&
                       layout.s2 % size == 0 && layout.stride % size == 0 &&
                       reinterpret_cast<std::uintptr_t>(data) % 16 == 0);
}

template <class Tile>
void launch_pass(const Pass<typename Tile::Field>& pass, cudaStream_t stream) {
  using F = typename Tile::Field;
  using Kernel = PassKernel<Tile>;
  const std::int64_t tiles = (pass.columns + Tile::columns - 1) / Tile::columns;
  // Where a tile and what is fetched do not fit together, each block has one tile and reads it
  // itself.
  const bool fetches =
      Kernel::exchange_bytes + Kernel::fetch_bytes <= yupana::cuda::device_facts().max_shared_bytes;
  const std::int64_t room = fetches ? multiprocessors() * Tile::blocks : tiles;
  PassLaunch<F> launch{
      pass, tiles, takes_packs<F>(pass.in, pass.from), takes_packs<F>(pass.out, pass.to), false};
  launch.rows_in = !F::powers_from_table && fetches && pass.from.stride == 1 && pass.from.s0 != 1 &&
                   starts_packs<F>(pass.in, pass.from);
  static_assert(Kernel::exchange_bytes <= yupana::cuda::shared_bytes_everywhere);
  const int shared =
      Kernel::exchange_bytes + (launch.rows_in || tiles > room ? Kernel::fetch_bytes : 0);
  yupana::cuda::launch_dependent("transform columns",
                                 pass_kernel<Tile>,
                                 {tiles < room ? tiles : room, Tile::threads, shared},
                                 stream,
                                 launch);
}

/// Packs of columns in a tile: rows of 128 bytes where that leaves enough tiles for every
/// multiprocessor, and where columns lie across memory.
template <class F, int LogLength, int LogWidth, int LogNarrow = LogWidth>
void launch_widths(const Pass<F>& pass, cudaStream_t stream) {
  // Columns of an exact product are so many that no tile is narrow.
  if constexpr (LogNarrow < LogWidth && !F::powers_from_table) {
    const bool rows = pass.from.stride == 1 && pass.to.stride == 1;
    if (rows || pass.columns / Pack<F>::size >> LogWidth < 128) {
      return launch_pass<Tile<F, LogLength, LogNarrow>>(pass, stream);
    }
  }
  launch_pass<Tile<F, LogLength, LogWidth>>(pass, stream);
}

template <class F>
void run_pass(const Pass<F>& pass, int log_length, cudaStream_t stream) {
  switch (log_length) {
    case 4:
      return launch_widths<F, 4, 6>(pass, stream);
    case 5:
      return launch_widths<F, 5, 4>(pass, stream);
    case 6:
      return launch_widths<F, 6, 3>(pass, stream);
    case 7:
      return launch_widths<F, 7, 3>(pass, stream);
    case 8:
      return launch_widths<F, 8, 3, 1>(pass, stream);
    case 9:
      return launch_widths<F, 9, 3, 1>(pass, stream);
    case 10:
      return launch_widths<F, 10, 2, 1>(pass, stream);
    case 11:
      return launch_widths<F, 11, 1>(pass, stream);
    default:
      if constexpr (longest_pass_of < F >> 11) launch_widths<F, 12, 1>(pass, stream);
  }
}

}  // namespace yupana::spectral::cuda
