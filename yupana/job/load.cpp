#include "yupana/job/load.hpp"

#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

std::int64_t size_of(const graph::AnyMatrix& matrix) {
  return std::visit([](const auto& m) { return m.size(); }, matrix);
}

/// d^2 as integers where they are, as doubles where calls are missing.
void make_distances(Context& context,
                    const std::string& input,
                    const genotype::PairCounts& counts,
                    FermatInput& result) {
  refuse_unshared(input,
                  genotype::pairs_without_shared_site(context, counts),
                  result.names,
                  {0, std::ssize(result.names)},
                  [&](std::int64_t i, std::int64_t j) { return counts.shared_at(i, j) > 0; });
  Stage stage(context, "metric");
  if (has_integer_squares(counts)) {
    result.distances = genotype::integer_squared_distances(context, counts);
  } else {
    result.distances =
        genotype::distances(context, counts, {.metric = genotype::Metric::squared_euclidean});
  }
}

/// From counts on a GPU, where the distances stay for the shortest paths.
void make_distances(Context& context,
                    const std::string& input,
                    genotype::PairCounter& counter,
                    FermatInput& result) {
  genotype::DeviceDistances made;
  {
    Stage stage(context, "metric");
    made = genotype::device_distances(context, counter);
  }
  if (made.on_device.empty()) return make_distances(context, input, counter.counts(), result);
  result.on_device = made.on_device;
  std::visit(
      [&](auto& distances) {
        refuse_unshared(
            input,
            made.unshared,
            result.names,
            {0, std::ssize(result.names)},
            [&](std::int64_t i, std::int64_t j) { return distances(i, j) == distances(i, j); });
        result.distances = std::move(distances);
      },
      made.on_host);
}

report::Covariate covariate_of(const io::SampleLabels& labels) {
  report::Covariate covariate = {labels.column, labels.low, labels.high, {}};
  for (const std::int64_t name : labels.of) {
    covariate.values.push_back(name < 0 ? std::numeric_limits<double>::quiet_NaN()
                                        : labels.numbers[static_cast<std::size_t>(name)]);
  }
  return covariate;
}

/// Populations beyond which no table of their pairs is made.
constexpr std::size_t most_populations = 40;

/// Compares the labelled populations while pairs are counted; null where there is nothing to
/// compare, or ranks read parts of the sites.
std::unique_ptr<genotype::PopulationCounter> observe_populations(Context& context,
                                                                 const RunLabels& labels,
                                                                 Input& input) {
  if (labels.names.empty() || labels.names.size() > most_populations || context.comm() != nullptr) {
    return nullptr;
  }
  auto counter = std::make_unique<genotype::PopulationCounter>(
      context,
      std::vector<std::int32_t>(labels.classes.begin(), labels.classes.end()),
      std::ssize(labels.names));
  input.observe = [&counter = *counter](const genotype::CallBlock& block) { counter.add(block); };
  return counter;
}

}  // namespace

void RunLabels::show(report::Report& report) const {
  if (covariate) return report::color_by(report, *covariate);
  report.class_names = names;
  report.classes = classes;
  report.class_styles = styles;
}

RunLabels read_run_labels(Context& context,
                          const std::string& path,
                          const std::string& column,
                          const io::SampleNames& names) {
  if (path.empty()) return {};
  note_pipe(context, path);
  const io::SampleLabels read = io::read_labels(path, names, column);
  for (const std::string& note : read.notes) context.note(note);
  const std::string unlabelled = counted(read.unlabelled, "sample") + " without label";
  const std::string unknown = counted(read.unknown, "label") + " of samples not in the input";
  if (read.unlabelled > read.missing) {
    context.note(path + ": " + unlabelled + (read.unknown > 0 ? ", " + unknown : ""));
  } else if (read.unknown > 0) {
    context.note(path + ": " + unknown);
  }
  if (!read.numbers.empty()) {
    context.note(
        fmt::format("{}: the labels of '{}' are numbers of {} values: a scale of colours, no "
                    "classes; nothing is scored against them; for classes write a letter before "
                    "each number (P1)",
                    path,
                    read.column,
                    read.numbers.size()));
    return {.covariate = covariate_of(read)};
  }
  if (read.names.size() < 2) {
    throw bad_file(path,
                   "expected labels of at least 2 classes, got {} of class {} alone; leave out "
                   "--labels, or choose with --label-column",
                   counted(std::ssize(read.of) - read.unlabelled, "sample"),
                   read.names[0]);
  }
  return {read.names, analysis::Labels(read.of.begin(), read.of.end()), read.ranks};
}

std::int64_t FermatInput::size() const { return size_of(distances); }

FermatInput load_cohort(Context& context,
                        const FermatJobParams& params,
                        Input& input,
                        const Plan& plan) {
  FermatInput result;
  result.names = input.cohort.samples();
  result.labels = read_run_labels(context, params.labels, params.label_column, input.names);
  const auto populations = observe_populations(context, result.labels, input);
  if (plan.gpu_bands.size() == 1 && context.comm() == nullptr && !params.relationships) {
    genotype::PairCounter counter = count_whole(context, input, plan, params.checkpoint);
    result.cohort = input.cohort.summary();
    if (populations) result.populations = populations->pairs();
    make_distances(context, input.name, counter, result);
    return result;
  }
  const genotype::PairCounts counts =
      count_pairs(context, input, plan, {0, plan.sizes.samples}, params.checkpoint);
  result.cohort = whole_summary(context, input, params.input.cohort.missing);
  if (populations) result.populations = populations->pairs();
  if (counts.rows.size() > 0) make_distances(context, input.name, counts, result);
  if (counts.rows.size() > 0 && params.relationships) {
    const Stage stage(context, "relationships");
    result.relationships = genotype::count_relationships(context, counts);
  }
  return result;
}

FermatInput from_counts(Context& context, const Input& input, const genotype::PairCounts& counts) {
  FermatInput result;
  result.names = input.cohort.samples();
  make_distances(context, input.name, counts, result);
  return result;
}

FermatInput load_distances(Context& context, const FermatJobParams& params) {
  Stage stage(context, "read distances");
  io::DistanceMatrix read =
      io::read_distances(context, params.distances, [&](const io::MatrixSize& size) {
        check_fermat_fits(context, params, sizes_of_matrix(size));
      });
  FermatInput result;
  result.names = std::move(read.names);
  result.distances = std::move(read.values);
  result.entries = params.squared ? Entries::squares : Entries::distances;
  if (result.names.empty()) {
    for (std::int64_t i = 1; i <= result.size(); ++i) result.names.push_back(std::to_string(i));
  }
  result.labels =
      read_run_labels(context, params.labels, params.label_column, {result.names, {}, {}, {}});
  return result;
}

}  // namespace yupana::job
