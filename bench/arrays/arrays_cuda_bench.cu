#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "bench/arrays/arrays_cuda_bench.hpp"
#include "bench/arrays/scan_textbook_cuda.cuh"
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/quicksort_cuda.cuh"
#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/reduce_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/cuda/device.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using arrays::Columns;
using arrays::Less;
using arrays::Plus;
using arrays::cuda::Workspace;

// Random words; floats of whole numbers below 8, whose sums a double holds exactly.
template <class T>
__global__ void random_kernel(T* values, std::int64_t n, std::uint64_t seed) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    auto z = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    values[i] = static_cast<T>(std::is_same_v<T, float> ? z >> 61 : (sizeof(T) == 8 ? z : z >> 32));
  }
}

/// What is sorted: anything, or what users sort again.
enum class Input { any, in_order, in_reverse, of_16_values };
constexpr const char* input_names[] = {"", ", in order", ", in reverse", ", 16 values"};

template <class K>
__global__ void easy_kernel(K* keys, std::int64_t n, Input input) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const std::uint64_t value = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull >> 60;
    keys[i] = static_cast<K>(input == Input::of_16_values ? 1000 * value
                                                          : (input == Input::in_order ? i : n - i));
  }
}

// What differs by more than `bound` times the first array's value.
template <class T>
__global__ void differ_kernel(
    const T* a, const T* b, std::int64_t n, double bound, unsigned long long* count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const double here = static_cast<double>(a[i]), there = static_cast<double>(b[i]);
    const bool differ = bound == 0 ? a[i] != b[i] : fabs(here - there) > bound * fabs(here);
    if (differ) atomicAdd(count, 1ull);
  }
}

template <class T>
bool same(const T* a, const T* b, std::int64_t n, double bound = 0) {
  DeviceArray<unsigned long long> count(1);
  check(cudaMemset(count.data(), 0, count.bytes()), "clear");
  differ_kernel<<<2048, 256>>>(a, b, n, bound, count.data());
  unsigned long long differ = 1;
  check(cudaMemcpy(&differ, count.data(), sizeof(differ), cudaMemcpyDeviceToHost), "compare");
  return differ == 0;
}

__global__ void empty_kernel() {}
// Holds a stream while launches are queued behind it: 1e5 cycles are 50 us.
__global__ void hold_kernel() {
  for (const long long begin = clock64(); clock64() - begin < 100000;) continue;
}

