#include "yupana/job/fermat.hpp"

#include <algorithm>
#include <cmath>

#include "cli/genotype_options.hpp"
#include "cli/out_folder.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/path.hpp"

namespace yupana::cli {
namespace {

struct FermatOptions {
  job::FermatJobParams job;
  bool plan = false;
};

void parse_alphas(const Names& words, job::FermatJobParams& job) {
  job.alphas.clear();
  for (const std::string& word : words) {
    const std::optional<double> alpha = number_of<double>(word);
    if (word == "auto") {
      job.automatic_alpha = true;
    } else if (alpha && *alpha >= 1 && *alpha <= 1000) {
      job.alphas.push_back(*alpha);
    } else {
      throw usage_error("--alpha: expected a number from 1 to 1000 or 'auto', got '{}'", word);
    }
  }
  if (job.automatic_alpha && !job.alphas.empty()) {
    throw usage_error("--alpha: 'auto' and numbers do not go together");
  }
}

/// The share of lengths that are proven, and the ranks, where paths are searched among neighbours:
/// over all edges every length is exact, through landmarks none is known to be.
nlohmann::ordered_json run_json(const job::AlphaFindings& run, const graph::FermatParams& params) {
  nlohmann::ordered_json json{{"alpha", run.alpha}}, certified = 1.0, largest_rank;
  if (params.neighbors > 0) {
    certified = run.certified;
    largest_rank = run.max_neighbor_rank;
  } else if (run.method.starts_with("estimate")) {
    certified = nullptr;
  }
  json.update(job::edges_json(run));
  json.update({{"certified", certified},
               {"method", run.method},
               {"precision", run.lengths_precision},
               {"largest_rank", largest_rank},
               {"components", run.components},
               {"unit", run.unit.length_name()},
               {"scale", run.unit.length_scale()}});
  return json;
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
  for (const job::MatrixFindings& matrix : matrices) width = std::max(width, width_of(matrix.name));
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

/// F_ST and identity by state of populations for programs, and their range for people.
std::string add_populations(nlohmann::ordered_json& json, const job::FermatJobResult& result) {
  const auto& names = result.populations;
  if (names.empty()) return {};
  const genotype::PopulationPairs& pairs = result.population_pairs;
  const auto rows = [&](const std::vector<double>& values) {
    auto all = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < values.size(); k += names.size()) {
      const auto row = values.begin() + static_cast<std::ptrdiff_t>(k);
      all.push_back(std::vector<double>(row, row + std::ssize(names)));
    }
    return all;
  };
  json["populations"] = {{"names", names},
                         {"samples", pairs.sizes},
                         {"fst", rows(pairs.fst)},
                         {"mean_ibs", rows(pairs.ibs)}};
  std::size_t least[2] = {1, 0}, most[2] = {1, 0};
  const auto at = [&](const std::size_t* pair) {
    return pairs.fst[pair[0] * names.size() + pair[1]];
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t pair[2] = {i, j};
      if (std::isnan(at(pair))) continue;
      if (!(at(least) <= at(pair))) std::copy(pair, pair + 2, least);
      if (!(at(most) >= at(pair))) std::copy(pair, pair + 2, most);
    }
  }
  if (std::isnan(at(most))) return {};
  const auto described = [&](const std::size_t* pair) {
    return fmt::format("{:.4f} ({}, {})", at(pair), names[pair[1]], names[pair[0]]);
  };
  const bool single = std::equal(least, least + 2, most);
  return "F_ST     " + described(least) + (single ? "" : " to " + described(most)) + "\n";
}

Answer fermat(Context& context, const Call& call, FermatOptions options) {
  if (options.job.input.path.empty() == options.job.distances.empty()) {
    const char* const got = options.job.distances.empty() ? "neither" : "both";
    throw usage_error(
        "fermat: expected genotypes or --from-distances D.npy, got {}; see 'yupana fermat --help'",
        got);
  }
  const auto& alphas = options.job.alphas;
  const auto fraction = std::find_if(
      alphas.begin(), alphas.end(), [](double alpha) { return alpha != std::floor(alpha); });
  if (options.job.fermat.precision == graph::Precision::integer && fraction != alphas.end()) {
    throw usage_error("--precision int: expected a whole --alpha, got {}; use float64", *fraction);
  }
  if (options.job.distances.empty()) check_genotype_options(call, options.job.input);
  options.job.bootstrap.seed = options.job.input.cohort.seed;
  options.job.command = command_line();
  options.job.out = call.out;
  if (options.plan) return plan_answer(call.command.name(), job::plan_fermat(context, options.job));
  required_out(call, prefix_out);
  const CheckpointFolder checkpoint(options.job.checkpoint, context.comm());
  const job::FermatJobResult result =
      checkpoint.run([&] { return job::run_fermat(context, options.job); });
  Answer answer;
  answer.json = {{"command", "fermat"}, {"samples", result.samples}};
  if (result.cohort) {
    answer.text = account_text(*result.cohort);
    answer.json["account"] = account_json(*result.cohort);
  }
  answer.text += add_support(answer.json, options.job.bootstrap, result.bootstrap_blocks);
  if (result.relationships) {
    answer.text += add_relationships(answer.json, *result.relationships, result.names);
  }
  answer.text += add_populations(answer.json, result);
  answer.text += score_table(result.matrices);
  for (const std::string& finding : result.findings) answer.text += finding + "\n";
  for (const std::string& notice : result.notices) answer.text += "Notice: " + notice + "\n";
  auto runs = nlohmann::ordered_json::array(), matrices = runs;
  for (const job::AlphaFindings& run : result.alphas) {
    runs.push_back(run_json(run, options.job.fermat));
  }
  for (const job::MatrixFindings& matrix : result.matrices) matrices.push_back(matrix_json(matrix));
  answer.json["runs"] = runs;
  answer.json["matrices"] = matrices;
  answer.json["findings"] = result.findings;
  answer.json["notices"] = result.notices;
  answer.json["stages"] = stages_json(context);
  answer.json["peak_memory"] = peak_memory();
  answer.add_files(result.files);
  return answer;
}

void add_options(Command& command, FermatOptions& options) {
  job::FermatJobParams& job = options.job;
  graph::FermatParams& fermat = job.fermat;
  add_genotype_options(command, job.input, job.checkpoint, "--from-distances", {"--bootstrap"});
  command.text("--labels",
               job.labels,
               fmt::format("sample <tab> label, or FID IID label: colours and scores; unlabelled "
                           "are empty ones and {}",
                           io::missing_label_codes));
  command.text("--label-column",
               job.label_column,
               "name or number of the label's column, where there are several");
  add_pictures(command, job.pictures);
  command
      .words(
          "--alpha",
          [&job](const Names& words) { parse_alphas(cut_at_commas(words), job); },
          "power on the distances, at least 1; a list, or auto: the smallest, to 1 %, that "
          "replaces half "
          "of the edges (of 2048 individuals drawn at random where there are more)")
      .shows(job::number_text(job.alphas.front()));
  command.flag("--root", fermat.root, "take the 1/alpha root of the lengths");
  command.input("--from-distances", job.distances, "a distance matrix instead of genotypes");
  command.flag("--squared", job.squared, "that matrix holds squared distances");
  command.number("--knn", fermat.neighbors, "search paths among the k nearest neighbours only", 1);
  command.number(
      "--landmarks", fermat.landmarks, "estimate lengths through this many landmarks", 1);
  command.choice("--estimator",
                 fermat.estimate,
                 {{"upper", graph::LandmarkEstimate::upper},
                  {"lower", graph::LandmarkEstimate::lower},
                  {"mean", graph::LandmarkEstimate::mean}},
                 "of --landmarks; mean is no bound");
  command.choice("--precision",
                 fermat.precision,
                 {{"auto", graph::Precision::automatic},
                  {"int", graph::Precision::integer},
                  {"float32", graph::Precision::float32},
                  {"float64", graph::Precision::float64}},
                 "of the lengths");
  command.flag(
      "--no-prune", [&fermat] { fermat.prune = false; }, "always run the dense closure");
  command.choice("--tree,--linkage", job.tree, tree_methods(), "method of the tree (.nwk)");
  add_bootstrap(command, job.bootstrap);
  command.number("--dimensions", job.dimensions, "coordinates of the embeddings", 1, 1000);
  command.flag(
      "--relationships",
      job.relationships,
      "count pairs by KING-robust kinship: duplicates and twins, by name, parents, siblings "
      "and degrees; all of them in a table are yupana dist --make-king-table");
  command.flag(
      "--matrix-only",
      job.matrix_only,
      "write distances and lengths alone, those over all edges by the dense closure; under mpirun "
      "no rank holds a whole matrix");
  add_plan_flag(command, options.plan);
}

void add_rules(Command& command) {
  command.only_one({"--knn", "--landmarks"});
  command.needs({"--squared"}, {"--from-distances"});
  command.needs({"--label-column"}, {"--labels"});
  command.needs({"--estimator"}, {"--landmarks"});
  command.excludes({"--no-prune"}, "--knn", "the dense closure does not run");
  command.excludes({"--no-prune"}, "--landmarks", "the dense closure does not run");
  command.excludes({"--no-prune"}, "--matrix-only", "its closure is always dense");
  command.excludes({"--relationships"}, "--from-distances", "it counts genotypes");
  command.excludes({"--labels",
                    "--figures",
                    "--figure-width",
                    "--tree",
                    "--bootstrap",
                    "--dimensions",
                    "--relationships"},
                   "--matrix-only",
                   "nothing is drawn or scored");
  command.excludes({"--bootstrap"}, "--from-distances", "it draws from the sites of genotypes");
}

}  // namespace

void add_fermat(Command& program) {
  auto options = std::make_shared<FermatOptions>();
  Command command = add_command(
      program,
      {.name = "fermat",
       .purpose =
           "From genotypes (or distances) to Fermat distances, pictures, scores and a report.",
       .example = "yupana fermat cohort.bed --labels pops.tsv --alpha 2 -o out/run",
       .needed_out = prefix_out,
       .ranks = true,
       .endings = job::fermat_endings},
      [options](Context& context, const Call& call) { return fermat(context, call, *options); });
  add_options(command, *options);
  add_rules(command);
}

}  // namespace yupana::cli
