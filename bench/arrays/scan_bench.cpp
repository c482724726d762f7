#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <execution>
#include <numeric>
#include <optional>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/arrays/arrays_cuda_bench.hpp"
#include "bench/arrays/sort_peers.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/arrays/scan.hpp"

namespace yupana::bench {
namespace {

/// A copy that writes around the cache with all threads: the limit of a scan out of memory.
Timing time_copy(Context& context, const Array<float>& from, Array<float>& to, int repeats) {
  const std::int64_t lines = from.size() / 16;
  return time_runs(repeats, [&] {
    context.parallel_for(
        lines, divide_up(lines, context.threads()), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            arrays::cpu::stream_line(to.data() + 16 * i, from.data() + 16 * i);
          }
          arrays::cpu::finish_streams();
        });
  });
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

/// Sums of `in` from the left, by each implementation in turn.
template <class T>
class ScanCase {
 public:
  ScanCase(
      Context& context, const BenchParams& params, std::int64_t n, const char* type, double limit)
      : context_(context),
        params_(params),
        type_(type),
        what_(fmt::format("inclusive sums n={} {}, {}", n, type, threads_text(context.threads()))),
        limit_(limit),
        repeats_(params.quick ? 1 : 9),
        in_(n),
        out_(n),
        want_(n) {
    // Small integers: every sum is exact below 2^24 times their mean in any type wide enough;
    // floats are compared within their rounding.
    for (std::int64_t i = 0; i < n; ++i) {
      in_[i] = static_cast<T>(Random(1).word(static_cast<std::uint64_t>(i)) % 8);
      total_ += static_cast<double>(in_[i]);
      want_[i] = static_cast<T>(total_);
    }
  }

  void ours() {
    const std::int64_t n = in_.size();
    time(impl_name(context_), {}, [&] {
      arrays::inclusive_scan(context_, in_.data(), n, out_.data());
    });
    time(impl_name(context_) + ", an operator of one's own (+)", {}, [&] {
      arrays::inclusive_scan(context_, in_.data(), n, out_.data(), [](T a, T b) { return a + b; });
    });
  }
  void peers() {
    time("std::inclusive_scan, 1 thread", standard_library(), [&] {
      std::inclusive_scan(in_.begin(), in_.end(), out_.begin());
    });
    const std::string threads = threads_text(context_.threads());
    time("std::inclusive_scan, par_unseq, " + threads, standard_library(), [&] {
      context_.run([&] {
        std::inclusive_scan(std::execution::par_unseq, in_.begin(), in_.end(), out_.begin());
        return true;
      });
    });
    const Timing textbook = time_runs(
        params_.quick ? 1 : 3,
        [&] { std::copy(in_.begin(), in_.end(), out_.begin()); },
        [&] { blelloch_scan(context_, out_.data(), in_.size()); });
    for (std::int64_t i = 0; i < in_.size(); ++i) out_[i] += in_[i];
    emit("textbook Blelloch, " + threads, {}, textbook);
    numpy();
  }

 private:
  template <class Body>
  void time(const std::string& impl, const std::string& version, const Body& body) {
    std::fill(out_.begin(), out_.end(), static_cast<T>(-1));
    emit(impl, version, time_runs(repeats_, body));
  }
  void emit(const std::string& impl, const std::string& version, const Timing& timing) {
    const double rate = bytes() / timing.median;
    // The few bytes of a quick copy fit the cache: its rate limits nothing.
    std::optional<double> share;
    if (!params_.quick) share = rate / limit_;
    params_.emit(
        {"scan",
         what_,
         impl,
         rate * 1e-9,
         unit,
         share,
         out_is_right(),
         {},
         version,
         timing,
         share > 1 ? "above the limit: the values fit the cache, the limit's do not" : ""});
  }
  void numpy() {
    PythonPeer peer{.imports = "import numpy as np", .version = "'NumPy ' + np.__version__"};
    peer.setup = fmt::format(
        "a = np.arange({0}).astype(np.{1}) % 8\nb = np.empty({0}, np.{1})\n"
        "right = np.cumsum(a, dtype=np.float64)",
        in_.size(),
        type_);
    peer.statement = fmt::format("np.cumsum(a, dtype=np.{}, out=b)", type_);
    peer.verified = fmt::format("abs(b - right).max() <= {} * right[-1]", tolerance());
    peer.repeats = repeats_;
    peer.package = "python3-numpy";
    emit_python(params_,
                "scan",
                what_,
                "numpy.cumsum, out given, 1 thread",
                unit,
                run_python(peer),
                [&](double seconds) { return bytes() / seconds * 1e-9; });
  }
  double bytes() const { return 2.0 * static_cast<double>(in_.bytes()); }
  double tolerance() const { return std::is_floating_point_v<T> ? 1e-4 : 0; }
  bool out_is_right() const {
    double worst = 0;
    for (std::int64_t i = 0; i < in_.size(); ++i) {
      const double difference = static_cast<double>(out_[i]) - static_cast<double>(want_[i]);
      worst = std::max(worst, std::fabs(difference));
    }
    return worst <= tolerance() * total_;
  }

  static constexpr const char* unit = "GB/s read + written";
  Context& context_;
  const BenchParams& params_;
  const char* type_;
  std::string what_;
  double limit_;
  int repeats_;
  Array<T> in_, out_, want_;
  double total_ = 0;
};

template <class T>
void measure(
    Context& context, const BenchParams& params, std::int64_t n, const char* type, double limit) {
  ScanCase<T> test(context, params, n, type, limit);
  test.ours();
  if (params.peers) test.peers();
}

/// Emits the rate of the copy; returns it in bytes a second.
double report_limit(Context& context, const BenchParams& params, std::int64_t n) {
  const Array<float> from = Array<float>::zeros(n);
  Array<float> to(n);
  std::fill(to.begin(), to.end(), 1.0f);
  const Timing timing = time_copy(context, from, to, params.quick ? 1 : 15);
  const double rate = 2.0 * static_cast<double>(from.bytes()) / timing.median;
  params.emit({"scan",
               fmt::format("{} bytes, {}", 4 * n, threads_text(context.threads())),
               "copy around the cache (the limit)",
               rate * 1e-9,
               "GB/s read + written",
               1.0,
               std::equal(from.begin(), from.end(), to.begin()),
               {},
               {},
               timing});
  return rate;
}

}  // namespace

void scan(Context& context, const BenchParams& params) {
  if constexpr (yupana::cuda::built) {
    if (context.backend() == Backend::cuda) return scan_cuda(context, params);
  }
  const std::int64_t n = std::int64_t{1} << (params.quick ? 18 : 26);
  const double limit = report_limit(context, params, n);
  measure<std::uint32_t>(context, params, n, "uint32", limit);
  measure<float>(context, params, n, "float32", limit);
  measure<double>(context, params, n, "float64", limit);
}

}  // namespace yupana::bench
