#pragma once

#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/pass_cuda.cuh"

/// Private to the family: the kernel of run_single_pass().
/// A thread holds `values` of a signal, its neighbours the values next to them, so that reads and
/// writes are whole lines. Radices in turn, with an exchange through shared memory in between, by
/// Stockham's order (1966): results come out in their places.
namespace yupana::spectral::cuda {

template <class F>
struct Single {
  using Element = typename F::Element;
  static constexpr int size = 1;
  Element at[1];
};

/// Threads with 2^LogValues values each make signals of the product of the radices 2^LogRadix.
template <class F, int LogThreads, int BlockThreads, int LogValues, int... LogRadix>
struct RowShape {
  using Field = F;
  using Element = typename F::Element;
  static constexpr int values = 1 << LogValues;
  static constexpr int count = sizeof...(LogRadix);
  static constexpr int log[count] = {LogRadix...};
  static constexpr int log_length = (LogRadix + ...);
  static constexpr int length = 1 << log_length;
  static constexpr int lanes = length / values;  ///< threads a signal
  static constexpr int signals = lanes < (1 << LogThreads) ? (1 << LogThreads) / lanes : 1;
  static constexpr int threads = lanes * signals;
  static constexpr int blocks = BlockThreads / threads;  ///< a multiprocessor
  /// Lanes whose accesses to shared memory meet: those of 128 bytes.
  static constexpr int together = 128 / static_cast<int>(sizeof(Element));
  static constexpr bool side_by_side = false;
  static_assert(values <= length && threads <= 1024);
};

/// Stage I: value (a R + digit) rest + b of the exchange; unit a rest + b makes the transforms over
/// the digits. What it finds for digit k is value unit + k length/R of the next exchange.
template <class Shape, int I>
struct RowStage {
  static constexpr int log_radix = Shape::log[I];
  static constexpr int radix = 1 << log_radix;
  static constexpr int log_done = [] {
    int sum = 0;
    for (int i = 0; i < I; ++i) sum += Shape::log[i];
    return sum;
  }();
  static constexpr int log_rest = Shape::log_length - log_done - log_radix;
  static constexpr int rest = 1 << log_rest;
  static constexpr int groups = Shape::values / radix;  ///< units of a thread
  static constexpr int step = Shape::length / radix;
  static constexpr bool last = I + 1 == Shape::count;
  static_assert(radix <= Shape::values);

  // Lanes read runs of `rest` values, runs rest * radix apart: spaces of a run's length put them on
  // different banks. Lanes write neighbours, which spaces at multiples of `together` do not part.
  static constexpr bool spaced = rest < Shape::together;
  static constexpr int log_run = [] {
    int together = 0;
    while (1 << together < Shape::together) ++together;
    return log_rest + log_radix > together ? log_rest + log_radix : together;
  }();
  static __device__ __forceinline__ int place(int at) {
    return spaced ? at + ((at >> log_run) << log_rest) : at;
  }
  static constexpr int places =
      Shape::length + (spaced ? (Shape::length >> log_run) << log_rest : 0);
};

template <class Shape, int I = 1>
constexpr int row_places() {
  if constexpr (I < Shape::count) {
    constexpr int here = RowStage<Shape, I>::places, others = row_places<Shape, I + 1>();
    return here > others ? here : others;
  } else {
    return 0;
  }
}

template <class Shape>
struct RowKernel {
  using F = typename Shape::Field;
  using Element = typename F::Element;
  using Values = Single<F>[Shape::values];
  static constexpr int places = row_places<Shape>();
  static constexpr int bytes = Shape::signals * places * static_cast<int>(sizeof(Element));

  /// body(index of the register, unit, digit), registers before or after the stage's butterflies.
  template <int I, bool After, class Body>
  static __device__ __forceinline__ void for_each_value(int lane, const Body& body) {
    using Stage = RowStage<Shape, I>;
    for_constants<Shape::values>([&](auto index) {
      constexpr int group = index / Stage::radix, digit = index % Stage::radix;
      constexpr int at = After ? reversed(digit, Stage::log_radix) : digit;
      body(std::integral_constant<int, group * Stage::radix + at>{},
           lane + Shape::lanes * group,
           digit);
    });
  }

