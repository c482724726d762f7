#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>

#include "cli/table_options.hpp"
#include "cli/tree_options.hpp"

namespace yupana::cli {

std::vector<CLI::Option*> add_tree_table(CLI::App& app, job::TreeTable& table) {
  std::vector<CLI::Option*> options = add_reading_options(app, table.columns);
  options.push_back(app.add_option("--label",
                                   table.columns.label,
                                   "the column to predict: name, number or 'last'; of a libsvm "
                                   "file: label"));
  CLI::Option* columns = app.add_option("--columns",
                                        table.columns.columns,
                                        "the features; default: all other columns, for a model the "
                                        "features of its training");
  options.push_back(columns->delimiter(','));
  CLI::Option* ignored = app.add_option("--ignore", table.columns.ignored, "columns to leave out");
  options.push_back(ignored->delimiter(',')->excludes(columns));
  options.push_back(
      app.add_flag("--float32", table.single, "hold values in float32, as scikit-learn does"));
  options.push_back(
      app.add_option_function<std::string>(
             "--missing",
             [&table](const std::string& policy) { table.refuse_missing = policy == "error"; },
             "learn (at each split, the better side) or error; default: learn")
          ->check(CLI::IsMember({"learn", "error"})));
  return options;
}

namespace {

/// A whole number from 1: -1, the library's word for no limit, would read as one.
std::string at_least_one(const std::string& text) {
  std::int64_t value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= 1) return {};
  return fmt::format("expected a whole number of at least 1, got {}; leave it out for no limit",
                     text);
}

void add_tree_params(CLI::App& app, forest::TreeParams& tree, CLI::Option* regression) {
  add_choice<forest::Criterion>(
      app,
      "--criterion",
      tree.criterion,
      {{"gini", forest::Criterion::gini}, {"entropy", forest::Criterion::entropy}},
      "of classes: gini or entropy")
      ->excludes(regression);
  app.add_option("--max-depth", tree.max_depth, "edges from root to leaf; default: unlimited")
      ->check(CLI::Validator(at_least_one, ""));
  app.add_option("--min-samples-split", tree.min_samples_split, "a smaller node is a leaf")
      ->capture_default_str();
  app.add_option("--min-samples-leaf", tree.min_samples_leaf, "rows in each child, at least")
      ->capture_default_str();
  app.add_option("--min-impurity-decrease",
                 tree.min_impurity_decrease,
                 "gain weighted by the node's share of all rows, at least (scikit-learn's meaning)")
      ->capture_default_str();
  app.add_option("--min-gain", tree.min_gain, "gain not weighted so, at least (Spark's meaning)")
      ->capture_default_str();
  add_seed(app, tree.seed, "of every random choice");
}

/// "name=2.5" as a pair.
std::pair<std::string, double> class_weight(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  double factor = -1;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), factor)) {
    throw CLI::ValidationError(
        fmt::format("--class-weight {}: CLASS=FACTOR was wanted, as in spam=2", text));
  }
  return {text.substr(0, equals), factor};
}

std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / n)};
}

Answer fit_answer(Context& context, const job::FitTreesParams& params) {
  const job::FitTreesResult result = job::fit_trees(context, params);
  const bool classes = result.model.is_class();
  const char* measure = classes ? "accuracy" : "r2";
  std::int64_t nodes = 0, leaves = 0, depth = 0;
  for (const forest::Tree& tree : result.model.trees) {
    nodes += std::ssize(tree.nodes);
    leaves += tree.leaves();
    depth = std::max(depth, tree.depth());
  }
  Answer answer;
  answer.json = {{"command", params.forest ? "forest fit" : "tree fit"},
                 {"rows", result.rows},
                 {"features", result.model.features.size()},
                 {"classes", result.model.classes},
                 {"missing", result.missing},
                 {"trees", result.model.trees.size()},
                 {"nodes", nodes},
                 {"leaves", leaves},
                 {"depth", depth},
                 {"seconds", result.seconds},
                 {fmt::format("train_{}", measure), result.train_score}};
  answer.text = fmt::format("{} rows x {} features: {} tree(s), {} leaves, depth {}, in {:.3g} s\n",
                            result.rows,
                            result.model.features.size(),
                            result.model.trees.size(),
                            leaves,
                            depth,
                            result.seconds);
  answer.text += fmt::format("{} on the training rows: {:.4f}\n", measure, result.train_score);
  if (!result.fold_scores.empty()) {
    const auto [mean, deviation] = mean_and_deviation(result.fold_scores);
    answer.json[fmt::format("cv_{}_mean", measure)] = mean;
    answer.json[fmt::format("cv_{}_std", measure)] = deviation;
    answer.json["cv_scores"] = result.fold_scores;
    answer.json["cv_seconds"] = result.fold_seconds;
    answer.text += fmt::format("{} of {} folds: {:.4f} +- {:.4f}, {:.3g} s a fold\n",
                               measure,
                               result.fold_scores.size(),
                               mean,
                               deviation,
                               mean_and_deviation(result.fold_seconds).first);
  }
  if (result.out_of_bag.out_of_bag_rows > 0) {
    answer.json[fmt::format("oob_{}", measure)] = result.out_of_bag.out_of_bag;
    answer.json["oob_rows"] = result.out_of_bag.out_of_bag_rows;
    answer.text += fmt::format("{} out of bag: {:.4f}\n", measure, result.out_of_bag.out_of_bag);
  }
  auto importances = nlohmann::ordered_json::object();
  for (std::size_t f = 0; f < result.importances.size(); ++f) {
    importances[result.model.features[f]] = result.importances[f];
  }
  answer.json["importances"] = importances;
  if (classes && result.model.classes.size() <= 100) {
    auto rows = nlohmann::ordered_json::array();
    for (std::int64_t i = 0; i < result.confusion.rows(); ++i) {
      rows.push_back(std::vector<std::int64_t>(result.confusion.row(i),
                                               result.confusion.row(i) + result.confusion.cols()));
    }
    answer.json["confusion"] = rows;
  }
  answer.json["ccp_alpha"] = result.alpha;
  if (!result.alphas.alphas.empty()) {
    answer.json["ccp_cv"] = {{"alphas", result.alphas.alphas},
                             {"scores", result.alphas.scores},
                             {"standard_errors", result.alphas.deviations}};
    answer.text += fmt::format("alpha chosen: {:.6g}\n", result.alpha);
  }
  if (!result.path.empty()) {
    for (const forest::PathPoint& point : result.path) {
      answer.json["ccp_alphas"].push_back(point.alpha);
      answer.json["ccp_impurities"].push_back(point.impurity);
    }
  }
  answer.json["files"] = result.files;
  answer.json["stages"] = stages_json(context);
  for (const std::string& file : result.files) answer.text += file + "\n";
  return answer;
}

}  // namespace

