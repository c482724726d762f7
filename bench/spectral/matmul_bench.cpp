#include <fmt/core.h>

#include <string>
#include <vector>

#include "bench/spectral/matmul_case.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/spectral/matmul.hpp"

namespace yupana::bench {
namespace {

template <class T>
void square_case(Context& context, const BenchParams& params, std::int64_t n) {
  constexpr const char* type = sizeof(T) == 4 ? "float32" : "float64";
  const std::string what =
      fmt::format("{} {} x {}, {}", type, n, n, threads_text(context.threads()));
  const std::vector<T> a = noise_matrix<T>(n * n, 1), b = noise_matrix<T>(n * n, 2);
  const std::vector<T> x = sign_matrix<T>(n * n, 4), y = sign_matrix<T>(n * n, 5);
  std::vector<T> c(a.size());
  const int repeats = params.quick ? 1 : n > 3000 ? 5 : 15;
  constexpr const char* unit = "GFLOP/s (2 n^3)";
  const auto rate = [n](double seconds) {
    const auto side = static_cast<double>(n);
    return 2e-9 * side * side * side / seconds;
  };
  const std::int64_t never = n, smallest_halved = (n + 1) / 2;
  for (const std::int64_t above : {never, smallest_halved}) {
    const auto multiply = [&](const std::vector<T>& left, const std::vector<T>& right) {
      spectral::matmul(context,
                       MatrixView<const T>(left.data(), n, n),
                       MatrixView<const T>(right.data(), n, n),
                       MatrixView<T>(c.data(), n, n),
                       {.strassen_above = above});
    };
    multiply(x, y);
    const bool right = cells_are_right(x, y, c, n);
    const Timing timing = time_runs(repeats, [&] { multiply(a, b); });
    const char* how = above == never ? ", classical" : ", halved once (Strassen-Winograd)";
    params.emit(timed_line(
        "matmul", what, impl_name(context) + how, rate(timing.median), unit, right, timing));
  }
  if (!params.peers) return;
  PythonPeer numpy{.imports = "import numpy as np", .version = numpy_and_blas};
  numpy.setup = fmt::format(
      "r = np.random.default_rng(1)\n"
      "x = r.integers(-1, 2, ({0}, {0}))\n"
      "i = r.integers(0, {0}, 16)\n"
      "right = np.array_equal((x.astype(np.{1}) @ x.astype(np.{1}))[i], x[i] @ x)\n"
      "a = r.random(({0}, {0})).astype(np.{1})",
      n,
      type);
  numpy.statement = "a @ a";
  numpy.verified = "right";
  numpy.repeats = repeats;
  numpy.environment = fmt::format("OPENBLAS_NUM_THREADS={}", context.threads());
  numpy.package = "python3-numpy";
  emit_python(params, "matmul", what, "NumPy a @ a (its BLAS)", unit, run_python(numpy), rate);
}

}  // namespace

void matmul(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return matmul_cuda(context, params);
#endif
  for (const std::int64_t n : {1024, 2048, 4096}) {
    if (params.quick && n > 1024) break;
    square_case<float>(context, params, params.quick ? 200 : n);
    square_case<double>(context, params, params.quick ? 200 : n);
  }
}

}  // namespace yupana::bench
