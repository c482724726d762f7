#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/sparse/trisolve_bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;

template <class T>
DeviceArray<T> uploaded(const T* values, std::int64_t count) {
  DeviceArray<T> there(count);
  check(cudaMemcpy(there.data(), values, there.bytes(), cudaMemcpyHostToDevice), "copy");
  return there;
}

/// Median milliseconds of a host call that waits for the device.
template <class Body>
double median_ms(int repeats, const Body& body) {
  return 1e3 * median_seconds(repeats, body);
}

/// Median milliseconds between two points of a stream.
template <class Body>
double median_on(const Stream& stream, int repeats, const Body& body) {
  std::vector<double> all;
  for (int i = 0; i <= repeats; ++i) {
    const Event begin(true), end(true);
    begin.record(stream);
    body();
    end.record(stream);
    end.wait();
    if (i > 0) all.push_back(1e3 * seconds_between(begin, end));
  }
  std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
  return all[static_cast<std::size_t>(repeats / 2)];
}

void measure(const BenchParams& params, const std::string& name, const SystemMatrix& matrix) {
  const int repeats = params.quick ? 1 : 9;
  const Verified want = verified(matrix);
  Context host({.device = "cpu"});
  const auto published = sparse::analyse(host, matrix.view());
  const std::string what = fmt::format("{}, {} levels", name, published.levels);
  const auto emit = [&](const std::string& impl, double ms, bool good) {
    params.emit({"trisolve", what, impl, ms, "ms", std::nullopt, good});
  };
  const auto begin = uploaded(matrix.row_begin.data(), matrix.row_begin.size());
  const auto columns = uploaded(matrix.columns.data(), matrix.columns.size());
  const auto values = uploaded(matrix.values.data(), matrix.values.size());
  const auto b = uploaded(want.b.data(), matrix.rows);
  DeviceArray<double> x(matrix.rows);
  const sparse::cuda::DeviceCsr<double, std::int32_t> csr{
      matrix.rows, sparse::Triangle::lower, begin.data(), columns.data(), values.data(), nullptr};
  for (const int strips : {-1, 0}) {
    sparse::cuda::DeviceSystem<double, std::int32_t> system({.strips = strips});
    const double analysis_ms = median_ms(repeats, [&] { system.analyse(csr); });
    const bool same = same_analysis(system.analysis(), published);
    const double layout_ms = median_ms(repeats, [&] { system.pack(csr); });
    const double solve_ms =
        median_on(system.stream(), repeats, [&] { system.solve(b.data(), x.data(), 1); });
    Matrix<double> got(matrix.rows, 1);
    check(cudaMemcpy(got.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost), "copy");
    const bool good = std::equal(got.data(), got.data() + matrix.rows, want.x.data());
    if (strips < 0) {
      emit("yupana cuda analysis: levels, order, keys, warps", analysis_ms, same);
      emit("yupana cuda analysis and layout", analysis_ms + layout_ms, same && good);
    }
    const std::string how = system.in_strips() ? "strips" : "one queue";
    emit(fmt::format("yupana cuda solve, sync-free, {}", how), solve_ms, good);
  }
  if (params.peers) trisolve_cuda_peers(params, what, matrix, want);
}

}  // namespace

void trisolve_cuda(Context& context, const BenchParams& on_host) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  for (const Grid& grid : params.quick
                              ? std::vector<Grid>{{"2-D", 300, 300, 1}, {"3-D", 40, 40, 40}}
                              : std::vector<Grid>{{"2-D", 1500, 1500, 1}, {"3-D", 130, 130, 130}}) {
    const SystemMatrix matrix = grid.matrix();
    measure(params, fmt::format("lower {} Poisson n={} float64", grid.name, matrix.rows), matrix);
  }
  for (const auto& [name, matrix] : systems_of_files(context, params))
    measure(params, name, matrix);
}

}  // namespace yupana::bench
