#include "bench/geometry/closest_bench.hpp"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <string>

#include "bench/support/python_peer.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::bench {

template <class T>
geometry::ClosestPair closest_of(Context& context,
                                 const T* points,
                                 std::int64_t n,
                                 std::int64_t d) {
  return geometry::closest_pair<T>(context, {points, n, d});
}
template geometry::ClosestPair closest_of(Context&, const float*, std::int64_t, std::int64_t);
template geometry::ClosestPair closest_of(Context&, const double*, std::int64_t, std::int64_t);

namespace {

template <class T>
Matrix<T> uniform_points(Context& context, std::int64_t n, std::int64_t d) {
  Matrix<T> points(n, d);
  const Random random(closest_seed);
  context.parallel_for(n * d, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      points.data()[i] = static_cast<T>(random.uniform(static_cast<std::uint64_t>(i)));
    }
  });
  return points;
}
using geometry::ClosestMethod;
using geometry::ClosestPair;

/// Reads points of a file into x and prepares the k-d tree's best case: points are ordered by the
/// cells of a grid, in serpentine order, and the smallest distance between neighbours in that order
/// bounds the search.
constexpr const char* scipy_setup = R"(
x = np.fromfile('{file}', np.{type}).reshape({n}, {d})
cells = max(1, int(({n} / 4) ** (1 / {d})))
def in_order():
    low = x.min(0)
    cell = ((x - low) / (x.max(0) - low) * (cells - 1e-6)).astype(np.int64)
    key = cell[:, 0].copy()
    for k in range(1, {d}):
        key = key * cells + np.where(key % 2 == 0, cell[:, k], cells - 1 - cell[:, k])
    s = x[np.argsort(key, kind='stable')].astype(np.float64)
    return s, np.sqrt(((s[1:] - s[:-1]) ** 2).sum(1).min())
def as_given():
    return cKDTree(x).query(x, k=2, workers={threads})[0][:, 1].min()
def bounded():
    s, near = in_order()
    if near == 0: return near
    bound, tree = np.nextafter(near, np.inf), cKDTree(s, balanced_tree=False)
    return tree.query(s, k=2, distance_upper_bound=bound, workers={threads})[0][:, 1].min()
def pairs():
    s, near = in_order()
    if near == 0: return near
    bound = np.nextafter(near, np.inf)
    p = cKDTree(s, balanced_tree=False).query_pairs(bound, output_type='ndarray')
    return np.sqrt(((s[p[:, 0]] - s[p[:, 1]]) ** 2).sum(1).min())
)";

template <class T>
class ClosestCase {
 public:
  ClosestCase(Context& context, const BenchParams& params, std::string what, Matrix<T> points)
      : context_(context), params_(params), what_(std::move(what)), points_(std::move(points)) {}

  /// Both methods; each verifies the other.
  void ours() {
    ClosestPair grid, divide;
    const int repeats = params_.quick ? 1 : 5;
    const Timing by_grid = time_runs(repeats, [&] { grid = run(ClosestMethod::grid); });
    const Timing by_divide =
        time_runs(params_.quick ? 1 : 3, [&] { divide = run(ClosestMethod::divide); });
    distance_ = grid.distance;
    emit(impl_name(context_) + ", grid", by_grid, grid == divide);
    emit(impl_name(context_) + ", divide and conquer", by_divide, grid == divide);
  }
  /// The k-d tree of SciPy on the same points, as users call it and at its best.
  void scipy() {
    const TemporaryFolder folder("bench");
    std::ofstream(folder / "points", std::ios::binary)
        .write(reinterpret_cast<const char*>(points_.data()),
               static_cast<std::streamsize>(points_.rows() * points_.cols()) * sizeof(T));
    const std::string on = ", " + threads_text(context_.threads());
    scipy(folder, "scipy cKDTree, query k=2" + on, "as_given()");
    scipy(folder, "scipy cKDTree, points in order, query with a bound" + on, "bounded()");
    scipy(folder, "scipy cKDTree, points in order, query_pairs, 1 thread", "pairs()");
  }

 private:
  ClosestPair run(ClosestMethod method) {
    return geometry::closest_pair<T>(context_, std::as_const(points_).view(), {.method = method});
  }
  void scipy(const TemporaryFolder& folder, const std::string& impl, const char* call) {
    PythonPeer peer{.imports = "import numpy as np, scipy\nfrom scipy.spatial import cKDTree",
                    .version = "'SciPy ' + scipy.__version__"};
    peer.setup = fmt::format(fmt::runtime(scipy_setup),
                             fmt::arg("file", folder / "points"),
                             fmt::arg("type", sizeof(T) == 4 ? "float32" : "float64"),
                             fmt::arg("n", points_.rows()),
                             fmt::arg("d", points_.cols()),
                             fmt::arg("threads", context_.threads()));
    peer.statement = fmt::format("distance = {}", call);
    peer.verified = fmt::format("abs(distance - {0:.17g}) <= 1e-12 * {0:.17g}", distance_);
    peer.repeats = params_.quick ? 1 : 3;
    peer.package = "python3-scipy";
    const PythonResult result = run_python(peer);
    if (!result.ran()) {
      return params_.emit(left_out("closest", what_, impl, "s", result.why_not));
    }
    emit(impl, result.timing, result.verified, result.version);
  }
  void emit(const std::string& impl,
            const Timing& timing,
            bool verified,
            const std::string& version = {}) {
    const double rate = static_cast<double>(points_.rows()) / timing.median * 1e-6;
    for (const auto& [value, unit] : {std::pair{timing.median, "s"}, {rate, "M points/s"}}) {
      params_.emit(timed_line("closest", what_, impl, value, unit, verified, timing, version));
    }
  }

  Context& context_;
  const BenchParams& params_;
  std::string what_;
  Matrix<T> points_;
  double distance_ = 0;
};

template <class T>
void measure(
    Context& context, const BenchParams& params, std::int64_t n, std::int64_t d, const char* kind) {
  Matrix<T> points = uniform_points<T>(context, n, d);
  if (kind == std::string("in 1,000 clusters")) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < d; ++k) {
        points(i, k) = points(i, k) * T(1e-3) + points(i % 1000, k);
      }
    }
  } else if (kind == std::string("of 1,000 values")) {
    for (std::int64_t i = 0; i < n * d; ++i) points.data()[i] = std::floor(points.data()[i] * 1000);
  }
  ClosestCase<T> test(context,
                      params,
                      fmt::format("n={} {}-D {} {}, {}",
                                  n,
                                  d,
                                  sizeof(T) == 4 ? "float32" : "float64",
                                  kind,
                                  threads_text(context.threads())),
                      std::move(points));
  test.ours();
  if (params.peers) test.scipy();
}

}  // namespace

void closest(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return closest_cuda(context, params);
#endif
  const std::int64_t few = params.quick ? 20'000 : 1'000'000;
  const std::int64_t many = params.quick ? 200'000 : 10'000'000;
  measure<double>(context, params, few, 2, "uniform");
  measure<double>(context, params, many, 2, "uniform");
  measure<float>(context, params, many, 2, "uniform");
  measure<double>(context, params, many, 2, "in 1,000 clusters");
  measure<double>(context, params, many, 2, "of 1,000 values");
  measure<double>(context, params, few, 3, "uniform");
  measure<double>(context, params, many, 3, "uniform");
  measure<double>(context, params, few / 10, 8, "uniform");
}

}  // namespace yupana::bench
