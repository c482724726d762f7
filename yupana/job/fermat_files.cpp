#include "yupana/job/fermat_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "yupana/analysis/fermat_edges.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/graph_files.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_matrix.hpp"

namespace yupana::job {
namespace {

io::NpyType npy_type(const graph::AnyMatrix& matrix) {
  static constexpr io::NpyType types[] = {
      io::NpyType::int32, io::NpyType::float32, io::NpyType::float64};
  return types[matrix.index()];
}

/// d from d (or d^2), in double, one row at a time; no way from one to the other is +inf.
io::RowProducer distance_rows(const graph::AnyMatrix& matrix, bool squared) {
  return [&matrix, squared](std::int64_t i, double* row) {
    std::visit(
        [&](const auto& m) {
          for (std::int64_t j = 0; j < m.size(); ++j) {
            const auto value = static_cast<double>(m(i, j));
            row[j] = squared ? std::sqrt(value) : value;
          }
        },
        matrix);
  };
}

io::RowProducer any_rows(const graph::AnyMatrix& matrix) {
  return std::visit([](const auto& m) { return io::rows_of(m.view()); }, matrix);
}

/// Percent for people: never 100 % or 0 % of what is not.
std::string percent(double share) {
  if (share < 1 && share > 0.99995) return "just under 100 %";
  return fmt::format("{:.2f} %", 100 * share);
}

const std::string& input_of(const FermatJobParams& params) {
  return params.distances.empty() ? params.input.path : params.distances;
}

}  // namespace

std::string fermat_file(const FermatJobParams& params,
                        bool several,
                        double alpha,
                        const std::string& ending) {
  return several ? fmt::format("{}.alpha{:g}{}", params.out, alpha, ending) : params.out + ending;
}

std::string fermat_record(const FermatJobParams& params,
                          bool several,
                          const FermatJobResult& result) {
  nlohmann::ordered_json record{{"program", std::string("yupana ") + version},
                                {"input", input_of(params)},
                                {"samples", result.samples},
                                {"distances", "d (not squared)"},
                                {"rooted", params.fermat.root},
                                {"neighbors", params.fermat.neighbors},
                                {"landmarks", params.fermat.landmarks},
                                {"runs", nlohmann::ordered_json::array()}};
  for (const AlphaFindings& run : result.alphas) {
    record["runs"].push_back(
        {{"alpha", run.alpha},
         {"fermat",
          fermat_file(params, several, run.alpha, ".fermat.npy").substr(params.out.size())},
         {"precision", run.precision},
         {"method", run.method},
         {"kept_edges", run.kept_edges}});
  }
  // Names of files may be no UTF-8.
  return record.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

FermatFiles::FermatFiles(const FermatJobParams& params,
                         const std::vector<std::string>& names,
                         const RunLabels& labels,
                         bool several)
    : params_(params), names_(names), labels_(labels), several_(several) {
  io::write_ids(files_.add(params.out + ".ids"), names);
  report_.title = std::filesystem::path(input_path()).filename().string();
  report_.individuals = names;
  report_.class_names = labels.names;
  report_.classes = labels.classes;
}

const std::string& FermatFiles::input_path() const { return input_of(params_); }

std::string FermatFiles::named(double alpha, const std::string& ending) const {
  return fermat_file(params_, several_, alpha, ending);
}

void FermatFiles::add_distances(Context& context, const graph::AnyMatrix& distances, bool squared) {
  const std::int64_t n = static_cast<std::int64_t>(names_.size());
  io::write_npy(
      context, files_.add(params_.out + ".dist.npy"), n, distance_rows(distances, squared));
}

void FermatFiles::align(analysis::MdsResult& embedding) const {
  if (embeddings_.empty()) return;
  const Matrix<double>& first = embeddings_.front().points;
  Matrix<double>& points = embedding.points;
  for (std::int64_t k = 0; k < std::min(first.cols(), points.cols()); ++k) {
    double product = 0;
    for (std::int64_t i = 0; i < points.rows(); ++i) product += first(i, k) * points(i, k);
    if (product >= 0) continue;
    for (std::int64_t i = 0; i < points.rows(); ++i) points(i, k) = -points(i, k);
  }
}

void FermatFiles::add(Understanding understanding) {
  const std::string& name = understanding.findings.name;
  if (!understanding.mds.eigenvalues.empty()) {
    align(understanding.mds);
    report::Embedding embedding;
    embedding.name = name;
    embedding.share = understanding.mds.share;
    embedding.points =
        Matrix<double>(understanding.mds.points.rows(), understanding.mds.points.cols());
    std::copy_n(understanding.mds.points.data(),
                understanding.mds.points.rows() * understanding.mds.points.cols(),
                embedding.points.data());
    report_.embeddings.push_back(std::move(embedding));
    embeddings_.push_back(std::move(understanding.mds));
    embedding_names_.push_back(name);
  }
  report_.heat_maps.push_back(std::move(understanding.heat_map));
  report_.histograms.push_back(std::move(understanding.histogram));
  if (understanding.findings.scores) {
    const analysis::LabelScores& scores = *understanding.findings.scores;
    report_.scores.push_back(
        {name, scores.silhouette, scores.adjusted_rand, scores.nearest_neighbor});
  }
}

void FermatFiles::add_lengths(Context& context, const graph::FermatResult& closed) {
  const std::int64_t n = static_cast<std::int64_t>(names_.size());
  io::write_npy(context,
                files_.add(named(closed.alpha, ".fermat.npy")),
                n,
                any_rows(closed.lengths),
                npy_type(closed.lengths));
}

void FermatFiles::add_alpha(Context& context,
                            const graph::FermatResult& closed,
                            const graph::AnyMatrix& distances,
                            bool squared,
                            const Understanding& fermat) {
  add_lengths(context, closed);
  const std::string tree = analysis::newick(fermat.merges, names_) + "\n";
  files_.add(named(closed.alpha, ".nwk")).write(tree);
  report_.newick.emplace_back(fermat.findings.name, tree);
  write_graphs(context, closed, distances, squared);
}

void FermatFiles::write_graphs(Context& context,
                               const graph::FermatResult& closed,
                               const graph::AnyMatrix& distances,
                               bool squared) {
  Stage stage(context, "graphs");
  const double power = squared ? closed.alpha / 2 : closed.alpha;
  const double outer = closed.rooted ? 1 / closed.alpha : 1;
  const double unit = squared ? 1 / (closed.scale * closed.scale) : 1 / closed.scale;
  const auto weight = [&](std::int64_t i, std::int64_t j) {
    return std::visit(
        [&](const auto& m) {
          const double d = unit * static_cast<double>(m(i, j));
          const double w = power == 1 ? d : std::pow(d, power);
          return outer == 1 ? w : std::pow(w, outer);
        },
        distances);
  };
  io::GraphFile graph;
  graph.edges =
      std::visit([&](const auto& m) { return analysis::fermat_edges(context, m.view(), weight); },
                 closed.lengths);
  graph.description = fmt::format(
      "Fermat distances, alpha = {:g}: the minimum spanning tree, and the edges that are their own "
      "shortest path among each individual's {} nearest; longer ones are left out",
      closed.alpha,
      analysis::FermatEdgesParams{}.neighbors);
  graph.names = names_;
  if (!labels_.names.empty()) {
    for (const std::int32_t label : labels_.classes) {
      graph.labels.push_back(label < 0 ? "" : labels_.names[static_cast<std::size_t>(label)]);
    }
  }
  io::write_graphml(files_.add(named(closed.alpha, ".graphml")), graph);
  io::write_gexf(files_.add(named(closed.alpha, ".gexf")), graph);
}

void FermatFiles::add_curve(Context& context,
                            const graph::AnyMatrix& distances,
                            bool squared,
                            double alpha) {
  Stage stage(context, "retention curve");
  report_.alphas = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  report_.kept_edges = graph::kept_edges(context, distances, squared, report_.alphas);
  report_.alpha = alpha;
}

void FermatFiles::write_coordinates() {
  AtomicFile& file = files_.add(params_.out + ".mds.tsv");
  // Shares of variance stand in a comment line, so that the table itself stays a table.
  std::string text;
  for (std::size_t e = 0; e < embeddings_.size(); ++e) {
    text += "# " + embedding_names_[e] + ": explained share";
    for (const double share : embeddings_[e].share) text += fmt::format(" {:.6f}", share);
    text += "\n";
  }
  text += "sample";
  for (std::size_t e = 0; e < embeddings_.size(); ++e) {
    for (std::int64_t k = 0; k < embeddings_[e].points.cols(); ++k) {
      text += fmt::format("\t{} PC{}", embedding_names_[e], k + 1);
    }
  }
  text += "\n";
  for (std::size_t i = 0; i < names_.size(); ++i) {
    text += names_[i];
    for (const analysis::MdsResult& embedding : embeddings_) {
      for (std::int64_t k = 0; k < embedding.points.cols(); ++k) {
        fmt::format_to(std::back_inserter(text),
                       "\t{:.8g}",
                       embedding.points(static_cast<std::int64_t>(i), k));
      }
    }
    text += "\n";
    if (text.size() > (1 << 20)) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
}

void FermatFiles::write_report(Context& context, const FermatJobResult& result) {
  Stage stage(context, "report");
  report_.findings = result.findings;
  report_.notices = result.notices;
  auto& summary = report_.summary;
  summary.emplace_back("input", input_path());
  summary.emplace_back("individuals", std::to_string(result.samples));
  if (result.cohort) {
    const genotype::CohortSummary& cohort = *result.cohort;
    summary.emplace_back("samples read", std::to_string(cohort.samples_read));
    for (const auto& [reason, count] : cohort.samples_dropped) {
      summary.emplace_back("samples: " + reason, std::to_string(count));
    }
    summary.emplace_back("sites read", std::to_string(cohort.sites.read));
    summary.emplace_back("sites kept", std::to_string(cohort.sites.kept));
    for (const auto& [reason, count] : cohort.sites.skipped) {
      summary.emplace_back("sites: " + reason, std::to_string(count));
    }
    summary.emplace_back("missing calls", percent(cohort.missing_rate()));
  }
  for (const AlphaFindings& run : result.alphas) {
    summary.emplace_back(
        fmt::format("\u03b1 = {:g}", run.alpha),
        fmt::format(
            "{}, {}; {} of the edges kept", run.method, run.precision, percent(run.kept_edges)));
  }
  for (const StageTime& time : context.stages()) {
    summary.emplace_back("time: " + time.name, fmt::format("{:.3f} s", time.seconds));
  }
  summary.emplace_back(
      "processor",
      fmt::format("{}, {} threads, {}", processor_name(), context.threads(), simd_target()));
  summary.emplace_back("version", std::string("yupana ") + version);
  report::write_html(files_.add(params_.out + ".html"), report_);
  report::write_svg(files_.add(params_.out + ".svg"), report_);
  report::write_png(files_.add(params_.out + ".png"), report_);
}

void FermatFiles::commit(Context& context, FermatJobResult& result) {
  context.check_cancelled();
  files_.commit();
  for (const AtomicFile& file : files_.files()) result.files.push_back(file.path());
}

void FermatFiles::write(Context& context, FermatJobResult& result) {
  write_coordinates();
  files_.add(params_.out + ".json").write(fermat_record(params_, several_, result));
  write_report(context, result);
  commit(context, result);
}

void FermatFiles::write_matrices(Context& context, FermatJobResult& result) {
  files_.add(params_.out + ".json").write(fermat_record(params_, several_, result));
  commit(context, result);
}

}  // namespace yupana::job
