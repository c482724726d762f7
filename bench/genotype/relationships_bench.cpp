// Relationship matrices and principal components from a .bed file, beside PLINK 2 in turns.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/job/grm.hpp"
#include "yupana/job/simulate.hpp"

namespace yupana::bench {
namespace {

constexpr const char* unit = "G pair-SNP/s";
constexpr std::int64_t components = 10;

/// Numbers of the file as the lower triangle of float32 that GCTA and PLINK 2 write.
std::vector<float> floats_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> values(bytes.size() / sizeof(float));
  std::copy_n(bytes.data(), values.size() * sizeof(float), reinterpret_cast<char*>(values.data()));
  return values;
}

std::vector<double> numbers_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> values;
  for (double value = 0; file >> value;) values.push_back(value);
  return values;
}

template <class T>
bool are_close(const std::vector<T>& ours, const std::vector<T>& theirs, double part) {
  if (ours.empty() || ours.size() != theirs.size()) return false;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const double a = ours[k], b = theirs[k];
    if (!(std::abs(a - b) <= part * std::max(1.0, std::abs(a)))) return false;
  }
  return true;
}

/// One of PLINK 2's BLAS libraries. OpenBLAS chooses its kernel by the processor, not by variables
/// of the environment.
struct Blas {
  std::string name;    ///< in the table
  std::string prefix;  ///< of the command
};

std::vector<Blas> blas_libraries(const BenchParams& params) {
  std::vector<Blas> all{{"", ""}};
  const std::string folder = params.built_peers + "/openblas/lib";
  if (std::filesystem::exists(folder)) {
    all.push_back({" with OpenBLAS",
                   "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE LD_LIBRARY_PATH=" + folder + " "});
  }
  return all;
}

/// One of our jobs beside PLINK 2's, on files `ours` and `theirs`, alternated.
struct Comparison {
  std::string what, own_impl, arguments;
  double work = 0;  ///< G pair-SNP
  std::function<void()> run;
  std::function<bool()> agree;
};

void compare(Context& context,
             const BenchParams& params,
             const std::string& folder,
             const Comparison& job) {
  const std::vector<Blas> libraries = params.peers ? blas_libraries(params) : std::vector<Blas>{};
  const bool there = installed("plink2");
  std::vector<std::vector<double>> seconds(1 + libraries.size());
  std::vector<bool> agree(seconds.size());
  for (int run = 0; run < (params.quick ? 1 : 3); ++run) {
    seconds[0].push_back(seconds_of(job.run));
    for (std::size_t k = 0; k < libraries.size() && there; ++k) {
      const std::vector<double>& before = seconds[k + 1];
      if (std::accumulate(before.begin(), before.end(), 0.0) >= enough_seconds) continue;
      const std::string command =
          fmt::format("{}plink2 --bfile {}/cohort --threads {} --out {}/theirs {}",
                      libraries[k].prefix,
                      folder,
                      context.threads(),
                      folder,
                      job.arguments);
      seconds[k + 1].push_back(seconds_of([&] { output_of(command); }));
      agree[k + 1] = job.agree();
      agree[0] = agree[0] || agree[k + 1];
    }
  }
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    const std::string impl =
        k == 0 ? impl_name(context) + job.own_impl
               : fmt::format("plink2 {}{}, whole process", job.arguments, libraries[k - 1].name);
    if (seconds[k].empty()) {
      params.emit(
          left_out("relationships", job.what, impl, unit, "not installed (Debian: plink2)"));
      continue;
    }
    const Timing timing = timing_of(seconds[k]);
    const std::string version = k == 0 ? "" : first_line_of("plink2 --version");
    params.emit(timed_line("relationships",
                           job.what,
                           impl,
                           job.work / timing.median,
                           unit,
                           agree[k],
                           timing,
                           version));
  }
}

void measure(
    Context& context, const BenchParams& params, std::int64_t n, std::int64_t m, double missing) {
  const TemporaryFolder folder("bench");
  job::run_simulate(
      context,
      {.cohort = {.samples = n, .sites = m, .missing = missing}, .out = folder / "cohort"});
  const std::string what = fmt::format("n={} m={}, {}, {}",
                                       n,
                                       m,
                                       missing > 0 ? "1 % missing" : "no missing",
                                       threads_text(context.threads()));
  const double work =
      static_cast<double>(n) * static_cast<double>(n + 1) / 2 * static_cast<double>(m) * 1e-9;
  job::GrmJobParams grm;
  grm.input.path = folder / "cohort.bed";
  grm.npy = false;
  grm.out = folder / "ours";
  compare(context,
          params,
          folder.path(),
          {"GRM, " + what,
           ", from .bed to .grm.bin",
           "--make-grm-bin",
           work,
           [&] { job::run_grm(context, grm); },
           [&] {
             return are_close(
                 floats_of(folder / "ours.grm.bin"), floats_of(folder / "theirs.grm.bin"), 1e-6);
           }});
  job::PcaJobParams pca;
  pca.input.path = grm.input.path;
  pca.pca.components = components;
  pca.out = folder / "ours";
  for (const bool approximate : {false, true}) {
    // Of missing calls each has its own way: where none is missing both see the same matrix.
    pca.approximate = approximate;
    const std::string words = approximate ? "--pca 10 approx" : "--pca 10";
    compare(context,
            params,
            folder.path(),
            {fmt::format("PCA{}, {}", approximate ? ", approx" : "", what),
             ", from .bed to .eigenvec",
             words,
             work,
             [&] { job::run_pca(context, pca); },
             [&] {
               return are_close(numbers_of(folder / "ours.eigenval"),
                                numbers_of(folder / "theirs.eigenval"),
                                approximate ? 1e-2 : 1e-4);
             }});
  }
}

}  // namespace

void relationships(Context& context, const BenchParams& params) {
  const std::int64_t n = params.quick ? 60 : 2000, m = params.quick ? 1000 : 20'000;
  for (const double missing : {0.0, 0.01}) measure(context, params, n, m, missing);
}

}  // namespace yupana::bench
