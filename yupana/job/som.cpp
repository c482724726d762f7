#include "yupana/job/som.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <span>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/som_files.hpp"
#include "yupana/som/clusters.hpp"

namespace yupana::job {
namespace {

/// Notes of a run: printed at once, kept for the report.
class Notices {
 public:
  explicit Notices(Context& context) : context_(context) {}
  void add(const std::string& text) {
    context_.note(text);
    all.push_back(text);
  }
  std::vector<std::string> all;

 private:
  Context& context_;
};

int checked_neighbors(const som::Grid& grid, int neighbors) {
  const bool hexagonal = grid.lattice == som::Lattice::hexagonal;
  if (neighbors == 0) return som::default_neighbors(grid);
  if (hexagonal ? neighbors == 6 : neighbors == 4 || neighbors == 8) return neighbors;
  throw usage_error("--neighbors {}: a {} map has {}",
                    neighbors,
                    io::name_of(grid.lattice),
                    hexagonal ? "6" : "4 or 8");
}

/// The model, with the neighbours that the call names.
io::SomModel model_of(Context& context, const SomApplyParams& params) {
  io::SomModel model = io::read_som_model(context, params.model);
  if (params.neighbors != 0) {
    model.neighbors = checked_neighbors(model.params.grid, params.neighbors);
  }
  return model;
}

void check_out(const std::string& out, const char* files) {
  if (!out.empty()) return;
  throw usage_error("expected -o PREFIX: the files are {}", files);
}

void check_images(const SomFitParams& params, std::int64_t features) {
  const std::int64_t rows = params.image_rows, cols = params.image_cols;
  if (rows == 0 && cols == 0) return;
  if (rows > 0 && cols > 0 && rows <= features && cols == features / rows && features % rows == 0) {
    return;
  }
  throw input_error("--image {}x{}: expected images of {} pixels, as the table has features",
                    rows,
                    cols,
                    features);
}

void check_clusters(std::int64_t count, const som::Grid& grid) {
  if (count <= grid.size()) return;
  throw usage_error("--clusters {}: the map has {}", count, counted(grid.size(), "neuron"));
}

void note_schedule(const som::Schedule& schedule, Notices& notices) {
  if (schedule.iterations == 0) return;
  const double last = schedule.sigma(schedule.iterations - 1);
  // A step of auto's tau is left at the end of a run without smooth iterations.
  const double end = last * std::exp(-1 / schedule.tau);
  if (schedule.smooth > 0 || std::fabs(end / schedule.sigma_final - 1) <= 0.05) return;
  notices.add(
      fmt::format("sigma ends at {:.3g}: --sigmaf {:.3g} is used in --smooth iterations "
                  "only, of which there are none",
                  last,
                  schedule.sigma_final));
}

void note_rounded(const SomTable& table, const char* what_to_do, Notices& notices) {
  if (table.rounded.empty()) return;
  const RoundedColumn& own = table.rounded.front();
  const std::int64_t others = std::ssize(table.rounded) - 1;
  notices.add(fmt::format(
      "column '{}': {} rounded by up to {:.3g}, to float32; {}{}",
      io::printable(table.features[own.feature]),
      own.largest > own.least ? fmt::format("values from {} to {} are", own.least, own.largest)
                              : fmt::format("the value {} is", own.least),
      own.error,
      what_to_do,
      others == 0 ? "" : fmt::format("; so with {}", counted(others, "other"))));
}

void note_constant(const io::SomModel& model, Notices& notices) {
  std::string names;
  std::int64_t count = 0;
  for (std::size_t c = 0; c < model.scale.size(); ++c) {
    if (model.scale[c] != 0) continue;
    if (++count <= 5) names += (names.empty() ? "" : ", ") + io::column_words(model.features[c]);
  }
  if (count == 0) return;
  notices.add(fmt::format("{} feature{} the same everywhere as float32, kept at 0: {}{}",
                          count,
                          count == 1 ? " is" : "s are",
                          names,
                          count > 5 ? ", ..." : ""));
}

/// The samples of a table that a model is used on.
SomTable other_samples(Context& context,
                       const SomApplyParams& params,
                       const io::TableParams& reading,
                       const io::SomModel& model,
                       Notices& notices) {
  SomTable table = read_som_table(context, params.table, reading, model);
  note_rounded(table, "fit the map anew with an offset subtracted from the column", notices);
  return table;
}

/// Counts samples by neuron. Silhouettes are means over samples: they hold of the same counts only.
void count_hits(const som::NearestNeurons& nearest, io::SomModel& model) {
  std::vector<std::int64_t> hits = som::hits(nearest, model.params.grid.size());
  if (hits != model.hits) model.silhouettes.clear();
  model.hits = std::move(hits);
}

/// How a table is read: what is beyond memory lies next to the output.
io::TableParams reading_of(const io::TableParams& given, const std::string& out) {
  io::TableParams reading = given;
  reading.scratch = folder_of_files(out);
  return reading;
}

/// Quality, hits and P-matrix of the map, from its samples.
som::NearestNeurons describe(Context& context,
                             MatrixView<const float> samples,
                             const std::string& scratch,
                             std::optional<bool> with_p_matrix,
                             io::SomModel& model,
                             Notices& notices) {
  const som::Grid& grid = model.params.grid;
  som::NearestNeurons nearest;
  {
    const Stage stage(context, "quality");
    nearest = nearest_in_pieces(context, samples, model.codebook.view(), scratch);
    model.samples = samples.rows;
    model.quality = som::quality(nearest, grid, model.neighbors);
    count_hits(nearest, model);
  }
  model.p_matrix.clear();
  const double work = static_cast<double>(samples.rows) * static_cast<double>(grid.size()) *
                      static_cast<double>(samples.cols);
  if (!with_p_matrix.value_or(work <= max_p_matrix_work)) {
    if (!with_p_matrix)
      notices.add("the P-matrix is left out, it takes long; --p-matrix counts it");
    return nearest;
  }
  const Stage stage(context, "P-matrix");
  model.radius = som::pareto_radius(samples, model.params.seed);
  model.p_matrix = som::p_matrix(context, samples, model.codebook.view(), model.radius);
  return nearest;
}

/// Clusters of the model's neurons, as asked for.
void add_clusters(Context& context, std::int64_t count, io::SomModel& model) {
  if (count == clusters_of_model) return;
  model.clusters.clear();
  model.silhouettes.clear();
  if (count == no_clusters) return;
  const Stage stage(context, "clusters");
  som::Clusters clusters =
      som::cluster_neurons(context, model.codebook.view(), model.params.grid, model.hits, count);
  model.clusters = std::move(clusters.of);
  model.silhouettes = std::move(clusters.silhouettes);
}

double share_equal(std::span<const std::int32_t> found, std::span<const std::int32_t> expected) {
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    equal += expected[i] >= 0 && found[i] == expected[i];
  return static_cast<double>(equal) / static_cast<double>(found.size());
}

SomResult result_of(const io::SomModel& model) {
  SomResult result;
  result.grid = model.params.grid;
  result.schedule = model.params.schedule;
  result.samples = model.samples;
  result.features = std::ssize(model.features);
  result.neighbors = model.neighbors;
  result.quality = model.quality;
  result.clusters = io::count_clusters(model);
  result.silhouettes = model.silhouettes;
  return result;
}

void finish(Context& context,
            OutputFiles& files,
            const std::string& prefix,
            std::initializer_list<const char*> endings,
            Notices& notices,
            SomResult& result) {
  commit_files(context, files, result.files);
  const std::string left = left_by_earlier_runs(files, prefix, endings);
  if (!left.empty()) notices.add(left);
  result.notices = std::move(notices.all);
}

std::string title_of(const std::string& path) {
  const bool piped = path.starts_with("/dev/") || path.starts_with("/proc/");
  if (piped) return "Map of standard input";
  return "Map of " + std::filesystem::path(path).filename().string();
}

/// Bytes of a map in training: the codebook, and on a processor its packed copy, the sums of all
/// samples and those of each thread.
std::uint64_t map_bytes(const Context& context, const SomFitParams& params, std::int64_t features) {
  const bool sums =
      context.backend() != Backend::cuda && params.som.training == som::Training::batch;
  const auto threads = static_cast<std::uint64_t>(context.threads());
  const std::uint64_t a_value = sums ? 16 + 8 * threads : 4;
  const auto neurons = static_cast<std::uint64_t>(params.som.grid.size());
  const std::uint64_t values = neurons * static_cast<std::uint64_t>(features);
  // The neighbourhood is a value for each offset on the map.
  return a_value * values + 2 * sizeof(double) * neurons;
}

io::SomModel fitted(Context& context,
                    const SomFitParams& params,
                    SomTable& table,
                    Notices& notices) {
  io::SomModel model;
  model.params = params.som;
  model.params.schedule = som::resolved(params.som.schedule, params.som.grid);
  model.neighbors = checked_neighbors(params.som.grid, params.neighbors);
  model.features = table.features;
  model.zero_based = params.reading.zero_based;
  model.image_rows = params.image_rows;
  model.image_cols = params.image_cols;
  note_schedule(model.params.schedule, notices);
  note_rounded(table, "subtract an offset from the column first", notices);
  if (params.standardize) {
    Standardization standardization = standardize(context, table.samples);
    model.mean = std::move(standardization.mean);
    model.scale = std::move(standardization.scale);
    note_constant(model, notices);
  }
  if (table.samples.rows() < params.som.grid.size()) {
    const std::int64_t neurons = params.som.grid.size(), samples = table.samples.rows();
    notices.all.push_back(fmt::format("{} for {}: at least {} will be empty",
                                      counted(samples, "sample"),
                                      counted(neurons, "neuron"),
                                      neurons - samples));
  }
  check_memory(context,
               fmt::format("a map of {} x {} neurons of {}",
                           params.som.grid.rows,
                           params.som.grid.cols,
                           counted(std::ssize(model.features), "feature")),
               map_bytes(context, params, std::ssize(model.features)));
  model.codebook = som::train(context, table.samples.view(), model.params);
  return model;
}

}  // namespace

SomResult som_fit(Context& context, const SomFitParams& params) {
  check_out(params.out, "PREFIX.json, .codebook.npy, .bmu.tsv, .html and others");
  if (!is_utf8(std::filesystem::path(params.out).filename().string())) {
    throw usage_error(
        "-o: expected a name in UTF-8, for the model (JSON) names its codebook, got '{}'",
        io::printable(params.out));
  }
  som::check_grid(params.som.grid);
  som::resolved(params.som.schedule, params.som.grid);
  check_clusters(params.clusters, params.som.grid);
  checked_neighbors(params.som.grid, params.neighbors);
  Notices notices(context);
  const io::TableParams reading = reading_of(params.reading, params.out);
  SomTable table = read_som_table(context, params.table, reading);
  note_equal_classes(context, params.table, table.classes);
  note_number_classes(context, params.table, table.classes, "without --label it is a feature");
  check_images(params, std::ssize(table.features));
  if (context.rank() > 0) {
    fitted(context, params, table, notices);
    return {};
  }
  OutputFiles files;
  AtomicFile& json = files.add(params.out + ".json");
  AtomicFile& codebook = files.add(params.out + ".codebook.npy");
  io::SomModel model = fitted(context, params, table, notices);
  const som::NearestNeurons nearest =
      describe(context, table.samples.view(), reading.scratch, params.p_matrix, model, notices);
  add_clusters(context, params.clusters, model);
  SomRows rows{
      &nearest, model.params.grid, table.classes, table.codes, {}, model.clusters, &table.ids};
  Array<std::int32_t> classes;
  SomResult result = result_of(model);
  if (!table.label.empty()) {
    model.label = table.label;
    model.classes = table.classes;
    model.neuron_classes = som::neuron_labels(nearest, model.params.grid.size(), table.codes);
    classes = classes_of_neurons(context, nearest, model.neuron_classes, reading.scratch);
    rows.classes = classes;
    result.accuracy = share_equal(rows.classes, table.codes);
  }
  const Stage stage(context, "write");
  io::write_som_model(json, codebook, model);
  write_som_rows(context, files.add(params.out + ".bmu.tsv"), rows);
  const auto write_map = [&](const char* ending, const auto& values) {
    if (!values.empty()) write_map_npy(files.add(params.out + ending), model.params.grid, values);
  };
  write_map(".umatrix.npy", som::u_matrix(model.codebook.view(), model.params.grid));
  write_map(".hits.npy", model.hits);
  write_map(".clusters.npy", model.clusters);
  write_map(".pmatrix.npy", model.p_matrix);
  report::MapReport report =
      map_report(model, params.title.empty() ? title_of(params.table) : params.title);
  report.notices.insert(report.notices.begin(), notices.all.begin(), notices.all.end());
  add_report_files(files, params.out, report);
  finish(context,
         files,
         params.out,
         {".clusters.npy", ".pmatrix.npy", ".images.png"},
         notices,
         result);
  return result;
}

SomResult som_apply(Context& context, const SomApplyParams& params) {
  check_out(params.out, "PREFIX.bmu.tsv");
  Notices notices(context);
  io::SomModel model = model_of(context, params);
  const io::TableParams reading = reading_of(params.reading, params.out);
  const SomTable table = other_samples(context, params, reading, model, notices);
  if (table.unknown > 0) {
    notices.add(
        fmt::format("{} of a class that the model does not know, '{}' for one, counted as wrong",
                    counted(table.unknown, "sample"),
                    table.unknown_class));
  }
  OutputFiles files;
  AtomicFile& file = files.add(table_path(params.out, ".bmu.tsv"));
  const som::NearestNeurons nearest =
      nearest_in_pieces(context, table.samples.view(), model.codebook.view(), reading.scratch);
  model.samples = table.samples.rows();
  count_hits(nearest, model);
  model.quality = som::quality(nearest, model.params.grid, model.neighbors);
  SomResult result = result_of(model);
  SomRows rows{
      &nearest, model.params.grid, model.classes, table.codes, {}, model.clusters, &table.ids};
  Array<std::int32_t> classes;
  if (!table.label.empty()) rows.class_names = table.classes;
  if (!model.label.empty()) {
    classes = classified_in_pieces(context, table.samples.view(), model, reading.scratch);
    rows.classes = classes;
    if (!table.label.empty()) result.accuracy = share_equal(rows.classes, table.codes);
    result.unknown = table.unknown;
  }
  const Stage stage(context, "write");
  write_som_rows(context, file, rows);
  finish(context, files, params.out, {}, notices, result);
  return result;
}

SomResult som_report(Context& context, const SomApplyParams& params) {
  check_out(params.out, "PREFIX.html, .svg and .png");
  Notices notices(context);
  if (params.neighbors != 0 && params.table.empty()) {
    throw usage_error("--neighbors counts samples anew: give the table as well");
  }
  io::SomModel model = model_of(context, params);
  if (!params.table.empty()) {
    const io::TableParams reading = reading_of(params.reading, params.out);
    const SomTable table = other_samples(context, params, reading, model, notices);
    describe(context, table.samples.view(), reading.scratch, params.p_matrix, model, notices);
  }
  check_clusters(params.clusters, model.params.grid);
  add_clusters(context, params.clusters, model);
  SomResult result = result_of(model);
  OutputFiles files;
  const Stage stage(context, "write");
  const std::string& source = params.table.empty() ? params.model : params.table;
  report::MapReport report =
      map_report(model, params.title.empty() ? title_of(source) : params.title);
  report.notices.insert(report.notices.begin(), notices.all.begin(), notices.all.end());
  add_report_files(files, params.out, report);
  finish(context, files, params.out, {".images.png"}, notices, result);
  return result;
}

}  // namespace yupana::job
