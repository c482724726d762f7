// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/som/som_bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using som::Grid;

constexpr int threads = 256;
constexpr int chains = 16;
constexpr int rounds = 20'000;

/// Fused multiply-adds with every operand in a register.
__global__ void __launch_bounds__(threads) ceiling_kernel(float* out, float a, float b) {
  float sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = a + static_cast<float>(i);
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < chains; ++i) sums[i] = fmaf(sums[i], a, b);
  }
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += sums[i];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// Multiply-adds a second.
double ceiling() {
  constexpr int blocks = 132 * 8;
  DeviceArray<float> out(blocks * threads);
  double best = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const Event begin(true), end(true);
    begin.record(nullptr);
    ceiling_kernel<<<blocks, threads>>>(out.data(), 0.5f, 1.0f);
    check_launch("measure multiply-adds");
    end.record(nullptr);
    end.wait();
    best = std::max(best, 1.0 * blocks * threads * rounds * chains / seconds_between(begin, end));
  }
  return best;
}

/// About normal: sums of four uniform numbers, two centers. Values from the `first` of the table.
__global__ void samples_kernel(float* samples,
                               std::int64_t first,
                               std::int64_t count,
                               std::int64_t features) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count;
       at += step) {
    const std::int64_t i = first + at;
    auto z = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    float sum = 0;
    for (int part = 0; part < 4; ++part) {
      sum += static_cast<float>((z >> (16 * part)) & 0xffff) * 0x1p-16f;
    }
    samples[at] = (sum - 2) * 1.7320508f + (i / features % 2 == 0 ? 0.0f : 0.5f);
  }
}

/// The case's samples, an equal share on each device.
struct DeviceTable {
  std::vector<DeviceArray<float>> held;
  std::vector<som::cuda::ResidentShare> shares;

  DeviceTable(const SomCase& which, const std::vector<int>& devices) {
    const std::int64_t count = std::ssize(devices);
    for (std::int64_t d = 0; d < count; ++d) {
      const int device = devices[static_cast<std::size_t>(d)];
      const DeviceScope scope(device);
      const std::int64_t first = which.samples * d / count,
                         rows = which.samples * (d + 1) / count - first;
      held.emplace_back(rows * which.features);
      samples_kernel<<<4096, threads>>>(
          held.back().data(), first * which.features, rows * which.features, which.features);
      check(cudaDeviceSynchronize(), "make samples");
      shares.push_back({device, held.back().data(), rows});
    }
  }
};

/// The median of `repeats` trainings after one more; the codebook of the last.
double median_training(Context& context,
                       const SomCase& which,
                       const std::vector<int>& devices,
                       int repeats,
                       Matrix<float>& codebook) {
  const DeviceTable table(which, devices);
  Matrix<float> start(which.params.grid.size(), which.features);
  check(cudaMemcpy(start.data(),
                   table.shares.front().samples,
                   static_cast<std::size_t>(start.rows() * start.cols()) * sizeof(float),
                   cudaMemcpyDeviceToHost),
        "read samples");
  const std::vector<float> largest(static_cast<std::size_t>(which.features), 4.0f);
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    std::copy_n(start.data(), start.rows() * start.cols(), codebook.data());
    const double took =
        som::cuda::train_resident(context, table.shares, largest, which.params, codebook);
    if (repeat > 0) seconds.push_back(took);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// The batch rule as a CuPy user writes it; seconds.
double cupy_som(const SomCase& which) {
  const som::SomParams& p = which.params;
  const std::string script = fmt::format(
      R"(import time
import cupy as np
n, d, R, C, T, Z = {}, {}, {}, {}, {}, {}
x = np.random.standard_normal((n, d), dtype=np.float32)
w0 = x[:R * C].copy()
r, c = np.divmod(np.arange(R * C), C)
g2 = (r[:, None] - r) ** 2 + (c[:, None] - c) ** 2
for repeat in range(2):
    w = w0
    np.cuda.Device().synchronize()
    t0 = time.perf_counter()
    for t in range(T):
        sigma = {} * 2.718281828 ** (-t / {}) if t < T - Z else {}
        best = np.argmin((w * w).sum(1) - 2 * (x @ w.T), axis=1)
        count = np.bincount(best, minlength=R * C).astype(float)
        sums = np.stack([np.bincount(best, weights=x[:, j], minlength=R * C) for j in range(d)], 1)
        h = np.exp(-g2 / (2 * sigma * sigma))
        w = ((h @ sums) / np.maximum(h @ count, 1e-300)[:, None]).astype(np.float32)
    np.cuda.Device().synchronize()
    took = time.perf_counter() - t0
print(took)
)",
      which.samples,
      which.features,
      p.grid.rows,
      p.grid.cols,
      p.schedule.iterations,
      p.schedule.smooth,
      p.schedule.sigma0,
      p.schedule.tau,
      p.schedule.sigma_final);
  const std::string text = output_of("python3 -c '" + script + "' 2>/dev/null");
  return text.empty() ? 0 : std::stod(text);
}

