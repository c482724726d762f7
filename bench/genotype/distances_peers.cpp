#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "bench/genotype/distances_bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/genotype/metric.hpp"

namespace yupana::bench {
namespace {

using genotype::Metric;
using genotype::PlaneBlock;
constexpr const char* unit = "G pair-SNP/s";

/// Writes PREFIX.bed, .bim and .fam; A1 is the allele that planes count.
void write_bed(const PlaneBlock& block, const std::string& prefix) {
  std::ofstream fam(prefix + ".fam"), bim(prefix + ".bim"), bed(prefix + ".bed", std::ios::binary);
  for (std::int64_t i = 0; i < block.samples; ++i) fam << fmt::format("f{0} s{0} 0 0 1 -9\n", i);
  for (std::int64_t k = 0; k < block.sites; ++k) bim << fmt::format("1 v{0} 0 {0} A C\n", k + 1);
  bed.write("\x6c\x1b\x01", 3);
  std::vector<char> row(static_cast<std::size_t>(divide_up(block.samples, 4)));
  for (std::int64_t k = 0; k < block.sites; ++k) {
    std::fill(row.begin(), row.end(), '\0');
    const std::int64_t chunk = k / genotype::chunk_sites, bit = k % genotype::chunk_sites;
    for (std::int64_t i = 0; i < block.samples; ++i) {
      const auto at = [&](int plane) {
        return block.chunk(i, chunk, plane)[bit / 8] >> (bit % 8) & 1;
      };
      const bool called = block.planes == 2 || at(2) == 1;
      const int code = !called ? 1 : at(1) == 1 ? 2 : at(0) == 1 ? 0 : 3;
      row[static_cast<std::size_t>(i / 4)] |= static_cast<char>(code << (2 * (i % 4)));
    }
    bed.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
}

/// Whether a file of doubles is the metric's matrix, to a part in 10^12 (the peers divide and
/// multiply in another order). PLINK 2 writes the diagonal of kinships as 0.5, as we do.
bool file_is_metric(const std::string& path,
                    Context& context,
                    const PlaneBlock& block,
                    Metric metric) {
  genotype::PairCounter counter(context, block.samples, {metric == Metric::king, {}});
  counter.add(block);
  const SquareMatrix<double> ours = genotype::distances(context, counter.counts(), {metric});
  std::vector<double> theirs(static_cast<std::size_t>(block.samples * block.samples));
  std::ifstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(theirs.size() * sizeof(double));
  if (!file.read(reinterpret_cast<char*>(theirs.data()), bytes)) return false;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double a = ours.data()[i], b = theirs[i];
    if (!(std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(a)))) return false;
  }
  return true;
}

struct Program {
  std::string name, arguments, output;
  Metric metric;
};

void measure_programs(Context& context, const BenchParams& params, bool missing) {
  const std::int64_t n = params.quick ? 40 : 2000, m = params.quick ? 1500 : 200000;
  const PlaneBlock block = random_planes(n, m, missing);
  const TemporaryFolder folder("bench");
  write_bed(block, folder / "cohort");
  const Program programs[] = {
      {"plink1.9", "--distance square bin flat-missing", "out.dist.bin", Metric::manhattan},
      {"plink2", "--make-king square bin", "out.king.bin", Metric::king}};
  const std::string what = case_name(n, m, missing, context.threads());
  for (const Program& program : programs) {
    const std::string impl =
        fmt::format("{} {}, whole process from .bed", program.name, program.arguments);
    if (!installed(program.name)) {
      params.emit(left_out(
          "distances", what, impl, unit, fmt::format("not installed (Debian: {})", program.name)));
      continue;
    }
    const std::string command = fmt::format("{} --bfile {} --threads {} --out {} {}",
                                            program.name,
                                            folder / "cohort",
                                            context.threads(),
                                            folder / "out",
                                            program.arguments);
    const Timing timing = time_runs(params.quick ? 1 : 3, [&] { output_of(command); });
    params.emit(timed_line("distances",
                           what,
                           impl,
                           pair_sites_per_second(n, m, timing.median),
                           unit,
                           file_is_metric(folder / program.output, context, block, program.metric),
                           timing,
                           first_line_of(program.name + " --version")));
  }
}

/// Random genotypes times themselves by a BLAS, as the scripts of its users do.
PythonPeer ssyrk(std::int64_t n, std::int64_t m) {
  PythonPeer peer{.imports = "import ctypes, numpy as np",
                  .version = "blas.openblas_get_config().decode()"};
  peer.setup = fmt::format(
      "try:\n"
      "    blas = ctypes.CDLL('libopenblas.so.0')\n"
      "except OSError:\n"
      "    stop(missing='not installed: libopenblas.so.0')\n"
      "blas.openblas_get_config.restype = ctypes.c_char_p\n"
      "n, m = {}, {}\n"
      "integers = np.random.default_rng(1).integers(0, 3, (n, m), dtype=np.int8)\n"
      "x = integers.astype(np.float32)\n"
      "c = np.zeros((n, n), np.float32)\n"
      "p = lambda a: a.ctypes.data_as(ctypes.c_void_p)\n"
      "f, i = ctypes.c_float, ctypes.c_int\n"
      "def right():\n"
      "    rows = integers[:8].astype(np.int64)\n"
      "    return np.array_equal(np.tril(c[:8, :8]), np.tril(rows @ rows.T).astype(np.float32))",
      n,
      m);
  peer.statement =
      "blas.cblas_ssyrk(i(101), i(122), i(111), i(n), i(m), f(1), p(x), i(m), f(0), p(c), i(n))";
  peer.verified = "right()";
  peer.package = "libopenblas0-pthread";
  return peer;
}

PythonPeer pdist(std::int64_t n, std::int64_t m) {
  PythonPeer peer{.imports = "import numpy as np, scipy\nfrom scipy.spatial.distance import pdist",
                  .version = "'SciPy ' + scipy.__version__"};
  peer.setup =
      fmt::format("x = np.random.default_rng(1).integers(0, 3, ({}, {})).astype(np.float64)", n, m);
  peer.statement = "d = pdist(x, 'sqeuclidean')";
  peer.verified = "d[0] == ((x[0] - x[1]) ** 2).sum() and d[-1] == ((x[-2] - x[-1]) ** 2).sum()";
  peer.package = "python3-scipy";
  return peer;
}

}  // namespace

