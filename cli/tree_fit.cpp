#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/out_folder.hpp"
#include "cli/table_options.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {

Names add_tree_table(Command& command, job::TreeTable& table, const char* label, bool fits) {
  Names names = add_reading_options(command, table.columns);
  command.text("--label",
               table.columns.label,
               std::string(label) + ": name, number or 'last'; of a libsvm file: label");
  command.list("--columns",
               table.columns.columns,
               fits ? "the features; default: all other columns"
                    : "the model's features, in its order; default: those of its training");
  command.list("--ignore", table.columns.ignored, "columns to leave out");
  command.flag("--float32", table.single, "hold values in float32, as scikit-learn does");
  command.choice("--missing",
                 table.refuse_missing,
                 {{"learn", false}, {"error", true}},
                 fits ? "learn the better side for them at each split, or error"
                      : "they go where the trees learned to send them, or error");
  command.only_one({"--ignore", "--columns"});
  names.insert(names.end(), {"--label", "--columns", "--ignore", "--float32", "--missing"});
  return names;
}

namespace {

void add_tree_params(Command& command, job::FitTreesParams& params) {
  forest::TreeParams& tree = params.forest_params.tree;
  command.choice("--criterion",
                 tree.criterion,
                 {{"gini", forest::Criterion::gini},
                  {"entropy", forest::Criterion::entropy},
                  {"squared-error", forest::Criterion::variance},
                  {"absolute-error", forest::Criterion::absolute_error},
                  {"poisson", forest::Criterion::poisson}},
                 "gini or entropy of classes; with --regression squared-error (its default), "
                 "absolute-error, whose leaves predict medians, or poisson, of counts");
  command.number("--max-depth", tree.max_depth, "edges from root to leaf; default: unlimited", 1);
  command.number("--min-samples-split", tree.min_samples_split, "a smaller node is a leaf", 2);
  command.number("--min-samples-leaf", tree.min_samples_leaf, "rows in each child, at least", 1);
  command.number("--min-weight-fraction-leaf",
                 tree.min_weight_fraction_leaf,
                 "share of the tree's weight in each child, at least",
                 0,
                 0.5);
  command
      .word(
          "--max-leaf-nodes",
          [&tree](const std::string& text) {
            const auto leaves = number_of<std::int64_t>(text);
            if (!leaves || *leaves < 0 || *leaves == 1) {
              throw usage_error(
                  "--max-leaf-nodes: expected at least 2, or 0 for any number, got '{}'", text);
            }
            tree.max_leaf_nodes = *leaves;
          },
          "grow best first to so many leaves, at least 2; 0: unlimited")
      .shows(fmt::format("{}", tree.max_leaf_nodes));
  command.list("--increasing",
               params.increasing,
               "features of numbers: what is predicted (the share of the second of two classes) "
               "never falls as they rise");
  command.list("--decreasing", params.decreasing, "features that it never rises with");
  command.number("--leaf-quantile",
                 params.leaf_quantile,
                 "with --regression: leaves predict this quantile of their labels, as 0.9; 0: the "
                 "mean (of absolute errors the median)",
                 0,
                 1);
  command.flag(
      "--random-splits",
      params.forest_params.tree.random_splits,
      "at each node draw one threshold a feature, and take the best of them (extra-trees)");
  command.number("--min-impurity-decrease",
                 tree.min_impurity_decrease,
                 "gain weighted by the node's share of all rows, at least (scikit-learn's meaning)",
                 0);
  command.number(
      "--min-gain", tree.min_gain, "gain not weighted so, at least (Spark's meaning)", 0);
}

/// "name=2.5" as a pair.
std::pair<std::string, double> class_weight(const std::string& text) {
  const std::size_t equals = std::min(text.rfind('='), text.size());
  const auto factor = number_of<double>(text.substr(std::min(equals + 1, text.size())));
  if (equals > 0 && factor && *factor >= 0 && std::isfinite(*factor))
    return {text.substr(0, equals), *factor};
  throw usage_error(
      "--class-weight: expected CLASS=FACTOR, as spam=2, a factor of 0 or more, got '{}'", text);
}

/// Scores and measures of each fold, of all rows by the trees of other folds, and their spread.
void add_folds(const job::FitTreesResult& result, const std::string& measure, Answer& answer) {
  auto cv = measures_json(result.model.classes, result.cross_validated);
  cv.update(spread_json(result.folds));
  std::vector<double> scores;
  auto folds = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < result.folds.size(); ++k) {
    scores.push_back(result.folds[k].score());
    nlohmann::ordered_json fold = {{"fold", result.fold_names[k]}};
    fold.update(measures_json(result.model.classes, result.folds[k]));
    folds.push_back(std::move(fold));
  }
  cv["folds"] = std::move(folds);
  const double mean = cv["mean"][measure], deviation = cv["std"][measure];
  const auto& seconds = result.fold_seconds;
  answer.json[fmt::format("cv_{}_mean", measure)] = mean;
  answer.json[fmt::format("cv_{}_std", measure)] = deviation;
  answer.json["cv_scores"] = scores;
  answer.json["cv_seconds"] = seconds;
  answer.json["cv"] = std::move(cv);
  answer.text += fmt::format(
      "{} of {} folds: mean {:.4f}, standard deviation {:.4f}, {:.3g} s a fold\n",
      measure,
      scores.size(),
      mean,
      deviation,
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size()));
}

