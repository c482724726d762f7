#include "yupana/job/load.hpp"

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/device_distances.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/fermat_sizes.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

std::int64_t size_of(const graph::AnyMatrix& matrix) {
  return std::visit([](const auto& m) { return m.size(); }, matrix);
}

RunLabels labels_of(Context& context, const FermatJobParams& params, const io::SampleNames& names) {
  if (params.labels.empty()) return {};
  note_pipe(context, params.labels);
  const io::SampleLabels read = io::read_labels(params.labels, names, params.label_column);
  for (const std::string& note : read.notes) context.note(note);
  if (read.unlabelled > read.missing || read.unknown > 0) {
    context.note(fmt::format("{}: {} without label, {} of samples not in the input",
                             params.labels,
                             counted(read.unlabelled, "sample"),
                             counted(read.unknown, "label")));
  }
  if (read.names.size() < 2) {
    throw bad_file(params.labels,
                   "expected labels of at least 2 classes, got {} of class {} alone; leave out "
                   "--labels, or choose with --label-column",
                   counted(std::ssize(read.of) - read.unlabelled, "sample"),
                   read.names[0]);
  }
  return {read.names, analysis::Labels(read.of.begin(), read.of.end())};
}

/// d^2 as integers where they are, as doubles where calls are missing.
void make_distances(Context& context, const genotype::PairCounts& counts, FermatInput& result) {
  refuse_unshared(genotype::pairs_without_shared_site(counts),
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
void make_distances(Context& context, genotype::PairCounter& counter, FermatInput& result) {
  genotype::DeviceDistances made;
  {
    Stage stage(context, "metric");
    made = genotype::device_distances(context, counter);
  }
  if (made.on_device.empty()) return make_distances(context, counter.counts(), result);
  result.on_device = made.on_device;
  std::visit(
      [&](auto& distances) {
        refuse_unshared(
            made.unshared,
            result.names,
            {0, std::ssize(result.names)},
            [&](std::int64_t i, std::int64_t j) { return distances(i, j) == distances(i, j); });
        result.distances = std::move(distances);
      },
      made.on_host);
}

}  // namespace

std::int64_t FermatInput::size() const { return size_of(distances); }

FermatInput load_cohort(Context& context,
                        const FermatJobParams& params,
                        Input& input,
                        const Plan& plan) {
  FermatInput result;
  result.names = input.cohort.samples();
  result.labels = labels_of(context, params, {result.names, input.families, input.individuals, {}});
  if (plan.gpu_bands.size() == 1 && context.comm() == nullptr) {
    genotype::PairCounter counter = count_whole(context, input, plan, params.checkpoint);
    result.cohort = input.cohort.summary();
    make_distances(context, counter, result);
    return result;
  }
  const genotype::PairCounts counts =
      count_pairs(context, input, plan, {0, plan.sizes.samples}, params.checkpoint);
  result.cohort = whole_summary(context, input, params.input.cohort.missing);
  if (counts.rows.size() > 0) make_distances(context, counts, result);
  return result;
}

FermatInput from_counts(Context& context,
                        const genotype::PairCounts& counts,
                        std::vector<std::string> names) {
  FermatInput result;
  result.names = std::move(names);
  make_distances(context, counts, result);
  return result;
}

FermatInput load_distances(Context& context, const FermatJobParams& params) {
  Stage stage(context, "read distances");
  int cell = fractional_cell;
  const std::int64_t samples = samples_of_distances(params.distances, cell);
  if (samples >= 0) check_fermat_fits(context, params, samples, cell);
  io::DistanceMatrix read = io::read_distances(context, params.distances);
  if (samples < 0) check_fermat_fits(context, params, size_of(read.values), cell);
  FermatInput result;
  result.names = std::move(read.names);
  result.distances = std::move(read.values);
  result.squared = params.squared;
  if (result.names.empty()) {
    for (std::int64_t i = 1; i <= result.size(); ++i) result.names.push_back(std::to_string(i));
  }
  result.labels = labels_of(context, params, {result.names, {}, {}, {}});
  return result;
}

}  // namespace yupana::job