void distances_peers(Context& context, const BenchParams& params) {
  measure_programs(context, params, false);
  measure_programs(context, params, true);
  const auto measure =
      [&](PythonPeer peer, std::int64_t n, std::int64_t m, int threads, const std::string& impl) {
        peer.repeats = params.quick ? 1 : 3;
        const PythonResult result = run_python(peer);
        const auto rate = [&](double seconds) { return pair_sites_per_second(n, m, seconds); };
        emit_python(params, "distances", case_name(n, m, false, threads), impl, unit, result, rate);
      };
  const std::int64_t n = params.quick ? 40 : 2000, m = params.quick ? 1000 : 50000;
  PythonPeer blas = ssyrk(n, m);
  blas.environment = fmt::format("OPENBLAS_NUM_THREADS={}", context.threads());
  const std::string of_blas = "OpenBLAS ssyrk X X^T, float32 in memory, ";
  measure(blas, n, m, context.threads(), of_blas + "default core type");
  blas.environment += " OPENBLAS_CORETYPE=SKYLAKEX";
  measure(blas, n, m, context.threads(), of_blas + "OPENBLAS_CORETYPE=SKYLAKEX");
  const std::int64_t few = params.quick ? 20 : 300, sites = params.quick ? 500 : 20000;
  measure(pdist(few, sites), few, sites, 1, "scipy pdist sqeuclidean, float64 in memory");
}

}  // namespace yupana::bench
