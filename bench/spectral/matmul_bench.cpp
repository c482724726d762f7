#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/arrays/arrays_bench.hpp"
#include "bench/spectral/matmul_case.hpp"
#include "bench/spectral/spectral_cuda_bench.hpp"
#include "bench/support/bench.hpp"
#include "yupana/spectral/matmul.hpp"

namespace yupana::bench {
namespace {

template <class T>
void square_case(Context& context, const BenchParams& params, std::int64_t n) {
  constexpr const char* type = sizeof(T) == 4 ? "float32" : "float64";
  const std::string what = fmt::format("{} {} x {}, {} threads", type, n, n, context.threads());
  const std::vector<T> a = noise_matrix<T>(n * n, 1), b = noise_matrix<T>(n * n, 2);
  const std::vector<T> x = sign_matrix<T>(n * n, 4), y = sign_matrix<T>(n * n, 5);
  std::vector<T> c(a.size());
  const int repeats = params.quick ? 1 : n > 3000 ? 5 : 15;
  const auto emit = [&](const std::string& impl, double seconds, bool verified) {
    const double flops =
        2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    params.emit(
        {"matmul", what, impl, 1e-9 * flops / seconds, "GFLOP/s (2 n^3)", std::nullopt, verified});
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
    const double seconds = least_seconds(
        repeats, [] {}, [&] { multiply(a, b); });
    emit(above == never ? "yupana cpu, classical" : "yupana cpu, halved once (Strassen-Winograd)",
         seconds,
         right);
  }
  if (!params.peers) return;
  const double numpy = numpy_seconds(
      fmt::format("a = np.random.default_rng(1).random(({0}, {0})).astype(np.{1})", n, type),
      "pass",
      "a @ a",
      repeats);
  if (numpy > 0) emit("NumPy a @ a (its BLAS)", numpy, false);
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