void check_criterion(const Call& call, const job::FitTreesParams& params) {
  if (!call.command.given("--criterion")) return;
  const forest::Criterion criterion = params.forest_params.tree.criterion;
  const bool of_classes =
      criterion == forest::Criterion::gini || criterion == forest::Criterion::entropy;
  if (of_classes != params.regression) return;
  throw usage_error(
      "--criterion: expected gini or entropy of classes, squared-error, absolute-error or poisson "
      "with --regression; got one of {}",
      of_classes ? "classes" : "numbers");
}

/// Refuses options that need the CPU where a GPU is chosen.
void check_device(const Call& call, const job::FitTreesParams& params) {
  if (!call.context.device.starts_with("cuda")) return;
  if (params.increasing.empty() && params.decreasing.empty() &&
      !params.forest_params.tree.random_splits) {
    return;
  }
  throw usage_error(
      "--increasing, --decreasing and --random-splits grow on the CPU alone; expected --device cpu "
      "or auto, got {}",
      call.context.device);
}

Answer fit(Context& context, const Call& call, job::FitTreesParams& params) {
  check_criterion(call, params);
  check_device(call, params);
  params.out = call.out;
  params.command = command_line();
  params.binary = drop_ending(params.out, ".model") || params.binary;
  if (params.report) drop_ending(params.out, ".html");
  const job::FitTreesResult result = job::fit_trees(context, params);
  const std::string& measure = result.train.values.front().first;
  std::int64_t nodes = 0, leaves = 0, depth = 0;
  for (const forest::Tree& tree : result.model.trees) {
    nodes += std::ssize(tree.nodes);
    leaves += tree.leaves();
    depth = std::max(depth, tree.depth());
  }
  Answer answer;
  answer.json = {{"command", call.command.name()},
                 {"rows", result.rows},
                 {"features", result.model.features.size()},
                 {"classes", result.model.classes},
                 {"missing", result.missing},
                 {"trees", result.model.trees.size()},
                 {"nodes", nodes},
                 {"leaves", leaves},
                 {"depth", depth},
                 {"seconds", result.seconds},
                 {fmt::format("train_{}", measure), result.train.score()}};
  answer.text = fmt::format("{} x {}: {}, {}, depth {}, in {:.3g} s\n",
                            counted(result.rows, "row"),
                            counted(std::ssize(result.model.features), "feature"),
                            counted(std::ssize(result.model.trees), "tree"),
                            counted(leaves, "leaf", "leaves"),
                            depth,
                            result.seconds);
  answer.text += fmt::format("{} on the training rows: {:.4f}\n", measure, result.train.score());
  answer.json["train"] = measures_json(result.model.classes, result.train);
  if (!result.folds.empty()) add_folds(result, measure, answer);
  if (result.out_of_bag.rows > 0) {
    answer.json[fmt::format("oob_{}", measure)] = result.out_of_bag.score();
    answer.json["oob_rows"] = result.out_of_bag.rows;
    answer.json["oob"] = measures_json(result.model.classes, result.out_of_bag);
    answer.text += fmt::format("{} out of bag: {:.4f}", measure, result.out_of_bag.score());
    if (result.out_of_bag.rows < result.rows) {
      answer.text += fmt::format(
          " on {} of {}; the others are in every tree", result.out_of_bag.rows, result.rows);
    }
    answer.text += "\n";
  }
  const bool cv = !result.folds.empty(), oob = result.out_of_bag.rows > 0;
  const char* const rows = cv ? "of all folds" : oob ? "out of bag" : "on the training rows";
  answer.is_result = cv || oob;
  answer.text += fmt::format("{}: {}",
                             rows,
                             measures_text(result.model.classes,
                                           cv    ? result.cross_validated
                                           : oob ? result.out_of_bag
                                                 : result.train));
  // Not by [], which looks at all names before: a libsvm table may have millions.
  nlohmann::ordered_json::object_t importances, deviations;
  for (std::size_t f = 0; f < result.importances.size(); ++f) {
    importances.emplace_back(result.model.features[f], result.importances[f]);
    deviations.emplace_back(result.model.features[f], result.importance_deviations[f]);
  }
  answer.json["importances"] = std::move(importances);
  if (result.model.trees.size() > 1) answer.json["importance_deviations"] = std::move(deviations);
  if (!result.dependences.empty()) {
    answer.json["partial_dependence"] = nlohmann::ordered_json::object();
  }
  for (const forest::PartialDependence& own : result.dependences) {
    auto means = nlohmann::ordered_json::array();
    for (std::int64_t v = 0; v < own.means.rows(); ++v) {
      means.push_back(std::vector<double>(own.means.row(v), own.means.row(v) + own.means.cols()));
    }
    const std::string& feature = result.model.features[static_cast<std::size_t>(own.feature)];
    answer.json["partial_dependence"][feature] = {
        {"values", own.values}, {"means", means}, {"rows", own.rows}, {"of_rows", own.of_rows}};
  }
  if (answer.json["train"].contains("confusion")) {
    answer.json["confusion"] = answer.json["train"]["confusion"];
  }
  answer.json["ccp_alpha"] = result.alpha;
  if (!result.alphas.alphas.empty()) {
    answer.json["ccp_cv"] = {{"alphas", result.alphas.alphas},
                             {"scores", result.alphas.scores},
                             {"standard_errors", result.alphas.deviations}};
    answer.text += fmt::format("alpha chosen: {:.6g}\n", result.alpha);
  }
  if (!result.path.empty()) {
    std::vector<double> alphas, impurities;
    for (const forest::PathPoint& point : result.path) {
      alphas.push_back(point.alpha);
      impurities.push_back(point.impurity);
    }
    answer.json["ccp_alphas"] = alphas;
    answer.json["ccp_impurities"] = impurities;
  }
  answer.json["stages"] = stages_json(context);
  answer.add_files(result.files, "");
  return answer;
}