/// Median seconds of one call between two events, each after `prepare`, which works on the stream.
/// Twenty milliseconds of calls come first, so that nobody is measured at the clocks, or with the
/// cold host, that the one before left: whoever came first was 15 % slower at 2^28 numbers.
template <class Prepare, class Body>
double median_call(cudaStream_t stream, int repeats, const Prepare& prepare, const Body& body) {
  std::vector<double> seconds;
  const Event begin(true), end(true);
  check(cudaDeviceSynchronize(), "wait for what is on other streams");
  const auto start = std::chrono::steady_clock::now();
  const auto is_warm = [&] {
    return repeats < 5 || std::chrono::steady_clock::now() - start > std::chrono::milliseconds(20);
  };
  int warm_ups = 0;
  while (static_cast<int>(seconds.size()) < repeats) {
    prepare();
    begin.record(stream);
    body();
    end.record(stream);
    end.wait();
    if (warm_ups < 2 || !is_warm()) {
      ++warm_ups;
      continue;
    }
    seconds.push_back(seconds_between(begin, end));
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}
const auto nothing = [] {};
/// The calls of up to this many values take less than 20 us: more of them, and once more with the
/// launches queued, without what the host needs to bring the first one there.
constexpr std::int64_t short_call = 1 << 20;

/// Lines of one bench with the device's name.
struct Lines {
  const BenchParams& params;
  std::string bench, device;
  Stream stream;
  double copy_rate;

  Lines(Context& context, const BenchParams& p, std::string name)
      : params(p),
        bench(std::move(name)),
        device(device_list().at(static_cast<std::size_t>(context.devices().front())).name) {
    const std::int64_t n = std::int64_t{1} << (params.quick ? 22 : 28);
    DeviceArray<std::uint32_t> from(n), to(n);
    const double seconds = median_call(stream, 5, nothing, [&] {
      check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream),
            "copy");
    });
    copy_rate = 2 * static_cast<double>(from.bytes()) / seconds;
  }
  void operator()(const std::string& what,
                  const std::string& impl,
                  double value,
                  const std::string& unit,
                  std::optional<double> share,
                  bool verified) const {
    params.emit({bench, what, impl, value, unit, share, verified, device});
  }
  /// What the other lines are measured against.
  void limit(const std::string& what,
             const std::string& impl,
             double value,
             const std::string& unit) const {
    Measurement line = limit_line(bench, what, impl, value, unit);
    line.share_of_limit = 1.0;
    line.device = device;
    params.emit(line);
  }
  int repeats(std::int64_t n, int of_long_calls) const {
    return params.quick ? 3 : (n <= short_call ? 501 : of_long_calls);
  }
  /// Microseconds of a call, and of its kernels alone where it is short, and its rate of `bytes`.
  template <class Body, class Verified>
  void time_call(const std::string& what,
                 const std::string& impl,
                 std::int64_t n,
                 int of_long_calls,
                 double bytes,
                 const char* rate_unit,
                 const Body& body,
                 const Verified& verify) const {
    const double seconds = median_call(stream, repeats(n, of_long_calls), nothing, body);
    const double share = bytes / seconds / copy_rate;
    const bool verified = verify();
    (*this)(what, impl, seconds * 1e6, "us", share, verified);
    (*this)(what, impl, bytes / seconds * 1e-9, rate_unit, share, verified);
    if (n > short_call) return;
    const auto hold = [&] { hold_kernel<<<1, 1, 0, stream>>>(); };
    const double kernels = median_call(stream, params.quick ? 3 : 101, hold, body);
    (*this)(what, impl, kernels * 1e6, "us, launches queued", std::nullopt, verified);
  }
};

/// A peer's memory, and its call.
template <class Call>
class Peer {
 public:
  explicit Peer(Call call) : call_(std::move(call)) {
    call_(nullptr, bytes_);
    memory_ = DeviceArray<unsigned char>(static_cast<std::int64_t>(bytes_) + 256);
  }
  void operator()() { call_(memory_.data(), bytes_); }

 private:
  Call call_;
  std::size_t bytes_ = 0;
  DeviceArray<unsigned char> memory_;
};

template <class T>
void measure_scans(const Lines& lines, Workspace& space, std::int64_t n, const char* type) {
  DeviceArray<T> in(n), out(n), want(n);
  random_kernel<<<2048, 256>>>(in.data(), n, 1);
  const T* values = in.data();
  textbook_scan<true, true>(
      space, nullptr, values, n, arrays::cuda::to_words(T(0)), want.data(), Plus{});
  const double bound = std::is_floating_point_v<T> ? 1e-5 : 0;
  const std::string what = fmt::format("exclusive sums n=2^{} {}", std::lround(std::log2(n)), type);
  const auto time = [&](const char* impl, const auto& body) {
    check(cudaMemset(out.data(), 0xff, out.bytes()), "spoil");
    lines.time_call(what,
                    impl,
                    n,
                    n > (1 << 24) ? 11 : 51,
                    2 * static_cast<double>(out.bytes()),
                    "GB/s read + written",
                    body,
                    [&] { return same(want.data(), out.data(), n, bound); });
  };
  const cudaStream_t stream = lines.stream;
  time("yupana cuda",
       [&] { arrays::cuda::exclusive_scan(space, stream, values, n, T(0), out.data(), Plus{}); });
  time("textbook (Blelloch), here", [&] {
    textbook_scan<true, true>(
        space, stream, values, n, arrays::cuda::to_words(T(0)), out.data(), Plus{});
  });
  if (!lines.params.peers) return;
  Peer cub([&](void* memory, std::size_t& bytes) {
    cub_scan(stream, memory, bytes, values, n, out.data());
  });
  time("CUB", [&] { cub(); });
}

