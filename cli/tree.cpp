#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "cli/command.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::cli {
namespace {

void add_table(CLI::App& app, job::TreeTable& table) {
  app.add_option("--delimiter", table.columns.delimiter, "between cells; default: found out");
  const std::map<std::string, io::TableHeader> headers{{"auto", io::TableHeader::automatic},
                                                       {"yes", io::TableHeader::present},
                                                       {"no", io::TableHeader::absent}};
  app.add_option_function<std::string>(
         "--header",
         [&table, headers](const std::string& name) { table.columns.header = headers.at(name); },
         "yes, no or auto: is the first line a header; default: auto")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  app.add_option("--label", table.columns.label, "the column to predict: name, number or 'last'");
  app.add_option("--columns", table.columns.columns, "the features; default: all other columns")
      ->delimiter(',');
  app.add_option("--ignore", table.columns.ignored, "columns to leave out")->delimiter(',');
  app.add_option("--categorical", table.columns.categorical, "features of text")->delimiter(',');
  app.add_flag("--zero-based", table.columns.zero_based, "indices of libsvm files begin at 0");
  app.add_flag("--float32", table.single, "hold values in float32, as scikit-learn does");
  app.add_option_function<std::string>(
         "--missing",
         [&table](const std::string& policy) { table.refuse_missing = policy == "error"; },
         "learn (at each split, the better side) or error; default: learn")
      ->check(CLI::IsMember({"learn", "error"}));
}

template <class E>
void add_choice(CLI::App& app,
                const std::string& name,
                E& value,
                const std::map<std::string, E>& choices,
                const std::string& help) {
  std::vector<std::string> names;
  std::string chosen;
  for (const auto& [word, choice] : choices) {
    names.push_back(word);
    if (choice == value) chosen = word;
  }
  app.add_option_function<std::string>(
         name,
         [&value, choices](const std::string& word) { value = choices.at(word); },
         help + "; default: " + chosen)
      ->check(CLI::IsMember(names));
}

void add_tree_params(CLI::App& app, forest::TreeParams& tree) {
  add_choice<forest::Criterion>(
      app,
      "--criterion",
      tree.criterion,
      {{"gini", forest::Criterion::gini}, {"entropy", forest::Criterion::entropy}},
      "of classes: gini or entropy");
  app.add_option("--max-depth", tree.max_depth, "edges from root to leaf; default: unlimited");
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
  app.add_option("--seed", tree.seed, "of every random choice")->capture_default_str();
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
        return fit_answer(context, *params);
      });
  app.add_option("table", params->table.path, "rows to learn from")->required();
  add_table(app, params->table);
  app.add_option("--weight", params->table.columns.weight, "a column of weights of the rows");
  app.add_flag("--regression", params->regression, "the label is a number, not a class");
  app.add_flag("--balanced", params->balanced, "weigh rows so that classes weigh alike");
  forest::ForestParams& forest_params = params->forest_params;
  add_tree_params(app, forest_params.tree);
  app.add_option("--ccp-alpha", params->alpha, "prune links of at most this cost complexity")
      ->capture_default_str();
  app.add_option("--prune-with", params->validation, "a table to prune by reduced error with");
  app.add_option("--cv", params->folds, "folds of a cross-validation; 0: none")
      ->capture_default_str();
  app.add_flag("--stratified", params->stratified, "each fold with all classes in proportion");
  app.add_flag("--binary", params->binary, "write PREFIX.model, compact, too");
  if (!forest) return;
  app.add_option("--trees", forest_params.trees, "how many")->capture_default_str();
  app.add_flag_callback(
      "--bootstrap",
      [&forest_params] { forest_params.sampling = forest::Sampling::bootstrap; },
      "each tree on as many draws with replacement as there are rows (the default)");
  app.add_flag_callback(
      "--partition",
      [&forest_params] { forest_params.sampling = forest::Sampling::partition; },
      "each tree on a random part of the rows of its own");
  app.add_flag_callback(
      "--all-rows",
      [&forest_params] { forest_params.sampling = forest::Sampling::all; },
      "each tree on all rows");
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
                             "hard: majority of the trees' classes; soft: mean of their shares");
}

std::string required_prefix(const CommonOptions& common) {
  if (common.out.empty())
    throw Error(ErrorCode::usage, "-o PREFIX is wanted, for the file to write");
  return common.out;
}

