#include "yupana/job/fermat.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/disk.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/genotype/device_distances.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/graph/shortest_paths_ranks.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/fermat_files.hpp"
#include "yupana/job/fermat_sizes.hpp"
#include "yupana/job/fermat_spread.hpp"
#include "yupana/job/understanding.hpp"

namespace yupana::job {
namespace {

using graph::AnyMatrix;

std::int64_t size_of(const AnyMatrix& matrix) {
  return std::visit([](const auto& m) { return m.size(); }, matrix);
}

AnyMatrix copy_of(const AnyMatrix& matrix) {
  return std::visit(
      [](const auto& source) -> AnyMatrix {
        std::remove_cvref_t<decltype(source)> copy(source.size());
        std::copy_n(source.data(), source.size() * source.size(), copy.data());
        return copy;
      },
      matrix);
}

/// What the job starts from: names and d (or d^2), wherever they came from.
struct Start {
  std::vector<std::string> names;
  RunLabels labels;
  AnyMatrix distances;
  DeviceMatrix on_device;  ///< the same on a GPU, if they were made there
  bool squared = true;
  std::optional<genotype::CohortSummary> cohort;
};

/// Names the first pair of samples without a common site, by `shares` of row and column.
template <class Shares>
void refuse_unshared(std::int64_t pairs,
                     const std::vector<std::string>& names,
                     const Shares& shares) {
  if (pairs == 0) return;
  for (std::int64_t i = 0; i < std::ssize(names); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (!shares(i, j)) throw unshared_error(pairs, names, i, j);
    }
  }
}

/// d^2 as integers where they are, as doubles where calls are missing.
AnyMatrix squared_distances(Context& context, const genotype::PairCounts& counts) {
  if (whole_squares(counts)) return genotype::integer_squared_distances(context, counts);
  return genotype::distances(context, counts, {.metric = genotype::Metric::squared_euclidean});
}

Plan plan_cohort(Context& context, const Input& input, const FermatJobParams& params) {
  PlanParams sizes;
  sizes.samples = static_cast<std::int64_t>(input.cohort.samples().size());
  sizes.sites = input.cohort.sites();
  sizes.missing = params.input.cohort.missing == genotype::Missing::pairwise;
  const int cell = sizes.missing ? fractional_cell : whole_cell;
  sizes.after_bytes = fermat_bytes(params, sizes.samples, cell);
  sizes.one_band = true;
  take_ranks(sizes, input, params.input);
  Plan plan = make_plan(context, sizes);
  add_disk(plan, params.out, fermat_output_bytes(params, sizes.samples, cell));
  return plan;
}

RunLabels labels_of(Context& context, const FermatJobParams& params, const io::SampleNames& names) {
  if (params.labels.empty()) return {};
  const io::SampleLabels read = io::read_labels(params.labels, names, params.label_column);
  for (const std::string& note : read.notes) context.note(note);
  if (read.unlabelled > read.missing || read.unknown > 0) {
    context.note(fmt::format("{}: {} samples without label, {} labels of samples not in the input",
                             params.labels,
                             read.unlabelled,
                             read.unknown));
  }
  if (read.names.size() < 2) {
    throw bad_file(params.labels,
                   fmt::format("expected labels of at least 2 classes, got {} samples of class {} "
                               "alone; leave out --labels, or choose with --label-column",
                               std::ssize(read.of) - read.unlabelled,
                               read.names[0]));
  }
  return {read.names, analysis::Labels(read.of.begin(), read.of.end())};
}

void take_distances(Context& context, const genotype::PairCounts& counts, Start& start) {
  refuse_unshared(genotype::pairs_without_shared_site(counts), start.names, [&](auto i, auto j) {
    return counts.shared_at(i, j) > 0;
  });
  Stage stage(context, "metric");
  start.distances = squared_distances(context, counts);
}

/// From counts on a GPU, where the distances stay for the shortest paths.
void take_distances(Context& context, genotype::PairCounter& counter, Start& start) {
  genotype::DeviceDistances made;
  {
    Stage stage(context, "metric");
    made = genotype::device_distances(context, counter);
  }
  if (made.on_device.empty()) return take_distances(context, counter.counts(), start);
  start.on_device = made.on_device;
  std::visit(
      [&](auto& distances) {
        refuse_unshared(made.unshared, start.names, [&](auto i, auto j) {
          return distances(i, j) == distances(i, j);
        });
        start.distances = std::move(distances);
      },
      made.on_host);
}

Start start_from_cohort(Context& context,
                        const FermatJobParams& params,
                        Input& input,
                        const Plan& plan) {
  Start start;
  start.names = input.cohort.samples();
  // Faults of the labels show before the work.
  start.labels = labels_of(context, params, {start.names, input.families, input.individuals, {}});
  if (plan.gpu_bands.size() == 1 && input.comm == nullptr) {
    genotype::PairCounter counter = count_whole(context, input, plan, params.checkpoint);
    start.cohort = input.cohort.summary();
    take_distances(context, counter, start);
  } else {
    const genotype::PairCounts counts =
        count_pairs(context, input, plan, {0, plan.sizes.samples}, params.checkpoint);
    start.cohort = whole_summary(context, input, params.input.cohort.missing);
    if (counts.rows.size() > 0) take_distances(context, counts, start);
  }
  return start;
}

Start start_from_matrix(Context& context, const FermatJobParams& params) {
  Stage stage(context, "read distances");
  int cell = fractional_cell;
  const std::int64_t samples = samples_of_distances(params.distances, cell);
  if (samples >= 0) check_fermat_fits(context, params, samples, cell);
  io::DistanceMatrix read = io::read_distances(context, params.distances);
  if (samples < 0) check_fermat_fits(context, params, size_of(read.values), cell);
  Start start;
  start.names = std::move(read.names);
  start.distances = std::move(read.values);
  start.squared = params.squared;
  if (start.names.empty()) {
    for (std::int64_t i = 0; i < size_of(start.distances); ++i) {
      start.names.push_back(std::to_string(i + 1));
    }
  }
  start.labels = labels_of(context, params, {start.names, {}, {}, {}});
  return start;
}

std::vector<double> chosen_alphas(Context& context,
                                  const FermatJobParams& params,
                                  const Start& start) {
  if (!params.automatic_alpha) return params.alphas;
  Stage stage(context, "choose alpha");
  return {graph::automatic_alpha(context, start.distances, start.squared)};
}

Power power_to_d(const Start& start) { return {start.squared ? 0.5 : 1.0}; }

/// What a power of the lengths looks like, given what the power of d beside it does. Where every
/// pair is its own shortest path their floats are most often the same, and nothing is left to do.
Understanding understand_lengths(Context& context,
                                 const std::string& name,
                                 const graph::FermatResult& closed,
                                 const Power& power,
                                 const Start& start,
                                 const Power& power_beside,
                                 const Understanding& beside,
                                 const FermatJobParams& params) {
  if (closed.kept_edges == 1 &&
      same_powers(context, closed.lengths, power, start.distances, power_beside)) {
    return renamed(beside, name);
  }
  return understand(
      context, name, powered(context, closed.lengths, power), start.labels.classes, params);
}

graph::FermatResult close(Context& context,
                          const FermatJobParams& params,
                          const Start& start,
                          double alpha,
                          FermatJobResult& result) {
  graph::FermatParams fermat = params.fermat;
  fermat.alpha = alpha;
  fermat.prune = fermat.prune && !params.matrix_only;
  fermat.comm = params.input.comm;
  graph::FermatResult closed =
      graph::fermat(context, copy_of(start.distances), start.squared, fermat, start.on_device);
  result.alphas.push_back(findings_of(closed));
  for (std::string& notice : notices_of(params, result.alphas.back())) {
    result.notices.push_back(std::move(notice));
  }
  return closed;
}

/// F, d^alpha and F^(1/alpha) of one alpha: computed, understood, written.
void work_out_alpha(Context& context,
                    const FermatJobParams& params,
                    const Start& start,
                    double alpha,
                    const Understanding& plain,
                    FermatFiles& files,
                    FermatJobResult& result) {
  const graph::FermatResult closed = close(context, params, start, alpha, result);
  const std::string a = number_text(alpha);
  const std::string estimate = params.fermat.landmarks > 0 ? ", estimate" : "";
  // F^(1/alpha) stands beside d, F beside d^alpha: only these pairs share a scale. Where lengths
  // would pass the range of float they are in units of scale^alpha, and d^alpha is too.
  const double power = start.squared ? alpha / 2 : alpha;
  const double scale = shown_scale(closed, start.distances, start.squared);
  result.alphas.back().scale = scale;
  if (scale != closed.scale) {
    result.notices.push_back(fmt::format(
        "At \u03b1 = {} pictures, coordinates and tree of F and d^\u03b1 are in units of {}^{}.",
        a,
        number_text(scale),
        a));
  }
  const double unit = start.squared ? 1 / (scale * scale) : 1 / scale;
  const double lift = closed.rooted ? alpha : 1;  // F from what the result holds
  const Power d = power_to_d(start), raised = {power, unit};
  const Power rooted = {lift / alpha, 1, closed.scale};
  const Power whole = {lift,
                       closed.rooted ? 1 / scale : 1,
                       closed.rooted ? 1 : std::pow(closed.scale / scale, alpha)};
  const auto add = [&](Understanding understood) {
    result.matrices.push_back(understood.findings);
    files.add(std::move(understood));
  };
  add(understand_lengths(context,
                         fmt::format("Fermat F^(1/{}){}", a, estimate),
                         closed,
                         rooted,
                         start,
                         d,
                         plain,
                         params));
  Understanding powers = understand(context,
                                    fmt::format("d^{}", a),
                                    powered(context, start.distances, raised),
                                    start.labels.classes,
                                    params);
  Understanding understood = understand_lengths(context,
                                                fmt::format("Fermat F, \u03b1 = {}{}", a, estimate),
                                                closed,
                                                whole,
                                                start,
                                                raised,
                                                powers,
                                                params);
  add(std::move(powers));
  files.add_alpha(
      context, closed, result.alphas.back(), start.distances, start.squared, understood);
  add(std::move(understood));
}

/// Distances, lengths and record, and nothing that is drawn or understood.
void write_matrices(Context& context,
                    const FermatJobParams& params,
                    const Start& start,
                    const std::vector<double>& alphas,
                    FermatJobResult& result) {
  FermatFiles files(params, start.names, start.labels, alphas.size() > 1);
  files.add_distances(context, start.distances, start.squared);
  for (const double alpha : alphas) {
    const graph::FermatResult closed = close(context, params, start, alpha, result);
    files.add_lengths(context, closed, result.alphas.back());
  }
  if (params.input.comm != nullptr) graph::release_ranks(*params.input.comm);
  files.write_matrices(context, result);
}

/// Everything, from where `start` left it.
void write_all(Context& context,
               const FermatJobParams& params,
               const Start& start,
               const std::vector<double>& alphas,
               FermatJobResult& result) {
  FermatFiles files(params, start.names, start.labels, alphas.size() > 1);
  const Understanding plain = understand(context,
                                         "distance d",
                                         powered(context, start.distances, power_to_d(start)),
                                         start.labels.classes,
                                         params);
  result.matrices.push_back(plain.findings);
  files.add_distances(context, start.distances, start.squared);
  files.add(renamed(plain, plain.findings.name));
  for (const double alpha : alphas) {
    work_out_alpha(context, params, start, alpha, plain, files, result);
  }
  if (params.input.comm != nullptr) graph::release_ranks(*params.input.comm);
  result.findings = findings_in_words(params, result.alphas, result.matrices);
  for (std::string& notice : notices_of_infinite(result.matrices)) {
    result.notices.push_back(std::move(notice));
  }
  files.add_curve(context, start.distances, start.squared, alphas);
  files.write(context, result);
}

/// From genotypes; `plan` is of the whole matrices on the first rank.
Start start_of(Context& context, const FermatJobParams& params, Input* input, const Plan& plan) {
  return input != nullptr ? start_from_cohort(context, params, *input, plan)
                          : start_from_matrix(context, params);
}

/// The plan of a run that understands its matrices; none where the first of several ranks cannot
/// hold them, but all together can.
std::optional<Plan> plan_whole(Context& context,
                               const Input& input,
                               const FermatJobParams& params) {
  const bool spreads = can_spread(context, params, input.ranks());
  if (spreads && params.matrix_only) return {};
  try {
    return plan_cohort(context, input, params);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources || input.ranks() == 1) throw;
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

}  // namespace

FermatJobResult run_fermat(Context& context, const FermatJobParams& as_given) {
  FermatJobParams params = as_given;
  params.alphas = distinct_alphas(context, as_given.alphas);
  std::optional<Input> input;
  Plan plan;
  if (params.distances.empty()) {
    input.emplace(open_input(context, params.input));
    const std::optional<Plan> whole = plan_whole(context, *input, params);
    if (!whole) return run_spread_fermat(context, params, *input);
    plan = *whole;
    check_disk(params.out, plan.output_bytes);
  }
  Comm* const comm = params.input.comm;
  FermatJobResult result;
  if (comm != nullptr && comm->rank() > 0) {  // sites of its own, then tiles of the closures
    if (input) start_from_cohort(context, params, *input, plan);
    graph::serve_shortest_paths(context, *comm);
  } else {
    const Start start = start_of(context, params, input ? &*input : nullptr, plan);
    result.samples = size_of(start.distances);
    result.cohort = start.cohort;
    if (result.samples == 1) result.notices.push_back("One individual: every distance is zero.");
    const std::vector<double> alphas = chosen_alphas(context, params, start);
    const auto& write = params.matrix_only ? write_matrices : write_all;
    write(context, params, start, alphas, result);
  }
  remove_checkpoint(comm, plan, params.checkpoint);
  return result;
}

Plan plan_fermat(Context& context, const FermatJobParams& params) {
  if (!params.distances.empty()) return plan_of_distances(context, params);
  const Input input = open_input(context, params.input);
  const std::optional<Plan> whole = plan_whole(context, input, params);
  return whole ? *whole : plan_spread_fermat(context, input, params);
}

}  // namespace yupana::job
