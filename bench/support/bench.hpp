#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"

namespace yupana::bench {

/// One measurement: ours or a peer's, of one case. Peers of a case run in the same process run.
struct Measurement {
  std::string bench;  ///< "distances"
  std::string what;   ///< the case: "n=4096 m=262144, no missing, 1 thread"
  std::string impl;   ///< "yupana cpu AVX3_DL", "plink1.9 --distance"
  double value = 0;
  std::string unit;                      ///< "G pair-SNP/s"
  std::optional<double> share_of_limit;  ///< of this machine's measured limit in the same unit
  bool verified = false;                 ///< the result was compared with the reference's
  std::string device = {};               ///< empty: this machine's processor
};

struct BenchParams {
  bool quick = false;    ///< small sizes, one repetition: for tests of the bench itself
  bool peers = true;     ///< run the peers that are installed
  bool scaling = false;  ///< only the cases that one, two, four ... GPUs do together
  std::function<void(const Measurement&)> emit;
};

/// The same parameters with the name of the context's first GPU in every measurement.
BenchParams on_first_device(Context& context, const BenchParams& params);
/// body(devices, impl) for the context's first one, two, four ... and all GPUs; `impl` names them.
void for_device_counts(
    Context& context,
    const std::function<void(const std::vector<int>& devices, const std::string& impl)>& body);
/// What makes a context of these GPUs: "cuda:0,1".
std::string device_text(const std::vector<int>& devices);
/// Median wall seconds of `repeats` runs after one warm-up.
double median_seconds(int repeats, const std::function<void()>& body);
/// Standard output of a shell command; empty if it failed or the program is not installed.
std::string output_of(const std::string& command);
/// True if `program` is on the PATH.
bool installed(const std::string& program);
/// One JSON object on one line, with device and commit added.
std::string json_line(const Measurement& measurement);

/// Each `yupana bench NAME`, in bench/<family>/.
void distances(Context& context, const BenchParams& params);
void paths(Context& context, const BenchParams& params);
void vcf(Context& context, const BenchParams& params);
void packing(Context& context, const BenchParams& params);
void array(Context& context, const BenchParams& params);
void scan(Context& context, const BenchParams& params);
void sort(Context& context, const BenchParams& params);
void merge(Context& context, const BenchParams& params);
void splice(Context& context, const BenchParams& params);
void closest(Context& context, const BenchParams& params);
void trisolve(Context& context, const BenchParams& params);
void fft(Context& context, const BenchParams& params);
void polymul(Context& context, const BenchParams& params);
void matmul(Context& context, const BenchParams& params);
void som(Context& context, const BenchParams& params);
void trees(Context& context, const BenchParams& params);
void tables(Context& context, const BenchParams& params);

}  // namespace yupana::bench
