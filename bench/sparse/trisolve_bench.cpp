#include "bench/sparse/trisolve_bench.hpp"

#include <fmt/core.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "bench/support/python_peer.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/matrix_market.hpp"

namespace yupana::bench {
namespace {

/// One system and what is measured of it.
struct SystemCase {
  const BenchParams& params;
  std::string what;
  const SystemMatrix& matrix;
  const Verified& want;
  sparse::TriangularParams options;
  int repeats;

  void emit(const std::string& impl,
            const Timing& timing,
            bool good,
            const std::string& version = {}) const {
    params.emit(
        timed_line("trisolve", what, impl, timing.median * 1e3, "ms", good, timing, version));
  }
};

void ours(const Context& parent, const SystemCase& test, int threads) {
  Context context(with_threads(parent, threads));
  const std::string ours = context.backend() == Backend::reference ? "reference" : "cpu";
  const std::string suffix = ", " + threads_text(threads);
  Context reference({.device = "reference"});
  const auto published = sparse::analyse(reference, test.matrix.view(), test.options);
  sparse::LevelAnalysis<std::int32_t> got;
  const Timing analysis = time_runs(
      test.repeats, [&] { got = sparse::analyse(context, test.matrix.view(), test.options); });
  test.emit(fmt::format("yupana {} analysis{}", ours, suffix),
            analysis,
            context.backend() != Backend::reference && same_analysis(got, published));
  for (const auto& [name, method] : {std::pair{"automatic", sparse::SolveMethod::automatic},
                                     {"serial", sparse::SolveMethod::serial},
                                     {"level-set", sparse::SolveMethod::level_set},
                                     {"sync-free", sparse::SolveMethod::sync_free}}) {
    sparse::TriangularParams options = test.options;
    options.method = method;
    const System system(context, test.matrix.view(), options);
    Matrix<double> x(test.matrix.rows, 1);
    std::fill(x.data(), x.data() + x.rows(), std::numeric_limits<double>::quiet_NaN());
    const Timing solve =
        time_runs(test.repeats, [&] { system.solve(context, test.want.b.view(), x.view()); });
    test.emit(fmt::format("yupana {} {} solve{}", ours, name, suffix),
              solve,
              context.backend() != Backend::reference && same_bits(test.want, x.data()));
  }
}

template <int order>
void eigen(const SystemCase& test) {
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
  const SystemMatrix& matrix = test.matrix;
  const Eigen::Map<const Rows> rows(matrix.rows,
                                    matrix.rows,
                                    matrix.columns.size(),
                                    matrix.row_begin.data(),
                                    matrix.columns.data(),
                                    matrix.values.data());
  const Eigen::SparseMatrix<double, order, std::int32_t> copy = rows;
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(test.want.b.data(), matrix.rows);
  Eigen::VectorXd x(matrix.rows);
  // The right-hand side is copied in, as our solve reads it from elsewhere too.
  const Timing timing = time_runs(test.repeats, [&] {
    x = b;
    if (test.options.unit_diagonal) {
      copy.template triangularView<Eigen::UnitLower>().solveInPlace(x);
    } else {
      copy.template triangularView<Eigen::Lower>().solveInPlace(x);
    }
  });
  test.emit(
      order == Eigen::RowMajor ? "Eigen row-major, 1 thread" : "Eigen column-major, 1 thread",
      timing,
      agrees(test.want, x.data()),
      fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION));
}

template <class Values>
void write(const TemporaryFolder& folder, const char* name, const Values* values, std::int64_t n) {
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(n) * static_cast<std::streamsize>(sizeof(Values)));
}

void scipy(const SystemCase& test) {
  const TemporaryFolder folder("bench");
  const SystemMatrix& matrix = test.matrix;
  write(folder, "begin", matrix.row_begin.data(), matrix.row_begin.size());
  write(folder, "columns", matrix.columns.data(), matrix.columns.size());
  write(folder, "values", matrix.values.data(), matrix.values.size());
  write(folder, "b", test.want.b.data(), matrix.rows);
  write(folder, "x", test.want.x.data(), matrix.rows);
  PythonPeer peer{.imports =
                      "import numpy as np, scipy, scipy.sparse\n"
                      "from scipy.sparse.linalg import spsolve_triangular",
                  .version = "'SciPy ' + scipy.__version__"};
  peer.setup = fmt::format(
      "f = lambda name, type: np.fromfile('{}/' + name, type)\n"
      "a = scipy.sparse.csr_matrix((f('values', float), f('columns', np.int32),\n"
      "                             f('begin', np.int32)))\n"
      "b, wanted = f('b', float), f('x', float)",
      folder.path());
  peer.statement = fmt::format("x = spsolve_triangular(a, b, unit_diagonal={}, overwrite_A=False)",
                               test.options.unit_diagonal ? "True" : "False");
  peer.verified = "(abs(x - wanted) <= 1e-12 * abs(wanted).max()).all()";
  peer.repeats = test.repeats == 1 ? 1 : 3;
  peer.package = "python3-scipy";
  emit_python(test.params,
              "trisolve",
              test.what,
              "scipy spsolve_triangular, 1 thread",
              "ms",
              run_python(peer),
              [](double seconds) { return seconds * 1e3; });
}