void add_rows_options(Command& command, job::FitTreesParams& params) {
  io::TableParams& columns = params.table.columns;
  command.input("table", params.table.path, "rows to learn from").required();
  add_tree_table(command, params.table, "the column to predict", true);
  add_ids(command, params.table.columns);
  command.text("--weight", columns.weight, "a column of weights of the rows");
  command.flag("--regression", params.regression, "the label is a number, not a class");
  command.flag("--balanced",
               params.balanced,
               "weigh rows by rows / (classes x rows of their class), times --weight");
  command.words(
      "--class-weight",
      [&params](const Names& pairs) {
        for (const std::string& pair : cut_at_commas(pairs)) {
          params.class_weights.push_back(class_weight(pair));
        }
      },
      "CLASS=FACTOR, several separated by commas: rows of a class weigh so much");
  command.list("--categorical", columns.categorical, "features of text");
  command.choice("--categories",
                 params.categories,
                 {{"auto", job::Categories::automatic},
                  {"ordered", job::Categories::ordered},
                  {"one-hot", job::Categories::one_hot},
                  {"by-name", job::Categories::by_name},
                  {"native", job::Categories::native}},
                 "what --categorical columns become: ordered (by the label's mean; two classes or "
                 "numbers), one-hot (a feature a category), by-name, native (each node parts the "
                 "categories in two); auto: ordered where it can be (not with --oob or --ccp-cv), "
                 "else one-hot");
  command.needs({"--categories"}, {"--categorical"});
  command.excludes(
      {"--balanced", "--class-weight"}, "--regression", "numbers have no classes; give --weight");
}

