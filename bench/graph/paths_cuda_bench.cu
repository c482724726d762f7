#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "bench/graph/paths_peers.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"
#include "yupana/graph/closure_cuda.hpp"
#include "yupana/graph/min_plus_cuda.cuh"
#include "yupana/graph/resident_cuda.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using graph::cuda::Cell;
using graph::cuda::ClosureLimits;

constexpr int threads = 256;
constexpr int rounds = 4000;
constexpr int edge = 8;
constexpr int depth = 4;

// Add+min of the product's kernel with every operand in a register: four steps of k on 8 x 8 cells.
template <class Kind>
__global__ void __launch_bounds__(threads) ceiling_kernel(typename Kind::Word* out, int one) {
  using Word = typename Kind::Word;
  Word cells[edge][edge], a[depth][edge], b[depth][edge];
#pragma unroll
  for (int i = 0; i < edge; ++i) {
#pragma unroll
    for (int j = 0; j < edge; ++j) cells[i][j] = static_cast<Word>(0x3f000000 + i * 8 + j);
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      a[k][i] = static_cast<Word>(one * (k + 3) + i * 77 + static_cast<int>(threadIdx.x));
      b[k][i] = static_cast<Word>(one * (k + 5) + i * 55 + static_cast<int>(threadIdx.x) * 3);
    }
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < depth; k += 2) {
#pragma unroll
      for (int i = 0; i < edge; ++i) {
#pragma unroll
        for (int j = 0; j < edge; ++j) {
          Cell<Kind>::lower(
              a[k][i], b[k][j], a[k + 1][i], b[k + 1][j], cells[i][j], i * edge + j, one);
        }
      }
    }
    // Operands that the compiler must take for new ones: nothing may leave the loop.
#pragma unroll
    for (int k = 0; k < depth; ++k) {
#pragma unroll
      for (int i = 0; i < edge; ++i) {
        if constexpr (std::is_same_v<Word, float>) {
          asm volatile("" : "+f"(a[k][i]), "+f"(b[k][i]));
        } else {
          asm volatile("" : "+r"(a[k][i]), "+r"(b[k][i]));
        }
      }
    }
  }
  Word sum = 0;
#pragma unroll
  for (int i = 0; i < edge; ++i) {
#pragma unroll
    for (int j = 0; j < edge; ++j) sum += cells[i][j];
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// Add+mins a second.
template <class Kind>
double ceiling() {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "ask for the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "ask");
  const int blocks = 2 * multiprocessors;
  DeviceArray<typename Kind::Word> out(blocks * threads);
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Event begin(true), end(true);
    begin.record(nullptr);
    ceiling_kernel<Kind><<<blocks, threads>>>(out.data(), 1);
    check_launch("measure add+min");
    end.record(nullptr);
    end.wait();
    const double pairs = 1.0 * blocks * threads * rounds * edge * edge * depth *
                         (sizeof(typename Kind::Word) / sizeof(typename Kind::Stored));
    best = std::max(best, pairs / seconds_between(begin, end));
  }
  return best;
}

// Whole weights of 1 to `largest`, symmetric, zero diagonal.
template <class T>
__global__ void weights_kernel(T* weights, std::int64_t n, std::uint32_t largest) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n * n;
       at += step) {
    const std::int64_t i = at / n, j = at % n;
    auto z = static_cast<std::uint64_t>(i < j ? i * n + j : j * n + i) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    weights[at] = i == j ? T{0} : static_cast<T>(1 + (z >> 33) % largest);
  }
}

struct Case {
  const char* name;
  std::uint32_t largest;
  bool packed;
};

template <class T>
ClosureLimits limits_of(const Case& which) {
  ClosureLimits limits;
  if (!which.packed) limits.packed = std::int64_t{1} << 40;
  return limits;
}

// The same kind of weights at a small size, strips and all, against the CPU.
template <class T>
bool agrees_with_cpu(Context& context, const Case& which) {
  constexpr std::int64_t n = 1500;
  DeviceArray<T> weights(n * n);
  weights_kernel<<<256, threads>>>(weights.data(), n, which.largest);
  check_launch("make weights");
  SquareMatrix<T> here(n), there(n);
  check(cudaMemcpy(here.data(), weights.data(), weights.bytes(), cudaMemcpyDeviceToHost), "copy");
  ClosureLimits limits = limits_of<T>(which);
  limits.small = 0;
  if (which.packed) limits.packed = 0;
  const std::int64_t kept = graph::cuda::close_symmetric(
      context, context.devices().front(), weights.data(), n, n, nullptr, limits);
  check(cudaMemcpy(there.data(), weights.data(), weights.bytes(), cudaMemcpyDeviceToHost), "copy");
  Context host({.device = "cpu"});
  return graph::cpu::shortest_paths_symmetric<T>(host, here.view()) == kept &&
         std::equal(here.data(), here.data() + n * n, there.data());
}

