#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/fft_single_pass_cuda.cuh"

namespace yupana::spectral::cuda {

/// A pass over columns of a power of two, several of them side by side a
/// block, by the stages of fft_single_pass_cuda.cuh. Memory after a column belongs to
/// its neighbour: threads side by side take columns where they lie side by side, and values where a
/// column is one run.

/// Columns of the product of the radices 2^LogRadix, 2^LogColumns of them a block, threads with
/// 2^LogValues values each.
template <class F, int LogColumns, int BlockThreads, int LogValues, int... LogRadix>
struct ColumnShape {
  using Field = F;
  using Element = typename F::Element;
  static constexpr int values = 1 << LogValues;
  static constexpr int count = sizeof...(LogRadix);
  static constexpr int log[count] = {LogRadix...};
  static constexpr int log_length = (LogRadix + ...);
  static constexpr int length = 1 << log_length;
  static constexpr int columns = 1 << LogColumns;
  static constexpr int lanes = length / values;  ///< threads a column
  static constexpr int threads = lanes * columns;
  static constexpr int blocks = BlockThreads / threads;  ///< a multiprocessor
  /// Lanes whose accesses to shared memory meet, 128 bytes of them, and those of one column.
  static constexpr int all_together = 128 / static_cast<int>(sizeof(Element));
  static constexpr bool side_by_side = true;
  static constexpr int together = all_together > columns ? all_together / columns : 1;
};

template <class Shape>
struct ColumnKernel {
  using F = typename Shape::Field;
  using Element = typename F::Element;
  using Rows = RowKernel<Shape>;
  using Values = typename Rows::Values;
  /// Columns begin `together` places apart, modulo what meets.
  static constexpr int pitch =
      (Rows::places + Shape::all_together - 1) / Shape::all_together * Shape::all_together +
      Shape::together;
  static constexpr int bytes = Shape::columns * pitch * static_cast<int>(sizeof(Element));

