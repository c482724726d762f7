#include <algorithm>
#include <numeric>

#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/protein_solver_cpu.hpp"
#include "yupana/splice/shares.hpp"

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
  Stage stage(context, "splice", total, "cells");
  std::vector<SplicedAlignment> results(problems.size());
  const int lanes =
      problems_at_once(context.threads(), largest, memory_left(context, params.align));
  solve_in_lanes(context, lanes, by_work(cells), [&](std::size_t p) {
    ProteinSolver(context, problems[p], params).solve(stage, results[p]);
  });
  return results;
}

}  // namespace yupana::splice::cpu