template <class T>
void measure_reduce(const Lines& lines, Workspace& space, std::int64_t n, const char* type) {
  DeviceArray<T> in(n), out(2);
  random_kernel<<<2048, 256>>>(in.data(), n, 1);
  const T* values = in.data();
  const cudaStream_t stream = lines.stream;
  Peer cub([&](void* memory, std::size_t& bytes) {
    cub_reduce(stream, memory, bytes, values, n, out.data() + 1);
  });
  check(cudaDeviceSynchronize(), "wait for the numbers");
  cub();
  const std::string what = fmt::format("sum n=2^{} {}", std::lround(std::log2(n)), type);
  const auto time = [&](const char* impl, const auto& body) {
    lines.time_call(what, impl, n, 21, static_cast<double>(in.bytes()), "GB/s read", body, [&] {
      return same(out.data(), out.data() + 1, 1, std::is_floating_point_v<T> ? 1e-5 : 0);
    });
  };
  time("yupana cuda",
       [&] { arrays::cuda::reduce(space, stream, values, n, T(0), out.data(), Plus{}); });
  if (lines.params.peers) time("CUB", [&] { cub(); });
}

template <class K>
void measure_sorts(
    const Lines& lines, Workspace& space, std::int64_t n, const char* type, Input input) {
  using Array = DeviceArray<K>;
  Array in(n), keys(n), want(n), values(n);
  if (input == Input::any) {
    random_kernel<<<2048, 256>>>(in.data(), n, 1);
  } else {
    easy_kernel<<<2048, 256>>>(in.data(), n, input);
  }
  const cudaStream_t stream = lines.stream;
  const auto fill = [&] {
    for (Array* to : {&keys, &values}) {
      check(cudaMemcpyAsync(to->data(), in.data(), in.bytes(), cudaMemcpyDeviceToDevice, stream),
            "copy");
    }
  };
  check(cudaMemcpy(want.data(), in.data(), in.bytes(), cudaMemcpyDeviceToDevice), "copy");
  arrays::cuda::radix_sort_unsigned(space, nullptr, Columns<K>{want.data(), nullptr}, n);
  const int repeats = lines.params.quick ? 1 : (n > (1 << 24) ? 5 : (n > short_call ? 15 : 51));
  const auto time = [&](const char* what, const char* impl, const auto& body) {
    const double seconds = median_call(stream, repeats, fill, body);
    lines(fmt::format("n=2^{} {}{}", std::lround(std::log2(n)), type, what),
          impl,
          static_cast<double>(n) / seconds * 1e-9,
          "G keys/s",
          std::nullopt,
          same(want.data(), keys.data(), n));
  };
  const auto by_number = [&](const char* what, auto data) {
    time(what, "yupana cuda sort", [&] { arrays::cuda::sort_by_key(space, stream, data, n); });
    if (!lines.params.peers) return;
    time(
        what, "CUB radix sort", [&] { arrays::cuda::radix_sort_unsigned(space, stream, data, n); });
  };
  if (input != Input::any)
    return by_number(input_names[static_cast<int>(input)], Columns<K>{keys.data(), nullptr});
  const auto each = [&](const char* what, const char* any_order, auto data, const auto& cub_merge) {
    time(any_order, "yupana cuda merge_sort", [&] {
      arrays::cuda::merge_sort_by_key(space, stream, data, n, Less{});
    });
    time(any_order, "yupana cuda quicksort", [&] {
      arrays::cuda::quicksort_by_key(space, stream, data, n, Less{});
    });
    if (lines.params.peers) {
      Peer cub(cub_merge);
      time(any_order, "CUB merge sort, stable", [&] { cub(); });
    }
    by_number(what, data);
  };
  each("", ", any order", Columns<K>{keys.data(), nullptr}, [&](void* m, std::size_t& bytes) {
    cub_merge_sort(stream, m, bytes, keys.data(), n);
  });
  each(" with values",
       " with values, any order",
       Columns<K, K>{keys.data(), values.data()},
       [&](void* m, std::size_t& bytes) {
         cub_merge_sort_pairs(stream, m, bytes, keys.data(), values.data(), n);
       });
}