void add_fit(CLI::App& program, bool forest) {
  auto params = std::make_shared<job::FitTreesParams>();
  params->forest = forest;
  CLI::App& app = add_command(
      program,
      "fit",
      forest ? "Grow a random forest on a table (CSV, TSV, libsvm, .npy; also gzip)."
             : "Grow an exact decision tree on a table (CSV, TSV, libsvm, .npy; also gzip).",
      forest ? "yupana forest fit table.csv --label class --trees 100 --bootstrap -o out/forest"
             : "yupana tree fit table.csv --label class --max-depth 8 --cv 10 -o out/tree",
      [params](Context& context, const CommonOptions& common) {
        params->out = common.out;
        params->comm = common.comm;
        return fit_answer(context, *params);
      },
      Runs::anywhere,
      forest ? Ranks::many : Ranks::one);
  app.add_option("table", params->table.path, "rows to learn from")->required();
  add_tree_table(app, params->table);
  app.add_option("--weight", params->table.columns.weight, "a column of weights of the rows");
  CLI::Option* regression =
      app.add_flag("--regression", params->regression, "the label is a number, not a class");
  app.add_flag("--balanced", params->balanced, "weigh rows so that classes weigh alike");
  app.add_option_function<std::vector<std::string>>(
         "--class-weight",
         [params](const std::vector<std::string>& pairs) {
           for (const std::string& pair : pairs) {
             params->class_weights.push_back(class_weight(pair));
           }
         },
         "CLASS=FACTOR, several separated by commas: rows of a class weigh so much")
      ->delimiter(',');
  CLI::Option* categorical =
      app.add_option("--categorical", params->table.columns.categorical, "features of text")
          ->delimiter(',');
  add_choice<job::Categories>(
      app,
      "--categories",
      params->categories,
      {{"auto", job::Categories::automatic},
       {"ordered", job::Categories::ordered},
       {"one-hot", job::Categories::one_hot},
       {"by-name", job::Categories::by_name}},
      "what --categorical columns become: ordered (by the label's mean; two "
      "classes or numbers), one-hot (a feature a category), by-name; auto: "
      "ordered where it can be, else one-hot")
      ->needs(categorical);
  forest::ForestParams& forest_params = params->forest_params;
  add_tree_params(app, forest_params.tree, regression);
  app.add_option("--ccp-alpha", params->alpha, "prune links of at most this cost complexity")
      ->capture_default_str();
  app.add_option("--prune-with", params->validation, "a table to prune by reduced error with");
  app.add_option("--cv", params->folds, "folds of a cross-validation; 0: none")
      ->capture_default_str();
  app.add_flag("--stratified", params->stratified, "each fold with all classes in proportion");
  app.add_option("--cv-column",
                 params->fold_column,
                 "a column that names each row's fold, for folds of your own; it is no feature");
  app.add_flag("--binary", params->binary, "write PREFIX.model, compact, too");
  if (!forest) {
    app.add_option(
           "--ccp-cv", params->alpha_folds, "choose --ccp-alpha by so many folds; 0: do not")
        ->capture_default_str();
    app.add_flag("--ccp-sparest",
                 params->sparest_alpha,
                 "with --ccp-cv: the smallest tree within one standard error of the best");
    return;
  }
  app.add_option("--trees", forest_params.trees, "how many")->capture_default_str();
  CLI::Option* bootstrap = app.add_flag_callback(
      "--bootstrap",
      [&forest_params] { forest_params.sampling = forest::Sampling::bootstrap; },
      "each tree on as many draws with replacement as there are rows (the default)");
  CLI::Option* partition = app.add_flag_callback(
      "--partition",
      [&forest_params] { forest_params.sampling = forest::Sampling::partition; },
      "each tree on a random part of the rows of its own");
  partition->excludes(bootstrap);
  app.add_flag_callback(
         "--all-rows",
         [&forest_params] { forest_params.sampling = forest::Sampling::all; },
         "each tree on all rows")
      ->excludes(bootstrap)
      ->excludes(partition);
  app.add_option("--max-features",
                 forest_params.max_features,
                 "features drawn at a node; 0: all; -1: the root of their number for classes, all "
                 "for numbers")
      ->capture_default_str();
  app.add_flag("--oob", forest_params.out_of_bag, "score rows by the trees that did not see them");
  add_choice<forest::Voting>(app,
                             "--voting",
                             forest_params.voting,
                             {{"hard", forest::Voting::hard}, {"soft", forest::Voting::soft}},
                             "hard: majority of the trees' classes; soft: mean of their shares")
      ->excludes(regression);
}

}  // namespace yupana::cli
