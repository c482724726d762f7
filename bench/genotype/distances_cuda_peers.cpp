#include <fmt/core.h>

#include "bench/genotype/distances_bench.hpp"

namespace yupana::bench {
namespace {

/// Seconds of one X X' of n x k random numbers in PyTorch, by device events; empty without it.
std::string product_seconds(const std::string& type, std::int64_t n, std::int64_t k) {
  return output_of(fmt::format(
      "python3 -c \"\nimport torch\nn, k, t = {0}, {1}, '{2}'\n"
      "x = torch.randint(0, 3, (n, k), device='cuda', dtype=torch.int8)\n"
      "x = x if t == 'int8' else x.to(getattr(torch, t))\n"
      "f = (lambda: torch._int_mm(x, x.T)) if t == 'int8' else (lambda: x @ x.T)\n"
      "f(); times = []\n"
      "for _ in range(5):\n"
      "  a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)\n"
      "  a.record(); y = f(); b.record(); b.synchronize(); times.append(a.elapsed_time(b))\n"
      "i = torch.randint(0, n, (64,))\n"
      "good = (y[i, i].double() == (x[i].double() ** 2).sum(1)).all()\n"
      "print(sorted(times)[2] * 1e-3, int(good))\"",
      n,
      k,
      type));
}

}  // namespace

void distances_cuda_peers(const BenchParams& params, const std::string& device) {
  const std::int64_t n = params.quick ? 256 : 16384, k = params.quick ? 1024 : 32768;
  for (const char* type : {"int8", "float16"}) {
    const std::string answer = product_seconds(type, n, k);
    double seconds = 0;
    int good = 0;
    if (std::sscanf(answer.c_str(), "%lf %d", &seconds, &good) != 2) {
      params.emit(left_out("distances",
                           fmt::format("n={} m={}, no missing", n, k),
                           fmt::format("PyTorch {} matrix product X X' (whole square)", type),
                           "T pair-SNP/s",
                           "not installed: PyTorch with CUDA for python3"));
      continue;
    }
    // Sums of float16 pass what its products hold exactly: only int8 can be right here.
    params.emit({"distances",
                 fmt::format("n={} m={}, no missing", n, k),
                 fmt::format("PyTorch {} matrix product X X' (whole square)", type),
                 pair_sites_per_second(n, k, seconds) * 1e-3,
                 "T pair-SNP/s",
                 std::nullopt,
                 good == 1,
                 device});
  }
}

}  // namespace yupana::bench
