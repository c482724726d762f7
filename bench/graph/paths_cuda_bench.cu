#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "bench/graph/paths_bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/matrix.hpp"
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

// Whole weights of 1 to `largest`, symmetric, zero diagonal: rows from `first` on.
template <class T>
__global__ void weights_kernel(
    T* rows, std::int64_t first, std::int64_t count, std::int64_t n, std::uint32_t largest) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count * n;
       at += step) {
    const std::int64_t i = first + at / n, j = at % n;
    auto z = static_cast<std::uint64_t>(i < j ? i * n + j : j * n + i) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    rows[at] = i == j ? T{0} : static_cast<T>(1 + (z >> 33) % largest);
  }
}
template <class T>
void make_weights(T* weights, std::int64_t n, std::uint32_t largest) {
  weights_kernel<<<1024, threads>>>(weights, 0, n, n, largest);
  check_launch("make weights");
  check(cudaDeviceSynchronize(), "make weights");
}

struct Case {
  const char* name;
  std::uint32_t largest;
  bool packed;
};

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
  make_weights(weights.data(), n, which.largest);
  SquareMatrix<T> here(n), there(n);
  check(cudaMemcpy(here.data(), weights.data(), weights.bytes(), cudaMemcpyDeviceToHost), "copy");
  ClosureLimits limits = limits_of(which);
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
    make_weights(weights.data(), n, which.largest);
    const auto begin = std::chrono::steady_clock::now();
    graph::cuda::close_symmetric(
        context, context.devices().front(), weights.data(), n, n, nullptr, limits_of(which));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) seconds.push_back(took.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

struct Bench {
  Context& context;
  const BenchParams& params;
  std::string device;

  void emit(const std::string& what,
            double value,
            const char* unit,
            std::optional<double> share,
            bool verified) const {
    params.emit({"paths", what, "yupana cuda", value, unit, share, verified, device});
  }
  void emit_closure(
      const std::string& what, std::int64_t n, double seconds, double limit, bool verified) const {
    const double rate = std::pow(static_cast<double>(n), 3) / 2 / seconds;
    emit(what, rate * 1e-12, "T (add+min)/s", rate / limit, verified);
    emit(what, seconds * 1e3, "ms", std::nullopt, verified);
  }
};

template <class Kind, class T>
void measure(const Bench& bench, const Case& which) {
  // The int32 loop is bound by the order its instructions happen to have; what the float loop
  // reaches with as many is the true limit of both.
  const double limit = sizeof(typename Kind::Stored) == 4
                           ? std::max(ceiling<Kind>(), ceiling<graph::cuda::Float32>())
                           : ceiling<Kind>();
  bench.emit(fmt::format("{} add+min in registers alone", which.name),
             limit * 1e-12,
             "T (add+min)/s",
             std::nullopt,
             true);
  const bool verified = agrees_with_cpu<T>(bench.context, which);
  const std::vector<std::int64_t> sizes = bench.params.quick
                                              ? std::vector<std::int64_t>{200, 1100}
                                              : std::vector<std::int64_t>{1024, 4096, 16384, 30000};
  for (const std::int64_t n : sizes) {
    if (which.packed && n < ClosureLimits{}.packed) continue;
    const double seconds = median_closure<T>(bench.context, n, which, bench.params.quick ? 1 : 5);
    bench.emit_closure(fmt::format("n={} {} symmetric closure on the device", n, which.name),
                       n,
                       seconds,
                       limit,
                       verified);
  }
}

// Cells of lower triangles that differ.
__global__ void compare_kernel(graph::cuda::StripRows<std::int32_t> strips,
                               const std::int32_t* whole,
                               int* differences) {
  for (std::int64_t i = blockIdx.x; i < strips.size; i += gridDim.x) {
    const std::int32_t* const row =
        strips.strips[i / strips.strip] + i % strips.strip * strips.stride;
    int count = 0;
    for (std::int64_t j = threadIdx.x; j <= i; j += blockDim.x) {
      count += row[j] != whole[i * strips.size + j];
    }
    if (count > 0) atomicAdd(differences, count);
  }
}

// The same matrix dealt to all devices of the context, against one of them.
void measure_devices(const Bench& bench, std::int64_t n, double limit) {
  const std::vector<int>& devices = bench.context.devices();
  if (devices.size() < 2 || !graph::cuda::link_devices(devices)) return;
  constexpr std::uint32_t largest = 1'000'000;
  graph::cuda::SquareShape shape;
  shape.size = n;
  shape.strip = 512;
  shape.stride = n;
  const graph::StripDeal deal{static_cast<std::int64_t>(devices.size())};
  const std::int64_t most = divide_up(shape.strips(), deal.devices) * shape.strip;
  std::vector<DeviceArray<std::int32_t>> memory;
  std::vector<graph::cuda::DevicePart<std::int32_t>> parts;
  for (const int device : devices) {
    const DeviceScope scope(device);
    memory.emplace_back(most * n);
    parts.push_back({device, memory.back().data()});
  }
  const graph::cuda::DealtRows<std::int32_t> rows(parts, shape);
  const graph::cuda::ClosurePlan plan = {.symmetric = true};
  graph::cuda::Closure<graph::cuda::Int32> closure(rows, plan);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 4; ++repeat) {
    for (std::int64_t strip = 0; strip < shape.strips(); ++strip) {
      const auto part = static_cast<std::size_t>(deal.owner(strip));
      const DeviceScope scope(devices[part]);
      const std::int64_t first = strip * shape.strip;
      weights_kernel<<<1024, threads>>>(parts[part].rows + deal.place(strip) * shape.strip * n,
                                        first,
                                        std::min(shape.strip, n - first),
                                        n,
                                        largest);
      check_launch("make weights");
    }
    for (const int device : devices) {
      const DeviceScope scope(device);
      check(cudaDeviceSynchronize(), "make weights");
    }
    Stage stage(bench.context, "closure");
    const auto begin = std::chrono::steady_clock::now();
    closure.run(stage);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) seconds.push_back(took.count());
  }
  std::sort(seconds.begin(), seconds.end());
  DeviceArray<std::int32_t> whole(n * n);
  make_weights(whole.data(), n, largest);
  graph::cuda::close_symmetric(
      bench.context, devices.front(), whole.data(), n, n, nullptr, limits_of({"", largest, false}));
  auto differences = graph::cuda::copy_to_device(std::vector<int>{0});
  compare_kernel<<<1024, threads>>>(rows.all(0), whole.data(), differences.data());
  check_launch("compare closures");
  int count = -1;
  check(cudaMemcpy(&count, differences.data(), sizeof(count), cudaMemcpyDeviceToHost), "compare");
  bench.emit_closure(fmt::format("n={} int32 symmetric closure on {} devices", n, devices.size()),
                     n,
                     seconds[1],
                     limit * static_cast<double>(devices.size()),
                     count == 0);
}

}  // namespace

void paths_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  const auto device = static_cast<std::size_t>(context.devices().front());
  const Bench bench = {context, params, device_list()[device].name};
  measure<graph::cuda::Int32, std::int32_t>(bench, {"int32", 1'000'000, false});
  measure<graph::cuda::Float32, float>(bench, {"float32", 1'000'000, false});
  measure<graph::cuda::Packed16, std::int32_t>(bench, {"int32 through 16 bits", 30'000, true});
  measure_devices(bench, params.quick ? 3000 : 30000, ceiling<graph::cuda::Float32>());
}

}  // namespace yupana::bench
