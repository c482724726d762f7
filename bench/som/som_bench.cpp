#include "bench/som/som_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"

namespace yupana::bench {
namespace {

Matrix<float> samples_of(Context& context, std::int64_t n, std::int64_t d) {
  Matrix<float> samples(n, d);
  const Random random(1);
  context.parallel_for(n, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double center = random.word(static_cast<std::uint64_t>(i)) % 2 == 0 ? 0 : 0.5;
      for (std::int64_t j = 0; j < d; ++j) {
        const auto cell = static_cast<std::uint64_t>(2 * (i * d + j) + n);
        const double radius = std::sqrt(-2 * std::log(1 - random.uniform(cell)));
        samples(i, j) = static_cast<float>(
            center + radius * std::cos(6.283185307179586 * random.uniform(cell + 1)));
      }
    }
  });
  return samples;
}

/// The batch rule as a NumPy user writes it, with BLAS for the distances; seconds.
double numpy_som(const SomCase& which) {
  const som::SomParams& p = which.params;
  const std::string script = fmt::format(
      R"(import time
import numpy as np
rng = np.random.default_rng(1)
n, d, R, C, T, Z = {}, {}, {}, {}, {}, {}
x = rng.normal(size=(n, d)).astype(np.float32)
w = x[:R * C].copy()
r, c = np.divmod(np.arange(R * C), C)
g2 = (r[:, None] - r) ** 2 + (c[:, None] - c) ** 2
t0 = time.perf_counter()
for t in range(T):
    sigma = {} * np.exp(-t / {}) if t < T - Z else {}
    best = np.argmin((w * w).sum(1) - 2 * (x @ w.T), axis=1)
    count = np.bincount(best, minlength=R * C).astype(float)
    sums = np.stack([np.bincount(best, weights=x[:, j], minlength=R * C) for j in range(d)], 1)
    h = np.exp(-g2 / (2 * sigma * sigma))
    w = ((h @ sums) / np.maximum(h @ count, 1e-300)[:, None]).astype(np.float32)
print(time.perf_counter() - t0)
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
  const std::string text = output_of("/usr/bin/python3 -c '" + script + "' 2>/dev/null");
  return text.empty() ? 0 : std::stod(text);
}

}  // namespace

bool trains_like_reference(Context& context, const SomCase& which) {
  Context reference({.device = "reference"});
  const Matrix<float> samples = samples_of(context, 600, which.features);
  som::SomParams params = which.params;
  params.grid.rows = std::min<std::int64_t>(params.grid.rows, 12);
  params.grid.cols = std::min<std::int64_t>(params.grid.cols, 12);
  const Matrix<float> a = som::train(reference, samples.view(), params);
  const Matrix<float> b = som::train(context, samples.view(), params);
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * 4) == 0;
}

void som(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return som_cuda(context, params);
#endif
  SomCase which{params.quick ? 5000 : 500'000, 18, {}};
  which.params.grid = {8, 7};
  which.params.schedule = {10, 5, 4, 0.1, 10};
  const Matrix<float> samples = samples_of(context, which.samples, which.features);
  const bool verified = trains_like_reference(context, which);
  const std::string what = fmt::format(
      "{} x 18, map 8 x 7, 10 iterations, {} threads", which.samples, context.threads());
  const double seconds = median_seconds(params.quick ? 1 : 7,
                                        [&] { som::train(context, samples.view(), which.params); });
  params.emit({"som",
               what,
               fmt::format("yupana cpu {}", simd_target()),
               seconds,
               "s",
               std::nullopt,
               verified});
  if (!params.peers) return;
  const double peer = numpy_som(which);
  if (peer > 0) params.emit({"som", what, "NumPy, BLAS", peer, "s", std::nullopt, false});
}

}  // namespace yupana::bench
