// The genomic job: load (or count), distances, paths, analyze, write.
#include "yupana/job/fermat.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/analyze.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/load.hpp"
#include "yupana/job/phylogeny.hpp"

namespace yupana::job {
namespace {

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// The distances of the cohort, and what a replicate needs: no pictures.
std::uint64_t bytes_of_replicate(const FermatJobParams& params, std::int64_t samples) {
  const DistanceSizes given{.samples = samples};
  return static_cast<std::uint64_t>(samples * samples * given.cell) +
         replicate_bytes(params, given);
}

Plan plan_cohort(Context& context, const Input& input, const FermatJobParams& params) {
  PlanParams sizes = plan_sizes(context, input, params.input);
  sizes.hethet = params.relationships;
  const DistanceSizes given = sizes_of_cohort(sizes, sizes.missing);
  // Whether a call is missing is known after the counting, and either may need more.
  sizes.complete_after_bytes = fermat_bytes(params, sizes_of_cohort(sizes, false));
  sizes.after_bytes = std::max(fermat_bytes(params, given), sizes.complete_after_bytes);
  sizes.one_band = true;
  const std::uint64_t held = bytes_of_replicate(params, sizes.samples);
  add_bootstrap(context, sizes, params.bootstrap, held, held);
  Plan plan = make_plan(context, sizes);
  add_disk(plan, params.out, fermat_output_bytes(params, given));
  return plan;
}

/// Neighbours and landmarks beyond the samples are reported as the ones in use.
void limit_to_samples(Context& context, graph::FermatParams& fermat, std::int64_t samples) {
  fermat.neighbors = std::min(fermat.neighbors, std::max<std::int64_t>(1, samples - 1));
  if (fermat.landmarks < samples) return;
  context.note(
      fmt::format("--landmarks {}: there {} {}, so lengths are those over all edges, not estimates",
                  fermat.landmarks,
                  samples == 1 ? "is" : "are",
                  counted(samples, "individual")));
  fermat.landmarks = 0;
}

/// The plan of a run that analyzes its matrices; none where the first of several ranks cannot
/// hold them, but all together can.
std::optional<Plan> plan_whole(Context& context,
                               const Input& input,
                               const FermatJobParams& params) {
  const bool spreads = can_distribute(context, params);
  if (spreads && params.matrix_only) return {};
  try {
    return plan_cohort(context, input, params);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources || context.ranks() == 1) throw;
    if (spreads) return {};
    const std::string option = needs_first_rank(params);
    if (option.empty()) throw;
    throw Error(error.code(),
                fmt::format("{}; {} needs the matrices on the first rank: without it the ranks "
                            "share them",
                            error.what(),
                            option));
  }
}

/// Whether some distance is not zero.
bool has_lengths(const FermatInput& input) {
  return std::visit(
      [](const auto& distances) {
        const auto* const end = distances.data() + distances.size() * distances.size();
        return std::any_of(distances.data(), end, [](auto d) { return d != 0; });
      },
      input.distances);
}

/// Whether some pair has a third individual that a path could pass, and paths may differ: else
/// nothing is said of them.
bool has_paths(const FermatInput& input) { return input.size() > 2 && has_lengths(input); }

/// Paths of one alpha, with what they say of themselves.
graph::FermatResult find_paths(Context& context,
                               const FermatJobParams& params,
                               const FermatInput& input,
                               double alpha,
                               FermatJobResult& result) {
  graph::FermatResult paths = shortest_paths(context, params, input, alpha);
  result.alphas.push_back(findings_of(paths));
  AlphaFindings& findings = result.alphas.back();
  findings.estimated = params.fermat.landmarks > 0;
  if (std::isnan(findings.kept_edges)) {
    findings.known =
        graph::known_edges(context, input.distances, input.entries, paths, findings.estimated);
  }
  append(result.notices, notices_of(params, findings, has_paths(input)));
  return paths;
}

/// Distances, lengths and record; nothing is drawn or analyzed.
void write_matrices(Context& context,
                    const FermatJobParams& params,
                    const FermatInput& input,
                    const std::vector<double>& alphas,
                    FermatJobResult& result) {
  FermatFiles files(params, input, alphas.size() > 1);
  files.add_distances(context);
  for (const double alpha : alphas) {
    const graph::FermatResult paths = find_paths(context, params, input, alpha, result);
    files.add_lengths(context, paths, result.alphas.back());
  }
  files.write_matrices(context, result);
}

void write_all(Context& context,
               const FermatJobParams& params,
               const FermatInput& input,
               const std::vector<double>& alphas,
               const std::vector<Trees>& replicates,
               FermatJobResult& result) {
  FermatFiles files(params, input, alphas.size() > 1);
  FermatAnalysis analysis(context, params, input);
  const MatrixAnalysis& plain = analysis.distances();
  result.matrices.push_back(plain.findings);
  files.add_distances(context);
  files.add(renamed(plain, plain.findings.name, plain.heat_map.unit));
  for (const double alpha : alphas) {
    const graph::FermatResult paths = find_paths(context, params, input, alpha, result);
    AlphaFindings& run = result.alphas.back();
    AlphaAnalysis own = analysis.alpha(paths, run);
    if (!replicates.empty()) {
      own.support = support_of(own.tree, replicates[result.alphas.size() - 1]);
    }
    append(result.notices, notices_of_scale(run));
    for (const MatrixAnalysis* matrix : {&own.roots, &own.weights, &own.lengths}) {
      result.matrices.push_back(matrix->findings);
    }
    files.add_alpha(context, paths, run, std::move(own));
  }
  if (has_paths(input)) result.findings = findings_in_words(params, result.alphas, result.matrices);
  append(result.notices, notices_of_infinite(result.matrices));
  if (analysis::all_alone(input.labels.classes)) {
    result.notices.push_back(
        "Every labelled individual has a label of its own: silhouette, adjusted Rand index and "
        "nearest-neighbour accuracy mean nothing then and are left out.");
  }
  files.write(context, analysis.curve(alphas), result);
}

/// Of each alpha the trees of the replicates; none without --bootstrap.
std::vector<Trees> replicate_trees(Context& context,
                                   const FermatJobParams& params,
                                   const std::vector<double>& alphas,
                                   std::optional<Input>& cohort,
                                   FermatJobResult& result) {
  if (params.bootstrap.replicates == 0) return {};
  std::vector<Trees> trees(alphas.size());
  const auto take = [&](std::int64_t, const genotype::PairCounts& counts) {
    const FermatInput replicate = from_counts(context, *cohort, counts);
    for (std::size_t k = 0; k < alphas.size(); ++k) {
      const graph::FermatResult paths = shortest_paths(context, params, replicate, alphas[k]);
      trees[k].push_back(tree_of(context, paths.lengths, params.tree));
    }
  };
  const std::uint64_t held = bytes_of_replicate(params, std::ssize(cohort->cohort.samples()));
  result.bootstrap_blocks =
      genotype::bootstrap_counts(context,
                                 cohort->cohort,
                                 params.bootstrap,
                                 bootstrap_memory(context, held, result.samples),
                                 take);
  return trees;
}

/// Counts the sites of this rank and shares the closures of rank 0, which does the rest.
void help_first_rank(Context& context,
                     const FermatJobParams& params,
                     std::optional<Input>& cohort,
                     const Plan& plan) {
  if (cohort) load_cohort(context, params, *cohort, plan);
  const std::size_t alphas = params.automatic_alpha ? 1 : params.alphas.size();
  for (std::size_t k = 0; k < alphas; ++k) graph::fermat(context, {}, Entries::squares);
}

}  // namespace

