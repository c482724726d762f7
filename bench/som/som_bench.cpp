#include "bench/som/som_bench.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "bench/support/python_peer.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"

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

/// The batch rule as a NumPy user writes it, with BLAS for the distances, from the same samples and
/// the same first map; right if its map differs by rounding and by samples between two neurons.
constexpr const char* numpy_setup = R"(
n, d, R, C, T, Z = {n}, {d}, {rows}, {cols}, {iterations}, {smooth}
x = np.fromfile('{folder}/samples', np.float32).reshape(n, d)
first = np.fromfile('{folder}/first', np.float32).reshape(R * C, d)
wanted = np.fromfile('{folder}/wanted', np.float32).reshape(R * C, d)
r, c = np.divmod(np.arange(R * C), C)
g2 = (r[:, None] - r) ** 2 + (c[:, None] - c) ** 2
def train():
    w = first.copy()
    for t in range(T):
        sigma = {sigma0} * np.exp(-t / {tau}) if t < T - Z else {sigma_final}
        best = np.argmin((w * w).sum(1) - 2 * (x @ w.T), axis=1)
        count = np.bincount(best, minlength=R * C).astype(float)
        sums = np.stack([np.bincount(best, weights=x[:, j], minlength=R * C) for j in range(d)], 1)
        h = np.exp(-g2 / (2 * sigma * sigma))
        w = ((h @ sums) / np.maximum(h @ count, 1e-300)[:, None]).astype(np.float32)
    return w
)";

void write(const TemporaryFolder& folder, const char* name, const Matrix<float>& matrix) {
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(matrix.data()),
             static_cast<std::streamsize>(matrix.rows() * matrix.cols()) * sizeof(float));
}

PythonResult numpy_som(Context& context,
                       const BenchParams& params,
                       const SomCase& which,
                       const Matrix<float>& samples,
                       const Matrix<float>& wanted) {
  const som::SomParams& p = which.params;
  const TemporaryFolder folder("bench");
  write(folder, "samples", samples);
  write(folder, "first", som::initial_codebook(context, samples.view(), p));
  write(folder, "wanted", wanted);
  PythonPeer peer{.imports = "import numpy as np", .version = numpy_and_blas};
  peer.setup = fmt::format(fmt::runtime(numpy_setup),
                           fmt::arg("n", which.samples),
                           fmt::arg("d", which.features),
                           fmt::arg("rows", p.grid.rows),
                           fmt::arg("cols", p.grid.cols),
                           fmt::arg("iterations", p.schedule.iterations),
                           fmt::arg("smooth", p.schedule.smooth),
                           fmt::arg("sigma0", p.schedule.sigma0),
                           fmt::arg("tau", p.schedule.tau),
                           fmt::arg("sigma_final", p.schedule.sigma_final),
                           fmt::arg("folder", folder.path()));
  peer.statement = "w = train()";
  peer.verified = "np.abs(w - wanted).max() <= 1e-2";
  peer.repeats = params.quick ? 1 : 5;
  peer.environment = fmt::format("OPENBLAS_NUM_THREADS={}", context.threads());
  peer.package = "python3-numpy";
  return run_python(peer);
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
  const bool verified =
      context.backend() != Backend::reference && trains_like_reference(context, which);
  const std::string what = fmt::format(
      "{} x 18, map 8 x 7, 10 iterations, {}", which.samples, threads_text(context.threads()));
  Matrix<float> trained;
  const Timing timing = time_runs(
      params.quick ? 1 : 7, [&] { trained = som::train(context, samples.view(), which.params); });
  params.emit(timed_line("som", what, impl_name(context), timing.median, "s", verified, timing));
  if (!params.peers) return;
  emit_python(params,
              "som",
              what,
              "NumPy, BLAS",
              "s",
              numpy_som(context, params, which, samples, trained),
              [](double seconds) { return seconds; });
}

}  // namespace yupana::bench
