#include "yupana/spectral/pass_cuda.cuh"

// Lengths made of 2, 3, 5 and 7: Stockham stages between two buffers in shared memory, the radices
// known at run time only. The plain way; powers of two have pass_cuda.cuh.
namespace yupana::spectral::cuda {
namespace {

constexpr int mixed_threads = 256;
constexpr int mixed_bytes = 32 << 10;  ///< of one buffer: three blocks a multiprocessor

template <class F>
struct MixedLaunch {
  Pass<F> pass;
  Radices radices;
  int log_columns;  ///< of a tile
  std::int64_t tiles;
};

template <class F>
struct Single {
  static constexpr int size = 1;
  typename F::Element at[1];
};

// v[q] becomes sum over j of v[j] e^(-2 pi i j q / Radix).
template <class F, int Radix>
__device__ __forceinline__ void small_transform(Single<F> (&v)[Radix],
                                                const typename F::Element* roots,
                                                int length) {
  if constexpr ((Radix & (Radix - 1)) == 0) {
    constexpr int bits = Radix == 2 ? 1 : Radix == 4 ? 2 : 3;
    butterfly<F, Radix, 0>(v);
    Single<F> sorted[Radix];
#pragma unroll
    for (int q = 0; q < Radix; ++q) sorted[q] = v[reversed(q, bits)];
#pragma unroll
    for (int q = 0; q < Radix; ++q) v[q] = sorted[q];
  } else {
    typename F::Element root[Radix], sum[Radix];
#pragma unroll
    for (int q = 0; q < Radix; ++q) root[q] = __ldg(roots + q * (length / Radix));
#pragma unroll
    for (int q = 0; q < Radix; ++q) {
      sum[q] = v[0].at[0];
#pragma unroll
      for (int j = 1; j < Radix; ++j) {
        sum[q] = F::add(sum[q], F::multiply(v[j].at[0], root[j * q % Radix]));
      }
    }
#pragma unroll
    for (int q = 0; q < Radix; ++q) v[q].at[0] = sum[q];
  }
}

// One stage: `done` values of the transform are in place, groups of done * Radix after it.
template <class F, int Radix>
__device__ void stage(const typename F::Element* from,
                      typename F::Element* to,
                      int length,
                      int done,
                      int log_columns,
                      const typename F::Element* roots) {
  const int count = length / Radix, apart = length / (done * Radix);
  for (int unit = static_cast<int>(threadIdx.x); unit < count << log_columns;
       unit += mixed_threads) {
    const int j = unit >> log_columns, column = unit & ((1 << log_columns) - 1);
    const int k = j % done;
    Single<F> v[Radix];
#pragma unroll
    for (int i = 0; i < Radix; ++i) {
      v[i].at[0] = from[((j + i * count) << log_columns) | column];
      if (i > 0) v[i].at[0] = F::multiply(v[i].at[0], __ldg(roots + i * k * apart));
    }
    small_transform<F, Radix>(v, roots, length);
    const int first = (j - k) * Radix + k;
#pragma unroll
    for (int i = 0; i < Radix; ++i) {
      to[((first + i * done) << log_columns) | column] = v[i].at[0];
    }
  }
}

// body(row, column of the tile, the same of all columns) for the values of a tile, neighbours in
// memory by neighbouring threads.
template <class Body>
__device__ __forceinline__ void each_value(const Layout& layout,
                                           int length,
                                           int log_columns,
                                           std::int64_t tile,
                                           std::int64_t columns,
                                           const Body& body) {
  const bool across = layout.s0 == 1;
  for (int unit = static_cast<int>(threadIdx.x); unit < length << log_columns;
       unit += mixed_threads) {
    const int row = across ? unit >> log_columns : unit % length;
    const int column = across ? unit & ((1 << log_columns) - 1) : unit / length;
    const std::int64_t global = (tile << log_columns) + column;
    if (global < columns) body(row, (row << log_columns) | column, place_of(layout, global));
  }
}

template <class F>
__global__ void __launch_bounds__(mixed_threads)
    mixed_kernel(const __grid_constant__ MixedLaunch<F> launch) {
  using Element = typename F::Element;
  extern __shared__ uint4 shared[];
  const Pass<F>& pass = launch.pass;
  const int length = launch.radices.length, log_columns = launch.log_columns;
  auto* from = reinterpret_cast<Element*>(shared);
  Element* to = from + (length << log_columns);
  wait_for_earlier_kernels();
  for (std::int64_t tile = blockIdx.x; tile < launch.tiles; tile += gridDim.x) {
    each_value(pass.from,
               length,
               log_columns,
               tile,
               pass.columns,
               [&](int row, int at, ColumnPlace place) {
                 const Element value = pass.in[place.offset + row * pass.from.stride];
                 from[at] = pass.enter ? F::enter(value) : value;
               });
    int done = 1;
    for (int i = 0; i < launch.radices.count; ++i) {
      const int radix = launch.radices.radix[static_cast<std::size_t>(i)];
      __syncthreads();
      switch (radix) {
        case 2:
          stage<F, 2>(from, to, length, done, log_columns, pass.roots);
          break;
        case 3:
          stage<F, 3>(from, to, length, done, log_columns, pass.roots);
          break;
        case 4:
          stage<F, 4>(from, to, length, done, log_columns, pass.roots);
          break;
        case 5:
          stage<F, 5>(from, to, length, done, log_columns, pass.roots);
          break;
        case 7:
          stage<F, 7>(from, to, length, done, log_columns, pass.roots);
          break;
        default:
          stage<F, 8>(from, to, length, done, log_columns, pass.roots);
          break;
      }
      done *= radix;
      Element* const other = from;
      from = to;
      to = other;
    }
    __syncthreads();
    each_value(
        pass.to, length, log_columns, tile, pass.columns, [&](int row, int at, ColumnPlace place) {
          Element value = from[at];
          if (pass.twiddle == Twiddle::after) {
            value = F::multiply(value, root_of<F>(pass.between, row * place.i0));
          }
          pass.out[place.offset + row * pass.to.stride] =
              pass.leave ? F::leave(value, pass.scale) : value;
        });
    __syncthreads();
  }
}

template <class F>
void launch_mixed(const Pass<F>& pass, const Radices& radices, cudaStream_t stream) {
  const int column_bytes = radices.length * static_cast<int>(sizeof(typename F::Element));
  int log_columns = 0;
  while (log_columns < 8 && column_bytes << (log_columns + 1) <= mixed_bytes &&
         pass.columns >> (log_columns + 1) >= 2 * multiprocessors()) {
    ++log_columns;
  }
  const std::int64_t tiles = ((pass.columns - 1) >> log_columns) + 1;
  const std::int64_t room = 6 * multiprocessors();
  launch_behind(mixed_kernel<F>,
                static_cast<unsigned>(tiles < room ? tiles : room),
                mixed_threads,
                2 * (column_bytes << log_columns),
                stream,
                MixedLaunch<F>{pass, radices, log_columns, tiles},
                "transform columns by mixed radices");
}

}  // namespace

template <>
void run_mixed_pass(const Pass<ComplexField<float>>& pass,
                    const Radices& radices,
                    cudaStream_t stream) {
  launch_mixed(pass, radices, stream);
}
template <>
void run_mixed_pass(const Pass<ComplexField<double>>& pass,
                    const Radices& radices,
                    cudaStream_t stream) {
  launch_mixed(pass, radices, stream);
}

}  // namespace yupana::spectral::cuda
