#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "bench/splice/genes.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/protein_backends.hpp"
#include "yupana/splice/words_cuda.cuh"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using splice::AlignParams;
using splice::Case;
using splice::SplicedAlignment;
using splice::cuda::Packed;
using splice::cuda::permute;

constexpr int threads = 256;
constexpr int rounds = 4000;
constexpr int columns = 16;

// What a pair of cells with linear gaps takes at least, on registers alone: a byte permutation for
// the two scores, an addition with a maximum, and a maximum.
__global__ void __launch_bounds__(threads) ceiling_kernel(unsigned* out, unsigned selector) {
  unsigned cells[columns], scores[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    cells[c] = c * selector + threadIdx.x;
    scores[c] = 0x01ff02fe * (c + 1) ^ selector;
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const unsigned score = permute(scores[c], scores[(c + 1) % columns], selector + round);
      const unsigned before = cells[(c + columns - 1) % columns];
      const unsigned now = Packed::pair_larger(cells[(c + 5) % columns], score, cells[c]);
      cells[c] = Packed::larger(now, before);
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int c = 0; c < columns; ++c) sum += cells[c];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// Cells a second.
double ceiling() {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "ask for the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "ask");
  const int blocks = 4 * multiprocessors;
  DeviceArray<unsigned> out(blocks * threads);
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Event begin(true), end(true);
    begin.record(nullptr);
    ceiling_kernel<<<blocks, threads>>>(out.data(), 0x3210);
    check_launch("measure maxima");
    end.record(nullptr);
    end.wait();
    best = std::max(best, 2.0 * blocks * threads * rounds * columns / seconds_between(begin, end));
  }
  return best;
}

struct Timing {
  double seconds = HUGE_VAL;            ///< of the whole call: checks, plan, upload, kernels, paths
  splice::cuda::DeviceSeconds devices;  ///< of the run whose kernels were fastest
};

Timing time_calls(Context& context,
                  const std::vector<Case>& cases,
                  const AlignParams& scoring,
                  int repeats,
                  std::vector<SplicedAlignment>& done) {
  Timing best;
  best.devices.forward = HUGE_VAL;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    done.clear();  // the caller's to free, so not in the call's time
    const auto begin = std::chrono::steady_clock::now();
    done = splice::align(context, cases, scoring);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best.seconds = std::min(best.seconds, seconds.count());
    splice::cuda::DeviceSeconds on_device;
    splice::cuda::Tuning tuning;
    tuning.seconds = &on_device;
    splice::cuda::align(context, cases, scoring, tuning);
    if (on_device.forward + on_device.trace < best.devices.forward + best.devices.trace) {
      best.devices = on_device;
    }
  }
  return best;
}

/// One set of problems, score only and with alignments, every one compared with the CPU's.
void measure(Context& context,
             const BenchParams& params,
             const std::string& name,
             const std::vector<Gene>& genes,
             AlignParams scoring,
             double limit) {
  std::vector<Case> cases;
  double dense = 0;
  for (const Gene& gene : genes) {
    cases.push_back(gene.view());
    dense += static_cast<double>(gene.bases.size()) * static_cast<double>(gene.target.size());
  }
  Context cpu({.device = "cpu"});
  const std::vector<SplicedAlignment> expected = splice::align(cpu, cases, scoring);
  for (const bool alignment : {false, true}) {
    scoring.alignment = alignment;
    std::vector<SplicedAlignment> done;
    const Timing time = time_calls(context, cases, scoring, params.quick ? 1 : 9, done);
    bool equal = true;
    double executed = 0;
    for (std::size_t c = 0; c < done.size(); ++c) {
      executed += static_cast<double>(done[c].executed_cells);
      equal = equal && done[c].score == expected[c].score;
      equal = equal && (!alignment || done[c].chain == expected[c].chain);
    }
    const std::string what =
        fmt::format("{}, {}", name, alignment ? "with alignment" : "score only");
    const auto emit = [&](double value, const char* unit, std::optional<double> share) {
      params.emit({"splice", what, "yupana cuda", value, unit, share, equal});
    };
    const splice::cuda::DeviceSeconds& parts = time.devices;
    const double kernels = parts.forward + parts.trace;
    emit(executed / time.seconds * 1e-12, "T executed cells/s", std::nullopt);
    emit(dense / time.seconds * 1e-12, "T dense-equivalent cells/s", std::nullopt);
    emit(executed / kernels * 1e-12, "T executed cells/s, kernels", executed / kernels / limit);
    emit(time.seconds * 1e3, "ms", std::nullopt);
    emit(parts.upload * 1e3, "ms, upload", std::nullopt);
    emit(parts.forward * 1e3, "ms, score kernels", std::nullopt);
    if (alignment) emit(parts.trace * 1e3, "ms, alignment kernel", std::nullopt);
  }
}

