#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/graph/paths_peers.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"
#include "yupana/graph/min_plus_kernels.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::bench {
namespace {

using graph::PathMethod;

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  return std::is_same_v<T, float> ? "float32" : "float64";
}

// Integers up to 10^6: sums are exact in all three types, so that results can be compared for
// equality.
template <class T>
SquareMatrix<T> weights(std::int64_t n, bool symmetric) {
  SquareMatrix<T> w(n);
  const Random random(1);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t cell = symmetric ? std::max(i, j) * n + std::min(i, j) : i * n + j;
      w(i, j) = i == j
                    ? T{0}
                    : static_cast<T>(1 + random.word(static_cast<std::uint64_t>(cell)) % 1000000);
    }
  }
  return w;
}

// Add+min of all this context's threads with every operand in a register.
struct RegisterRate {
  double rate = 0;  ///< a second
  Timing timing;
};
template <class T>
RegisterRate register_rate(Context& context, bool quick) {
  const std::int64_t steps = quick ? 20'000 : 2'000'000;
  const auto loop = graph::cpu::simd_table<T>().register_loop;
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(context.threads()));
  const Timing timing = time_runs(15, [&] {
    context.parallel_for(context.threads(), 1, [&](std::int64_t begin, std::int64_t) {
      volatile T kept = loop(steps, pairs[static_cast<std::size_t>(begin)]);
      static_cast<void>(kept);
    });
  });
  double all = 0;
  for (const std::int64_t count : pairs) all += static_cast<double>(count);
  // A limit is what the machine can do at best: its fastest run.
  return {all / timing.min, timing};
}

// Rows of the closure against Dijkstra's search from their vertex, written out here: an oracle that
// shares nothing with the closure and costs n^2 a row.
template <class T>
bool rows_are_right(const SquareMatrix<T>& w, const SquareMatrix<T>& closed) {
  const std::int64_t n = w.size();
  for (const std::int64_t source : {std::int64_t{0}, n / 3, n - 1}) {
    std::vector<double> length(static_cast<std::size_t>(n), HUGE_VAL);
    std::vector<bool> done(static_cast<std::size_t>(n), false);
    length[static_cast<std::size_t>(source)] = 0;
    for (std::int64_t step = 0; step < n; ++step) {
      std::size_t x = 0;
      double least = HUGE_VAL;
      for (std::size_t y = 0; y < done.size(); ++y) {
        if (!done[y] && length[y] < least) least = length[x = y];
      }
      done[x] = true;
      for (std::int64_t y = 0; y < n; ++y) {
        double& there = length[static_cast<std::size_t>(y)];
        there = std::min(there, least + static_cast<double>(w(static_cast<std::int64_t>(x), y)));
      }
    }
    for (std::int64_t y = 0; y < n; ++y) {
      if (static_cast<double>(closed(source, y)) != length[static_cast<std::size_t>(y)])
        return false;
    }
  }
  return true;
}

struct Case {
  PathMethod method;
  const char* name;
  double work;  ///< add+min of n^3
};
constexpr Case symmetric = {PathMethod::symmetric, "symmetric R-Kleene", 0.5};
constexpr Case directed = {PathMethod::directed, "directed R-Kleene", 1};
constexpr Case floyd_warshall = {PathMethod::floyd_warshall, "blocked Floyd-Warshall", 1};

std::string what(std::int64_t n, const char* type, const Case& which, int threads) {
  return fmt::format("n={} {} {}, {}", n, type, which.name, threads_text(threads));
}

// A case as a rate and as seconds.
void emit_both(const BenchParams& params,
               const std::string& name,
               const std::string& impl,
               double work,
               const Timing& timing,
               std::optional<double> limit,
               bool verified,
               const std::string& version = {}) {
  const double rate = work / timing.median;
  const std::optional<double> share = limit ? std::optional(rate / *limit) : std::nullopt;
  params.emit(
      {"paths", name, impl, rate * 1e-9, "G (add+min)/s", share, verified, {}, version, timing});
  params.emit(timed_line("paths", name, impl, timing.median, "s", verified, timing, version));
}

template <class T>
void measure(
    Context& context, const BenchParams& params, std::int64_t n, const Case& which, double limit) {
  const SquareMatrix<T> w = weights<T>(n, which.method == PathMethod::symmetric);
  SquareMatrix<T> closed(n);
  const Timing timing = time_runs(
      params.quick ? 1
      : n >= 4096  ? 5
                   : 9,
      [&] { std::copy(w.data(), w.data() + n * n, closed.data()); },
      [&] { graph::shortest_paths<T>(context, closed.view(), {.method = which.method}); });
  emit_both(params,
            what(n, type_name<T>(), which, context.threads()),
            impl_name(context),
            which.work * std::pow(static_cast<double>(n), 3),
            timing,
            limit,
            rows_are_right(w, closed));
}

template <class T>
double report_limit(Context& context, const BenchParams& params) {
  const RegisterRate limit = register_rate<T>(context, params.quick);
  params.emit(limit_line(
      "paths",
      fmt::format(
          "{} add+min in registers alone, {}", type_name<T>(), threads_text(context.threads())),
      "yupana cpu " + simd_target(),
      limit.rate * 1e-9,
      "G (add+min)/s",
      limit.timing));
  return limit.rate;
}

}  // namespace

void paths(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return paths_cuda(context, params);
#endif
  const double limit32 = report_limit<std::int32_t>(context, params);
  // The float loop is bound by the order its instructions happen to have (45 G (add+min)/s in one
  // order, 51 in another); the one addition a vector that float and int32 share is the true limit.
  const double limit_float = std::max(limit32, report_limit<float>(context, params));
  const double limit64 = report_limit<double>(context, params);
  const std::vector<std::int64_t> sizes = params.quick
                                              ? std::vector<std::int64_t>{64, 150}
                                              : std::vector<std::int64_t>{1024, 2048, 4096};
  for (const std::int64_t n : sizes) {
    measure<std::int32_t>(context, params, n, symmetric, limit32);
    measure<float>(context, params, n, symmetric, limit_float);
    measure<double>(context, params, n, symmetric, limit64);
  }
  const std::int64_t middle = sizes[1];
  measure<std::int32_t>(context, params, middle, directed, limit32);
  measure<std::int32_t>(context, params, middle, floyd_warshall, limit32);
  measure<float>(context, params, middle, directed, limit_float);
  if (!params.peers) return;
  // SciPy takes 45 s for n = 4,096.
  for (const std::int64_t n : sizes) {
    if (n > 2048) continue;
    paths_peers(params, n, [&](const std::string& impl, const PythonResult& result) {
      const double work = std::pow(static_cast<double>(n), 3);
      const std::string name = what(n, "float64", symmetric, 1);
      if (!result.ran()) {
        return params.emit(left_out("paths", name, impl, "G (add+min)/s", result.why_not));
      }
      emit_both(
          params, name, impl, work, result.timing, std::nullopt, result.verified, result.version);
    });
  }
}

}  // namespace yupana::bench
