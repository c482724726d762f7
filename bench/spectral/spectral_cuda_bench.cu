#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/spectral/cufft_peer.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using spectral::Direction;
using spectral::cuda::DeviceFft;
using spectral::cuda::DeviceProduct;

constexpr int threads = 256;
constexpr unsigned blocks = 1024;

__device__ std::uint64_t mixed(std::uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
template <class T>
__global__ void noise_kernel(T* values, std::int64_t count) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < count;
       at += std::int64_t{gridDim.x} * threads) {
    values[at] = static_cast<T>(static_cast<std::int64_t>(mixed(at) >> 40) - (1 << 23)) /
                 static_cast<T>(1 << 23);
  }
}
__global__ void integers_kernel(std::int64_t* values, std::int64_t count, std::int64_t most) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < count;
       at += std::int64_t{gridDim.x} * threads) {
    values[at] = static_cast<std::int64_t>(mixed(at) >> 33) % (2 * most + 1) - most;
  }
}
template <class A, class B>
__global__ void difference_kernel(const A* a, const B* b, double* sums, std::int64_t count) {
  double apart = 0, whole = 0;
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < count;
       at += std::int64_t{gridDim.x} * threads) {
    const double d = static_cast<double>(a[at]) - static_cast<double>(b[at]);
    apart += d * d;
    whole += static_cast<double>(b[at]) * static_cast<double>(b[at]);
  }
  atomicAdd(sums, apart);
  atomicAdd(sums + 1, whole);
}

template <class A, class B>
double relative_difference(const A* a, const B* b, std::int64_t count, const Stream& stream) {
  DeviceArray<double> sums(2);
  check(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream), "clear");
  difference_kernel<<<blocks, threads, 0, stream>>>(a, b, sums.data(), count);
  check_launch("compare");
  double here[2];
  check(cudaMemcpyAsync(here, sums.data(), sizeof(here), cudaMemcpyDefault, stream), "copy");
  stream.wait();
  return std::sqrt(here[0] / here[1]);
}

/// Seconds of one call, the median of several runs of `repeats` calls one behind the other.
template <class Body>
double device_seconds(const Stream& stream, int repeats, const Body& body) {
  std::vector<double> seconds;
  for (int run = 0; run < 6; ++run) {
    const Event begin(true), end(true);
    begin.record(stream);
    for (int i = 0; i < repeats; ++i) body();
    end.record(stream);
    end.wait();
    if (run > 0) seconds.push_back(seconds_between(begin, end) / repeats);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Bytes read and written a second by a copy on the device.
double copy_rate(const Stream& stream) {
  constexpr std::int64_t count = std::int64_t{1} << 28;
  DeviceArray<double> from(count), to(count);
  noise_kernel<<<blocks, threads, 0, stream>>>(from.data(), count);
  const double seconds = device_seconds(stream, 5, [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDefault, stream), "copy");
  });
  return 2 * static_cast<double>(to.bytes()) / seconds;
}

struct Setting {
  Context& context;
  const BenchParams& params;
  const Stream& stream;
  double rate;  ///< of a copy, bytes a second
  CuFft& peer;
};

// Verified against cuFFT in double, or without it by the way back; the limit is one read and one
// write of the array, which no transform that fits neither cache nor registers can go below.
template <class T>
void fft_case(const Setting& setting, std::int64_t n, std::int64_t batch) {
  const Stream& stream = setting.stream;
  const std::int64_t count = n * batch;
  DeviceArray<std::complex<T>> in(count), out(count);
  DeviceArray<std::complex<double>> wide(count);
  T* const in_parts = reinterpret_cast<T*>(in.data());
  T* const out_parts = reinterpret_cast<T*>(out.data());
  double* const wide_parts = reinterpret_cast<double*>(wide.data());
  noise_kernel<<<blocks, threads, 0, stream>>>(in_parts, 2 * count);
  noise_kernel<<<blocks, threads, 0, stream>>>(wide_parts, 2 * count);
  check_launch("make values");
  DeviceFft<T> transform(n, batch, {spectral::FftLibrary::own});
  const double bound = (sizeof(T) == 4 ? 3e-7 : 1e-15) * std::log2(static_cast<double>(n));
  std::function<void()> exact;  // cuFFT in double; it refuses plans where the driver makes the code
  if (setting.params.peers && setting.peer) {
    exact = setting.peer.forward<double>(n, batch, wide.data(), wide.data(), stream);
  }
  const auto verify = [&](const auto& run) {
    check(cudaMemsetAsync(out.data(), 0xff, out.bytes(), stream), "clear");
    run();
    return relative_difference(out_parts, wide_parts, 2 * count, stream) <= 2 * bound;
  };
  const auto ours = [&] { transform.run(in.data(), out.data(), Direction::forward, stream); };
  bool right = false;
  if (exact) {
    exact();
    right = verify(ours);
  } else {
    right = verify([&] {
      ours();
      transform.run(out.data(), out.data(), Direction::inverse, stream);
    });
  }
  const int repeats = setting.params.quick ? 1 : count <= 1 << 20 ? 50 : 10;
  const double least = 2.0 * static_cast<double>(in.bytes()) / setting.rate;
  const auto emit = [&](const char* impl, double seconds, bool fine) {
    setting.params.emit({"fft",
                         fmt::format("complex {} n={} x {}, in device memory",
                                     sizeof(T) == 4 ? "float" : "double",
                                     n,
                                     batch),
                         impl,
                         seconds * 1e6,
                         "us",
                         least / seconds,
                         fine});
  };
  emit("yupana cuda", device_seconds(stream, repeats, ours), right);
  if (!exact) return;
  const auto run = setting.peer.forward<T>(n, batch, in.data(), out.data(), stream);
  if (!run) return;
  const bool fine = verify(run);
  emit("cuFFT", device_seconds(stream, repeats, run), fine);
  DeviceFft<T> by_default(n, batch);
  const auto dispatched = [&] {
    by_default.run(in.data(), out.data(), Direction::forward, stream);
  };
  const bool held = verify(dispatched);
  emit(by_default.by_cufft() ? "yupana cuda by default: cuFFT" : "yupana cuda by default: own",
       device_seconds(stream, repeats, dispatched),
       held);
}

