#include "yupana/job/fermat_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "yupana/analysis/fermat_edges.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/graph_files.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/job/fermat_about.hpp"

namespace yupana::job {
namespace {

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

io::RowProducer length_rows(const graph::AnyMatrix& matrix) {
  return [&matrix](std::int64_t i, double* row) {
    std::visit(
        [&](const auto& m) {
          std::transform(m.row(i), m.row(i) + m.size(), row, [](auto length) {
            return written_length(length);
          });
        },
        matrix);
  };
}

const std::string& input_of(const FermatJobParams& params) {
  return params.distances.empty() ? params.input.path : params.distances;
}

}  // namespace

std::string fermat_file(const FermatJobParams& params,
                        bool several,
                        double alpha,
                        const std::string& ending) {
  return several ? fmt::format("{}.alpha{}{}", params.out, number_text(alpha), ending)
                 : params.out + ending;
}

io::NpyType length_type(const AlphaFindings& run) {
  if (run.precision == "float32") return io::NpyType::float32;
  const bool whole = run.precision == "int32" && run.unreachable_pairs == 0;
  return whole ? io::NpyType::int32 : io::NpyType::float64;
}

std::string fermat_record(const FermatJobParams& params,
                          bool several,
                          const FermatJobResult& result) {
  nlohmann::ordered_json record{{"program", std::string("yupana ") + version},
                                {"command", params.command},
                                {"input", input_of(params)},
                                {"samples", result.samples},
                                {"distances", "d (not squared)"},
                                {"metric", metric_of(params)},
                                {"unit", distance_unit(params)}};
  if (params.distances.empty()) {
    record["missing"] = missing_name(params.input.cohort.missing);
    record["filters"] = filters_of(params.input);
  }
  if (result.cohort) {
    record["sites"] = result.cohort->sites.kept;
    record["missing_rate"] = result.cohort->missing_rate();
  }
  record["linkage"] = linkage_name(params.linkage);
  record["rooted"] = params.fermat.root;
  record["neighbors"] = params.fermat.neighbors;
  record["landmarks"] = params.fermat.landmarks;
  record["runs"] = nlohmann::ordered_json::array();
  for (const AlphaFindings& run : result.alphas) {
    record["runs"].push_back(
        {{"alpha", run.alpha},
         {"fermat",
          fermat_file(params, several, run.alpha, ".fermat.npy").substr(params.out.size())},
         {"precision", run.precision},
         {"weights_precision", run.weights_precision},
         {"unit", run.unit.length_name()},
         {"weight_scale", run.unit.scale},
         {"method", run.method},
         {"kept_edges", run.kept_edges},
         {"replaced_edges", run.replaced_edges},
         {"longer_edges", run.longer_edges},
         {"unreachable_pairs", run.unreachable_pairs},
         {"components", run.components}});
  }
  // A path may hold any bytes.
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
  if (report_.heat_maps.empty()) add_tree(name, understanding.merges);  // of d, to compare with
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

void FermatFiles::add_lengths(Context& context,
                              const graph::FermatResult& closed,
                              const AlphaFindings& run) {
  const std::int64_t n = static_cast<std::int64_t>(names_.size());
  io::write_npy(context,
                files_.add(named(closed.alpha, ".fermat.npy")),
                n,
                length_rows(closed.lengths),
                length_type(run));
}

void FermatFiles::add_alpha(Context& context,
                            const graph::FermatResult& closed,
                            const AlphaFindings& run,
                            const graph::AnyMatrix& distances,
                            bool squared,
                            const Understanding& fermat) {
  add_lengths(context, closed, run);
  const std::string tree = analysis::newick(fermat.merges, names_) + "\n";
  files_.add(named(closed.alpha, ".nwk")).write(tree);
  report_.newick.emplace_back(fermat.findings.name, tree);
  add_tree(fermat.findings.name, fermat.merges);
  write_graphs(context, closed, distances, squared);
}

void FermatFiles::write_graphs(Context& context,
                               const graph::FermatResult& closed,
                               const graph::AnyMatrix& distances,
                               bool squared) {
  Stage stage(context, "graphs");
  // The root of an edge is its distance, whose power may leave the range of doubles.
  const double alpha = closed.rooted ? 1 : closed.alpha;
  const double power = squared ? alpha / 2 : alpha;
  const double unit = squared ? 1 / (closed.scale * closed.scale) : 1 / closed.scale;
  const auto weight = [&](std::int64_t i, std::int64_t j) {
    return std::visit(
        [&](const auto& m) {
          const double d = unit * static_cast<double>(m(i, j));
          return power == 1 ? d : std::pow(d, power);
        },
        distances);
  };
  io::GraphFile graph;
  graph.edges =
      std::visit([&](const auto& m) { return analysis::fermat_edges(context, m.view(), weight); },
                 closed.lengths);
  graph.description = fmt::format(
      "Fermat distances, alpha = {} ({}): the minimum spanning tree, and the edges that are their "
      "own shortest path among each individual's {} nearest; longer ones are left out",
      number_text(closed.alpha),
      closed.method,
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

void FermatFiles::add_tree(const std::string& name, const std::vector<analysis::Merge>& merges) {
  report::Tree tree;
  tree.name = name;
  tree.linkage = linkage_name(params_.linkage);
  for (const analysis::Merge& merge : merges) {
    tree.merges.push_back({static_cast<std::int32_t>(merge.left),
                           static_cast<std::int32_t>(merge.right),
                           static_cast<float>(merge.height)});
  }
  report_.trees.push_back(std::move(tree));
}

/// Matrices stand in the order of findings_in_words(): d, then F^(1/alpha), d^alpha and F of every
/// alpha. Parts of the report are found by the name of theirs.
void FermatFiles::set_units(const FermatJobResult& result) {
  const std::string plain = distance_unit(params_);
  for (std::size_t m = 0; m < report_.heat_maps.size(); ++m) {
    std::string unit = plain;
    if (m > 0 && m % 3 != 1) {
      const AlphaFindings& run = result.alphas[(m - 1) / 3];
      unit = powered_unit(params_, run.alpha, run.scale);
    }
    const std::string& name = report_.heat_maps[m].name;
    const auto set = [&](auto& parts) {
      for (auto& part : parts) {
        if (part.name == name) part.unit = unit;
      }
    };
    set(report_.heat_maps);
    set(report_.histograms);
    set(report_.embeddings);
    set(report_.trees);
  }
}

void FermatFiles::add_curve(Context& context,
                            const graph::AnyMatrix& distances,
                            bool squared,
                            const std::vector<double>& alphas) {
  Stage stage(context, "retention curve");
  constexpr std::int64_t sample = 512;
  std::set<double> shown = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  shown.insert(alphas.begin(), alphas.end());
  report_.alphas.assign(shown.begin(), shown.end());
  report_.kept_edges = graph::kept_edges(context, distances, squared, report_.alphas, sample);
  report_.run_alphas = alphas;
  report_.curve_note = curve_note(params_, std::ssize(names_), sample);
}

void FermatFiles::write_coordinates() {
  AtomicFile& file = files_.add(params_.out + ".mds.tsv");
  // What the columns are stands in comment lines, so that the table itself stays a table.
  std::string text =
      "# principal coordinates (PCo, classical scaling) of each matrix, in the unit of its "
      "distances; share: eigenvalue / sum of all eigenvalues\n";
  for (std::size_t e = 0; e < embeddings_.size(); ++e) {
    text += fmt::format("# {} ({}): share", embedding_names_[e], report_.embeddings[e].unit);
    for (const double share : embeddings_[e].share) text += fmt::format(" {:.6f}", share);
    text += "\n";
  }
  text += "sample";
  for (std::size_t e = 0; e < embeddings_.size(); ++e) {
    for (std::int64_t k = 0; k < embeddings_[e].points.cols(); ++k) {
      text += fmt::format("\t{} PCo {}", embedding_names_[e], k + 1);
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
  report_.subtitle = run_subtitle(params_, result);
  auto& summary = report_.summary = run_rows(params_, result);
  if (result.cohort) {
    const genotype::CohortSummary& cohort = *result.cohort;
    summary.emplace_back("samples read", grouped(cohort.samples_read));
    for (const auto& [reason, count] : cohort.samples_dropped) {
      summary.emplace_back("samples: " + reason, grouped(count));
    }
    summary.emplace_back("sites read", grouped(cohort.sites.read));
    summary.emplace_back("sites kept", grouped(cohort.sites.kept));
    for (const auto& [reason, count] : cohort.sites.skipped) {
      summary.emplace_back("sites: " + reason, grouped(count));
    }
  }
  for (const AlphaFindings& run : result.alphas) {
    summary.emplace_back("\u03b1 = " + number_text(run.alpha),
                         fmt::format("{}, {}; {}{}; lengths: {}",
                                     run.method,
                                     run.precision,
                                     params_.fermat.landmarks > 0 ? "estimate: " : "",
                                     shares_text(run),
                                     run.unit.length_name()));
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
  set_units(result);
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
