#include "yupana/job/trees.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/validate.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::job {
namespace {

using forest::Model;
using forest::Target;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
io::TableFile<T> read(Context& context, const TreeTable& table) {
  if (!table.columns.categorical.empty()) {
    context.note("categories are split as numbers in the order of their names");
  }
  auto file = io::read_table<T>(context, table.path, table.columns);
  if (table.refuse_missing && file.missing > 0) {
    throw bad_file(table.path,
                   fmt::format("{} missing values and --missing error; fill them in or let trees "
                               "learn where they go",
                               file.missing));
  }
  return file;
}

template <class T>
Target target_of(const io::TableFile<T>& file) {
  Target target;
  if (!file.codes.empty()) {
    target.codes = file.codes.data();
    target.classes = static_cast<std::int32_t>(file.classes.size());
  } else {
    target.values = file.values.data();
  }
  if (!file.weights.empty()) target.weights = file.weights.data();
  return target;
}

/// Weights that make all classes weigh alike.
std::vector<double> balanced(std::int64_t rows, const Target& target) {
  std::vector<double> counts(static_cast<std::size_t>(target.classes), 0);
  const auto weight = [&](std::int64_t i) {
    return target.weights != nullptr ? target.weights[i] : 1.0;
  };
  for (std::int64_t i = 0; i < rows; ++i) {
    counts[static_cast<std::size_t>(target.codes[i])] += 1;
  }
  std::vector<double> weights(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    weights[static_cast<std::size_t>(i)] =
        weight(i) * static_cast<double>(rows) /
        (target.classes * counts[static_cast<std::size_t>(target.codes[i])]);
  }
  return weights;
}

template <class T>
forest::ForestResult grown(Context& context,
                           TableView<T> table,
                           const Target& target,
                           const FitTreesParams& params) {
  forest::ForestResult result;
  if (params.forest) {
    result = forest::fit_forest(context, table, target, params.forest_params);
  } else {
    result.trees = {forest::fit_tree(context, table, target, params.forest_params.tree)};
  }
  if (params.alpha > 0) {
    for (forest::Tree& tree : result.trees) {
      tree = forest::prune_cost_complexity(tree, params.alpha);
    }
  }
  return result;
}

template <class T>
void cross_validate(Context& context,
                    const io::TableFile<T>& file,
                    const Target& target,
                    const FitTreesParams& params,
                    FitTreesResult& result) {
  const TableView<T> table = file.table.view();
  const auto fold = forest::folds_of(
      table.rows, target, params.folds, params.stratified, params.forest_params.tree.seed);
  Stage stage(context, "cross-validate", static_cast<double>(params.folds), "folds");
  for (std::int64_t k = 0; k < params.folds; ++k) {
    const auto held = [&](std::int64_t i) { return fold[static_cast<std::size_t>(i)] == k; };
    const auto rest = [&](std::int64_t i) { return fold[static_cast<std::size_t>(i)] != k; };
    const auto part = forest::part_of(table, file.table.names(), target, rest);
    const auto test = forest::part_of(table, file.table.names(), target, held);
    Model model = result.model;
    const double begin = now();
    model.trees = grown(context, part.table.view(), part.target(), params).trees;
    result.fold_seconds.push_back(now() - begin);
    result.fold_scores.push_back(forest::score(context, model, test.table.view(), test.target()));
    stage.advance(1);
  }
}

void write_model(const Model& model,
                 const std::string& out,
                 bool binary,
                 std::vector<std::string>& names) {
  OutputFiles files;
  io::write_model_json(files.add(out + ".json"), model);
  if (binary) io::write_model_binary(files.add(out + ".model"), model);
  files.commit();
  for (const AtomicFile& file : files.files()) names.push_back(file.path());
}

template <class T>
FitTreesResult fit(Context& context, const FitTreesParams& params) {
  TreeTable source = params.table;
  source.columns.label_is_number = params.regression;
  const auto file = read<T>(context, source);
  Target target = target_of(file);
  std::vector<double> weights;
  if (params.balanced && target.is_class()) {
    weights = balanced(file.table.rows(), target);
    target.weights = weights.data();
  }
  FitTreesResult result;
  result.rows = file.table.rows();
  result.missing = file.missing;
  result.model.features = file.table.names();
  result.model.classes = file.classes;
  result.model.label = file.label;
  result.model.voting = params.forest ? params.forest_params.voting : forest::Voting::soft;
  if (file.classes.size() == 1) {
    context.note(fmt::format("every row has class '{}': each tree is one leaf",
                             io::printable(file.classes[0])));
  }
  if (params.folds > 0) cross_validate(context, file, target, params, result);
  const double begin = now();
  result.out_of_bag = grown(context, file.table.view(), target, params);
  result.seconds = now() - begin;
  result.model.trees = std::move(result.out_of_bag.trees);
  if (!params.validation.empty()) {
    TreeTable table = source;
    table.path = params.validation;
    table.columns.columns = result.model.features;
    const auto rows = read<T>(context, table);
    if (rows.classes != result.model.classes) {
      throw bad_file(params.validation, "has other classes than the training table");
    }
    for (forest::Tree& tree : result.model.trees) {
      tree = forest::prune_reduced_error(context, tree, rows.table.view(), target_of(rows));
    }
  }
  result.train_score = forest::score(context, result.model, file.table.view(), target);
  result.importances = forest::importances(result.model.trees, file.table.columns());
  if (target.is_class()) {
    result.confusion = forest::confusion(context, result.model, file.table.view(), target);
  }
  if (!params.forest) result.path = forest::cost_complexity_path(result.model.trees[0]);
  if (!params.out.empty()) write_model(result.model, params.out, params.binary, result.files);
  return result;
}

/// The model's columns of a table: by name where there is a header, in order otherwise.
template <class T>
io::TableFile<T> read_for(Context& context, const Model& model, TreeTable table) {
  table.columns.label_is_number = !model.is_class();
  if (table.columns.columns.empty()) {
    TreeTable named = table;
    named.columns.columns = model.features;
    try {
      return read<T>(context, named);
    } catch (const Error& error) {
      const bool by_number =
          std::string_view(error.what()).find("there is no header") != std::string_view::npos;
      if (!by_number) throw;
    }
  }
  return read<T>(context, table);
}

void append_number(std::string& text, double value) {
  char digits[io::number_text_bytes];
  text.append(digits, io::write_shortest(value, digits));
}

template <class T>
PredictResult predict(Context& context, const Model& model, const PredictParams& params) {
  const auto file = read_for<T>(context, model, params.table);
  const TableView<T> table = file.table.view();
  PredictResult result;
  result.rows = table.rows;
  OutputFiles files;
  std::string text;
  double begin = now();
  if (params.nodes) {
    const Matrix<std::int32_t> nodes = forest::apply(context, model, table);
    result.seconds = now() - begin;
    for (std::int64_t t = 0; t < nodes.cols(); ++t) {
      text += fmt::format("{}tree{}", t > 0 ? "\t" : "", t + 1);
    }
    text += '\n';
    for (std::int64_t i = 0; i < nodes.rows(); ++i) {
      for (std::int64_t t = 0; t < nodes.cols(); ++t) {
        text += fmt::format("{}{}", t > 0 ? "\t" : "", nodes(i, t));
      }
      text += '\n';
    }
    files.add(params.out + ".nodes.tsv").write(text);
    files.commit();
    result.files = {params.out + ".nodes.tsv"};
    return result;
  }
  const Matrix<double> shares = forest::predict_shares(context, model, table);
  result.seconds = now() - begin;
  text += "predicted";
  for (const std::string& name : model.classes) {
    if (params.shares) text += "\t" + name;
  }
  text += '\n';
  std::unordered_map<std::string, std::int32_t> codes;
  for (const std::string& name : model.classes) {
    codes.emplace(name, static_cast<std::int32_t>(codes.size()));
  }
  std::int64_t right = 0;
  double errors = 0, sum = 0, squares = 0;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double* row = shares.row(i);
    if (model.is_class()) {
      const auto best = std::max_element(row, row + shares.cols()) - row;
      text += model.classes[static_cast<std::size_t>(best)];
      if (!file.codes.empty()) {
        const auto found = codes.find(file.classes[static_cast<std::size_t>(file.codes[i])]);
        result.labelled += found != codes.end();
        right += found != codes.end() && found->second == best;
      }
      for (std::int64_t c = 0; params.shares && c < shares.cols(); ++c) {
        text += '\t';
        append_number(text, row[c]);
      }
    } else {
      append_number(text, row[0]);
      if (!file.values.empty()) {
        ++result.labelled;
        errors += (row[0] - file.values[i]) * (row[0] - file.values[i]);
        sum += file.values[i];
        squares += file.values[i] * file.values[i];
      }
    }
    text += '\n';
  }
  if (result.labelled > 0) {
    const double n = static_cast<double>(result.labelled);
    const double spread = squares - sum * sum / n;
    result.score =
        model.is_class() ? static_cast<double>(right) / n : (spread > 0 ? 1 - errors / spread : 0);
  }
  files.add(params.out + ".predicted.tsv").write(text);
  files.commit();
  result.files = {params.out + ".predicted.tsv"};
  return result;
}

}  // namespace

