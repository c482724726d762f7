#include "yupana/job/fermat.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/choices.hpp"
#include "cli/combinations.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/genotype_options.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::cli {
namespace {

struct FermatOptions {
  job::FermatJobParams job;
  std::vector<std::string> alphas;
  bool plan = false;
  const CLI::App* app = nullptr;  ///< the command line
};

const Choices<graph::Precision> precisions{{"auto", graph::Precision::automatic},
                                           {"int", graph::Precision::integer},
                                           {"float32", graph::Precision::float32},
                                           {"float64", graph::Precision::float64}};
const Choices<analysis::Linkage> linkages{{"average", analysis::Linkage::average},
                                          {"single", analysis::Linkage::single},
                                          {"complete", analysis::Linkage::complete}};
const Choices<graph::LandmarkEstimate> estimates{{"upper", graph::LandmarkEstimate::upper},
                                                 {"lower", graph::LandmarkEstimate::lower},
                                                 {"mean", graph::LandmarkEstimate::mean}};

CLI::Validator at_least_one() {
  return {[](std::string& text) -> std::string {
            const bool digits =
                !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
            if (digits && text.find_first_not_of('0') != std::string::npos) return {};
            return fmt::format("expected a whole number of at least 1, got {}", text);
          },
          ""};
}

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

/// Options that have no effect with the others of the command line.
void check_options(const FermatOptions& options, const CommonOptions& common) {
  const CLI::App& app = *options.app;
  if (given(app, "--from-distances")) {
    refuse_genotype_options(app, "--from-distances");
  } else {
    check_genotype_options(app, options.job.input);
    check_run_options(app, common);
  }
  require_partner(app, "--squared", {"--from-distances"});
  require_partner(app, "--label-column", {"--labels"});
  require_partner(app, "--estimator", {"--landmarks"});
  refuse_together(app, {"--no-prune"}, "--knn", "the dense closure does not run");
  refuse_together(app, {"--no-prune"}, "--landmarks", "the dense closure does not run");
  refuse_together(app,
                  {"--labels", "--linkage", "--dimensions"},
                  "--matrix-only",
                  "nothing is drawn or scored");
  refuse_together(app, {"--no-prune"}, "--matrix-only", "its closure is always dense");
}

Answer plan_answer(const job::Plan& plan) {
  return {job::describe(plan), job::plan_json(plan), true};
}

nlohmann::ordered_json run_json(const job::AlphaFindings& run) {
  return {{"alpha", run.alpha},
          {"kept_edges", run.kept_edges},
          {"replaced_edges", run.replaced_edges},
          {"longer_edges", run.longer_edges},
          {"unreachable_pairs", run.unreachable_pairs},
          {"certified", run.certified},
          {"method", run.method},
          {"precision", run.precision},
          {"largest_rank", run.largest_rank},
          {"components", run.components},
          {"unit", run.unit.length_name()},
          {"scale", run.unit.length_scale()}};
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

/// Letters that are seen: a name may hold one of two bytes.
std::size_t width_of(const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(name.begin(), name.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string score_table(const std::vector<job::MatrixFindings>& matrices) {
  if (matrices.empty() || !matrices[0].scores) return {};
  std::size_t width = 20;
  for (const job::MatrixFindings& matrix : matrices) {
    width = std::max(width, width_of(matrix.name));
  }
  std::string text = fmt::format(
      "{:<{}} {:>10} {:>13} {:>7}\n", "matrix", width, "silhouette", "adjusted Rand", "1-NN");
  for (const job::MatrixFindings& matrix : matrices) {
    if (!matrix.scores) continue;  // individuals that no path joins
    text += fmt::format("{}{:<{}} {:>10.3f} {:>13.3f} {:>7.3f}\n",
                        matrix.name,
                        "",
                        width - width_of(matrix.name),
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
  check_options(options, common);
  parse_alphas(options);
  options.job.command = command_line();
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
  app.add_option("--labels",
                 job.labels,
                 fmt::format("sample <tab> label, or FID IID label: colours and scores; unlabelled "
                             "are empty ones and {}",
                             io::missing_label_codes));
  app.add_option("--label-column",
                 job.label_column,
                 "name or number of the label's column, where there are several");
  app.add_option("--alpha", options.alphas, "power on the distances, at least 1; a list, or auto")
      ->delimiter(',')
      ->default_str(job::number_text(job.alphas.front()));
  app.add_flag("--root", job.fermat.root, "take the 1/alpha root of the lengths");
  app.add_option("--from-distances", job.distances, "a distance matrix instead of genotypes");
  app.add_flag("--squared", job.squared, "that matrix holds squared distances");
  CLI::Option* const knn =
      app.add_option(
             "--knn", job.fermat.neighbors, "search paths among the k nearest neighbours only")
          ->check(at_least_one());
  app.add_option(
         "--landmarks", job.fermat.landmarks, "estimate lengths through this many landmarks")
      ->check(at_least_one())
      ->excludes(knn);
  add_choice(
      app, "--estimator", job.fermat.estimate, estimates, "of --landmarks; mean is no bound");
  add_choice(app, "--precision", job.fermat.precision, precisions, "of the lengths");
  app.add_flag("!--no-prune", job.fermat.prune, "always run the dense closure");
  add_choice(app, "--linkage", job.linkage, linkages, "of the tree");
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
  options->app = &app;
  add_options(app, *options);
}

}  // namespace yupana::cli