template <class Body>
void on_device(Context& context, const BenchParams& on_host, const Body& body) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  const Stream stream;
  CuFft peer;
  body(Setting{context, params, stream, copy_rate(stream), peer});
}

// A smaller product against the CPU; the limit is the copying of both factors and the product. Of
// coefficients that the bound admits, and of the same ones without it: any results of 64 bits.
void polymul_case(const Setting& setting, std::int64_t n, bool bounded) {
  const Stream& stream = setting.stream;
  constexpr std::int64_t most = 1 << 18;
  const std::int64_t checked = std::min<std::int64_t>(n, 100'000);
  const auto product = [&](std::int64_t size,
                           DeviceArray<std::int64_t>& a,
                           DeviceArray<std::int64_t>& b,
                           DeviceArray<std::int64_t>& c) {
    a = DeviceArray<std::int64_t>(size);
    b = DeviceArray<std::int64_t>(size);
    c = DeviceArray<std::int64_t>(2 * size - 1);
    integers_kernel<<<blocks, threads, 0, stream>>>(a.data(), size, most);
    integers_kernel<<<blocks, threads, 0, stream>>>(b.data(), size, most - 1);
    check_launch("make coefficients");
    const auto bound = static_cast<std::uint64_t>(size * most) * (most - 1);
    return bounded ? DeviceProduct(size, size, bound) : DeviceProduct(size, size);
  };
  DeviceArray<std::int64_t> a, b, c;
  product(checked, a, b, c).run(a.data(), b.data(), c.data(), stream);
  const auto here = [&](const DeviceArray<std::int64_t>& array) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(array.size()));
    check(cudaMemcpyAsync(values.data(), array.data(), array.bytes(), cudaMemcpyDefault, stream),
          "copy");
    stream.wait();
    return values;
  };
  Context host({.device = "cpu"});
  const auto got = here(c);
  const auto want = spectral::polymul_exact(host, here(a), here(b));
  const bool right = std::equal(got.begin(), got.end(), want.data());
  DeviceProduct transform = product(n, a, b, c);
  const double seconds = device_seconds(stream, setting.params.quick ? 1 : 5, [&] {
    transform.run(a.data(), b.data(), c.data(), stream);
  });
  const double least = static_cast<double>(a.bytes() + b.bytes() + c.bytes()) / setting.rate;
  setting.params.emit({"polymul",
                       fmt::format("{0} x {0} integer coefficients, exact, in device memory", n),
                       bounded ? "yupana cuda" : "yupana cuda, any results of 64 bits",
                       seconds * 1e6,
                       "us",
                       least / seconds,
                       right});
}

}  // namespace

void fft_cuda(Context& context, const BenchParams& params) {
  on_device(context, params, [&](const Setting& setting) {
    const std::vector<int> logs = params.quick
                                      ? std::vector<int>{12, 16}
                                      : std::vector<int>{12, 16, 18, 19, 20, 22, 24, 26, 27};
    for (const int log : logs) fft_case<float>(setting, std::int64_t{1} << log, 1);
    const std::vector<int> batched =
        params.quick ? std::vector<int>{8, 12} : std::vector<int>{6, 8, 10, 12, 14, 16};
    for (const int log : batched) {
      fft_case<float>(setting, std::int64_t{1} << log, params.quick ? 16 : (1 << 24) >> log);
    }
    fft_case<float>(setting, 1000, params.quick ? 16 : 16384);
    fft_case<float>(setting, params.quick ? 1000 : 1'000'000, 1);
    fft_case<float>(setting, params.quick ? 1009 : 1'000'003, 1);
    const std::vector<int> wide =
        params.quick ? std::vector<int>{12} : std::vector<int>{19, 23, 26};
    for (const int log : wide) fft_case<double>(setting, std::int64_t{1} << log, 1);
    fft_case<double>(setting, 4096, params.quick ? 16 : 2048);
    fft_case<double>(setting, params.quick ? 1000 : 1'000'000, 1);
  });
}

void polymul_cuda(Context& context, const BenchParams& params) {
  on_device(context, params, [&](const Setting& setting) {
    const std::vector<int> logs =
        params.quick ? std::vector<int>{12} : std::vector<int>{16, 20, 22, 24};
    for (const int log : logs) {
      for (const bool bounded : {true, false}) {
        polymul_case(setting, std::int64_t{1} << log, bounded);
      }
    }
  });
}

}  // namespace yupana::bench