void add_tests(Command& command, job::FitTreesParams& params) {
  command.number("--ccp-alpha", params.alpha, "prune links of at most this cost complexity", 0);
  command.input("--prune-with",
                params.validation,
                "a table to prune by reduced error with, trees of folds too");
  command.number("--cv", params.folds, "folds of a cross-validation; 0: none");
  command.flag("--stratified", params.stratified, "each fold with all classes in proportion");
  command.text("--cv-column",
               params.fold_column,
               "a column that names each row's fold, for folds of your own; it is no feature");
  command.flag("--predictions",
               params.predictions,
               "write what is predicted of rows held out: PREFIX.cv.tsv, PREFIX.oob.tsv");
  command.flag("--report",
               params.report,
               "write PREFIX.html: measures of rows held out, else of training, curves, confusion");
  command.flag("--binary", params.binary, "write PREFIX.model, compact, too");
}

void add_forest_params(Command& command, job::FitTreesParams& params) {
  forest::ForestParams& forest = params.forest_params;
  command.number("--trees", forest.trees, "how many", 1);
  const auto sampling = [&](const char* name, forest::Sampling value, const char* help) {
    command.flag(
        name, [&forest, value] { forest.sampling = value; }, help);
  };
  sampling("--bootstrap",
           forest::Sampling::bootstrap,
           "each tree on as many draws with replacement as there are rows (the default)");
  sampling("--partition",
           forest::Sampling::partition,
           "each tree on a random part of the rows of its own");
  sampling("--all-rows", forest::Sampling::all, "each tree on all rows");
  command.only_one({"--bootstrap", "--partition", "--all-rows"});
  command.number("--max-samples",
                 forest.max_samples,
                 "rows that each tree of a bootstrap draws; 0: as many as there are",
                 0);
  command.excludes({"--max-samples"}, "--partition", "parts share all rows");
  command.excludes({"--max-samples"}, "--all-rows", "each tree sees every row");
  command.number("--max-features",
                 forest.max_features,
                 "features drawn at a node; 0: all; -1: the root of their number for classes, all "
                 "for numbers",
                 -1);
  command.flag("--oob", params.out_of_bag, "score rows by the trees that did not see them");
  command.choice("--voting",
                 forest.voting,
                 {{"hard", forest::Voting::hard}, {"soft", forest::Voting::soft}},
                 "hard: majority of the trees' classes; soft: mean of their shares");
  command.excludes({"--voting"}, "--regression");
}

}  // namespace

void add_fit(Command& program, bool forest) {
  auto params = std::make_shared<job::FitTreesParams>();
  params->forest = forest;
  Command command = add_command(
      program,
      {.name = "fit",
       .purpose =
           forest
               ? "Grow a random forest on a table (CSV, TSV, libsvm, also gzip, or .npy)."
               : "Grow an exact decision tree on a table (CSV, TSV, libsvm, also gzip, or .npy).",
       .example = forest
                      ? "yupana forest fit table.csv --label class --trees 100 --bootstrap -o "
                        "out/forest"
                      : "yupana tree fit table.csv --label class --max-depth 8 --cv 10 -o out/tree",
       .ranks = forest,
       .endings = {".json"}},
      [params](Context& context, const Call& call) { return fit(context, call, *params); });
  add_rows_options(command, *params);
  add_tree_params(command, *params);
  add_tests(command, *params);
  std::uint64_t& seed = params->forest_params.tree.seed;
  if (forest) {
    command.seed(seed, "of the trees' rows and features, and of the folds");
    command.needs({"--predictions"}, {"--cv", "--cv-column", "--oob"});
    return add_forest_params(command, *params);
  }
  command.seed(seed, "of the folds, and of --random-splits");
  command.number("--ccp-cv", params->alpha_folds, "choose --ccp-alpha by so many folds; 0: do not");
  command.flag("--ccp-sparest",
               params->sparest_alpha,
               "with --ccp-cv: the smallest tree within one standard error of the best");
  command.needs({"--seed"}, {"--cv", "--ccp-cv", "--random-splits"});
  command.needs({"--predictions"}, {"--cv", "--cv-column"});
}

}  // namespace yupana::cli