template <class T>
double median_closure(Context& context, std::int64_t n, const Case& which, int repeats) {
  DeviceArray<T> weights(n * n);
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    weights_kernel<<<1024, threads>>>(weights.data(), n, which.largest);
    check(cudaDeviceSynchronize(), "make weights");
    const auto begin = std::chrono::steady_clock::now();
    graph::cuda::close_symmetric(
        context, context.devices().front(), weights.data(), n, n, nullptr, limits_of<T>(which));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) seconds.push_back(took.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

template <class Kind, class T>
void measure(Context& context, const BenchParams& params, const Case& which) {
  // The int32 loop is bound by the order its instructions happen to have; what the float loop
  // reaches with as many is the true limit of both.
  const double limit = sizeof(typename Kind::Stored) == 4
                           ? std::max(ceiling<Kind>(), ceiling<graph::cuda::Float32>())
                           : ceiling<Kind>();
  const std::string impl = "yupana cuda";
  params.emit(limit_line("paths",
                         fmt::format("{} add+min in registers alone", which.name),
                         impl,
                         limit * 1e-12,
                         "T (add+min)/s"));
  const bool verified = agrees_with_cpu<T>(context, which);
  const std::vector<std::int64_t> sizes = params.quick
                                              ? std::vector<std::int64_t>{200, 1100}
                                              : std::vector<std::int64_t>{1024, 4096, 16384, 30000};
  for (const std::int64_t n : sizes) {
    if (which.packed && n < ClosureLimits{}.packed) continue;
    const auto size = static_cast<double>(n);
    const double seconds = median_closure<T>(context, n, which, params.quick ? 1 : 5);
    const double rate = size * size * size / 2 / seconds;
    const std::string name = fmt::format("n={} {} symmetric closure on the device", n, which.name);
    params.emit({"paths", name, impl, rate * 1e-12, "T (add+min)/s", rate / limit, verified});
    params.emit({"paths", name, impl, seconds * 1e3, "ms", std::nullopt, verified});
  }
}

void measure_peers(const BenchParams& params) {
  const std::vector<std::int64_t> sizes =
      params.quick ? std::vector<std::int64_t>{200} : std::vector<std::int64_t>{1024, 4096};
  for (const std::int64_t n : sizes) {
    paths_cuda_peers(n, [&](const std::string& impl, double seconds, bool right) {
      const auto size = static_cast<double>(n);
      const std::string name = fmt::format("n={} float32 symmetric closure on the device", n);
      if (seconds <= 0) {
        return params.emit(left_out(
            "paths", name, impl, "T (add+min)/s", "not installed: PyTorch with CUDA for python3"));
      }
      params.emit({"paths",
                   name,
                   impl,
                   size * size * size / 2 / seconds * 1e-12,
                   "T (add+min)/s",
                   std::nullopt,
                   right});
      params.emit({"paths", name, impl, seconds * 1e3, "ms", std::nullopt, right});
    });
  }
}

template <class T>
SquareMatrix<T> random_weights(Context& context, std::int64_t n, std::uint32_t largest) {
  SquareMatrix<T> weights(n);
  const Random random(3);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto cell = static_cast<std::uint64_t>(std::max(i, j) * n + std::min(i, j));
        weights(i, j) = i == j ? T{0} : static_cast<T>(1 + random.word(cell) % largest);
      }
    }
  });
  return weights;
}

/// Seconds that devices take together to close the weights once they hold their rows, and to count
/// the edges kept. The lengths take the weights' place if they are to come back.
template <class T>
double seconds_to_close(Context& context,
                        const std::vector<int>& devices,
                        MatrixView<T> weights,
                        bool copy_back) {
  const ClosureLimits limits;
  graph::cuda::link_devices(devices);
  graph::cuda::Resident<T> resident(
      context, devices, weights, graph::cuda::resident_shape(weights.rows, limits));
  Stage stage(context, "shortest paths");
  const auto begin = std::chrono::steady_clock::now();
  graph::cuda::close_symmetric_rows(context, resident.rows(), stage, limits);
  graph::cuda::mirror(resident.rows());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (copy_back) resident.copy_back();
  return took.count();
}

/// The median of three closures; the last one's lengths come back.
template <class T>
double close_together(Context& context,
                      const std::vector<int>& devices,
                      const SquareMatrix<T>& weights,
                      SquareMatrix<T>& lengths) {
  const std::int64_t n = weights.size();
  std::vector<double> seconds;
  context.parallel_for(n, 64, [&](std::int64_t begin, std::int64_t end) {
    std::copy(weights.data() + begin * n, weights.data() + end * n, lengths.data() + begin * n);
  });
  for (const bool copy_back : {false, false, true}) {
    seconds.push_back(seconds_to_close(context, devices, lengths.view(), copy_back));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

/// The same matrix closed by one, two, four ... devices together, verified against the one.
template <class T>
void measure_devices(Context& context, const BenchParams& params, const Case& which) {
  const std::int64_t n = params.quick ? 5000 : 30000;
  const auto size = static_cast<double>(n);
  const SquareMatrix<T> weights = random_weights<T>(context, n, which.largest);
  SquareMatrix<T> alone(n), together(n);
  for_device_counts(context, [&](const std::vector<int>& devices, const std::string& impl) {
    SquareMatrix<T>& lengths = devices.size() == 1 ? alone : together;
    const double seconds = close_together(context, devices, weights, lengths);
    const bool verified = devices.size() == 1
                              ? agrees_with_cpu<T>(context, which)
                              : std::equal(alone.data(), alone.data() + n * n, lengths.data());
    const std::string name = fmt::format("n={} {} symmetric closure on the devices", n, which.name);
    const double rate = size * size * size / 2 / seconds;
    params.emit({"paths", name, impl, rate * 1e-12, "T (add+min)/s", std::nullopt, verified});
    params.emit({"paths", name, impl, seconds * 1e3, "ms", std::nullopt, verified});
  });
}

}  // namespace

void paths_cuda(Context& context, const BenchParams& on_host) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  const Case int32{"int32", 1'000'000, false}, float32{"float32", 1'000'000, false};
  if (!params.scaling) {
    measure<graph::cuda::Int32, std::int32_t>(context, params, int32);
    measure<graph::cuda::Float32, float>(context, params, float32);
    measure<graph::cuda::Packed16, std::int32_t>(
        context, params, {"int32 through 16 bits", 30'000, true});
    if (params.peers) measure_peers(params);
  }
  if (params.scaling || context.devices().size() > 1) {
    measure_devices<std::int32_t>(context, params, int32);
    measure_devices<float>(context, params, float32);
  }
}

}  // namespace yupana::bench
