#include "bench/geometry/closest_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"

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

template <class T>
class ClosestCase {
 public:
  ClosestCase(Context& context, const BenchParams& params, std::string what, Matrix<T> points)
      : context_(context), params_(params), what_(std::move(what)), points_(std::move(points)) {}

  /// Both methods; each verifies the other.
  void ours() {
    ClosestPair grid, divide;
    const double grid_seconds =
        median_seconds(params_.quick ? 1 : 5, [&] { grid = run(ClosestMethod::grid); });
    const double divide_seconds = median_seconds(1, [&] { divide = run(ClosestMethod::divide); });
    distance_ = grid.distance;
    emit("yupana grid", grid_seconds, grid == divide);
    emit("yupana divide and conquer", divide_seconds, grid == divide);
  }
  /// The k-d tree of SciPy on the same points, which it makes itself; every thread.
  void scipy() {
    const Random random(closest_seed);
    const std::string script = fmt::format(
        "import time, numpy as np\n"
        "from scipy.spatial import cKDTree\n"
        "n, d = {}, {}\n"
        "z = np.arange(1, n * d + 1, dtype=np.uint64) * np.uint64({}) + np.uint64({})\n"
        "z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)\n"
        "z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)\n"
        "z ^= z >> np.uint64(31)\n"
        "x = ((z >> np.uint64(11)) * 2.0 ** -53).reshape(n, d).astype(np.{})\n"
        "t = time.perf_counter()\n"
        "q = cKDTree(x).query(x, k=2, workers={})[0][:, 1].min()\n"
        "print(time.perf_counter() - t, repr(float(q)))\n",
        points_.rows(),
        points_.cols(),
        Random::weyl,
        random.key(),
        sizeof(T) == 4 ? "float32" : "float64",
        context_.threads());
    const std::string output = output_of(fmt::format("/usr/bin/python3 -c '{}'", script));
    double seconds = 0, distance = 0;
    if (std::sscanf(output.c_str(), "%lf %lf", &seconds, &distance) != 2) {
      context_.note("scipy cKDTree: not installed (Debian: python3-scipy), left out");
      return;
    }
    emit("scipy cKDTree, k=2", seconds, std::abs(distance - distance_) <= 1e-12 * distance_);
  }

 private:
  ClosestPair run(ClosestMethod method) {
    return geometry::closest_pair<T>(context_, std::as_const(points_).view(), {.method = method});
  }
  void emit(const std::string& impl, double seconds, bool verified) {
    params_.emit({"closest", what_, impl, seconds, "s", std::nullopt, verified});
    const double rate = static_cast<double>(points_.rows()) / seconds * 1e-6;
    params_.emit({"closest", what_, impl, rate, "M points/s", std::nullopt, verified});
  }

  Context& context_;
  const BenchParams& params_;
  std::string what_;
  Matrix<T> points_;
  double distance_ = 0;
};

template <class T>
void measure(Context& context,
             const BenchParams& params,
             std::int64_t n,
             std::int64_t d,
             const char* kind,
             bool peer) {
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
                      fmt::format("n={} {}-D {} {}, {} threads",
                                  n,
                                  d,
                                  sizeof(T) == 4 ? "float32" : "float64",
                                  kind,
                                  context.threads()),
                      std::move(points));
  test.ours();
  if (peer && params.peers) test.scipy();
}

}  // namespace

void closest(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return closest_cuda(context, params);
#endif
  const std::int64_t few = params.quick ? 20'000 : 1'000'000;
  const std::int64_t many = params.quick ? 200'000 : 10'000'000;
  measure<double>(context, params, few, 2, "uniform", true);
  measure<double>(context, params, many, 2, "uniform", true);
  measure<float>(context, params, many, 2, "uniform", false);
  measure<double>(context, params, many, 2, "in 1,000 clusters", false);
  measure<double>(context, params, many, 2, "of 1,000 values", false);
  measure<double>(context, params, few, 3, "uniform", true);
  measure<double>(context, params, many, 3, "uniform", false);
  measure<double>(context, params, few / 10, 8, "uniform", true);
}

}  // namespace yupana::bench
