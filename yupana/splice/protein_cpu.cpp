#include <algorithm>
#include <atomic>
#include <numeric>

#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/protein_solver_cpu.hpp"

namespace yupana::splice::cpu {

// One case a task, longest first.
std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params) {
  std::vector<double> cells;
  std::uint64_t largest = 0;
  for (const Case& problem : problems) {
    const Plan plan = make_plan(problem.exons, params.align.min_intron);
    cells.push_back(static_cast<double>(plan.cells(std::ssize(problem.target))));
    largest = std::max(largest, cpu_protein_bytes(problem, params.align, TableCounts::of(plan)));
  }
  const double total = std::accumulate(cells.begin(), cells.end(), 0.0);
  std::vector<std::size_t> order(problems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cells[a] > cells[b];
  });
  Stage stage(context, "splice", total, "cells");
  std::vector<SplicedAlignment> results(problems.size());
  const int lanes =
      problems_at_once(context.threads(), largest, memory_left(context, params.align));
  std::atomic<std::size_t> taken{0};
  context.parallel_for(lanes, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lane = begin; lane < end; ++lane) {
      for (std::size_t i = taken++; i < order.size(); i = taken++) {
        ProteinSolver(context, problems[order[i]], params).solve(stage, results[order[i]]);
      }
    }
  });
  return results;
}

}  // namespace yupana::splice::cpu
