#include <algorithm>
#include <cmath>
#include <type_traits>

#include "python/bindings/device_fermat.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::python::device {
namespace {

using graph::unreachable;
using yupana::cuda::check;
using yupana::cuda::check_launch;

constexpr int edge = 32, rows_at_once = 8;
constexpr int threads = 256;

unsigned blocks_for(std::int64_t cells) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(divide_up(cells, threads), 1, 4096));
}

/// Doubles of 0 and more are in the order of their bits.
__device__ void most(double* to, double x) {
  atomicMax(reinterpret_cast<unsigned long long*>(to),
            static_cast<unsigned long long>(__double_as_longlong(x)));
}
__device__ void fewest(double* to, double x) {
  atomicMin(reinterpret_cast<unsigned long long*>(to),
            static_cast<unsigned long long>(__double_as_longlong(x)));
}

/// What a thread has seen.
struct Seen {
  double largest = 0, least = 1.7976931348623157e308;
  unsigned fractional = 0, unreachable = 0;
};

template <class T>
__device__ void check_cell(
    T x, T back, unsigned long long at, DistancesSummary* summary, Seen& seen) {
  if constexpr (std::is_integral_v<T>) {
    if (x >= unreachable<T>) atomicMin(&summary->too_large, at);
  } else {
    if (x != x) atomicMin(&summary->not_a_number, at);
    if (x == unreachable<T>) {
      seen.unreachable = 1;
    } else if (x < T{0x1p30} && rint(static_cast<double>(x)) != static_cast<double>(x)) {
      seen.fractional = 1;
    }
  }
  if (x < 0) atomicMin(&summary->negative, at);
  if (x != back) atomicMin(&summary->asymmetric, at);
  const auto value = static_cast<double>(x);
  if (x != unreachable<T> && value > seen.largest) seen.largest = value;
  if (value > 0 && value < seen.least) seen.least = value;
}

/// A block compares a tile with the one across the diagonal.
template <class T>
__global__ void distances_kernel(const T* d, std::int64_t n, DistancesSummary* summary) {
  __shared__ T across[edge][edge + 1];
  const std::int64_t row = std::int64_t{blockIdx.y} * edge;
  const std::int64_t column = std::int64_t{blockIdx.x} * edge;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = column + k, j = row + threadIdx.x;
    if (i < n && j < n) across[k][threadIdx.x] = d[i * n + j];
  }
  __syncthreads();
  Seen seen;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = row + k, j = column + threadIdx.x;
    if (i >= n || j >= n) continue;
    const T x = d[i * n + j];
    if (i == j) {
      if (!(x == 0)) atomicMin(&summary->diagonal, static_cast<unsigned long long>(i));
      continue;
    }
    check_cell(
        x, across[threadIdx.x][k], static_cast<unsigned long long>(i * n + j), summary, seen);
  }
  for (int step = 16; step > 0; step /= 2) {
    seen.largest = fmax(seen.largest, __shfl_xor_sync(~0u, seen.largest, step));
    seen.least = fmin(seen.least, __shfl_xor_sync(~0u, seen.least, step));
  }
  if (seen.fractional != 0) summary->fractional = 1;
  if (seen.unreachable != 0) summary->unreachable = 1;
  if (threadIdx.x != 0) return;
  if (seen.largest > summary->largest) most(&summary->largest, seen.largest);
  if (seen.least < summary->least) fewest(&summary->least, seen.least);
}

/// How a power is worked out: whole ones by products, so that whole numbers stay exact.
enum class Power { one, two, whole, any };

template <Power kind>
__device__ double power_of(double x, double power) {
  if constexpr (kind == Power::one) return x;
  if constexpr (kind == Power::two) return __dmul_rn(x, x);
  if constexpr (kind == Power::whole) {
    double result = 1;
    for (auto left = static_cast<int>(power); left > 0; left /= 2) {
      if (left % 2 != 0) result = __dmul_rn(result, x);
      x = __dmul_rn(x, x);
    }
    return result;
  }
  return pow(x, power);
}

template <Power kind, class To, class From>
__global__ void power_kernel(
    const From* distances, std::int64_t cells, double power, double inverse_scale, To* weights) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < cells;
       i += std::int64_t{gridDim.x} * threads) {
    const From x = distances[i];
    if (x == unreachable<From>) {
      weights[i] = unreachable<To>;
    } else if (x == 0) {
      weights[i] = 0;  // also where it is -0.0
    } else {
      weights[i] =
          static_cast<To>(power_of<kind>(__dmul_rn(static_cast<double>(x), inverse_scale), power));
    }
  }
}

