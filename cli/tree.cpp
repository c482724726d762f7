#include <algorithm>
#include <functional>

#include "cli/out_folder.hpp"
#include "cli/table_options.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/model_files.hpp"

namespace yupana::cli {
namespace {

const Names no_gpu = {"--gpu-memory"};
/// Of commands that turn a model into a file.
const Names no_work = {"--device", "--threads", "--gpu-memory"};

constexpr const char* prefix = "PREFIX, for the file to write";
constexpr const char* model_help = "of tree fit or forest fit";

Answer predict(Context& context, const Call& call, job::PredictParams& params) {
  params.out = call.out;
  params.command = command_line();
  if (params.report) drop_ending(params.out, ".html");
  const job::PredictResult result = job::predict_trees(context, params);
  Answer answer;
  answer.json = {{"command", call.command.name()},
                 {"rows", result.rows},
                 {"seconds", result.seconds},
                 {"rows_per_second", static_cast<double>(result.rows) / result.seconds}};
  answer.text = fmt::format("{} in {:.3g} s\n", counted(result.rows, "row"), result.seconds);
  const analysis::Measures& measures = result.measures;
  answer.is_result = measures.rows > 0;
  if (measures.rows > 0) {
    const auto& [measure, score] = measures.values.front();
    answer.json["score"] = score;
    answer.json["measure"] = measure;
    answer.json["scored_rows"] = measures.rows;
    answer.json["unknown_class_rows"] = measures.unknown;
    answer.json["measures"] = measures_json(result.classes, measures);
    answer.text += fmt::format("{} {:.4f} on {}", measure, score, counted(measures.rows, "row"));
    if (measures.unknown > 0) {
      answer.text += fmt::format(", {} of them of {}",
                                 measures.unknown,
                                 measures.unknown == 1 ? "an unknown class" : "unknown classes");
    }
    answer.text += "\n" + measures_text(result.classes, measures);
  }
  answer.add_files(result.files, "");
  return answer;
}

void add_predict(Command& family, bool nodes) {
  auto params = std::make_shared<job::PredictParams>();
  params->nodes = nodes;
  const std::string name = nodes ? "apply" : "predict";
  Command command = add_command(
      family,
      {.name = name,
       .purpose = nodes ? "Name the leaf of each tree that each row reaches."
                        : "Predict the label of each row; accuracy or r2 and other measures too, "
                          "where --label names the true one.",
       .example =
           fmt::format("yupana {0} {1} out/{0}.json table.csv -o out/new", family.name(), name),
       .out = prefix,
       .endings = nodes ? Names{".nodes.tsv"} : Names{".predicted.tsv"}},
      [params](Context& context, const Call& call) { return predict(context, call, *params); });
  command.input("model", params->model, model_help).required();
  command.input("table", params->table.path, "rows").required();
  if (nodes) {
    add_tree_table(command, params->table, "a column of labels, which is no feature");
  } else {
    add_tree_table(command, params->table);
  }
  add_ids(command, params->table.columns);
  if (nodes) return;
  command.flag("--proba", params->shares, "write the share of each class too");
  command.flag("--report", params->report, "write PREFIX.html: measures, curves, confusion");
  command.needs({"--report"}, {"--label"});
}

struct ShowParams {
  std::string model;
  std::int64_t tree = 1;
  std::string format = "rules";
  std::int64_t depth = 6;
};

/// -o with the ending of the format, which it may have already.
std::string picture_path(const std::string& out, const std::string& format) {
  const std::string own = format == "rules" ? ".txt" : "." + format;
  if (out.ends_with(own) || is_standard_output(out)) return out;
  check_prefix(out);
  for (const char* const other : {".txt", ".dot", ".svg"}) {
    if (!out.ends_with(other)) continue;
    throw usage_error("-o {}: --as {} writes {}; give --as {}, or another name",
                      out,
                      format,
                      own,
                      std::string(other) == ".txt" ? "rules" : other + 1);
  }
  return out + own;
}

Answer show(Context& context, const Call& call, const ShowParams& params) {
  if (params.format != "svg") call.command.refuse({"--depth"}, "without --as svg");
  const forest::Model model = io::read_model(params.model, context.memory());
  const std::int64_t tree = params.tree - 1, trees = std::ssize(model.trees);
  if (trees > 1 && !call.command.given("--tree")) {
    context.note(fmt::format("{}: tree 1 of {}; --tree chooses another", params.model, trees));
  }
  std::string text = params.format == "rules" ? io::rules_text(model, tree)
                     : params.format == "dot" ? io::tree_dot(model, tree)
                                              : io::tree_svg(model, tree, params.depth);
  Answer answer;
  answer.json = {{"command", call.command.name()}, {"tree", params.tree}};
  if (call.out.empty()) {
    answer.json["text"] = text;
    answer.text = std::move(text);
    return answer;
  }
  const std::string path = picture_path(call.out, params.format);
  AtomicFile file(path);
  file.write(text);
  file.commit();
  answer.add_files({path}, "");
  return answer;
}

void add_show(Command& family) {
  auto params = std::make_shared<ShowParams>();
  Command command = add_command(
      family,
      {.name = "show",
       .purpose = "Write a tree as rules, Graphviz or SVG; -o PREFIX for PREFIX.txt, .dot or .svg.",
       .example =
           fmt::format("yupana {0} show out/{0}.json --as svg -o out/picture", family.name()),
       .processor_only = true,
       .ignored = no_work},
      [params](Context& context, const Call& call) { return show(context, call, *params); });
  command.input("model", params->model, model_help).required();
  command.number("--tree", params->tree, "which, from 1", 1);
  command.choice("--as", params->format, {"rules", "dot", "svg"}, "rules, dot or svg");
  command.number("--depth", params->depth, "of --as svg: nodes below are folded into one box", 1);
}

void add_prune(Command& family) {
  auto params = std::make_shared<job::PruneParams>();
  Command command = add_command(
      family,
      {.name = "prune",
       .purpose = "Prune a model: by cost complexity, or by reduced error on a validation table.",
       .example = "yupana tree prune out/tree.json --ccp-alpha 0.01 -o out/pruned",
       .out = prefix,
       .processor_only = true,
       .ignored = no_gpu,
       .endings = {".json"}},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        const auto [before, after] = job::prune_trees(context, *params);
        Answer answer;
        answer.json = {{"command", "tree prune"}, {"leaves_before", before}, {"leaves", after}};
        answer.text = fmt::format("{}, {} before\n", counted(after, "leaf", "leaves"), before);
        answer.add_files({params->out + ".json"}, "");
        return answer;
      });
  command.input("model", params->model, model_help).required();
  command.number("--ccp-alpha", params->alpha, "prune links of at most this cost complexity", 0);
  command.text("--validation",
               params->validation.path,
               "a table with the true labels, to prune by reduced error with");
  command.needs(add_tree_table(command, params->validation), {"--validation"});
}

Answer importances(Context& context, const Call& call, job::ImportanceParams& params) {
  check_prefix(call.out);
  params.out = call.out;
  const job::ImportanceResult result = job::importances_of_trees(context, params);
  const bool shuffled = !result.permutation.empty();
  Answer answer;
  answer.json = {{"command", call.command.name()}};
  nlohmann::ordered_json::object_t rows;  // [] would look at all names before
  answer.text = shuffled ? "impurity  permutation  feature\n" : "impurity  feature\n";
  auto order = first_integers<std::size_t>(result.features.size());
  const std::vector<double>& by = shuffled ? result.permutation : result.impurity;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t a) { return by[a]; });
  for (const std::size_t f : order) {
    auto& row = rows.emplace_back(result.features[f], nlohmann::ordered_json::object()).second;
    row["impurity"] = result.impurity[f];
    row["impurity_deviation"] = result.impurity_deviations[f];
    answer.text += fmt::format("{:8.4f}", result.impurity[f]);
    if (shuffled) {
      row["permutation"] = result.permutation[f];
      row["deviation"] = result.deviations[f];
      answer.text += fmt::format("  {:11.4f}", result.permutation[f]);
    }
    answer.text += "  " + result.features[f] + "\n";
  }
  answer.json["importances"] = std::move(rows);
  if (shuffled) answer.json["score"] = result.score;
  answer.add_files(result.files, "");
  return answer;
}

