// The conversion of a view to one of constants exists for views of constants too, where it is never
// called; nvcc says so at every instance.
#pragma nv_diag_suppress 554
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/spectral/matmul_case.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/device_matmul.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;

template <class Body>
double median_of(const Stream& stream, int repeats, const Body& body) {
  std::vector<double> seconds;
  for (int run = 0; run <= repeats; ++run) {
    const Event begin(true), end(true);
    begin.record(stream);
    body();
    end.record(stream);
    end.wait();
    if (run > 0) seconds.push_back(seconds_between(begin, end));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class T>
void square_case(Context& context,
                 const BenchParams& params,
                 const Stream& stream,
                 std::int64_t n) {
  constexpr const char* type = sizeof(T) == 4 ? "float32" : "float64";
  const std::string what = fmt::format("{} {} x {}, in device memory", type, n, n);
  const std::vector<T> a = noise_matrix<T>(n * n, 1), b = noise_matrix<T>(n * n, 2);
  const std::vector<T> x = sign_matrix<T>(n * n, 4), y = sign_matrix<T>(n * n, 5);
  std::vector<T> c(a.size());
  DeviceArray<T> da(n * n), db(n * n), dc(n * n);
  const auto copy = [](auto& to, const auto& from) {
    check(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyDefault), "copy");
  };
  const auto emit = [&](const std::string& impl, double seconds, bool verified) {
    const double flops =
        2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    params.emit(
        {"matmul", what, impl, 1e-12 * flops / seconds, "TFLOP/s (2 n^3)", std::nullopt, verified});
  };
  const int repeats = params.quick ? 1 : 5;
  for (int levels = 0; levels <= 2; ++levels) {
    const std::int64_t leaf = n >> levels;
    if (levels > 0 && leaf < 512 && !params.quick) break;
    const auto multiply = [&] {
      spectral::cuda::matmul<T>(context,
                                MatrixView<const T>(da.data(), n, n),
                                MatrixView<const T>(db.data(), n, n),
                                MatrixView<T>(dc.data(), n, n),
                                leaf,
                                stream);
    };
    copy(da, x);
    copy(db, y);
    multiply();
    stream.wait();
    check(cudaMemcpy(c.data(), dc.data(), dc.bytes(), cudaMemcpyDefault), "copy");
    const bool right = cells_are_right(x, y, c, n);
    copy(da, a);
    copy(db, b);
    const double seconds = median_of(stream, repeats, multiply);
    emit(levels == 0
             ? std::string("yupana cuda, classical")
             : fmt::format(
                   "yupana cuda, {} halving{} (Strassen-Winograd)", levels, levels == 1 ? "" : "s"),
         seconds,
         right);
  }
  if (!params.peers) return;
  const std::string text = output_of(fmt::format(
      "python3 -c \"\nimport torch\ntorch.backends.cuda.matmul.allow_tf32 = False\n"
      "a = torch.rand(({0}, {0}), device='cuda', dtype=torch.{1})\n"
      "s, e = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)\n"
      "t = []\nfor _ in range(6):\n  s.record(); a @ a; e.record(); e.synchronize()\n"
      "  t.append(s.elapsed_time(e) / 1e3)\nprint(sorted(t[1:])[2])\n\" 2>/dev/null",
      n,
      type));
  if (text.empty()) {
    params.emit(left_out("matmul",
                         what,
                         "PyTorch a @ a (cuBLAS)",
                         "TFLOP/s (2 n^3)",
                         "not installed: PyTorch with CUDA for python3"));
  } else {
    emit("PyTorch a @ a (cuBLAS)", std::stod(text), false);
  }
}

}  // namespace

void matmul_cuda(Context& context, const BenchParams& original) {
  const BenchParams params = on_first_device(context, original);
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  for (const std::int64_t n : {2048, 4096, 8192, 16384}) {
    if (params.quick && n > 2048) break;
    square_case<float>(context, params, stream, params.quick ? 300 : n);
    square_case<double>(context, params, stream, params.quick ? 300 : n);
  }
}

}  // namespace yupana::bench
