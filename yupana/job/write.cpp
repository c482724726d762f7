#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/version.hpp"
#include "yupana/io/graph_files.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/job/analyze.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/phylogeny.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// d from d (or d^2), in double, one row at a time; no way from one to the other is +inf.
io::RowProducer distance_rows(const graph::AnyMatrix& matrix, Entries entries) {
  return [&matrix, entries](std::int64_t i, double* row) {
    std::visit(
        [&](const auto& m) {
          for (std::int64_t j = 0; j < m.size(); ++j) {
            const auto value = static_cast<double>(m(i, j));
            row[j] = entries == Entries::squares ? std::sqrt(value) : value;
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

void check_fermat_files(const FermatJobParams& params) {
  const auto check = [](const std::string& path) { const AtomicFile file(path); };
  const auto check_all = [&](std::initializer_list<const char*> endings, const auto& named) {
    for (const char* const ending : endings) check(named(ending));
  };
  const auto of_run = [&](const char* ending) { return params.out + ending; };
  check_all({".ids", ".dist.npy", ".json"}, of_run);
  if (!params.matrix_only) check_all({".mds.tsv", ".html", ".svg", ".png"}, of_run);
  const bool several = !params.automatic_alpha && params.alphas.size() > 1;
  for (const double alpha : several ? params.alphas : std::vector<double>{0}) {
    const auto of_alpha = [&](const char* ending) {
      return fermat_file(params, several, alpha, ending);
    };
    check_all({".fermat.npy"}, of_alpha);
    if (!params.matrix_only) check_all({".nwk", ".graphml", ".gexf"}, of_alpha);
  }
}

io::NpyType length_type(const AlphaFindings& run) {
  if (run.lengths_precision == "float32") return io::NpyType::float32;
  const bool whole = run.lengths_precision == "int32" && run.unreachable_pairs == 0;
  return whole ? io::NpyType::int32 : io::NpyType::float64;
}

std::string fermat_record(const FermatJobParams& params,
                          bool several,
                          bool has_tree,
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
  if (has_tree) record["tree"] = tree_name(params.tree);
  if (result.bootstrap_blocks > 0) {
    record["support"] = support_sentence(params.bootstrap, result.bootstrap_blocks);
  }
  record["rooted"] = params.fermat.root;
  record["neighbors"] = params.fermat.neighbors;
  record["landmarks"] = params.fermat.landmarks;
  record["runs"] = nlohmann::ordered_json::array();
  for (const AlphaFindings& run : result.alphas) {
    nlohmann::ordered_json entry = {
        {"alpha", run.alpha},
        {"fermat",
         fermat_file(params, several, run.alpha, ".fermat.npy").substr(params.out.size())},
        {"precision", run.lengths_precision},
        {"weights_precision", run.weights_precision},
        {"unit", run.unit.length_name()},
        {"weight_scale", run.unit.scale},
        {"method", run.method}};
    entry.update(edges_json(run));
    entry["components"] = run.components;
    record["runs"].push_back(entry);
  }
  // A path may hold any bytes.
  return record.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

FermatFiles::FermatFiles(const FermatJobParams& params, const FermatInput& input, bool several)
    : params_(params), input_(input), several_(several) {
  io::write_ids(files_.add(params.out + ".ids"), input.names);
  report_.title = std::filesystem::path(input_of(params)).filename().string();
  report_.individuals = input.names;
  input.labels.show(report_);
  report_.figure_width = params.pictures.width;
}

std::string FermatFiles::named(double alpha, const std::string& ending) const {
  return fermat_file(params_, several_, alpha, ending);
}

void FermatFiles::add_distances(Context& context) {
  io::write_npy(context,
                files_.add(params_.out + ".dist.npy"),
                std::ssize(input_.names),
                distance_rows(input_.distances, input_.entries));
}

void FermatFiles::add(MatrixAnalysis analysis) {
  const std::string& name = analysis.findings.name;
  if (report_.heat_maps.empty()) add_tree(analysis);  // of d, to compare with
  if (!analysis.mds.eigenvalues.empty()) {
    report_.embeddings.push_back(
        {name, std::move(analysis.mds.points), analysis.mds.share, analysis.heat_map.unit});
  }
  report_.heat_maps.push_back(std::move(analysis.heat_map));
  report_.histograms.push_back(std::move(analysis.histogram));
  if (analysis.findings.scores) {
    const analysis::LabelScores& scores = *analysis.findings.scores;
    report_.scores.push_back(
        {name, scores.silhouette, scores.adjusted_rand, scores.nearest_neighbor});
  }
}

void FermatFiles::add_lengths(Context& context,
                              const graph::FermatResult& paths,
                              const AlphaFindings& run) {
  io::write_npy(context,
                files_.add(named(paths.alpha, ".fermat.npy")),
                std::ssize(input_.names),
                length_rows(paths.lengths),
                length_type(run));
}

void FermatFiles::add_alpha(Context& context,
                            const graph::FermatResult& paths,
                            const AlphaFindings& run,
                            AlphaAnalysis analysis) {
  add_lengths(context, paths, run);
  const bool rooted = run.unit.rooted;
  const MatrixAnalysis& written = rooted ? analysis.roots : analysis.lengths;
  const std::string tree = analysis::newick(analysis.tree, input_.names, analysis.support) + "\n";
  files_.add(named(paths.alpha, ".nwk")).write(tree);
  report_.newick.emplace_back(written.findings.name, tree);
  write_graphs(paths, std::move(analysis.edges));
  add_tree(written);
  report::Tree& drawn = report_.trees.back();
  if (!analysis::is_linkage(params_.tree)) {
    report::Tree own = drawn_tree(analysis.tree);
    drawn.merges = std::move(own.merges);
    drawn.tips = std::move(own.tips);
    drawn.linkage = tree_name(params_.tree);
    drawn.name += ", " + drawn.linkage;
  }
  drawn.support = drawn_support(analysis.tree, analysis.support);
  const bool beside = !written.mds.eigenvalues.empty() && report_.newick.size() == 1;
  const std::int64_t roots = std::ssize(report_.embeddings);
  add(std::move(analysis.roots));
  add(std::move(analysis.weights));
  const std::int64_t lengths = std::ssize(report_.embeddings);
  add(std::move(analysis.lengths));
  // The pictures set what is written of the first alpha beside d.
  if (beside) report_.side_by_side[1] = rooted ? roots : lengths;
}

void FermatFiles::write_graphs(const graph::FermatResult& paths,
                               std::vector<analysis::Edge> edges) {
  io::GraphFile graph;
  graph.edges = std::move(edges);
  // Over all edges the way there depends on the device, and the lengths do not.
  const bool all_edges = params_.fermat.neighbors == 0 && params_.fermat.landmarks == 0;
  graph.description = fmt::format(
      "Fermat distances, alpha = {}{}: the minimum spanning tree, and the edges that are their "
      "own shortest path among each individual's {} nearest; longer ones are left out",
      number_text(paths.alpha),
      all_edges ? "" : fmt::format(" ({})", paths.method),
      analysis::FermatEdgesParams{}.neighbors);
  graph.names = input_.names;
  const RunLabels& labels = input_.labels;
  if (!labels.names.empty()) {
    for (const std::int32_t label : labels.classes) {
      graph.labels.push_back(label < 0 ? "" : labels.names[static_cast<std::size_t>(label)]);
    }
  }
  if (labels.covariate) {
    for (const double value : labels.covariate->values) {
      graph.labels.push_back(std::isnan(value) ? "" : number_text(value));
    }
  }
  io::write_graphml(files_.add(named(paths.alpha, ".graphml")), graph);
  io::write_gexf(files_.add(named(paths.alpha, ".gexf")), graph);
}

void FermatFiles::add_tree(const MatrixAnalysis& analysis) {
  report::Tree tree;
  tree.name = analysis.findings.name;
  tree.unit = analysis.heat_map.unit;
  tree.linkage = linkage_name(params_.tree);
  for (const analysis::Merge& merge : analysis.merges) {
    tree.merges.push_back({static_cast<std::int32_t>(merge.left),
                           static_cast<std::int32_t>(merge.right),
                           static_cast<float>(merge.height)});
  }
  report_.trees.push_back(std::move(tree));
}

void FermatFiles::write_coordinates() {
  AtomicFile& file = files_.add(params_.out + ".mds.tsv");
  // Comment lines say what the columns are, so that the table itself stays a table.
  std::string text =
      "# principal coordinates (PCo, classical scaling) of each matrix, in the unit of its "
      "distances; share: eigenvalue / sum of all eigenvalues\n";
  std::string head = "sample";
  for (const report::Embedding& embedding : report_.embeddings) {
    text += fmt::format("# {} ({}): share", embedding.name, embedding.unit);
    for (const double share : embedding.share) text += fmt::format(" {:.6f}", share);
    text += "\n";
    for (std::int64_t k = 0; k < embedding.points.cols(); ++k) {
      head += fmt::format("\t{} PCo {}", embedding.name, k + 1);
    }
  }
  text += head + "\n";
  for (std::size_t i = 0; i < input_.names.size(); ++i) {
    text += input_.names[i];
    for (const report::Embedding& embedding : report_.embeddings) {
      const double* const row = embedding.points.row(static_cast<std::int64_t>(i));
      for (std::int64_t k = 0; k < embedding.points.cols(); ++k) {
        append_formatted(text, "\t{:.8g}", row[k]);
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
  report_.tables = tables_of(result);
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
                         fmt::format("{}, {}; {}; lengths: {}",
                                     run.method,
                                     run.lengths_precision,
                                     shares_text(run),
                                     run.unit.length_name()));
  }
  for (const StageTime& time : context.stages()) {
    summary.emplace_back("time: " + time.name, fmt::format("{:.3f} s", time.seconds));
  }
  summary.emplace_back(
      "processor",
      fmt::format(
          "{}, {}, {}", processor_name(), counted(context.threads(), "thread"), simd_target()));
  summary.emplace_back("version", std::string("yupana ") + version);
  report::write_report(files_, params_.out, report_, params_.pictures.figures);
}

void FermatFiles::write(Context& context, RetentionCurve curve, FermatJobResult& result) {
  report_.alphas = std::move(curve.alphas);
  report_.kept_edges = std::move(curve.kept_edges);
  report_.curve_note = curve_note(params_, std::ssize(input_.names), RetentionCurve::sample);
  for (const AlphaFindings& run : result.alphas) report_.run_alphas.push_back(run.alpha);
  write_coordinates();
  files_.add(params_.out + ".json").write(fermat_record(params_, several_, true, result));
  write_report(context, result);
  commit_files(context, files_, result.files, params_.out, optional_endings);
}

void FermatFiles::write_matrices(Context& context, FermatJobResult& result) {
  files_.add(params_.out + ".json").write(fermat_record(params_, several_, false, result));
  commit_files(context, files_, result.files, params_.out, optional_endings);
}

}  // namespace yupana::job
