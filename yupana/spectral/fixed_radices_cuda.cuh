#pragma once

#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/block_cuda.cuh"
#include "yupana/spectral/codelets_cuda.cuh"
#include "yupana/spectral/pass_cuda.cuh"

/// Private to the family: signals one after the other, of a length whose radices the compiler
/// knows. The stages of mixed_cuda.cuh, with the same bits; a run-time radix takes half as many
/// instructions again, and these bound it where memory bounds this.
namespace yupana::spectral::cuda {

template <int... radices>
struct FixedRadices {
  static constexpr int count = sizeof...(radices);
  static constexpr int radix[] = {radices...};
  static constexpr int length = (radices * ...);
  static constexpr int most_units = std::max({length / radices...});
  /// Signals of a block.
  static constexpr int columns = std::max(1, 256 / most_units);
  static constexpr int threads = (columns * most_units + 31) / 32 * 32;

  static constexpr int done(int stage) {
    int product = 1;
    for (int i = 0; i < stage; ++i) product *= radix[i];
    return product;
  }
};

template <class F>
struct FixedLaunch {
  const typename F::Element* in;
  typename F::Element* out;
  const typename F::Element* roots;
  std::int64_t signals;
  bool encode, decode;
  typename F::Scale scale;
};

template <class F, class Shape>
class FixedBlock {
 public:
  using Element = typename F::Element;
  static constexpr int length = Shape::length;

  __device__ FixedBlock(const FixedLaunch<F>& launch, Element* shared)
      : launch_(launch),
        shared_(shared),
        column_(static_cast<int>(threadIdx.x) / Shape::most_units),
        unit_(static_cast<int>(threadIdx.x) % Shape::most_units),
        first_(std::int64_t{blockIdx.x} * Shape::columns),
        here_(static_cast<int>(min(launch.signals - first_, std::int64_t{Shape::columns}))) {}

  __device__ void run() {
    if constexpr (!reads_memory) {
      each_value([&](std::int64_t at, int i) { shared_[i] = launch_.in[at]; });
      __syncthreads();
    }
    stage<0>();
    if constexpr (!writes_memory) {
      each_value([&](std::int64_t at, int i) { launch_.out[at] = shared_[i]; });
    }
  }

 private:
  /// Whether the units of a stage are lanes enough to read or write memory by themselves.
  static constexpr bool is_wide(int stage) { return length / Shape::radix[stage] >= 32; }
  static constexpr bool reads_memory = is_wide(0), writes_memory = is_wide(Shape::count - 1);

  template <class Body>
  __device__ void each_value(const Body& body) {
    for (int i = static_cast<int>(threadIdx.x); i < here_ * length; i += Shape::threads) {
      body(first_ * length + i, i);
    }
  }

  /// In place: all have read before one writes.
  template <int s>
  __device__ __forceinline__ void stage() {
    constexpr int radix = Shape::radix[s], done = Shape::done(s), rest = length / (done * radix);
    constexpr int units = length / radix;
    constexpr bool is_last = s + 1 == Shape::count;
    constexpr bool reads = s == 0 && reads_memory, writes = is_last && writes_memory;
    const bool is_on = column_ < here_ && unit_ < units;
    const std::int64_t signal = (first_ + column_) * length;
    Element v[radix];
    if (is_on) {
      const int a = unit_ / rest, b = unit_ % rest;
      const Element* const from =
          (reads ? launch_.in + signal : shared_ + column_ * length) + a * radix * rest + b;
      for_constants<radix>([&](auto i) { v[i] = from[i * rest]; });
      if (s == 0 && launch_.encode) {
        for_constants<radix>([&](auto i) { v[i] = F::encode(v[i]); });
      }
      small_transform<F, radix>(v);
      if constexpr (!is_last) {
        const Element root = launch_.roots[b * done];
        for_powers<F, radix, false>(
            root, root, [&](auto k, Element power) { v[k] = F::multiply(v[k], power); });
      } else if (launch_.decode) {
        for_constants<radix>([&](auto k) { v[k] = F::decode(v[k], launch_.scale); });
      }
    }
    if constexpr (!reads && !writes) __syncthreads();
    if (is_on) {
      Element* const to = (writes ? launch_.out + signal : shared_ + column_ * length) + unit_;
      for_constants<radix>([&](auto k) { to[k * units] = v[k]; });
    }
    if constexpr (!writes) __syncthreads();
    if constexpr (!is_last) stage<s + 1>();
  }

  const FixedLaunch<F>& launch_;
  Element* shared_;
  int column_, unit_;
  std::int64_t first_;
  int here_;
};

template <class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, sizeof(typename F::Element) == 8 ? 4 : 2)
    fixed_kernel(const __grid_constant__ FixedLaunch<F> launch) {
  __shared__ typename F::Element shared[Shape::columns * Shape::length];
  wait_for_earlier_kernels();
  FixedBlock<F, Shape>(launch, shared).run();
}

/// run_mixed_pass() of signals one after the other; false: not of these.
template <class F>
bool run_fixed_pass(const Pass<F>& pass, int length, cudaStream_t stream) {
  const auto is_plain = [&](const Layout& layout) {
    return layout.stride == 1 && layout.s0 == length && layout.n0 >= pass.columns;
  };
  if (!is_plain(pass.from) || !is_plain(pass.to) || pass.twiddle != Twiddle::none) return false;
  const auto run = [&]<int... radices>(FixedRadices<radices...> shape) {
    using Shape = decltype(shape);
    if (Shape::length != length) return false;
    static_assert(has_fixed_radices(Shape::length));
    yupana::cuda::launch_dependent(
        "transform signals by fixed radices",
        fixed_kernel<F, Shape>,
        {(pass.columns - 1) / Shape::columns + 1, Shape::threads, 0},
        stream,
        FixedLaunch<F>{
            pass.in, pass.out, pass.roots, pass.columns, pass.encode, pass.decode, pass.scale});
    return true;
  };
  return run(FixedRadices<10, 6, 6>{}) || run(FixedRadices<10, 9, 8>{}) ||
         run(FixedRadices<10, 10, 10>{});
}

}  // namespace yupana::spectral::cuda
