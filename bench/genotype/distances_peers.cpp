#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "bench/genotype/distances_bench.hpp"
#include "yupana/genotype/metric.hpp"

namespace yupana::bench {
namespace {

using genotype::Metric;
using genotype::PlaneBlock;

/// A directory that goes when the bench does.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "yupana-bench-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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
  const TemporaryFolder folder;
  write_bed(block, folder / "cohort");
  const Program programs[] = {
      {"plink1.9", "--distance square bin flat-missing", "out.dist.bin", Metric::manhattan},
      {"plink2", "--make-king square bin", "out.king.bin", Metric::king}};
  for (const Program& program : programs) {
    if (!installed(program.name)) continue;
    const std::string command = fmt::format("{} --bfile {} --threads {} --out {} {}",
                                            program.name,
                                            folder / "cohort",
                                            context.threads(),
                                            folder / "out",
                                            program.arguments);
    const double seconds = median_seconds(1, [&] { output_of(command); });
    params.emit({"distances",
                 case_name(n, m, missing, context.threads()),
                 fmt::format("{} {}, whole process from .bed", program.name, program.arguments),
                 pair_sites_per_second(n, m, seconds),
                 "G pair-SNP/s",
                 std::nullopt,
                 file_is_metric(folder / program.output, context, block, program.metric)});
  }
}

// Each script prints the best of three times and whether a few entries are right.
constexpr const char* ssyrk_script = R"(
import ctypes, sys, time
import numpy as np
n, m = int(sys.argv[1]), int(sys.argv[2])
blas = ctypes.CDLL('libopenblas.so.0')
integers = np.random.default_rng(1).integers(0, 3, (n, m), dtype=np.int8)
x = integers.astype(np.float32)
c = np.zeros((n, n), np.float32)
p = lambda a: a.ctypes.data_as(ctypes.c_void_p)
f, i = ctypes.c_float, ctypes.c_int
seconds = []
for repeat in range(3):
    begin = time.perf_counter()
    blas.cblas_ssyrk(i(101), i(122), i(111), i(n), i(m), f(1), p(x), i(m), f(0), p(c), i(n))
    seconds.append(time.perf_counter() - begin)
rows = integers[:8].astype(np.int64)
right = np.array_equal(np.tril(c[:8, :8]), np.tril(rows @ rows.T).astype(np.float32))
print(min(seconds), int(right))
)";

constexpr const char* pdist_script = R"(
import sys, time
import numpy as np
from scipy.spatial.distance import pdist
n, m = int(sys.argv[1]), int(sys.argv[2])
x = np.random.default_rng(1).integers(0, 3, (n, m)).astype(np.float64)
seconds = []
for repeat in range(3):
    begin = time.perf_counter()
    d = pdist(x, 'sqeuclidean')
    seconds.append(time.perf_counter() - begin)
print(min(seconds), int(d[0] == ((x[0] - x[1]) ** 2).sum()))
)";

void measure_script(const BenchParams& params,
                    const char* script,
                    const std::string& environment,
                    int threads,
                    std::int64_t n,
                    std::int64_t m,
                    const std::string& impl) {
  const TemporaryFolder folder;
  std::ofstream(folder / "peer.py") << script;
  const std::string text =
      output_of(fmt::format("{} /usr/bin/python3 {} {} {}", environment, folder / "peer.py", n, m));
  double seconds = 0;
  int right = 0;
  if (std::sscanf(text.c_str(), "%lf %d", &seconds, &right) != 2) return;  // not installed
  params.emit({"distances",
               case_name(n, m, false, threads),
               impl,
               pair_sites_per_second(n, m, seconds),
               "G pair-SNP/s",
               std::nullopt,
               right == 1});
}

}  // namespace

void distances_peers(Context& context, const BenchParams& params) {
  measure_programs(context, params, false);
  measure_programs(context, params, true);
  const std::int64_t n = params.quick ? 40 : 2000, m = params.quick ? 1000 : 50000;
  const std::string threads = fmt::format("OPENBLAS_NUM_THREADS={}", context.threads());
  measure_script(params,
                 ssyrk_script,
                 threads,
                 context.threads(),
                 n,
                 m,
                 "OpenBLAS ssyrk X X^T, float32 in memory, default core type");
  measure_script(params,
                 ssyrk_script,
                 threads + " OPENBLAS_CORETYPE=SKYLAKEX",
                 context.threads(),
                 n,
                 m,
                 "OpenBLAS ssyrk X X^T, float32 in memory, OPENBLAS_CORETYPE=SKYLAKEX");
  measure_script(params,
                 pdist_script,
                 "",
                 1,
                 params.quick ? 20 : 300,
                 params.quick ? 500 : 20000,
                 "scipy pdist sqeuclidean, float64 in memory");
}

}  // namespace yupana::bench