/// A block counts a row left of the diagonal. A closure joins every vertex but the first of a set
/// to an earlier one.
template <class T>
__global__ void reach_kernel(const T* lengths, std::int64_t n, Reach* reach) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const std::int64_t i = blockIdx.x;
  unsigned long long apart = 0;
  for (std::int64_t j = threadIdx.x; j < i; j += threads) {
    apart += lengths[i * n + j] == unreachable<T> ? 1 : 0;
  }
  if (apart > 0) atomicAdd(&sum, apart);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (sum > 0) atomicAdd(&reach->unreachable, sum);
  if (sum == static_cast<unsigned long long>(i)) atomicAdd(&reach->components, 1ULL);
}

template <class To, class T>
__global__ void roots_kernel(
    const T* lengths, std::int64_t cells, double alpha, double unit, To* roots) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < cells;
       i += std::int64_t{gridDim.x} * threads) {
    const T x = lengths[i];
    const auto value = static_cast<double>(x);
    const double root = alpha == 1 ? value : alpha == 2 ? sqrt(value) : pow(value, 1 / alpha);
    roots[i] = x == unreachable<T> ? unreachable<To> : static_cast<To>(__dmul_rn(unit, root));
  }
}

}  // namespace

template <class T>
DistancesSummary summarize_distances(const T* distances, std::int64_t n) {
  DistancesSummary summary;
  if (n == 0) return summary;
  yupana::cuda::DeviceArray<DistancesSummary> there(1);
  yupana::cuda::upload("check distances", there.data(), &summary, 1);
  const auto tiles = static_cast<unsigned>(divide_up(n, edge));
  distances_kernel<<<dim3(tiles, tiles), dim3(edge, rows_at_once)>>>(distances, n, there.data());
  check_launch("check distances");
  check(cudaMemcpy(&summary, there.data(), sizeof(summary), cudaMemcpyDeviceToHost),
        "check distances");
  return summary;
}

template <class T>
Reach summarize_reach(const T* lengths, std::int64_t n) {
  Reach reach;
  if (n == 0) return reach;
  yupana::cuda::DeviceArray<Reach> there(1);
  yupana::cuda::upload("count pairs", there.data(), &reach, 1);
  reach_kernel<<<static_cast<unsigned>(n), threads>>>(lengths, n, there.data());
  check_launch("count pairs");
  check(cudaMemcpy(&reach, there.data(), sizeof(reach), cudaMemcpyDeviceToHost), "count pairs");
  return reach;
}

template <class To, class From>
void make_weights(
    const From* distances, std::int64_t cells, double power, double inverse_scale, To* weights) {
  const auto run = [&](auto kernel) {
    kernel<<<blocks_for(cells), threads>>>(distances, cells, power, inverse_scale, weights);
    check_launch("turn distances into weights");
    check(cudaDeviceSynchronize(), "turn distances into weights");
  };
  if (power == 1) {
    run(power_kernel<Power::one, To, From>);
  } else if (power == 2) {
    run(power_kernel<Power::two, To, From>);
  } else if (power == std::floor(power) && power <= 64) {
    run(power_kernel<Power::whole, To, From>);
  } else {
    run(power_kernel<Power::any, To, From>);
  }
}

template <class To, class T>
void make_roots(const T* lengths, std::int64_t cells, double alpha, double unit, To* roots) {
  roots_kernel<<<blocks_for(cells), threads>>>(lengths, cells, alpha, unit, roots);
  check_launch("take roots");
  check(cudaDeviceSynchronize(), "take roots");
}

#define YUPANA_WEIGHTS_OF(From)                                                         \
  template DistancesSummary summarize_distances(const From*, std::int64_t);             \
  template Reach summarize_reach(const From*, std::int64_t);                            \
  template void make_weights(const From*, std::int64_t, double, double, std::int32_t*); \
  template void make_weights(const From*, std::int64_t, double, double, float*);        \
  template void make_weights(const From*, std::int64_t, double, double, double*);
YUPANA_WEIGHTS_OF(std::int32_t)
YUPANA_WEIGHTS_OF(float)
YUPANA_WEIGHTS_OF(double)
#undef YUPANA_WEIGHTS_OF
template void make_roots(const std::int32_t*, std::int64_t, double, double, double*);
template void make_roots(const float*, std::int64_t, double, double, float*);
template void make_roots(const double*, std::int64_t, double, double, double*);

}  // namespace yupana::python::device
