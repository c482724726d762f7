#include "yupana/job/som_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/som/nearest.hpp"

namespace yupana::job {
namespace {

std::vector<double> doubles(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string map_words(const som::Grid& grid) {
  return fmt::format("{} x {}, {}{}",
                     grid.rows,
                     grid.cols,
                     io::name_of(grid.lattice),
                     grid.toroidal ? ", toroidal" : "");
}

std::string schedule_words(const som::Schedule& schedule) {
  const std::string iterations = counted(schedule.iterations, "iteration");
  if (schedule.iterations == 0) return iterations + ": the first codebook";
  if (schedule.smooth == schedule.iterations) {
    return fmt::format("{}: sigma {}", iterations, number(schedule.sigma_final));
  }
  return fmt::format(
      "{}: sigma {} e^(-t / {}){}",
      iterations,
      number(schedule.sigma0),
      number(schedule.tau),
      schedule.smooth == 0
          ? ""
          : fmt::format(", {} in the last {}", number(schedule.sigma_final), schedule.smooth));
}

void add_words(const io::SomModel& model, report::MapReport& report) {
  const som::SomParams& params = model.params;
  report.findings.push_back(fmt::format(
      "{} of {} on {}: a sample is {} from its neuron on average (quantization error{}).",
      counted(model.samples, "sample"),
      counted(std::ssize(model.features), "feature"),
      counted(params.grid.size(), "neuron"),
      number(model.quality.quantization_error),
      model.scale.empty() ? "" : ", in standard deviations of the features"));
  if (params.grid.size() > 1) {
    report.findings.push_back(fmt::format(
        "For {:.2f} % of the samples the best two neurons are not adjacent (topographic error, {} "
        "neighbours); {} empty.",
        100 * model.quality.topographic_error,
        model.neighbors,
        model.quality.empty == 1 ? "1 neuron is"
                                 : fmt::format("{} neurons are", model.quality.empty)));
  }
  if (!model.silhouettes.empty()) {
    const std::int64_t clusters = io::count_clusters(model);
    report.findings.push_back(
        fmt::format("{} of neurons (Ward's method along the map): a mean simplified silhouette of "
                    "{:.3f}, the largest of "
                    "2 to {} clusters.",
                    counted(clusters, "cluster"),
                    model.silhouettes[static_cast<std::size_t>(clusters - 2)],
                    model.silhouettes.size() + 1));
  }
  auto& summary = report.summary;
  summary.emplace_back("map", map_words(params.grid));
  summary.emplace_back("training",
                       fmt::format("{}, {} neighbourhood, first codebook {}, seed {}",
                                   io::name_of(params.training),
                                   io::name_of(params.neighborhood),
                                   io::name_of(params.initial),
                                   params.seed));
  summary.emplace_back("schedule", schedule_words(params.schedule));
  summary.emplace_back(
      "features",
      fmt::format("{}{}", model.features.size(), model.scale.empty() ? "" : ", standardized"));
  summary.emplace_back("samples", std::to_string(model.samples));
  summary.emplace_back("quantization error", number(model.quality.quantization_error));
  if (params.grid.size() > 1) {
    summary.emplace_back("topographic error", number(model.quality.topographic_error));
  }
  summary.emplace_back("empty neurons", std::to_string(model.quality.empty));
  if (!model.p_matrix.empty()) summary.emplace_back("radius of the P-matrix", number(model.radius));
}

}  // namespace

void write_som_rows(Context& context, AtomicFile& file, const SomRows& rows) {
  constexpr std::int64_t piece = 1 << 15;
  const som::NearestNeurons& nearest = *rows.nearest;
  const std::int64_t n = nearest.best.size(), cols = rows.grid.cols;
  std::vector<std::string> cells;
  for (const std::string& name : rows.class_names) cells.push_back(io::tsv_cell(name));
  const auto name = [&](std::span<const std::int32_t> codes, std::int64_t row) {
    const std::int32_t code = codes[static_cast<std::size_t>(row)];
    return code < 0 ? std::string_view("") : cells[static_cast<std::size_t>(code)];
  };
  file.write(fmt::format("row\t{}neuron\tmap_row\tmap_col\tdistance\tsecond{}{}{}\n",
                         rows.ids->header(),
                         rows.classes.empty() ? "" : "\tclass",
                         rows.labels.empty() ? "" : "\tlabel",
                         rows.clusters.empty() ? "" : "\tcluster"));
  context.in_order((n + piece - 1) / piece,
                   [&](std::int64_t p) {
                     std::string text;
                     for (std::int64_t i = p * piece; i < std::min(n, (p + 1) * piece); ++i) {
                       const std::int32_t best = nearest.best[i];
                       append_formatted(text,
                                        "{}\t{}{}\t{}\t{}\t{}\t{}",
                                        i,
                                        rows.ids->of(i),
                                        best,
                                        best / cols,
                                        best % cols,
                                        nearest.best_distance[i],
                                        nearest.second[i]);
                       if (!rows.classes.empty())
                         append_formatted(text, "\t{}", name(rows.classes, i));
                       if (!rows.labels.empty())
                         append_formatted(text, "\t{}", name(rows.labels, i));
                       if (!rows.clusters.empty()) {
                         append_formatted(
                             text, "\t{}", rows.clusters[static_cast<std::size_t>(best)]);
                       }
                       text += '\n';
                     }
                     return text;
                   },
                   [&](const std::string& text) { file.write(text); });
}

void write_map_npy(AtomicFile& file, const som::Grid& grid, const std::vector<double>& values) {
  file.write(io::npy_preamble("<f8", grid.rows, grid.cols));
  file.write(values.data(), values.size() * sizeof(double));
}

void write_map_npy(AtomicFile& file,
                   const som::Grid& grid,
                   const std::vector<std::int64_t>& values) {
  file.write(io::npy_preamble("<i8", grid.rows, grid.cols));
  file.write(values.data(), values.size() * sizeof(std::int64_t));
}

report::MapReport map_report(const io::SomModel& model, const std::string& title) {
  const som::Grid& grid = model.params.grid;
  report::MapReport report;
  report.title = title;
  report.rows = grid.rows;
  report.cols = grid.cols;
  report.hexagonal = grid.lattice == som::Lattice::hexagonal;
  report.panels.push_back({"U-matrix", som::u_matrix(model.codebook.view(), grid), false});
  report.panels.push_back({"Hits", doubles(model.hits), true});
  if (!model.p_matrix.empty()) report.panels.push_back({"P-matrix", doubles(model.p_matrix), true});
  report.first_plane = std::ssize(report.panels);
  if (!model.label.empty()) {
    report.groups.push_back({"Classes", model.classes, model.neuron_classes});
  }
  if (const std::int64_t count = io::count_clusters(model); count > 1) {
    report::MapGroups& clusters = report.groups.emplace_back();
    clusters.name = "Clusters";
    for (std::int64_t c = 0; c < count; ++c) clusters.names.push_back(std::to_string(c));
    clusters.of = model.clusters;
  }
  const Matrix<float> weights = io::in_units(model);
  const std::int64_t d = weights.cols();
  if (model.image_rows > 0) {
    report.images.assign(weights.data(), weights.data() + grid.size() * d);
    report.image_rows = model.image_rows;
    report.image_cols = model.image_cols;
  } else {
    // A page of more values would be slow to open.
    const std::int64_t room = max_report_values / grid.size() - report.first_plane;
    const std::int64_t planes = std::clamp<std::int64_t>(room, 0, std::min(d, max_planes));
    for (std::int64_t j = 0; j < planes; ++j) {
      report::MapPanel plane{
          io::column_words(model.features[static_cast<std::size_t>(j)]), {}, false};
      for (std::int64_t i = 0; i < grid.size(); ++i) plane.values.push_back(weights(i, j));
      report.panels.push_back(std::move(plane));
    }
    if (d > planes) {
      report.notices.push_back(fmt::format("The first {} of {} features are drawn.", planes, d));
    }
  }
  add_words(model, report);
  return report;
}

void add_report_files(OutputFiles& files, const std::string& out, const report::MapReport& report) {
  report::write_map_html(files.add(out + ".html"), report);
  report::write_map_svg(files.add(out + ".svg"), report);
  report::write_map_png(files.add(out + ".png"), report);
  if (!report.images.empty()) report::write_map_images(files.add(out + ".images.png"), report);
}

}  // namespace yupana::job
