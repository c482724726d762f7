#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/tree_options.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/onnx.hpp"

namespace yupana::cli {
namespace {

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
          answer.json["scored_rows"] = result.labelled;
          answer.json["unknown_class_rows"] = result.unknown;
          answer.text += fmt::format("score {:.4f} on {} rows", result.score, result.labelled);
          if (result.unknown > 0) {
            answer.text += fmt::format(", {} of them of unknown classes", result.unknown);
          }
          answer.text += "\n";
        }
        answer.json["files"] = result.files;
        answer.text += result.files[0] + "\n";
        return answer;
      });
  app.add_option("model", params->model, "of tree fit or forest fit")->required();
  app.add_option("table", params->table.path, "rows")->required();
  add_tree_table(app, params->table);
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
  app.add_option("--ccp-alpha", params->alpha, "prune links of at most this cost complexity");
  CLI::Option* validation =
      app.add_option("--validation",
                     params->validation.path,
                     "a table with the true labels, to prune by reduced error with");
  for (CLI::Option* option : add_tree_table(app, params->validation)) option->needs(validation);
}

void add_importances(CLI::App& program, const std::string& family) {
  auto params = std::make_shared<job::ImportanceParams>();
  CLI::App& app = add_command(
      program,
      "importances",
      "Tell what a model rests on: impurity, and on a table shuffled features; -o for TSV, SVG.",
      fmt::format("yupana {} importances out/{}.json test.csv --label class -o out/{}",
                  family,
                  family,
                  family),
      [params, family](Context& context, const CommonOptions& common) {
        params->out = common.out;
        const job::ImportanceResult result = job::importances_of_trees(context, *params);
        const bool shuffled = !result.permutation.empty();
        Answer answer;
        answer.json = {{"command", family + " importances"}};
        auto rows = nlohmann::ordered_json::object();
        answer.text = shuffled ? "impurity  permutation  feature\n" : "impurity  feature\n";
        std::vector<std::size_t> order(result.features.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const std::vector<double>& by = shuffled ? result.permutation : result.impurity;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          return by[a] > by[b];
        });
        for (const std::size_t f : order) {
          auto& row = rows[result.features[f]];
          row["impurity"] = result.impurity[f];
          answer.text += fmt::format("{:8.4f}", result.impurity[f]);
          if (shuffled) {
            row["permutation"] = result.permutation[f];
            row["deviation"] = result.deviations[f];
            answer.text += fmt::format("  {:11.4f}", result.permutation[f]);
          }
          answer.text += "  " + result.features[f] + "\n";
        }
        answer.json["importances"] = rows;
        if (shuffled) answer.json["score"] = result.score;
        answer.json["files"] = result.files;
        for (const std::string& file : result.files) answer.text += file + "\n";
        return answer;
      },
      Runs::on_the_processor);
  app.add_option("model", params->model, "of tree fit or forest fit")->required();
  CLI::Option* table =
      app.add_option("table", params->table.path, "rows with labels, best not those of training");
  for (CLI::Option* option : add_tree_table(app, params->table)) option->needs(table);
  app.add_option("--repeats", params->repeats, "shuffles a feature")
      ->capture_default_str()
      ->needs(table);
  add_seed(app, params->seed, "of the shuffles")->needs(table);
}

void add_export(CLI::App& program, const std::string& family) {
  auto path = std::make_shared<std::string>();
  CLI::App& app = add_command(
      program,
      "export",
      "Write a model as ONNX, PREFIX.onnx, for float32 values.",
      fmt::format("yupana {} export out/{}.json -o out/{}", family, family, family),
      [path, family](Context& context, const CommonOptions& common) {
        const std::string out = required_prefix(common) + ".onnx";
        AtomicFile file(out);
        file.write(io::onnx_model(io::read_model(*path, context.memory())));
        file.commit();
        Answer answer;
        answer.json = {{"command", family + " export"}, {"files", {out}}};
        answer.text = out + "\n";
        return answer;
      },
      Runs::on_the_processor);
  app.add_option("model", *path, "of tree fit or forest fit")->required();
}

CLI::App& add_group(CLI::App& program, const std::string& name, const std::string& purpose) {
  CLI::App* app = program.add_subcommand(name, purpose);
  app->require_subcommand(1);
  app->footer(fmt::format("Example:\n  yupana {} fit --help", name));
  return *app;
}

}  // namespace

void add_tree(CLI::App& program) {
  CLI::App& app =
      add_group(program,
                "tree",
                "Exact decision trees: fit, predict, apply, prune, show, importances, export.");
  add_fit(app, false);
  add_predict(app, "tree", false);
  add_predict(app, "tree", true);
  add_prune(app);
  add_show(app, "tree");
  add_importances(app, "tree");
  add_export(app, "tree");
}

void add_forest(CLI::App& program) {
  CLI::App& app = add_group(
      program, "forest", "Random forests: fit, predict, apply, show, importances, export.");
  add_fit(app, true);
  add_predict(app, "forest", false);
  add_predict(app, "forest", true);
  add_show(app, "forest");
  add_importances(app, "forest");
  add_export(app, "forest");
}

}  // namespace yupana::cli
