#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/arrays/arrays_cuda_bench.hpp"
#include "yupana/arrays/scan.hpp"

namespace yupana::bench {
namespace {

/// Bytes a second, read and written, of a copy that writes around the cache with all threads: the
/// limit of a scan out of memory.
double copy_rate(Context& context, const Array<float>& from, Array<float>& to, int repeats) {
  const std::int64_t n = from.size();
  const double seconds = least_seconds(
      repeats,
      [] {},
      [&] {
        context.parallel_for(n / 16,
                             (n / 16 + context.threads() - 1) / context.threads(),
                             [&](std::int64_t begin, std::int64_t end) {
                               for (std::int64_t i = begin; i < end; ++i) {
                                 arrays::cpu::stream_line(to.data() + 16 * i, from.data() + 16 * i);
                               }
                               arrays::cpu::finish_streams();
                             });
      });
  return 2.0 * static_cast<double>(from.bytes()) / seconds;
}

/// The textbook scan (Blelloch 1990): an up-sweep leaves sums of powers of two in place, a
/// down-sweep turns them into exclusive sums; n a power of two. Each level is one pass.
template <class T>
void blelloch_scan(Context& context, T* values, std::int64_t n) {
  constexpr std::int64_t grain = 1 << 14;
  for (std::int64_t step = 1; step < n; step *= 2) {
    context.parallel_for(n / (2 * step), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        values[(i + 1) * 2 * step - 1] += values[(i + 1) * 2 * step - 1 - step];
      }
    });
  }
  values[n - 1] = 0;
  for (std::int64_t step = n / 2; step > 0; step /= 2) {
    context.parallel_for(n / (2 * step), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        T& right = values[(i + 1) * 2 * step - 1];
        T& left = values[(i + 1) * 2 * step - 1 - step];
        const T sum = left + right;
        left = right;
        right = sum;
      }
    });
  }
}

struct Emit {
  const BenchParams& params;
  std::string what;
  double bytes;
  double limit;
  /// `right` looks at the result, after the time was taken.
  template <class Right>
  void operator()(const std::string& impl, double seconds, const Right& right) const {
    if (seconds <= 0) return;
    const bool verified = right();
    params.emit({"scan",
                 what,
                 impl,
                 bytes / seconds * 1e-9,
                 "GB/s read + written",
                 bytes / seconds / limit,
                 verified});
  }
};

template <class T>
void measure(
    Context& context, const BenchParams& params, std::int64_t n, const char* type, double limit) {
  const int repeats = params.quick ? 1 : 9;
  const Emit emit{params,
                  fmt::format("inclusive sums n={} {}, {} threads", n, type, context.threads()),
                  2.0 * static_cast<double>(n) * sizeof(T),
                  limit};
  // Small integers: every sum is exact below 2^24 times their mean in any type wide enough; floats
  // are compared within their rounding.
  Array<T> in(n), out(n), want(n);
  for (std::int64_t i = 0; i < n; ++i) {
    in[i] = static_cast<T>(Random(1).word(static_cast<std::uint64_t>(i)) % 8);
  }
  const auto nothing = [] {};
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    total += static_cast<double>(in[i]);
    want[i] = static_cast<T>(total);
  }
  const auto right = [&] {
    double worst = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      worst =
          std::max(worst, std::fabs(static_cast<double>(out[i]) - static_cast<double>(want[i])));
    }
    return worst <= (std::is_floating_point_v<T> ? 1e-4 * total : 0);
  };
  emit("yupana cpu",
       least_seconds(
           repeats, nothing, [&] { arrays::inclusive_scan(context, in.data(), n, out.data()); }),
       right);
  emit("yupana cpu, an operator of one's own (+)",
       least_seconds(repeats,
                     nothing,
                     [&] {
                       arrays::inclusive_scan(
                           context, in.data(), n, out.data(), [](T a, T b) { return a + b; });
                     }),
       right);
  if (!params.peers) return;
  emit("std::inclusive_scan",
       least_seconds(
           repeats, nothing, [&] { std::inclusive_scan(in.begin(), in.end(), out.begin()); }),
       right);
  const double seconds = least_seconds(
      params.quick ? 1 : 3,
      [&] { std::copy(in.begin(), in.end(), out.begin()); },
      [&] { blelloch_scan(context, out.data(), n); });
  bool same = true;
  for (std::int64_t i = 0; i < n; ++i) {
    const double difference = static_cast<double>(out[i] + in[i]) - static_cast<double>(want[i]);
    same = same && std::fabs(difference) <= (std::is_floating_point_v<T> ? 1e-4 * total : 0);
  }
  emit("textbook Blelloch, all threads", seconds, [&] { return same; });
  emit("numpy.cumsum, out given",
       numpy_seconds(fmt::format("a = np.ones({0}, np.{1})\nb = np.empty({0}, np.{1})", n, type),
                     "pass",
                     fmt::format("np.cumsum(a, dtype=np.{}, out=b)", type),
                     repeats),
       [] { return false; });
}

}  // namespace

void scan(Context& context, const BenchParams& params) {
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return scan_cuda(context, params);
  }
  const std::int64_t n = std::int64_t{1} << (params.quick ? 18 : 26);
  double limit = 0;
  {
    Array<float> from = Array<float>::zeros(n), to = Array<float>::zeros(n);
    limit = copy_rate(context, from, to, params.quick ? 1 : 15);
  }
  params.emit({"scan",
               fmt::format("{} bytes, {} threads", 4 * n, context.threads()),
               "copy around the cache (the limit)",
               limit * 1e-9,
               "GB/s read + written",
               1.0,
               true});
  measure<std::uint32_t>(context, params, n, "uint32", limit);
  measure<float>(context, params, n, "float32", limit);
  measure<double>(context, params, n, "float64", limit);
}

}  // namespace yupana::bench