FermatJobResult run_fermat(Context& context, const FermatJobParams& as_given) {
  FermatJobParams params = as_given;
  params.alphas = distinct_alphas(context, as_given.alphas);
  check_bootstrap(context, params.bootstrap, params.input);
  std::optional<Input> cohort;
  Plan plan;
  if (params.distances.empty()) {
    const auto plan_run = [&](const Input& all) { return plan_whole(context, all, params); };
    cohort.emplace(open_input(context, params.input, plan_run));
    const std::optional<Plan> whole = plan_run(*cohort);
    if (!whole) return run_distributed(context, params, *cohort);
    plan = *whole;
    check_disk(params.out, plan.output_bytes);
  }
  if (context.rank() == 0) check_fermat_files(params);
  FermatJobResult result;
  if (context.rank() > 0) {
    help_first_rank(context, params, cohort, plan);
  } else {
    const FermatInput input =
        cohort ? load_cohort(context, params, *cohort, plan) : load_distances(context, params);
    // What reading holds is not held next to the matrices. Ranks leave their communicators
    // together.
    if (params.bootstrap.replicates == 0 && context.comm() == nullptr) cohort.reset();
    result.samples = input.size();
    limit_to_samples(context, params.fermat, result.samples);
    result.cohort = input.cohort;
    result.names = input.names;
    result.relationships = input.relationships;
    if (input.populations) {
      result.populations = input.labels.names;
      result.population_pairs = *input.populations;
    }
    if (result.samples == 1) result.notices.push_back("One individual: every distance is zero.");
    if (result.samples == 2) {
      result.notices.push_back(
          "Two individuals: no third is there for a path to pass, so F is the power of d.");
    }
    if (result.samples > 2 && !has_lengths(input)) {
      result.notices.push_back("Every distance is zero, which no power and no path changes.");
    }
    const std::vector<double> alphas = alphas_of(context, params, input);
    if (params.matrix_only) {
      write_matrices(context, params, input, alphas, result);
    } else {
      const std::vector<Trees> replicates =
          replicate_trees(context, params, alphas, cohort, result);
      write_all(context, params, input, alphas, replicates, result);
    }
  }
  remove_checkpoint(context, plan, params.checkpoint);
  return result;
}

Plan plan_fermat(Context& context, const FermatJobParams& params) {
  if (!params.distances.empty()) return plan_of_distances(context, params);
  const auto plan_run = [&](const Input& all) { return plan_whole(context, all, params); };
  const Input input = open_input(context, params.input, plan_run);
  const std::optional<Plan> whole = plan_run(input);
  return whole ? *whole : plan_distributed(context, input, params);
}

}  // namespace yupana::job