void measure(const Context& context,
             const BenchParams& params,
             const std::string& what,
             const SystemMatrix& matrix,
             const sparse::TriangularParams& options) {
  const Verified want = verified(matrix, options);
  const int repeats = params.quick ? 1 : matrix.rows > 100'000 ? 15 : 101;
  const SystemCase test{params, what, matrix, want, options, repeats};
  for (const int threads : thread_counts(context)) ours(context, test, threads);
  if (!params.peers) return;
  eigen<Eigen::RowMajor>(test);
  eigen<Eigen::ColMajor>(test);
  scipy(test);
}

/// The lower triangle of a file with a unit diagonal, which every square matrix has: a pattern's
/// values are 1, and many diagonals have holes. Off the diagonal each row is scaled to a sum of at
/// most 1, so that no solution overflows.
SystemMatrix unit_lower(const io::MatrixMarket& file) {
  const auto& all = file.matrix;
  std::vector<std::int32_t> columns, begin{0};
  std::vector<double> values;
  for (std::int64_t i = 0; i < all.rows; ++i) {
    double sum = 0;
    for (std::int64_t e = all.row_begin[i]; e < all.row_begin[i + 1]; ++e) {
      const auto column = static_cast<std::int32_t>(all.columns[e]);
      const bool same = begin.back() < std::ssize(columns) && columns.back() == column;
      if (column >= i || same) continue;
      columns.push_back(column);
      values.push_back(all.values[e]);
      sum += std::fabs(all.values[e]);
    }
    for (auto e = static_cast<std::size_t>(begin.back()); e < values.size(); ++e) {
      values[e] /= std::max(1.0, sum);
    }
    columns.push_back(static_cast<std::int32_t>(i));
    values.push_back(1);
    begin.push_back(static_cast<std::int32_t>(columns.size()));
  }
  SystemMatrix matrix{all.rows,
                      all.rows,
                      Array<std::int32_t>(std::ssize(begin)),
                      Array<std::int32_t>(std::ssize(columns)),
                      Array<double>(std::ssize(values))};
  std::copy(begin.begin(), begin.end(), matrix.row_begin.begin());
  std::copy(columns.begin(), columns.end(), matrix.columns.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

}  // namespace

std::vector<std::pair<std::string, SystemMatrix>> systems_of_files(Context& context,
                                                                   const BenchParams& params) {
  const auto leave_out = [&](const std::string& why) {
    params.emit(left_out("trisolve",
                         "lower triangles of Matrix Market files, unit diagonal",
                         impl_name(context),
                         "ms",
                         why));
  };
  std::vector<std::pair<std::string, SystemMatrix>> systems;
  if (params.data.empty()) {
    leave_out("no files: --data FOLDER names a folder");
    return systems;
  }
  std::vector<std::pair<std::string, io::MatrixMarket>> files;
  for (const std::string& path : files_of(params.data, {".mtx", ".mtx.gz"})) {
    try {
      io::MatrixMarket file = io::read_matrix_market(context, path);
      if (file.head.rows != file.head.cols) continue;
      files.emplace_back(std::filesystem::path(path).filename().string(), std::move(file));
    } catch (const Error& error) {  // complex and dense files are of no use here
      leave_out(error.what());
    }
  }
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.second.head.entries > b.second.head.entries;
  });
  if (files.empty()) leave_out("no square matrix in a .mtx or .mtx.gz file of " + params.data);
  const std::size_t most = params.quick ? 2 : 8;
  for (std::size_t i = 0; i < std::min(most, files.size()); ++i) {
    SystemMatrix matrix = unit_lower(files[i].second);
    std::string what = fmt::format("lower triangle of {}, unit diagonal, n={}, {} entries",
                                   files[i].first,
                                   matrix.rows,
                                   matrix.columns.size());
    systems.emplace_back(std::move(what), std::move(matrix));
  }
  return systems;
}

Verified verified(const SystemMatrix& matrix, const sparse::TriangularParams& options) {
  Verified want{Matrix<double>(matrix.rows, 1), Matrix<double>(matrix.rows, 1)};
  const Random random(3);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    want.b.data()[i] = 1 + random.uniform(static_cast<std::uint64_t>(i));
  }
  Context context({.device = "reference"});
  System(context, matrix.view(), options).solve(context, want.b.view(), want.x.view());
  return want;
}

bool same_analysis(const sparse::LevelAnalysis<std::int32_t>& a,
                   const sparse::LevelAnalysis<std::int32_t>& b) {
  return a.levels == b.levels && a.warps == b.warps && a.keys == b.keys &&
         std::equal(a.order.begin(), a.order.end(), b.order.begin(), b.order.end()) &&
         std::equal(a.level.begin(), a.level.end(), b.level.begin(), b.level.end());
}

bool same_bits(const Verified& want, const double* x) {
  return std::equal(x, x + want.x.rows(), want.x.data());
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
  const Grid grids[] = {params.quick ? Grid{"2-D", 100, 100, 1} : Grid{"2-D", 1000, 1000, 1},
                        params.quick ? Grid{"3-D", 20, 20, 20} : Grid{"3-D", 100, 100, 100}};
  for (const Grid& grid : grids) {
    const SystemMatrix matrix = grid.matrix();
    const std::string what = fmt::format("lower {} Poisson n={} float64", grid.name, matrix.rows);
    measure(context, params, what, matrix, {});
  }
  for (const auto& [what, matrix] : systems_of_files(context, params)) {
    measure(context, params, what, matrix, {.unit_diagonal = true});
  }
}

}  // namespace yupana::bench