void add_predict(CLI::App& program, const std::string& family, bool nodes) {
  auto params = std::make_shared<job::PredictParams>();
  params->nodes = nodes;
  const std::string name = nodes ? "apply" : "predict";
  CLI::App& app = add_command(
      program,
      name,
      nodes ? "Tell which leaf of each tree each row ends in."
            : "Predict the label of each row; a score too, where --label names the true one.",
      fmt::format("yupana {} {} out/{}.json table.csv -o out/new", family, name, family),
      [params, family, name](Context& context, const CommonOptions& common) {
        params->out = required_prefix(common);
        const job::PredictResult result = job::predict_trees(context, *params);
        Answer answer;
        answer.json = {{"command", family + " " + name},
                       {"rows", result.rows},
                       {"seconds", result.seconds},
                       {"rows_per_second", static_cast<double>(result.rows) / result.seconds}};
        answer.text = fmt::format("{} rows in {:.3g} s\n", result.rows, result.seconds);
        if (result.labelled > 0) {
          answer.json["score"] = result.score;
          answer.text += fmt::format("score {:.4f} on {} rows\n", result.score, result.labelled);
        }
        answer.json["files"] = result.files;
        answer.text += result.files[0] + "\n";
        return answer;
      });
  app.add_option("model", params->model, "of tree fit or forest fit")->required();
  app.add_option("table", params->table.path, "rows")->required();
  add_table(app, params->table);
  if (!nodes) app.add_flag("--proba", params->shares, "write the share of each class too");
}

void add_show(CLI::App& program, const std::string& family) {
  struct Options {
    std::string model;
    std::int64_t tree = 1;
    std::string format = "rules";
  };
  auto options = std::make_shared<Options>();
  CLI::App& app = add_command(
      program,
      "show",
      "Write a tree as rules, Graphviz or SVG; -o PREFIX for PREFIX.txt, .dot or .svg.",
      fmt::format("yupana {} show out/{}.json --as svg -o out/picture", family, family),
      [options](Context& context, const CommonOptions& common) {
        const forest::Model model = io::read_model(options->model, context.memory());
        const std::int64_t tree = options->tree - 1;
        std::string text = options->format == "rules" ? io::rules_text(model, tree)
                           : options->format == "dot" ? io::tree_dot(model, tree)
                                                      : io::tree_svg(model, tree);
        Answer answer;
        answer.json = {{"command", "show"}, {"tree", options->tree}};
        if (common.out.empty()) {
          answer.json["text"] = text;
          answer.text = std::move(text);
          return answer;
        }
        const std::string path =
            common.out + (options->format == "rules" ? ".txt" : "." + options->format);
        AtomicFile file(path);
        file.write(text);
        file.commit();
        answer.text = path + "\n";
        answer.json["files"] = {path};
        return answer;
      },
      Runs::on_the_processor);
  app.add_option("model", options->model, "of tree fit or forest fit")->required();
  app.add_option("--tree", options->tree, "which, from 1")->capture_default_str();
  app.add_option("--as", options->format, "rules, dot or svg")
      ->check(CLI::IsMember({"rules", "dot", "svg"}))
      ->capture_default_str();
}

void add_prune(CLI::App& program) {
  auto params = std::make_shared<job::PruneParams>();
  CLI::App& app = add_command(
      program,
      "prune",
      "Prune a model: by cost complexity, or by reduced error on a validation table.",
      "yupana tree prune out/tree.json --ccp-alpha 0.01 -o out/pruned",
      [params](Context& context, const CommonOptions& common) {
        params->out = required_prefix(common);
        const auto [before, after] = job::prune_trees(context, *params);
        Answer answer;
        answer.json = {{"command", "tree prune"},
                       {"leaves_before", before},
                       {"leaves", after},
                       {"files", {params->out + ".json"}}};
        answer.text = fmt::format("{} leaves, {} before\n{}.json\n", after, before, params->out);
        return answer;
      },
      Runs::on_the_processor);
  app.add_option("model", params->model, "of tree fit")->required();
  app.add_option("--ccp-alpha", params->alpha, "prune links of at most this cost complexity")
      ->capture_default_str();
  app.add_option("--validation", params->validation.path, "a table with the true labels");
  add_table(app, params->validation);
}

CLI::App& add_group(CLI::App& program, const std::string& name, const std::string& purpose) {
  CLI::App* app = program.add_subcommand(name, purpose);
  app->require_subcommand(1);
  app->footer(fmt::format("Example:\n  yupana {} fit --help", name));
  return *app;
}

}  // namespace

void add_tree(CLI::App& program) {
  CLI::App& app = add_group(program, "tree", "Exact decision trees: fit, predict, prune, show.");
  add_fit(app, false);
  add_predict(app, "tree", false);
  add_predict(app, "tree", true);
  add_prune(app);
  add_show(app, "tree");
}

void add_forest(CLI::App& program) {
  CLI::App& app = add_group(program, "forest", "Random forests: fit, predict, show.");
  add_fit(app, true);
  add_predict(app, "forest", false);
  add_predict(app, "forest", true);
  add_show(app, "forest");
}

}  // namespace yupana::cli