  // Signals of one warp need no barrier of the block.
  static __device__ __forceinline__ void barrier() {
    if constexpr (Shape::lanes <= 32 && !Shape::side_by_side) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// From stage I on. The thread is lane `lane` of the signal whose places are `mine`, and after
  /// the first exchange lane `next_lane` of the one whose places are `next`.
  template <int I>
  static __device__ __forceinline__ void stages(Values& x,
                                                int lane,
                                                Element* mine,
                                                int next_lane,
                                                Element* next,
                                                const Element* __restrict__ roots) {
    using Stage = RowStage<Shape, I>;
    for_constants<Stage::groups>(
        [&](auto group) { butterfly<F, Stage::radix, group * Stage::radix>(x); });
    if constexpr (!Stage::last) {
      using Next = RowStage<Shape, I + 1>;
      for_constants<Stage::groups>([&](auto group) {
        const int b = (lane + Shape::lanes * group) & (Stage::rest - 1);
        const Element root = __ldg(roots + (b << Stage::log_done));
        for_powers<F, Stage::radix, false>(root, root, [&](auto k, Element power) {
          Element& value = x[group * Stage::radix + reversed(k, Stage::log_radix)].at[0];
          value = F::multiply(value, power);
        });
      });
      if constexpr (I > 0) barrier();
      for_each_value<I, true>(lane, [&](auto index, int unit, int k) {
        mine[Next::place(unit + k * Stage::step)] = x[index].at[0];
      });
      barrier();
      for_each_value<I + 1, false>(next_lane, [&](auto index, int unit, int digit) {
        const int a = unit >> Next::log_rest, b = unit & (Next::rest - 1);
        x[index].at[0] =
            next[Next::place((((a << Next::log_radix) + digit) << Next::log_rest) + b)];
      });
      stages<I + 1>(x, next_lane, next, next_lane, next, roots);
    }
  }

  static __device__ __forceinline__ void run(const SinglePass<typename F::Scale>& pass,
                                             unsigned char* shared) {
    using First = RowStage<Shape, 0>;
    using Last = RowStage<Shape, Shape::count - 1>;
    const int lane = static_cast<int>(threadIdx.x) & (Shape::lanes - 1);
    const int signal = static_cast<int>(threadIdx.x) / Shape::lanes;
    const std::int64_t row = std::int64_t{blockIdx.x} * Shape::signals + signal;
    const bool in_range = row < pass.count;
    Values x;
    wait_for_earlier_kernels();
    const Element* const in = pass.in + row * Shape::length;
    for_each_value<0, false>(lane, [&](auto index, int unit, int digit) {
      x[index].at[0] = in_range ? in[unit + digit * First::step] : Element{};
    });
    if (pass.inverse) {
      for_constants<Shape::values>([&](auto i) { x[i].at[0] = F::encode(x[i].at[0]); });
    }
    Element* const mine = reinterpret_cast<Element*>(shared) + signal * places;
    stages<0>(x, lane, mine, lane, mine, pass.roots);
    if (pass.inverse) {
      for_constants<Shape::values>([&](auto i) { x[i].at[0] = F::decode(x[i].at[0], pass.scale); });
    }
    if (!in_range) return;
    Element* const out = pass.out + row * Shape::length;
    for_each_value<Shape::count - 1, true>(
        lane, [&](auto index, int unit, int k) { out[unit + k * Last::step] = x[index].at[0]; });
  }
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    row_kernel(const __grid_constant__ SinglePass<typename Shape::Field::Scale> pass) {
  extern __shared__ uint4 shared[];
  RowKernel<Shape>::run(pass, reinterpret_cast<unsigned char*>(shared));
}

template <class Shape>
void launch_single_pass(const SinglePass<typename Shape::Field::Scale>& pass, cudaStream_t stream) {
  yupana::cuda::launch_dependent(
      "transform signals",
      row_kernel<Shape>,
      {(pass.count + Shape::signals - 1) / Shape::signals, Shape::threads, RowKernel<Shape>::bytes},
      stream,
      pass);
}

}  // namespace yupana::spectral::cuda
