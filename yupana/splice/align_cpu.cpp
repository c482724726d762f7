#include <algorithm>
#include <numeric>

#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/solver_cpu.hpp"

namespace yupana::splice::cpu {
namespace {

SplicedAlignment align_one(Context& context,
                           Stage& stage,
                           const Case& problem,
                           const AlignParams& params,
                           const Tuning& tuning,
                           int workers) {
  const Plan plan = make_plan(problem.exons, params.min_intron);
  SplicedAlignment result;
  if (!tuning.wide &&
      Solver<std::int16_t>(context, problem, params, plan, tuning, workers).solve(stage, result)) {
    return result;
  }
  result.wide = true;
  if (Solver<std::int32_t>(context, problem, params, plan, tuning, workers).solve(stage, result)) {
    return result;
  }
  throw Error(ErrorCode::bad_input,
              fmt::format("splice: scores against {} target letters do not fit 32 bits; give "
                          "smaller scores",
                          problem.target.size()));
}

double cells_of(const Case& problem) {
  double bases = 0;
  for (const Exon& exon : problem.exons) bases += static_cast<double>(exon.length());
  return bases * static_cast<double>(problem.target.size());
}

}  // namespace

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning) {
  std::vector<double> cells;
  for (const Case& problem : problems) cells.push_back(cells_of(problem));
  const double total = std::accumulate(cells.begin(), cells.end(), 0.0);
  std::vector<std::size_t> order(problems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cells[a] > cells[b];
  });
  Stage stage(context, "splice", total, "cells");
  std::vector<SplicedAlignment> results(problems.size());
  const auto solve = [&](std::size_t p, int workers) {
    results[p] = align_one(context, stage, problems[p], params, tuning, workers);
  };
  // A case that alone is more than a thread's share is spread over all of them, the rest is dealt
  // out one a task, longest first.
  std::size_t next = 0;
  while (next < order.size() && context.threads() > 1 &&
         cells[order[next]] * context.threads() > total) {
    solve(order[next++], context.threads());
  }
  const auto rest = static_cast<std::int64_t>(order.size() - next);
  context.parallel_for(rest, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) solve(order[next + i], 1);
  });
  return results;
}

}  // namespace yupana::splice::cpu
