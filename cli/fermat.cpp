#include "yupana/job/fermat.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

struct FermatOptions {
  job::FermatJobParams job;
  std::vector<std::string> alphas;
  bool plan = false;
};

const std::map<std::string, graph::Precision> precisions{{"auto", graph::Precision::automatic},
                                                         {"int", graph::Precision::integer},
                                                         {"float32", graph::Precision::float32},
                                                         {"float64", graph::Precision::float64}};
const std::map<std::string, analysis::Linkage> linkages{{"average", analysis::Linkage::average},
                                                        {"single", analysis::Linkage::single},
                                                        {"complete", analysis::Linkage::complete}};
const std::map<std::string, graph::LandmarkEstimate> estimates{
    {"upper", graph::LandmarkEstimate::upper},
    {"lower", graph::LandmarkEstimate::lower},
    {"mean", graph::LandmarkEstimate::mean}};

void parse_alphas(FermatOptions& options) {
  if (options.alphas.empty()) return;
  options.job.alphas.clear();
  for (const std::string& text : options.alphas) {
    if (text == "auto") {
      options.job.automatic_alpha = true;
      continue;
    }
    std::size_t used = 0;
    double alpha = 0;
    try {
      alpha = std::stod(text, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != text.size() || !(alpha >= 1) || alpha > 1000) {
      throw Error(
          ErrorCode::usage,
          fmt::format("--alpha: a number from 1 to 1000 or 'auto' is wanted, '{}' given", text));
    }
    options.job.alphas.push_back(alpha);
  }
  if (options.job.automatic_alpha && !options.job.alphas.empty()) {
    throw Error(ErrorCode::usage, "--alpha: 'auto' and numbers do not go together");
  }
}

Answer plan_answer(const job::Plan& plan) {
  return {job::describe(plan), job::plan_json(plan), true};
}

nlohmann::ordered_json run_json(const job::AlphaFindings& run) {
  return {{"alpha", run.alpha},
          {"kept_edges", run.kept_edges},
          {"certified", run.certified},
          {"method", run.method},
          {"precision", run.precision},
          {"largest_rank", run.largest_rank},
          {"components", run.components},
          {"scale", run.scale}};
}

nlohmann::ordered_json matrix_json(const job::MatrixFindings& matrix) {
  nlohmann::ordered_json json{{"matrix", matrix.name}, {"explained_share", matrix.share}};
  if (matrix.scores) {
    json["silhouette"] = matrix.scores->silhouette;
    json["adjusted_rand"] = matrix.scores->adjusted_rand;
    json["nearest_neighbor_accuracy"] = matrix.scores->nearest_neighbor;
    json["labelled"] = matrix.scores->individuals;
    json["classes"] = matrix.scores->classes;
  }
  return json;
}

std::string score_table(const std::vector<job::MatrixFindings>& matrices) {
  if (matrices.empty() || !matrices[0].scores) return {};
  std::string text =
      fmt::format("{:<20} {:>10} {:>13} {:>7}\n", "matrix", "silhouette", "adjusted Rand", "1-NN");
  for (const job::MatrixFindings& matrix : matrices) {
    if (!matrix.scores) continue;  // individuals that no path joins
    // The name may hold a two-byte letter; pad by what is seen.
    const std::size_t seen = static_cast<std::size_t>(std::count_if(
        matrix.name.begin(), matrix.name.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    text += fmt::format("{}{:<{}} {:>10.3f} {:>13.3f} {:>7.3f}\n",
                        matrix.name,
                        "",
                        seen < 20 ? 20 - seen : 0,
                        matrix.scores->silhouette,
                        matrix.scores->adjusted_rand,
                        matrix.scores->nearest_neighbor);
  }
  return text;
}

Answer fermat(Context& context, const CommonOptions& common, FermatOptions options) {
  if (options.job.input.path.empty() == options.job.distances.empty()) {
    throw Error(ErrorCode::usage, "fermat: either genotypes or --from-distances D.npy is wanted");
  }
  parse_alphas(options);
  options.job.input.comm = common.comm;
  options.job.out = common.out;
  if (options.plan) return plan_answer(job::plan_fermat(context, options.job));
  if (common.out.empty()) {
    throw Error(ErrorCode::usage, "fermat: -o PREFIX is wanted: the report is PREFIX.html");
  }
  const job::FermatJobResult result = job::run_fermat(context, options.job);
  Answer answer;
  answer.json = {{"command", "fermat"}, {"samples", result.samples}};
  if (result.cohort) {
    answer.text = account_text(*result.cohort);
    answer.json["account"] = account_json(*result.cohort);
  }
  answer.text += score_table(result.matrices);
  for (const std::string& finding : result.findings) answer.text += finding + "\n";
  for (const std::string& notice : result.notices) answer.text += "Notice: " + notice + "\n";
  for (const std::string& file : result.files) answer.text += "wrote    " + file + "\n";
  auto runs = nlohmann::ordered_json::array(), matrices = runs;
  for (const job::AlphaFindings& run : result.alphas) runs.push_back(run_json(run));
  for (const job::MatrixFindings& matrix : result.matrices) matrices.push_back(matrix_json(matrix));
  answer.json["runs"] = runs;
  answer.json["matrices"] = matrices;
  answer.json["findings"] = result.findings;
  answer.json["notices"] = result.notices;
  answer.json["stages"] = stages_json(context);
  answer.json["peak_memory"] = peak_memory();
  answer.json["files"] = result.files;
  return answer;
}

void add_options(CLI::App& app, FermatOptions& options) {
  job::FermatJobParams& job = options.job;
  add_genotype_options(app, job.input);
  add_rank_options(app, job.input);
  add_checkpoint_options(app, job.checkpoint);
  app.add_option("--labels", job.labels, "sample <tab> label: colours and scores");
  app.add_option("--label-column", job.label_column, "name or number of the label's column");
  app.add_option("--alpha", options.alphas, "power on the distances, at least 1; a list, or auto")
      ->delimiter(',')
      ->default_str(fmt::format("{:g}", job.alphas.front()));
  app.add_flag("--root", job.fermat.root, "take the 1/alpha root of the lengths");
  app.add_option("--from-distances", job.distances, "a distance matrix instead of genotypes");
  app.add_flag("--squared", job.squared, "that matrix holds squared distances");
  app.add_option("--knn", job.fermat.neighbors, "search paths among the k nearest neighbours only")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--landmarks", job.fermat.landmarks, "estimate lengths through this many landmarks")
      ->check(CLI::PositiveNumber);
  app.add_option("--estimator", job.fermat.estimate, "of --landmarks: upper, lower, mean")
      ->transform(CLI::CheckedTransformer(estimates).description(""))
      ->default_str("mean");
  app.add_option("--precision", job.fermat.precision, "auto, int, float32, float64")
      ->transform(CLI::CheckedTransformer(precisions).description(""))
      ->default_str("auto");
  app.add_flag("!--no-prune", job.fermat.prune, "always run the dense closure");
  app.add_option("--linkage", job.linkage, "of the tree: average, single, complete")
      ->transform(CLI::CheckedTransformer(linkages).description(""))
      ->default_str("average");
  app.add_option("--dimensions", job.dimensions, "coordinates of the embeddings")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag(
      "--matrix-only",
      job.matrix_only,
      "write distances and lengths alone, by the dense closure; under mpirun no rank holds "
      "a whole matrix");
  app.add_flag("--plan", options.plan, "print memory, passes, output and free disk; do nothing");
}

}  // namespace

void add_fermat(CLI::App& program) {
  auto options = std::make_shared<FermatOptions>();
  CLI::App& app = add_command(
      program,
      "fermat",
      "From genotypes (or distances) to Fermat distances, pictures, scores and a report.",
      "yupana fermat cohort.bed --labels pops.tsv --alpha 2 -o out/run",
      [options](Context& context, const CommonOptions& common) {
        return fermat(context, common, *options);
      },
      Runs::anywhere,
      Ranks::many);
  add_options(app, *options);
}

}  // namespace yupana::cli
