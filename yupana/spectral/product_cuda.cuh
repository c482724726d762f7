#pragma once

#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/product_cuda.hpp"

/// Private to the family: the kernel of multiply_rows(): rows of two factors, transformed,
/// multiplied value by value and transformed back.
namespace yupana::spectral::cuda {

template <class F>
struct ProductLaunch {
  PassLaunch<F> a, b;  ///< b says what comes in, a also what goes out
};

// The results of a transform lie over the threads as the input of the next one has to: stages_of().
// Each thread keeps its values of the first factor where it fetched its values of the second.
// Whole: rows are all of the product, coefficients come in and go out.
template <class Tile, bool Whole>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    product_kernel(const __grid_constant__ ProductLaunch<typename Tile::Field> launch) {
  using F = typename Tile::Field;
  using Kernel = PassKernel<Tile>;
  extern __shared__ uint4 shared[];
  auto* const kept =
      reinterpret_cast<Pack<F>*>(reinterpret_cast<unsigned char*>(shared) + Kernel::exchange_bytes);
  const auto encode = [&](typename Kernel::Values& values) {
    if constexpr (Whole) {
      Kernel::each_value(values, [](typename F::Element& value) { value = F::encode(value); });
    }
  };
  typename Kernel::Values x;
  wait_for_earlier_kernels();
  const std::int64_t tile = blockIdx.x;
  Kernel::fetch_tile(launch.b, tile, kept);
  Kernel::load(launch.a, tile, x);
  encode(x);
  constexpr int log_radix = Tile::last_log;
  static_assert(Tile::stages.log[0] == log_radix);
  // One copy of the transform's instructions, three times as many would not stay in their cache.
#pragma unroll 1
  for (int turn = 0; turn < 3; ++turn) {
    transform<Tile>(x, shared, launch.a.pass.roots);
    if (turn == 0) {
      wait_for_fetches();
      for_constants<Tile::packs>([&](auto i) {
        Pack<F>* const mine = kept + i * Tile::threads + threadIdx.x;
        const Pack<F> first = x[i];
        get(x[i], mine);
        put(mine, first);
      });
      encode(x);
    } else if (turn == 1) {
      for_constants<Tile::packs>([&](auto i) {
        Pack<F> other;
        get(other, kept + i * Tile::threads + threadIdx.x);
        for_constants<Pack<F>::size>(
            [&](auto v) { x[i].at[v] = F::multiply(x[i].at[v], other.at[v]); });
      });
      // From the order of results to that of input.
      for_constants<Tile::packs>([&](auto i) {
        constexpr int digit = i % Tile::last_radix;
        constexpr int other = i - digit + reversed(digit, log_radix);
        if constexpr (other > i) {
          const Pack<F> kept_here = x[i];
          x[i] = x[other];
          x[other] = kept_here;
        }
      });
    }
  }
  if constexpr (Whole) {
    Kernel::each_value(
        x, [&](typename F::Element& value) { value = F::decode(value, launch.a.pass.scale); });
  }
  Kernel::store(launch.a, tile, x);
}

template <class Tile, class F>
void launch_product(const Pass<F>& a, const Pass<F>& b, cudaStream_t stream) {
  using Kernel = PassKernel<Tile>;
  static_assert(Tile::log_length == long_row || Kernel::exchange_bytes + Kernel::fetch_bytes <=
                                                    yupana::cuda::shared_bytes_everywhere);
  const std::int64_t tiles = (a.columns + Tile::columns - 1) / Tile::columns;
  const auto launch = [&](const Pass<F>& pass) {
    return PassLaunch<F>{pass, tiles, false, false, false};
  };
  // Rows of the longest length are always all of the product.
  auto* kernel = product_kernel<Tile, true>;
  if constexpr (Tile::log_length < long_row) {
    if (!a.encode) kernel = product_kernel<Tile, false>;
  }
  yupana::cuda::launch_dependent(
      "multiply rows",
      kernel,
      {tiles, Tile::threads, Kernel::exchange_bytes + Kernel::fetch_bytes},
      stream,
      ProductLaunch<F>{launch(a), launch(b)});
}

template <class F>
void multiply_rows(const Pass<F>& a, const Pass<F>& b, int log_length, cudaStream_t stream) {
  switch (log_length) {
    case short_row:
      return launch_product<Tile<F, short_row, 0>>(a, b, stream);
    case row:
      return launch_product<Tile<F, row, 0>>(a, b, stream);
    default:
      return launch_product<Tile<F, long_row, 0>>(a, b, stream);
  }
}

}  // namespace yupana::spectral::cuda