SomCase narrow_case(const BenchParams& params, std::int64_t samples) {
  SomCase narrow{params.quick ? 50'000 : samples, 18, {}};
  narrow.params.grid = {8, 7};
  narrow.params.schedule = {10, 5, 4, 0.1, 10};
  return narrow;
}

SomCase wide_case(const BenchParams& params, std::int64_t samples) {
  SomCase wide{params.quick ? 5'000 : samples, 784, {}};
  wide.params.grid = params.quick ? Grid{10, 10} : Grid{100, 100};
  wide.params.schedule = {1, 0, 50, 1, 10};
  return wide;
}

std::string case_of(const SomCase& which, const char* where) {
  return fmt::format("{} x {}, map {} x {}, {} iterations, data on the {}",
                     which.samples,
                     which.features,
                     which.params.grid.rows,
                     which.params.grid.cols,
                     which.params.schedule.iterations,
                     where);
}

/// On one device; the case's name.
std::string measure(Context& context,
                    const BenchParams& params,
                    const SomCase& which,
                    double limit) {
  const Grid& grid = which.params.grid;
  const bool verified = trains_like_reference(context, which);
  Matrix<float> codebook(grid.size(), which.features);
  const double seconds =
      median_training(context, which, {context.devices().front()}, params.quick ? 1 : 5, codebook);
  const double work = static_cast<double>(which.samples) * static_cast<double>(which.features) *
                      static_cast<double>(grid.size()) *
                      static_cast<double>(which.params.schedule.iterations);
  const std::string what = case_of(which, "device");
  Measurement line{
      "som", what, "yupana cuda", seconds * 1e3, "ms", work / seconds / limit, verified};
  if (work / seconds > limit) {
    line.note = "above the limit of float32 multiply-adds: tensor cores find the candidates";
  }
  params.emit(line);
  return what;
}

/// The same table over one, two, four ... devices; each codebook must be that of one.
void measure_devices(Context& context, const BenchParams& params, const SomCase& which) {
  Matrix<float> alone(which.params.grid.size(), which.features);
  for_device_counts(context, [&](const std::vector<int>& devices, const std::string& impl) {
    Matrix<float> together(alone.rows(), alone.cols());
    Matrix<float>& codebook = devices.size() == 1 ? alone : together;
    const double seconds = median_training(context, which, devices, params.quick ? 1 : 5, codebook);
    const bool verified =
        devices.size() == 1
            ? trains_like_reference(context, which)
            : std::equal(alone.data(), alone.data() + alone.rows() * alone.cols(), together.data());
    params.emit(
        {"som", case_of(which, "devices"), impl, seconds * 1e3, "ms", std::nullopt, verified});
  });
}

}  // namespace

void som_cuda(Context& context, const BenchParams& on_host) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  if (params.scaling || context.devices().size() > 1) {
    measure_devices(context, params, narrow_case(params, 40'000'000));
    measure_devices(context, params, wide_case(params, 4'000'000));
    if (params.scaling) return;
  }
  const double limit = ceiling();
  params.emit(limit_line(
      "som", "fused multiply-adds in registers alone", "yupana cuda", limit * 1e-12, "T FMA/s"));
  const SomCase narrow = narrow_case(params, 5'000'000);
  const std::string what = measure(context, params, narrow, limit);
  if (params.peers) {
    const double peer = cupy_som(narrow);
    params.emit(peer > 0 ? Measurement{"som", what, "CuPy", peer * 1e3, "ms", std::nullopt, false}
                         : left_out("som", what, "CuPy", "ms", "not installed: CuPy for python3"));
  }
  measure(context, params, wide_case(params, 1'000'000), limit);
}

}  // namespace yupana::bench
