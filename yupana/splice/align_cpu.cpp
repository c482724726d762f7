#include <algorithm>
#include <numeric>

#include "yupana/core/messages.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/shares.hpp"
#include "yupana/splice/solver_cpu.hpp"

namespace yupana::splice::cpu {
namespace {

SplicedAlignment align_one(Context& context,
                           Stage* stage,
                           const Case& problem,
                           const AlignParams& params,
                           const Tuning& tuning,
                           int workers,
                           std::uint64_t left) {
  const Plan plan = make_plan(problem.exons, params.min_intron);
  SplicedAlignment result;
  if (!tuning.wide &&
      Solver<std::int16_t>(context, problem, params, plan, tuning, workers).solve(stage, result)) {
    return result;
  }
  const std::uint64_t bytes = cpu_bytes(problem, params, TableCounts::of(plan), 4, left);
  if (bytes > left) refuse_memory(problem, params, "target letters", bytes, left);
  result.wide = true;
  if (Solver<std::int32_t>(context, problem, params, plan, tuning, workers).solve(stage, result)) {
    return result;
  }
  throw input_error(
      "splice: scores against {} target letters do not fit 32 bits; give smaller scores",
      problem.target.size());
}

double cells_of(const Case& problem) {
  double bases = 0;
  for (const Exon& exon : problem.exons) bases += static_cast<double>(exon.length());
  return bases * static_cast<double>(problem.target.size());
}

/// Cases that run side by side, so that together they hold no more than `left`.
int lanes_for(Context& context,
              std::span<const Case> problems,
              std::span<const std::size_t> places,
              const AlignParams& params,
              std::uint64_t left) {
  const int threads = context.threads();
  if (threads == 1 || places.empty()) return 1;
  const std::uint64_t share = left / static_cast<std::uint64_t>(threads);
  std::uint64_t largest = 0;
  for (const std::size_t p : places) {
    const Case& problem = problems[p];
    const TableCounts bound = TableCounts::bound(problem.exons);
    std::uint64_t bytes = cpu_bytes(problem, params, bound, 4, share);
    if (bytes > share) {
      const Plan plan = make_plan(problem.exons, params.min_intron);
      bytes = cpu_bytes(problem, params, TableCounts::of(plan), 4, share);
    }
    largest = std::max(largest, bytes);
  }
  return problems_at_once(threads, largest, left);
}

}  // namespace

std::int64_t score_alone(Context& context, const Case& problem, AlignParams params) {
  params.alignment = false;
  const std::uint64_t left = memory_left(context, params);
  return align_one(context, nullptr, problem, params, {}, 1, left).score;
}

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning) {
  std::vector<double> cells;
  for (const Case& problem : problems) cells.push_back(cells_of(problem));
  const double total = std::accumulate(cells.begin(), cells.end(), 0.0);
  const std::vector<std::size_t> order = by_work(cells);
  Stage stage(context, "splice", total, "cells");
  std::vector<SplicedAlignment> results(problems.size());
  const std::uint64_t left = memory_left(context, params);
  const auto solve = [&](std::size_t p, int workers, std::uint64_t share) {
    Tuning own = tuning;
    own.saved_bytes = std::min(own.saved_bytes, saved_bytes(share));
    results[p] = align_one(context, &stage, problems[p], params, own, workers, share);
  };
  // A case that alone is more than a thread's share is spread over all of them, the rest is dealt
  // out one a task, longest first.
  std::size_t next = 0;
  while (next < order.size() && context.threads() > 1 &&
         cells[order[next]] * context.threads() > total) {
    solve(order[next++], context.threads(), left);
  }
  const std::span rest = std::span(order).subspan(next);
  const int lanes = lanes_for(context, problems, rest, params, left);
  solve_in_lanes(context, lanes, rest, [&](std::size_t p) { solve(p, 1, left / lanes); });
  return results;
}

}  // namespace yupana::splice::cpu
