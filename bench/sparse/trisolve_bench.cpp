#include "bench/sparse/trisolve_bench.hpp"

#include <fmt/format.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "yupana/core/random.hpp"

namespace yupana::bench {
namespace {

/// Least milliseconds of `repeats` runs: other work on the machine can only make a run slower.
template <class Body>
double least_ms(int repeats, const Body& body) {
  double best = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() * 1e3);
  }
  return best;
}

void emit(const BenchParams& params,
          const std::string& what,
          const std::string& impl,
          double ms,
          bool good) {
  params.emit({"trisolve", what, impl, ms, "ms", std::nullopt, good});
}

void ours(const BenchParams& params,
          const std::string& what,
          const SystemMatrix& matrix,
          const Verified& want,
          int threads,
          int repeats) {
  Context context({.device = "cpu", .threads = threads});
  const std::string suffix = fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
  emit(params,
       what,
       "yupana cpu analysis" + suffix,
       least_ms(repeats, [&] { sparse::analyse(context, matrix.view()); }),
       true);
  for (const auto& [name, method] : {std::pair{"serial", sparse::SolveMethod::serial},
                                     {"level-set", sparse::SolveMethod::level_set},
                                     {"sync-free", sparse::SolveMethod::sync_free}}) {
    const System system(context, matrix.view(), {.method = method});
    Matrix<double> x(matrix.rows, 1);
    const double ms = least_ms(repeats, [&] { system.solve(context, want.b.view(), x.view()); });
    emit(params,
         what,
         fmt::format("yupana cpu {} solve{}", name, suffix),
         ms,
         std::equal(x.data(), x.data() + matrix.rows, want.x.data()));
  }
}

template <int order>
void eigen(const BenchParams& params,
           const std::string& what,
           const SystemMatrix& matrix,
           const Verified& want,
           int repeats) {
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
  const Eigen::Map<const Rows> rows(matrix.rows,
                                    matrix.rows,
                                    matrix.columns.size(),
                                    matrix.row_begin.data(),
                                    matrix.columns.data(),
                                    matrix.values.data());
  const Eigen::SparseMatrix<double, order, std::int32_t> copy = rows;
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(want.b.data(), matrix.rows);
  Eigen::VectorXd x;
  const double ms = least_ms(repeats, [&] {
    x = b;
    copy.template triangularView<Eigen::Lower>().solveInPlace(x);
  });
  emit(params,
       what,
       order == Eigen::RowMajor ? "Eigen 3.4 row-major, 1 thread"
                                : "Eigen 3.4 column-major, 1 thread",
       ms,
       agrees(want, x.data()));
}

void scipy(const BenchParams& params, const std::string& what, const Grid& grid) {
  const std::string text = output_of(
      fmt::format("/usr/bin/python3 -c \"\nimport numpy as np, scipy.sparse as s, time\n"
                  "from scipy.sparse.linalg import spsolve_triangular\n"
                  "w, h = {}, {}\nn = w * h\nleft = -np.ones(n - 1)\nleft[w - 1::w] = 0\n"
                  "a = s.diags([4 * np.ones(n), left, -np.ones(n - w)], [0, -1, -w]).tocsr()\n"
                  "a.eliminate_zeros()\nb = np.ones(n)\nt = time.perf_counter()\n"
                  "x = spsolve_triangular(a, b)\nt = time.perf_counter() - t\n"
                  "print(t * 1e3, int(abs(a @ x - b).max() < 1e-12))\"",
                  grid.width,
                  grid.height));
  double ms = 0;
  int good = 0;
  if (std::sscanf(text.c_str(), "%lf %d", &ms, &good) == 2) {
    emit(params, what, "scipy spsolve_triangular", ms, good == 1);
  }
}

}  // namespace

Verified verified(const SystemMatrix& matrix) {
  Verified want{Matrix<double>(matrix.rows, 1), Matrix<double>(matrix.rows, 1)};
  const Random random(3);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    want.b.data()[i] = 1 + random.uniform(static_cast<std::uint64_t>(i));
  }
  Context context({.device = "reference"});
  System(context, matrix.view()).solve(context, want.b.view(), want.x.view());
  return want;
}

bool agrees(const Verified& want, const double* x) {
  const double* right = want.x.data();
  for (std::int64_t i = 0; i < want.x.rows(); ++i) {
    if (!(std::fabs(x[i] - right[i]) <= 1e-12 * std::fabs(right[i]))) return false;
  }
  return true;
}

void trisolve(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return trisolve_cuda(context, params);
#endif
  const int repeats = params.quick ? 1 : 15;
  const Grid grids[] = {params.quick ? Grid{"2-D", 100, 100, 1} : Grid{"2-D", 1000, 1000, 1},
                        params.quick ? Grid{"3-D", 20, 20, 20} : Grid{"3-D", 100, 100, 100}};
  for (const Grid& grid : grids) {
    const SystemMatrix matrix = grid.matrix();
    const Verified want = verified(matrix);
    const std::string what = fmt::format("lower {} Poisson n={} float64", grid.name, matrix.rows);
    ours(params, what, matrix, want, 1, repeats);
    if (context.threads() > 1) ours(params, what, matrix, want, context.threads(), repeats);
    if (!params.peers) continue;
    eigen<Eigen::RowMajor>(params, what, matrix, want, repeats);
    eigen<Eigen::ColMajor>(params, what, matrix, want, repeats);
    if (grid.depth == 1) scipy(params, what, grid);
  }
}

}  // namespace yupana::bench