  static __device__ __forceinline__ void run(const Pass<F>& pass,
                                             bool across_in,
                                             unsigned char* shared) {
    using First = RowStage<Shape, 0>;
    using Last = RowStage<Shape, Shape::count - 1>;
    const int thread = static_cast<int>(threadIdx.x);
    const int column = thread & (Shape::columns - 1), lane = thread / Shape::columns;
    const int column_in = across_in ? column : thread / Shape::lanes;
    const int lane_in = across_in ? lane : thread & (Shape::lanes - 1);
    const std::int64_t begin = std::int64_t{blockIdx.x} * Shape::columns;
    Element* const values = reinterpret_cast<Element*>(shared);
    const ColumnPlace to = place_of(pass.to, begin + column);
    const Element* in = pass.in + place_of(pass.from, begin + column_in).offset;
    Values x;
    wait_for_earlier_kernels();
    in += lane_in * pass.from.stride;
    Rows::template for_each_value<0, false>(lane_in, [&](auto index, int, int digit) {
      constexpr int group = index / First::radix;
      x[index].at[0] = in[(Shape::lanes * group + digit * First::step) * pass.from.stride];
    });
    if (pass.encode) {
      for_constants<Shape::values>([&](auto i) { x[i].at[0] = F::encode(x[i].at[0]); });
    }
    Rows::template stages<0>(
        x, lane_in, values + column_in * pitch, lane, values + column * pitch, pass.roots);
    if (pass.twiddle == Twiddle::after) {
      const Element by_step = root_of<F>(pass.inter_pass_twiddles, Last::step * to.i0);
      for_constants<Last::groups>([&](auto group) {
        const Element first =
            root_of<F>(pass.inter_pass_twiddles, (lane + Shape::lanes * group) * to.i0);
        for_powers<F, Last::radix, true>(first, by_step, [&](auto k, Element power) {
          Element& value = x[group * Last::radix + reversed(k, Last::log_radix)].at[0];
          value = F::multiply(value, power);
        });
      });
    }
    if (pass.decode) {
      for_constants<Shape::values>([&](auto i) { x[i].at[0] = F::decode(x[i].at[0], pass.scale); });
    }
    Element* const out = pass.out + to.offset + lane * pass.to.stride;
    Rows::template for_each_value<Shape::count - 1, true>(lane, [&](auto index, int, int k) {
      constexpr int group = index / Last::radix;
      out[(Shape::lanes * group + k * Last::step) * pass.to.stride] = x[index].at[0];
    });
  }
};

template <class F>
struct ColumnLaunch {
  Pass<F> pass;
  bool across_in;
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    column_kernel(const __grid_constant__ ColumnLaunch<typename Shape::Field> launch) {
  extern __shared__ uint4 shared[];
  ColumnKernel<Shape>::run(launch.pass, launch.across_in, reinterpret_cast<unsigned char*>(shared));
}

template <class Shape>
void launch_strided_pass(const Pass<typename Shape::Field>& pass, cudaStream_t stream) {
  static_assert(ColumnKernel<Shape>::bytes <= yupana::cuda::shared_bytes_everywhere);
  yupana::cuda::launch_dependent(
      "transform columns",
      column_kernel<Shape>,
      {pass.columns / Shape::columns, Shape::threads, ColumnKernel<Shape>::bytes},
      stream,
      ColumnLaunch<typename Shape::Field>{pass, pass.from.s0 == 1});
}
namespace {

template <int LogColumns, int LogValues, int... LogRadix>
using Floats = ColumnShape<ComplexField<float>, LogColumns, 1024, LogValues, LogRadix...>;
template <int LogColumns, int LogValues, int... LogRadix>
using Doubles = ColumnShape<ComplexField<double>,
                            LogColumns,
                            LogValues == 4 ? 512 : 768,
                            LogValues,
                            LogRadix...>;

}  // namespace

// Lines of 128 bytes, where that leaves four tiles for every multiprocessor, or where narrower ones
// measured no faster: shapes of one length have the same radices, so that both give the same bits.
template <>
void run_strided_pass(const Pass<ComplexField<float>>& pass,
                      int log_length,
                      int,
                      cudaStream_t stream) {
  const bool few = pass.columns >> 4 < 4 * multiprocessors();
  switch (log_length) {
    case 7:
      return launch_strided_pass<Floats<4, 4, 3, 4>>(pass, stream);
    case 8:
      if (few) return launch_strided_pass<Floats<3, 4, 4, 4>>(pass, stream);
      return launch_strided_pass<Floats<4, 4, 4, 4>>(pass, stream);
    case 9:
      // One tile a multiprocessor: 2^17 4.7 us, 2^18 7.4 (by eight columns 5.3 and 7.5).
      if (pass.columns >> 2 <= multiprocessors()) {
        return launch_strided_pass<Floats<2, 4, 3, 3, 3>>(pass, stream);
      }
      if (few) return launch_strided_pass<Floats<3, 3, 3, 3, 3>>(pass, stream);
      return launch_strided_pass<Floats<4, 4, 3, 3, 3>>(pass, stream);
    default:
      // The same lines: more threads with fewer values, where a block for each multiprocessor is
      // all there is (2^20: 13.3 us instead of 20.1; of four such signals 57 instead of 51).
      if (pass.columns >> 4 < multiprocessors()) {
        return launch_strided_pass<Floats<3, 3, 3, 2, 2, 3>>(pass, stream);
      }
      return launch_strided_pass<Floats<3, 4, 3, 2, 2, 3>>(pass, stream);
  }
}

template <>
void run_strided_pass(const Pass<ComplexField<double>>& pass,
                      int log_length,
                      int passes,
                      cudaStream_t stream) {
  const bool few = pass.columns >> 3 < 4 * multiprocessors();
  switch (log_length) {
    case 7:
      return launch_strided_pass<Doubles<3, 3, 3, 1, 3>>(pass, stream);
    case 8:
      return launch_strided_pass<Doubles<3, 4, 4, 4>>(pass, stream);
    case 9:
      if (passes > 2) return launch_strided_pass<Doubles<3, 4, 2, 3, 4>>(pass, stream);
      if (few) return launch_strided_pass<Doubles<3, 3, 3, 3, 3>>(pass, stream);
      return launch_strided_pass<Doubles<2, 3, 3, 3, 3>>(pass, stream);
    default:
      return launch_strided_pass<Doubles<2, 4, 3, 3, 4>>(pass, stream);
  }
}

}  // namespace yupana::spectral::cuda
