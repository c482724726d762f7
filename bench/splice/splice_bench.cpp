#include "bench/splice/splice_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/splice/genes.hpp"
#include "bench/splice/splice_peers.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/row_kernels.hpp"

namespace yupana::bench {
namespace {

using splice::AlignParams;
using splice::Case;
using splice::Exon;
using splice::SplicedAlignment;

template <class Body>
double best_seconds(int repeats, const Body& body) {
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

double register_rate(Context& context, bool quick) {
  const auto loop = splice::cpu::row_kernels<std::int16_t>().register_loop;
  const std::int64_t steps = quick ? 20'000 : 5'000'000;
  double best = 0;
  for (int repeat = 0; repeat < 9; ++repeat) {
    std::vector<std::int64_t> cells(static_cast<std::size_t>(context.threads()));
    const double seconds = best_seconds(1, [&] {
      context.parallel_for(context.threads(), 1, [&](std::int64_t begin, std::int64_t) {
        volatile std::int16_t kept = loop(steps, cells[static_cast<std::size_t>(begin)]);
        static_cast<void>(kept);
      });
    });
    double all = 0;
    for (const std::int64_t count : cells) all += static_cast<double>(count);
    best = std::max(best, all / seconds);
  }
  return best;
}

// Small genes of the same kind against the reference, chains and columns included.
bool agrees_with_the_reference(Context& context) {
  Context reference({.device = "reference", .threads = 1, .memory = 0, .gpu_memory = 0});
  RandomSequence random(2);
  for (int i = 0; i < 5; ++i) {
    const Gene gene = make_gene(random, 20, 40, 200);
    const SplicedAlignment a = splice::align(context, gene.view());
    const SplicedAlignment b = splice::align(reference, gene.view());
    if (a.score != b.score || a.chain != b.chain) return false;
  }
  return true;
}

/// One set of problems, score only and with alignments.
void measure(Context& context,
             const BenchParams& params,
             const std::string& name,
             const std::vector<Gene>& genes,
             const AlignParams& scoring,
             double limit,
             bool agrees) {
  std::vector<Case> cases;
  double dense = 0;
  for (const Gene& gene : genes) {
    cases.push_back(gene.view());
    dense += static_cast<double>(gene.bases.size()) * static_cast<double>(gene.target.size());
  }
  std::vector<std::int64_t> scores;
  for (const bool alignment : {true, false}) {
    AlignParams with = scoring;
    with.alignment = alignment;
    std::vector<SplicedAlignment> done;
    const double seconds =
        best_seconds(params.quick ? 1 : 7, [&] { done = splice::align(context, cases, with); });
    // Alignments were scored again from their columns; the score alone must be the same.
    bool equal = agrees;
    double executed = 0;
    for (std::size_t c = 0; c < done.size(); ++c) {
      executed += static_cast<double>(done[c].executed_cells);
      if (alignment) scores.push_back(done[c].score);
      equal = equal && done[c].score == scores[c];
    }
    const std::string what = fmt::format("{}, {}, {} thread{}",
                                         name,
                                         alignment ? "with alignment" : "score only",
                                         context.threads(),
                                         context.threads() > 1 ? "s" : "");
    const std::string impl = fmt::format("yupana cpu {}", simd_target());
    const double rate = executed / seconds;
    params.emit({"splice", what, impl, rate * 1e-9, "G executed cells/s", rate / limit, equal});
    params.emit({"splice",
                 what,
                 impl,
                 dense / seconds * 1e-9,
                 "G dense-equivalent cells/s",
                 std::nullopt,
                 equal});
    params.emit({"splice", what, impl, seconds, "s", std::nullopt, equal});
  }
}

/// The same genes against proteins: three frames with a third of the rows and of the columns each.
void measure_proteins(Context& context, const BenchParams& params, const std::vector<Gene>& genes) {
  Context reference({.device = "reference", .threads = 1, .memory = 0, .gpu_memory = 0});
  RandomSequence random(3);
  std::vector<std::string> proteins;
  std::vector<Case> cases;
  for (const Gene& gene : genes) proteins.push_back(random_protein(random, gene));
  for (std::size_t g = 0; g < genes.size(); ++g) {
    cases.push_back({genes[g].bases, genes[g].exons, proteins[g]});
  }
  const Gene small = make_gene(random, 10, 40, 200);
  const Case check{small.bases, small.exons, std::string_view(proteins[0]).substr(0, 40)};
  const bool agrees =
      splice::align_protein(context, check).chain == splice::align_protein(reference, check).chain;
  for (const bool alignment : {true, false}) {
    splice::ProteinParams scoring;
    scoring.align.alignment = alignment;
    std::vector<SplicedAlignment> done;
    const double seconds = best_seconds(
        params.quick ? 1 : 5, [&] { done = splice::align_protein(context, cases, scoring); });
    double executed = 0;
    for (const SplicedAlignment& one : done) executed += static_cast<double>(one.executed_cells);
    const std::string what = fmt::format("{} genes, proteins, affine gaps, {}, {} thread{}",
                                         genes.size(),
                                         alignment ? "with alignment" : "score only",
                                         context.threads(),
                                         context.threads() > 1 ? "s" : "");
    const std::string impl = fmt::format("yupana cpu {}", simd_target());
    const double rate = executed / seconds;
    params.emit({"splice", what, impl, rate * 1e-9, "G executed cells/s", std::nullopt, agrees});
    params.emit({"splice", what, impl, seconds, "s", std::nullopt, agrees});
  }
}

/// The shapes of the published set, one huge gene, and one gene with exons from its signals.
void measure_all(Context& context, const BenchParams& params) {
  const double limit = register_rate(context, params.quick);
  params.emit(
      {"splice",
       fmt::format("16-bit add, max, max in registers alone, {} threads", context.threads()),
       fmt::format("yupana cpu {}", simd_target()),
       limit * 1e-9,
       "G executed cells/s",
       std::nullopt,
       true});
  const bool agrees = agrees_with_the_reference(context);
  RandomSequence random(1);
  const std::vector<Gene> genes = published_genes(random, params.quick ? 5 : 1010);
  measure(context,
          params,
          fmt::format("{} genes, linear gaps", genes.size()),
          genes,
          {},
          limit,
          agrees);
  AlignParams affine;
  affine.gap_open = -4;
  affine.gap_extend = -1;
  measure(context,
          params,
          fmt::format("{} genes, affine gaps", genes.size()),
          genes,
          affine,
          limit,
          agrees);
  measure_proteins(context, params, genes);
  const std::vector<Gene> huge{make_gene(random, params.quick ? 50 : 1878, 135, 2355)};
  measure(context,
          params,
          fmt::format("1 gene, {} exons", huge[0].exons.size()),
          huge,
          {},
          limit,
          agrees);
  std::vector<Gene> found{make_gene(random, params.quick ? 5 : 55, 149, 2600)};
  found[0].exons = splice::candidate_exons(found[0].bases);
  measure(context,
          params,
          fmt::format("exons auto, {} kb x 2.6 kb, {} candidates",
                      found[0].bases.size() / 1000,
                      found[0].exons.size()),
          found,
          splice::scaled_for_candidates({}, {}),
          limit,
          agrees);
}

}  // namespace

void splice(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return splice_cuda(context, params);
#endif
  if (context.threads() > 1) {
    ContextParams one;
    one.device = "cpu";
    one.threads = 1;
    Context alone(one);
    measure_all(alone, params);
  }
  measure_all(context, params);
  measure_genes(context, params);
}

}  // namespace yupana::bench
