#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/splice/genes.hpp"
#include "bench/support/bench.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/estimate.hpp"
#include "yupana/splice/row_kernels.hpp"

namespace yupana::bench {
namespace {

using splice::AlignParams;
using splice::Case;
using splice::Exon;
using splice::SplicedAlignment;

// Cells of all this context's threads with every operand in a register.
struct RegisterRate {
  double rate = 0;  ///< a second
  Timing timing;
};
RegisterRate register_rate(Context& context, bool quick) {
  const auto loop = splice::cpu::row_kernels<std::int16_t>().register_loop;
  const std::int64_t steps = quick ? 20'000 : 5'000'000;
  std::vector<std::int64_t> cells(static_cast<std::size_t>(context.threads()));
  const Timing timing = time_runs(9, [&] {
    context.parallel_for(context.threads(), 1, [&](std::int64_t begin, std::int64_t) {
      volatile std::int16_t kept = loop(steps, cells[static_cast<std::size_t>(begin)]);
      static_cast<void>(kept);
    });
  });
  double all = 0;
  for (const std::int64_t count : cells) all += static_cast<double>(count);
  // A limit is what the machine can do at best: its fastest run.
  return {all / timing.min, timing};
}

// Small genes of the same kind against the reference, chains and columns included.
bool agrees_with_the_reference(Context& context) {
  if (context.backend() == Backend::reference) return false;
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

struct Run {
  Timing timing;
  double executed = 0;  ///< cells
  double dense = 0;     ///< 0: not counted
  double limit = 0;     ///< executed cells a second; 0: not known
  bool verified = false;
};
void emit(const Context& context,
          const BenchParams& params,
          const std::string& what,
          const Run& run) {
  const auto line = [&](double value, const char* unit, std::optional<double> share) {
    params.emit(
        {"splice", what, impl_name(context), value, unit, share, run.verified, {}, {}, run.timing});
  };
  const double rate = run.executed / run.timing.median;
  line(rate * 1e-9,
       "G executed cells/s",
       run.limit > 0 ? std::optional(rate / run.limit) : std::nullopt);
  if (run.dense > 0) line(run.dense / run.timing.median * 1e-9, "G dense-equivalent cells/s", {});
  line(run.timing.median, "s", {});
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
    const Timing timing =
        time_runs(params.quick ? 1 : 7, [&] { done = splice::align(context, cases, with); });
    // Alignments were scored again from their columns; the score alone must be the same.
    bool equal = agrees;
    double executed = 0;
    for (std::size_t c = 0; c < done.size(); ++c) {
      executed += static_cast<double>(done[c].executed_cells);
      if (alignment) scores.push_back(done[c].score);
      equal = equal && done[c].score == scores[c];
    }
    const std::string what = fmt::format("{}, {}, {}",
                                         name,
                                         alignment ? "with alignment" : "score only",
                                         threads_text(context.threads()));
    emit(context, params, what, {timing, executed, dense, limit, equal});
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
      context.backend() != Backend::reference &&
      splice::align_protein(context, check).chain == splice::align_protein(reference, check).chain;
  for (const bool alignment : {true, false}) {
    splice::ProteinParams scoring;
    scoring.align.alignment = alignment;
    std::vector<SplicedAlignment> done;
    const Timing timing = time_runs(params.quick ? 1 : 5,
                                    [&] { done = splice::align_protein(context, cases, scoring); });
    double executed = 0;
    for (const SplicedAlignment& one : done) executed += static_cast<double>(one.executed_cells);
    const std::string what = fmt::format("{} genes, proteins, affine gaps, {}, {}",
                                         genes.size(),
                                         alignment ? "with alignment" : "score only",
                                         threads_text(context.threads()));
    emit(context, params, what, {timing, executed, 0, 0, agrees});
  }
}

/// What `yupana splice --estimate` predicts for a set of problems, as a share of what they take.
void measure_prediction(Context& context,
                        const BenchParams& params,
                        const std::vector<Gene>& genes) {
  if (context.backend() == Backend::reference) return;  // rates are of the CPU and of GPUs
  std::vector<Case> cases;
  double cells = 0, letters = 0;
  for (const Gene& gene : genes) {
    cases.push_back(gene.view());
    cells += static_cast<double>(splice::estimate(gene.view()).executed_cells);
    letters += static_cast<double>(gene.target.size());
  }
  const auto mean = static_cast<std::int64_t>(letters / static_cast<double>(genes.size()));
  const splice::Rate rate = splice::measured_rate(context, {}, mean);
  const double predicted = rate.seconds(cells, 0, context.threads());
  const Timing timing = time_runs(params.quick ? 1 : 5, [&] { splice::align(context, cases); });
  params.emit({"splice",
               fmt::format("{} genes, linear gaps, with alignment, {}",
                           genes.size(),
                           threads_text(context.threads())),
               impl_name(context) + ", seconds predicted",
               predicted / timing.median,
               "of the measured time",
               std::nullopt,
               false,
               {},
               {},
               timing,
               "a prediction: no result to compare"});
}

/// The shapes of the published set, one huge gene, and one gene with exons from its signals.
void measure_all(Context& context, const BenchParams& params) {
  const RegisterRate registers = register_rate(context, params.quick);
  const double limit = registers.rate;
  params.emit(
      limit_line("splice",
                 "16-bit add, max, max in registers alone, " + threads_text(context.threads()),
                 "yupana cpu " + simd_target(),
                 limit * 1e-9,
                 "G executed cells/s",
                 registers.timing));
  const bool agrees = agrees_with_the_reference(context);
  RandomSequence random(1);
  const auto measure_set =
      [&](const std::string& name, const std::vector<Gene>& set, const AlignParams& scoring) {
        measure(context, params, name, set, scoring, limit, agrees);
      };
  const std::vector<Gene> genes = published_genes(random, params.quick ? 5 : 1010);
  measure_set(fmt::format("{} genes, linear gaps", genes.size()), genes, {});
  AlignParams affine;
  affine.gap_open = -4;
  affine.gap_extend = -1;
  measure_set(fmt::format("{} genes, affine gaps", genes.size()), genes, affine);
  measure_proteins(context, params, genes);
  measure_prediction(context, params, genes);
  const std::vector<Gene> huge{make_gene(random, params.quick ? 50 : 1878, 135, 2355)};
  measure_set(fmt::format("1 gene, {} exons", huge[0].exons.size()), huge, {});
  std::vector<Gene> found{make_gene(random, params.quick ? 5 : 55, 149, 2600)};
  found[0].exons = splice::candidate_exons(found[0].bases);
  measure_set(fmt::format("exons auto, {} kb x 2.6 kb, {} candidates",
                          found[0].bases.size() / 1000,
                          found[0].exons.size()),
              found,
              splice::scaled_for_candidates({}, {}));
}

}  // namespace

void splice(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return splice_cuda(context, params);
#endif
  for (const int threads : thread_counts(context)) {
    Context own(with_threads(context, threads));
    measure_all(own, params);
  }
  measure_genes(context, params);
}

}  // namespace yupana::bench