/// The same genes against proteins, every score and chain compared with the CPU's.
void measure_proteins(Context& context, const BenchParams& params, const std::vector<Gene>& genes) {
  RandomSequence random(3);
  std::vector<std::string> proteins;
  std::vector<Case> cases;
  for (const Gene& gene : genes) proteins.push_back(random_protein(random, gene));
  for (std::size_t g = 0; g < genes.size(); ++g) {
    cases.push_back({genes[g].bases, genes[g].exons, proteins[g]});
  }
  Context cpu({.device = "cpu"});
  splice::ProteinParams scoring;
  const std::vector<SplicedAlignment> expected = splice::align_protein(cpu, cases, scoring);
  for (const bool alignment : {false, true}) {
    scoring.align.alignment = alignment;
    std::vector<SplicedAlignment> done;
    double seconds = HUGE_VAL;
    splice::cuda::DeviceSeconds parts;
    parts.forward = HUGE_VAL;
    for (int repeat = 0; repeat < (params.quick ? 1 : 7); ++repeat) {
      done.clear();
      const auto begin = std::chrono::steady_clock::now();
      done = splice::align_protein(context, cases, scoring);
      const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
      seconds = std::min(seconds, whole.count());
      splice::cuda::DeviceSeconds now;
      splice::cuda::ProteinTuning tuning;
      tuning.seconds = &now;
      splice::cuda::align_protein(context, cases, scoring, tuning);
      if (now.forward + now.trace < parts.forward + parts.trace) parts = now;
    }
    bool equal = true;
    double executed = 0;
    for (std::size_t c = 0; c < done.size(); ++c) {
      executed += static_cast<double>(done[c].executed_cells);
      equal = equal && done[c].score == expected[c].score;
      equal = equal && (!alignment || done[c].chain == expected[c].chain);
    }
    const std::string what = fmt::format("{} genes, proteins, affine gaps, {}",
                                         genes.size(),
                                         alignment ? "with alignment" : "score only");
    const auto emit = [&](double value, const char* unit) {
      params.emit({"splice", what, "yupana cuda", value, unit, std::nullopt, equal});
    };
    emit(executed / seconds * 1e-12, "T executed cells/s");
    emit(seconds * 1e3, "ms");
    emit(parts.upload * 1e3, "ms, upload");
    emit(parts.forward * 1e3, "ms, score kernels");
    if (alignment) emit(parts.trace * 1e3, "ms, alignment kernel");
  }
}

/// The published set many times over, dealt to one, two, four ... devices; every score and chain
/// must be the one of the set's on the CPU.
void measure_devices(Context& context, const BenchParams& params, const std::vector<Gene>& genes) {
  const int copies = params.quick ? 3 : 64;
  std::vector<Case> set;
  for (const Gene& gene : genes) set.push_back(gene.view());
  std::vector<Case> cases;
  for (int copy = 0; copy < copies; ++copy) cases.insert(cases.end(), set.begin(), set.end());
  Context cpu({.device = "cpu"});
  for (const bool affine : {false, true}) {
    AlignParams scoring;
    if (affine) scoring.gap_open = -4, scoring.gap_extend = -1;
    const std::vector<SplicedAlignment> expected = splice::align(cpu, set, scoring);
    for_device_counts(context, [&](const std::vector<int>& devices, const std::string& impl) {
      Context some({.device = device_text(devices)});
      std::vector<SplicedAlignment> done;
      std::vector<double> seconds;
      for (int repeat = 0; repeat < (params.quick ? 1 : 4); ++repeat) {
        done.clear();  // the caller's to free, so not in the call's time
        const auto begin = std::chrono::steady_clock::now();
        done = splice::align(some, cases, scoring);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        seconds.push_back(took.count());
      }
      bool equal = true;
      for (std::size_t c = 0; c < done.size(); ++c) {
        const SplicedAlignment& one = expected[c % set.size()];
        equal = equal && done[c].score == one.score && done[c].chain == one.chain;
      }
      params.emit({"splice",
                   fmt::format("{} genes, the {} of the set {} times, {} gaps, with alignment",
                               cases.size(),
                               set.size(),
                               copies,
                               affine ? "affine" : "linear"),
                   impl,
                   1e3 * *std::min_element(seconds.begin(), seconds.end()),
                   "ms",
                   std::nullopt,
                   equal});
    });
  }
}

}  // namespace

void splice_cuda(Context& context, const BenchParams& on_host) {
  const DeviceScope scope(context.devices().front());
  const BenchParams params = on_first_device(context, on_host);
  RandomSequence random(1);
  const std::vector<Gene> genes = published_genes(random, params.quick ? 5 : 1010);
  if (params.scaling || context.devices().size() > 1) measure_devices(context, params, genes);
  if (params.scaling) return;
  const double limit = ceiling();
  params.emit(limit_line("splice",
                         "16-bit permute, add with max, max in registers alone",
                         "yupana cuda",
                         limit * 1e-12,
                         "T executed cells/s, kernels"));
  const std::string count = std::to_string(genes.size());
  measure(context, params, count + " genes, linear gaps", genes, {}, limit);
  AlignParams affine;
  affine.gap_open = -4;
  affine.gap_extend = -1;
  measure(context, params, count + " genes, affine gaps", genes, affine, limit);
  measure_proteins(context, params, genes);
  const std::vector<Gene> huge{make_gene(random, params.quick ? 50 : 1878, 135, 2355)};
  const std::string exons = fmt::format("1 gene, {} exons", huge[0].exons.size());
  measure(context, params, exons + ", linear gaps", huge, {}, limit);
  measure(context, params, exons + ", affine gaps", huge, affine, limit);
  // One window, whose waves follow each other, and as many as fill a GPU.
  for (const int windows : {1, params.quick ? 3 : 132}) {
    std::vector<Gene> found;
    for (int w = 0; w < windows; ++w) {
      found.push_back(make_gene(random, params.quick ? 5 : 55, 149, 2600));
      found.back().exons = splice::candidate_exons(found.back().bases);
    }
    measure(context,
            params,
            fmt::format("exons auto, {}{} kb x 2.6 kb, {} candidates{}",
                        windows > 1 ? fmt::format("{} windows of ", windows) : "",
                        found[0].bases.size() / 1000,
                        found[0].exons.size(),
                        windows > 1 ? " and the like" : ""),
            found,
            splice::scaled_for_candidates({}, {}),
            limit);
  }
}

}  // namespace yupana::bench