void add_importances(Command& family) {
  auto params = std::make_shared<job::ImportanceParams>();
  Command command = add_command(
      family,
      {.name = "importances",
       .purpose =
           "Rank what a model rests on: impurity, and on a table shuffled features; -o for TSV, "
           "SVG.",
       .example = fmt::format(
           "yupana {0} importances out/{0}.json test.csv --label class -o out/{0}", family.name()),
       .processor_only = true,
       .ignored = no_gpu},
      [params](Context& context, const Call& call) { return importances(context, call, *params); });
  command.input("model", params->model, model_help).required();
  command.input("table", params->table.path, "rows with labels, best not those of training");
  command.needs(add_tree_table(command, params->table), {"table"});
  command.number("--repeats", params->repeats, "shuffles a feature", 1);
  command.seed(params->seed, "of the shuffles");
  command.needs({"--repeats", "--seed", "--device", "--threads"}, {"table"});
}

void add_export(Command& family) {
  auto path = std::make_shared<std::string>();
  Command command = add_command(
      family,
      {.name = "export",
       .purpose = "Write a model as ONNX, PREFIX.onnx, for float32 values.",
       .example = fmt::format("yupana {0} export out/{0}.json -o out/{0}", family.name()),
       .out = prefix,
       .processor_only = true,
       .ignored = no_work,
       .endings = {".onnx"}},
      [path](Context& context, const Call& call) {
        const std::string out = call.out + ".onnx";
        AtomicFile file(out);
        const forest::Model model = io::read_model(*path, context.memory());
        file.write(io::onnx_model(model));
        file.commit();
        if (!model.encodings.empty()) {
          context.note(fmt::format(
              "{}: columns of text are numbers in its input; its metadata 'yupana' says which "
              "number is which category",
              out));
        }
        Answer answer;
        answer.json = {{"command", call.command.name()}};
        answer.add_files({out}, "");
        return answer;
      });
  command.input("model", *path, model_help).required();
}

void add_family(Command& program, const std::string& name, const std::string& purpose) {
  Command family = program.add_group(name, purpose, fmt::format("yupana {} fit --help", name));
  add_fit(family, name == "forest");
  add_predict(family, false);
  add_predict(family, true);
  if (name == "tree") add_prune(family);
  add_show(family);
  add_importances(family);
  add_export(family);
}

}  // namespace

void add_tree(Command& program) {
  add_family(program,
             "tree",
             "Exact decision trees: fit, predict, apply, prune, show, importances, export.");
}

void add_forest(Command& program) {
  add_family(program, "forest", "Random forests: fit, predict, apply, show, importances, export.");
}

}  // namespace yupana::cli
