#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "bench/geometry/closest_bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/random.hpp"
#include "yupana/geometry/closest_pair.hpp"
#include "yupana/geometry/closest_pair_cuda.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using geometry::ClosestPair;

constexpr int threads = 256;

// Random(seed).uniform(at), moved into `clusters` squares of width 1/1000 if there are any.
template <class T>
__global__ void points_kernel(T* points, std::int64_t size, std::uint64_t key, std::int64_t group) {
  const auto uniform = [&](std::int64_t at) {
    auto z = key + (static_cast<std::uint64_t>(at) + 1) * Random::weyl;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
  };
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < size;
       at += step) {
    const double x = uniform(at);
    points[at] = static_cast<T>(group > 0 ? x * 1e-3 + uniform(at % group) : x);
  }
}

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class Body>
double median_of(int repeats, const Body& body) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    check(cudaDeviceSynchronize(), "wait");
    const auto begin = std::chrono::steady_clock::now();
    body();
    check(cudaDeviceSynchronize(), "wait");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) seconds.push_back(took.count());
  }
  return median(seconds);
}

/// Bytes a second that are read, in a copy of 4 GB.
double read_rate() {
  const std::int64_t size = std::int64_t{1} << 32;
  DeviceArray<char> from(size), to(size);
  check(cudaMemset(from.data(), 1, from.bytes()), "fill");
  const double seconds = median_of(5, [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, nullptr),
          "copy");
  });
  return 2.0 * static_cast<double>(size) / seconds;
}

/// What a grid by sorting pays before it begins: CUB's radix sort of a 64-bit cell and a 32-bit
/// index a point.
double sort_seconds(std::int64_t n, int repeats) {
  DeviceArray<std::uint64_t> keys(n), sorted(n);
  DeviceArray<std::uint32_t> values(n), moved(n);
  points_kernel<<<1024, threads>>>(reinterpret_cast<double*>(keys.data()), n, 1, 0);
  check_launch("make keys");
  std::size_t bytes = 0;
  const auto sort = [&](void* space) {
    check(cub::DeviceRadixSort::SortPairs(
              space, bytes, keys.data(), sorted.data(), values.data(), moved.data(), n),
          "sort");
  };
  sort(nullptr);
  DeviceArray<char> space(static_cast<std::int64_t>(bytes));
  return median_of(repeats, [&] { sort(space.data()); });
}

template <class T>
void measure(Context& context,
             const BenchParams& params,
             double rate,
             std::int64_t n,
             std::int64_t d,
             std::int64_t clusters) {
  const int device = context.devices().front();
  DeviceArray<T> points(n * d);
  points_kernel<<<1024, threads>>>(points.data(), n * d, Random(closest_seed).key(), clusters * d);
  check_launch("make points");
  ClosestPair pair;
  const int repeats = params.quick ? 1 : 5;
  const double seconds = median_of(repeats, [&] {
    pair = geometry::cuda::closest_pair<T>(context, device, points.data(), n, d, d);
  });
  // The CPU on the same points, as far as it can hold them.
  std::vector<T> here(static_cast<std::size_t>(n * d));
  check(cudaMemcpy(here.data(), points.data(), points.bytes(), cudaMemcpyDeviceToHost), "copy");
  Context host({.device = "cpu"});
  const ClosestPair want = closest_of<T>(host, here.data(), n, d);
  const bool verified = pair == want;
  const double from_host = median_of(1, [&] { pair = closest_of<T>(context, here.data(), n, d); });
  const std::string what = fmt::format("n={} {}-D {} {}",
                                       n,
                                       d,
                                       sizeof(T) == 4 ? "float32" : "float64",
                                       clusters > 0 ? "in 1,000 clusters" : "uniform");
  const auto emit = [&](const std::string& name, const std::string& impl, double s, bool right) {
    const double once = static_cast<double>(points.bytes()) / rate;
    params.emit({"closest", name, impl, s * 1e3, "ms", once / s, right});
    params.emit(
        {"closest", name, impl, static_cast<double>(n) / s * 1e-9, "G points/s", once / s, right});
  };
  emit(what + ", on the device", "yupana cuda grid", seconds, verified);
  emit(what + ", from host memory", "yupana cuda grid", from_host, pair == want);
  if (params.peers && clusters == 0 && d == 2 && sizeof(T) == 8) {
    const double sort = sort_seconds(n, repeats);
    Measurement line{"closest",
                     what + ", on the device",
                     "CUB radix sort of 64-bit cells and indices alone",
                     sort * 1e3,
                     "ms",
                     std::nullopt};
    line.note = "a step that others begin with, for scale: its result is not compared";
    params.emit(line);
  }
}

}  // namespace

void closest_cuda(Context& context, const BenchParams& on_host) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  const double rate = read_rate();
  const std::int64_t scale = params.quick ? 100 : 1;
  measure<double>(context, params, rate, 1'000'000 / scale, 2, 0);
  measure<double>(context, params, rate, 10'000'000 / scale, 2, 0);
  measure<float>(context, params, rate, 10'000'000 / scale, 2, 0);
  measure<double>(context, params, rate, 10'000'000 / scale, 2, 1000);
  measure<double>(context, params, rate, 10'000'000 / scale, 3, 0);
  measure<double>(context, params, rate, 100'000'000 / scale, 2, 0);
}

}  // namespace yupana::bench
