#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/fermat_weights_cuda.hpp"

namespace yupana::graph::cuda {
namespace {

using namespace yupana::cuda;

constexpr int threads = 256;

unsigned blocks_for(std::int64_t cells) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(divide_up(cells, threads), 1, 4096));
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

template <Power kind, class From, class To>
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

template <class T>
__global__ void roots_kernel(
    const T* lengths, std::int64_t cells, double alpha, double unit, RootOf<T>* roots) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < cells;
       i += std::int64_t{gridDim.x} * threads) {
    const T x = lengths[i];
    const auto value = static_cast<double>(x);
    const double root = alpha == 1 ? value : alpha == 2 ? sqrt(value) : pow(value, 1 / alpha);
    roots[i] = x == unreachable<T> ? unreachable<RootOf<T>>
                                   : static_cast<RootOf<T>>(__dmul_rn(unit, root));
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

}  // namespace

template <class From, class To>
void make_weights(const From* distances,
                  std::int64_t cells,
                  const WeightRule& rule,
                  To* weights,
                  cudaStream_t stream) {
  const auto run = [&](auto kernel) {
    kernel<<<blocks_for(cells), threads, 0, stream>>>(
        distances, cells, rule.power, 1 / rule.scale, weights);
    check_launch("turn distances into weights");
  };
  if (rule.power == 1) {
    run(power_kernel<Power::one, From, To>);
  } else if (rule.power == 2) {
    run(power_kernel<Power::two, From, To>);
  } else if (rule.power == std::floor(rule.power) && rule.power <= 64) {
    run(power_kernel<Power::whole, From, To>);
  } else {
    run(power_kernel<Power::any, From, To>);
  }
}

template <class T>
void make_roots(const T* lengths,
                std::int64_t cells,
                double alpha,
                double unit,
                RootOf<T>* roots,
                cudaStream_t stream) {
  roots_kernel<<<blocks_for(cells), threads, 0, stream>>>(lengths, cells, alpha, unit, roots);
  check_launch("take roots");
}

template <class T>
Reach summarize_reach(const T* lengths, std::int64_t n, cudaStream_t stream) {
  Reach reach;
  if (n == 0) return reach;
  yupana::cuda::DeviceArray<Reach> there(1);
  check(cudaMemsetAsync(there.data(), 0, there.bytes(), stream), "count pairs");
  reach_kernel<<<static_cast<unsigned>(n), threads, 0, stream>>>(lengths, n, there.data());
  check_launch("count pairs");
  check(cudaMemcpyAsync(&reach, there.data(), sizeof(reach), cudaMemcpyDeviceToHost, stream),
        "count pairs");
  check(cudaStreamSynchronize(stream), "count pairs");
  return reach;
}

#define YUPANA_FROM_EACH(make, name)       \
  YUPANA_TO_EACH(make, name, std::int32_t) \
  YUPANA_TO_EACH(make, name, float) YUPANA_TO_EACH(make, name, double)
#define YUPANA_TO_EACH(make, name, From) \
  make(name, From, std::int32_t) make(name, From, float) make(name, From, double)
YUPANA_FUNCTIONS(YUPANA_FROM_EACH, make_weights)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, make_roots, summarize_reach)

}  // namespace yupana::graph::cuda