template <class K>
void measure_merge(const Lines& lines, Workspace& space, int bits, const char* type) {
  const std::int64_t half = std::int64_t{1} << bits;
  DeviceArray<K> a(half), b(half), out(2 * half), want(2 * half);
  random_kernel<<<2048, 256>>>(a.data(), half, 1);
  random_kernel<<<2048, 256>>>(b.data(), half, 2);
  check(cudaMemcpy(want.data(), a.data(), a.bytes(), cudaMemcpyDeviceToDevice), "copy");
  check(cudaMemcpy(want.data() + half, b.data(), b.bytes(), cudaMemcpyDeviceToDevice), "copy");
  for (const auto& [keys, n] :
       {std::pair{a.data(), half}, {b.data(), half}, {want.data(), 2 * half}}) {
    arrays::cuda::radix_sort_unsigned(space, nullptr, Columns<K>{keys, nullptr}, n);
  }
  const auto time = [&](const char* impl, const auto& body) {
    check(cudaMemset(out.data(), 0xff, out.bytes()), "spoil");
    const double seconds = median_call(lines.stream, lines.params.quick ? 1 : 11, nothing, body);
    const double rate = 2 * static_cast<double>(out.bytes()) / seconds;
    const std::string what = fmt::format("two of 2^{} {}", bits, type);
    const bool verified = same(want.data(), out.data(), 2 * half);
    lines(what,
          impl,
          2 * static_cast<double>(half) / seconds * 1e-9,
          "G keys/s",
          rate / lines.copy_rate,
          verified);
    lines(what, impl, rate * 1e-9, "GB/s read + written", rate / lines.copy_rate, verified);
  };
  time("yupana cuda", [&] {
    arrays::cuda::merge_by_key<K, arrays::NoValue>(space,
                                                   lines.stream,
                                                   {a.data(), nullptr},
                                                   half,
                                                   {b.data(), nullptr},
                                                   half,
                                                   {out.data(), nullptr});
  });
  if (!lines.params.peers) return;
  Peer cub([&](void* memory, std::size_t& bytes) {
    cub_merge<K>(lines.stream, memory, bytes, a.data(), b.data(), half, out.data());
  });
  time("CUB", [&] { cub(); });
}

}  // namespace

void scan_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  const Lines lines(context, params, "scan");
  Workspace space;
  lines.limit(
      "2^28 uint32", "device copy (the limit)", lines.copy_rate * 1e-9, "GB/s read + written");
  const double launch = median_call(lines.stream, params.quick ? 3 : 501, nothing, [&] {
    empty_kernel<<<1, 128, 0, lines.stream>>>();
  });
  lines.limit("nothing", "empty launch (the limit of short calls)", launch * 1e6, "us");
  for (const int bits :
       params.quick ? std::vector<int>{11, 18} : std::vector<int>{11, 16, 20, 24, 28}) {
    measure_scans<std::uint32_t>(lines, space, std::int64_t{1} << bits, "uint32");
  }
  for (const int bits : params.quick ? std::vector<int>{18} : std::vector<int>{20, 28}) {
    measure_scans<float>(lines, space, std::int64_t{1} << bits, "float32");
    measure_reduce<std::uint32_t>(lines, space, std::int64_t{1} << bits, "uint32");
    measure_reduce<float>(lines, space, std::int64_t{1} << bits, "float32, the CPU's bits");
  }
}

void sort_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  const Lines lines(context, params, "sort");
  Workspace space;
  for (const int bits : params.quick ? std::vector<int>{16} : std::vector<int>{16, 20, 24, 28}) {
    const std::int64_t n = std::int64_t{1} << bits;
    for (const Input input :
         {Input::any, Input::in_order, Input::in_reverse, Input::of_16_values}) {
      if (input != Input::any && bits < 24 && !params.quick) continue;
      measure_sorts<std::uint32_t>(lines, space, n, "uint32", input);
      measure_sorts<std::uint64_t>(lines, space, n, "uint64", input);
    }
  }
}

void merge_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  const Lines lines(context, params, "merge");
  Workspace space;
  for (const int bits : params.quick ? std::vector<int>{15} : std::vector<int>{23, 27}) {
    measure_merge<std::uint32_t>(lines, space, bits, "uint32");
    measure_merge<std::uint64_t>(lines, space, bits, "uint64");
  }
}

}  // namespace yupana::bench
