#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/timing.hpp"
#include "yupana/core/context.hpp"

namespace yupana::bench {

/// One measurement: ours or a peer's, of one case. Peers of a case run in the same process run.
struct Measurement {
  std::string bench;  ///< "distances"
  std::string what;   ///< the case: "n=4096 m=262144, no missing, 1 thread"
  std::string impl;   ///< "yupana cpu AVX3_DL", "plink1.9 --distance"
  double value = 0;   ///< from the median of `timing`; NaN: not measured, `note` says why
  std::string unit;   ///< "G pair-SNP/s"
  std::optional<double> share_of_limit;  ///< of this machine's measured limit in the same unit
  bool verified = false;                 ///< this run's result was compared with another's
  std::string device = {};               ///< empty: this machine's processor
  std::string version = {};              ///< the peer's, as it names itself; empty: ours
  Timing timing = {};                    ///< repeats 0: the spread is not known
  std::string note = {};                 ///< what a reader must know to judge the value
};

struct BenchParams {
  bool quick = false;     ///< small sizes, one repetition: for tests of the bench itself
  bool peers = true;      ///< run the peers that are installed
  bool scaling = false;   ///< only the cases that one, two, four ... GPUs do together
  std::string data = {};  ///< folder of real inputs; empty: none
  std::string built_peers = "build/peers";  ///< what the scripts of bench/peers/ wrote
  std::function<void(const Measurement&)> emit = {};
};

/// A line of this machine's processor.
Measurement timed_line(const std::string& bench,
                       const std::string& what,
                       const std::string& impl,
                       double value,
                       const std::string& unit,
                       bool verified,
                       const Timing& timing,
                       const std::string& version = {});
/// A line of what the machine can do at best: it computes nothing that could be compared.
Measurement limit_line(const std::string& bench,
                       const std::string& what,
                       const std::string& impl,
                       double value,
                       const std::string& unit,
                       const Timing& timing = {});
/// A line without a value, for a peer that could not be measured.
Measurement left_out(const std::string& bench,
                     const std::string& what,
                     const std::string& impl,
                     const std::string& unit,
                     const std::string& reason);
/// The line as it is published: a share of the limit above 1.05 has a note that says why.
Measurement published(Measurement measurement);

/// "yupana cpu AVX3_DL", "yupana reference": what the context runs on, without a GPU.
std::string impl_name(const Context& context);
/// The context's backend on another number of threads.
ContextParams with_threads(const Context& context, int threads);
/// One, and all of the context's threads; the reference has one.
std::vector<int> thread_counts(const Context& context);
/// "1 thread", "2 threads".
std::string threads_text(int threads);

/// The same parameters with the name of the context's first GPU in every measurement.
BenchParams on_first_device(Context& context, const BenchParams& params);
/// body(devices, impl) for the context's first one, two, four ... and all GPUs; `impl` names them.
void for_device_counts(
    Context& context,
    const std::function<void(const std::vector<int>& devices, const std::string& impl)>& body);
/// What makes a context of these GPUs: "cuda:0,1".
std::string device_text(const std::vector<int>& devices);
/// Standard output of a shell command; empty if it failed or the program is not installed.
std::string output_of(const std::string& command);
/// First line of a shell command's standard output: what programs say of their version.
std::string first_line_of(const std::string& command);
/// Paths of the files in a folder whose names end so, sorted; errors (bad_input): no such folder.
std::vector<std::string> files_of(const std::string& folder,
                                  const std::vector<std::string>& endings);
/// True if `program` is on the PATH.
bool installed(const std::string& program);
/// One JSON object on one line, with device and commit added.
std::string json_line(const Measurement& measurement);

/// Each `yupana bench NAME`, in bench/<family>/.
void distances(Context& context, const BenchParams& params);
void paths(Context& context, const BenchParams& params);
void vcf(Context& context, const BenchParams& params);
void packing(Context& context, const BenchParams& params);
void pruning(Context& context, const BenchParams& params);
void relationships(Context& context, const BenchParams& params);
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

/// Spliced alignment on GPUs (CUDA builds), everything but reading files.
void splice_cuda(Context& context, const BenchParams& params);

/// Closures on GPUs (CUDA builds), weights in device memory.
void paths_cuda(Context& context, const BenchParams& params);

/// `yupana bench fft`, `polymul` and `matmul` on a GPU (CUDA builds): arrays in device memory,
/// device events.
void fft_cuda(Context& context, const BenchParams& params);
void polymul_cuda(Context& context, const BenchParams& params);
void matmul_cuda(Context& context, const BenchParams& params);

/// Annotated genes of the folder of --data: seconds and exons found exactly, ours with --exons
/// auto, exonerate, spaln and minimap2 where installed.
void measure_genes(Context& context, const BenchParams& params);

}  // namespace yupana::bench