FitTreesResult fit_trees(Context& context, const FitTreesParams& params) {
  if (params.table.columns.label.empty()) {
    throw Error(ErrorCode::usage, "--label: name the column to predict, or give its number");
  }
  return params.table.single ? fit<float>(context, params) : fit<double>(context, params);
}

PredictResult predict_trees(Context& context, const PredictParams& params) {
  const Model model = io::read_model(params.model, context.memory());
  return params.table.single ? predict<float>(context, model, params)
                             : predict<double>(context, model, params);
}

std::pair<std::int64_t, std::int64_t> prune_trees(Context& context, const PruneParams& params) {
  Model model = io::read_model(params.model, context.memory());
  std::pair<std::int64_t, std::int64_t> leaves{0, 0};
  io::TableFile<double> file;
  if (!params.validation.path.empty()) {
    file = read_for<double>(context, model, params.validation);
    if (file.classes != model.classes) {
      throw bad_file(params.validation.path, "its label has other classes than the model");
    }
  }
  for (forest::Tree& tree : model.trees) {
    leaves.first += tree.leaves();
    tree = params.validation.path.empty()
               ? forest::prune_cost_complexity(tree, params.alpha)
               : forest::prune_reduced_error(context, tree, file.table.view(), target_of(file));
    leaves.second += tree.leaves();
  }
  std::vector<std::string> names;
  write_model(model, params.out, false, names);
  return leaves;
}

}  // namespace yupana::job
