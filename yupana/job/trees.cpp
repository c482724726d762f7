#include "yupana/job/trees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/forest/tree_memory.hpp"
#include "yupana/forest/validate.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table_columns.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/tree_steps.hpp"

namespace yupana::job {
namespace {

using forest::Model;
using forest::Target;

/// Trees of some rows, and how they were pruned.
struct Grown {
  forest::ForestResult forest;
  forest::AlphaChoice alphas;
  double alpha = 0;
};

template <class T>
Grown grown(Context& context,
            TableView<T> table,
            const Target& target,
            const FitTreesParams& params) {
  Grown result;
  const forest::TreeParams& tree_params = params.forest_params.tree;
  result.alpha = params.alpha;
  if (params.forest) {
    result.forest = forest::fit_forest(context, table, target, params.forest_params);
  } else {
    if (params.alpha_folds > 0) {
      const auto folds = forest::folds_of(
          table.rows, target, params.alpha_folds, params.stratified, tree_params.seed);
      Stage stage(context, "choose alpha");
      result.alphas =
          forest::choose_alpha(context, table, target, tree_params, folds, params.alpha_folds);
      result.alpha =
          params.sparest_alpha ? result.alphas.sparest_alpha() : result.alphas.best_alpha();
    }
    result.forest.trees = {forest::fit_tree(context, table, target, tree_params)};
  }
  if (result.alpha > 0) {
    for (forest::Tree& tree : result.forest.trees) {
      tree = forest::prune_cost_complexity(tree, result.alpha);
    }
  }
  return result;
}

/// Adds the column of folds to those that are read, as text: any names may mark folds.
/// Returns its name in the file.
std::string read_folds_too(TreeTable& table, const std::string& column) {
  io::TableParams& reading = table.columns;
  std::string name = column;
  if (!io::is_libsvm(table.path)) {
    const auto named = [&](const std::string& text, const char* role) {
      return io::column_named(table.path, table.columns, text, role);
    };
    name = named(column, "fold");
    const auto refuse_if = [&](const std::string& other, const char* role) {
      if (other.empty() || named(other, role) != name) return;
      throw Error(ErrorCode::usage,
                  fmt::format("--cv-column: column '{}' is the {} as well; name it once",
                              io::printable(name),
                              role));
    };
    refuse_if(reading.label, "label");
    refuse_if(reading.weight, "weight");
    for (const std::string& ignored : reading.ignored) refuse_if(ignored, "ignored one");
    reading.categorical.push_back(name);
  }
  if (!reading.columns.empty()) reading.columns.push_back(name);
  return name;
}

/// Takes the column of folds out of the file's features. Folds are numbered as their values first
/// come.
template <class T>
std::vector<std::int32_t> taken_folds(io::TableFile<T>& file,
                                      const std::string& column,
                                      std::int64_t& folds) {
  const auto& names = file.table.names();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("--cv-column {}: no column has that name", io::printable(column)));
  }
  const auto at = found - names.begin();
  std::vector<std::int32_t> fold;
  std::vector<T> values;
  for (std::int64_t i = 0; i < file.table.rows(); ++i) {
    const T value = file.table.column(at)[i];
    if (value != value) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format(
              "--cv-column {}: row {} has no fold; fill it in", io::printable(column), i + 1));
    }
    const auto place = std::find(values.begin(), values.end(), value) - values.begin();
    if (place == std::ssize(values)) values.push_back(value);
    if (values.size() > 10000) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("--cv-column {}: more than 10000 folds; name a column of fold numbers",
                      io::printable(column)));
    }
    fold.push_back(static_cast<std::int32_t>(place));
  }
  folds = std::ssize(values);
  if (folds < 2) {
    throw Error(ErrorCode::bad_input,
                fmt::format("--cv-column {}: expected at least 2 folds, got 1; name another column",
                            io::printable(column)));
  }
  std::vector<std::string> others = names;
  others.erase(others.begin() + at);
  Table<T> table(file.table.rows(), others);
  for (std::int64_t f = 0; f < table.columns(); ++f) {
    std::copy_n(file.table.column(f < at ? f : f + 1), table.rows(), table.column(f));
  }
  if (!file.categories.empty()) file.categories.erase(file.categories.begin() + at);
  file.table = std::move(table);
  return fold;
}

template <class T>
bool has_text(const io::TableFile<T>& file) {
  return std::any_of(file.categories.begin(), file.categories.end(), [](const auto& categories) {
    return !categories.empty();
  });
}

template <class T>
void cross_validate(Context& context,
                    const io::TableFile<T>& file,
                    const Target& target,
                    const FitTreesParams& params,
                    std::vector<std::int32_t> fold,
                    std::int64_t folds,
                    FitTreesResult& result) {
  const TableView<T> table = file.table.view();
  if (fold.empty()) {
    folds = params.folds;
    fold = forest::folds_of(
        table.rows, target, folds, params.stratified, params.forest_params.tree.seed);
  }
  if (!target.is_class()) check_fold_rows(fold, folds);
  Stage stage(context, "cross-validate", static_cast<double>(folds), "folds");
  for (std::int64_t k = 0; k < folds; ++k) {
    const auto held = [&](std::int64_t i) { return fold[static_cast<std::size_t>(i)] == k; };
    const auto rest = [&](std::int64_t i) { return fold[static_cast<std::size_t>(i)] != k; };
    auto part = forest::part_of(table, file.table.names(), target, rest);
    auto test = forest::part_of(table, file.table.names(), target, held);
    const double begin = now();
    if (has_text(file)) {
      const auto encodings =
          learn_encodings(file, part.table.view(), part.target(), params.categories);
      part.table = encoded(file, part.table.view(), encodings);
      test.table = encoded(file, test.table.view(), encodings);
    }
    Model model = result.model;
    model.features = part.table.names();
    model.trees = grown(context, part.table.view(), part.target(), params).forest.trees;
    result.fold_seconds.push_back(now() - begin);
    result.fold_scores.push_back(forest::score(context, model, test.table.view(), test.target()));
    stage.advance(1);
  }
}

/// Throws where the lists of a table's features would pass what the run may hold.
template <class T>
void check_memory(Context& context, const io::TableFile<T>& file, const FitTreesParams& params) {
  const double rows = static_cast<double>(file.table.rows());
  const std::int64_t features = features_made(file, params.categories);
  const bool folds = params.folds > 0 || params.alpha_folds > 0 || !params.fold_column.empty();
  // The table, of folds twice; sorted lists, and for a forest those of each tree at work.
  double a_value = sizeof(T) * (folds ? 2 : 1) + 8;
  if (params.forest) {
    const double share = params.forest_params.sampling == forest::Sampling::partition
                             ? 1 / static_cast<double>(params.forest_params.trees)
                             : 1;
    a_value +=
        8 * share *
        static_cast<double>(std::min<std::int64_t>(context.threads(), params.forest_params.trees));
  }
  double bytes = rows * static_cast<double>(features) * a_value;
  // What the trees that did not see a row say of it.
  if (params.forest_params.out_of_bag) {
    bytes += rows * (8.0 * static_cast<double>(std::max<std::size_t>(1, file.classes.size())) + 4);
  }
  // Columns of text are kept while their features are made.
  if (has_text(file)) bytes += rows * static_cast<double>(file.table.columns()) * sizeof(T);
  const double most = static_cast<double>(context.memory());
  if (bytes <= most) return;
  const char* const what_to_do =
      features > file.table.columns() ? "give --categories by-name or ordered, --ignore columns "
                                        "of many categories, or more --memory"
      : params.forest
          ? "give --float32, fewer --threads or --columns, or more --memory; a forest of "
            "classes by --partition needs one part at a time"
          : "give --float32 or fewer --columns, or more --memory; 'yupana forest fit "
            "--partition' needs one part of the rows at a time";
  throw Error(
      ErrorCode::out_of_resources,
      fmt::format("{} rows x {} features{} and their sorted lists take {}; memory is limited "
                  "to {}; {}",
                  file.table.rows(),
                  features,
                  features > file.table.columns() ? " (one a category)" : "",
                  needed_bytes(bytes),
                  allowed_bytes(most),
                  what_to_do));
}

template <class T>
void prune_with_table(Context& context, const TreeTable& table, Model& model) {
  if (table.columns.label.empty()) {
    throw Error(ErrorCode::usage, "--label: name the validation table's column of true labels");
  }
  auto rows = read_for_model<T>(context, model, table);
  use_classes(rows, table.path, model.classes);
  for (forest::Tree& tree : model.trees) {
    tree = forest::prune_reduced_error(context, tree, rows.table.view(), target_of(rows));
  }
}

/// What the model says of the rows it grew from.
template <class T>
void look_back(Context& context,
               TableView<T> table,
               const Target& target,
               const FitTreesParams& params,
               FitTreesResult& result) {
  const Model& model = result.model;
  result.train_score = forest::score(context, model, table, target);
  result.importances = forest::importances(model.trees, table.columns);
  if (target.is_class() && target.classes <= most_confused) {
    result.confusion = forest::confusion(context, model, table, target);
  }
  if (!params.forest) result.path = forest::cost_complexity_path(model.trees[0]);
}

template <class T>
FitTreesResult fit(Context& context, const FitTreesParams& params) {
  TreeTable source = params.table;
  source.columns.label_is_number = params.regression;
  const bool own_folds = !params.fold_column.empty();
  const std::string fold_column = own_folds ? read_folds_too(source, params.fold_column) : "";
  auto file = read_tree_table<T>(context, source);
  check_classes(source, file.classes);
  std::int64_t folds = 0;
  std::vector<std::int32_t> fold;
  if (own_folds) fold = taken_folds(file, fold_column, folds);
  check_memory(context, file, params);
  Target target = target_of(file);
  const std::vector<double> weights =
      class_weights(file.classes, file.table.rows(), target, params);
  if (!weights.empty()) target.weights = weights.data();
  for (const std::int64_t count : {params.folds, params.alpha_folds}) {
    if (params.stratified && count > 0) check_members(file.classes, file.codes, count);
  }
  FitTreesResult result;
  Model& model = result.model;
  result.rows = file.table.rows();
  result.missing = file.missing;
  model.classes = file.classes;
  model.label = file.label;
  model.voting = params.forest ? params.forest_params.voting : forest::Voting::soft;
  if (file.classes.size() == 1) {
    context.note(fmt::format("every row has class '{}': each tree is one leaf",
                             io::printable(file.classes[0])));
  }
  if (params.folds > 0 || folds > 0) {
    cross_validate(context, file, target, params, std::move(fold), folds, result);
  }
  if (has_text(file)) {
    model.encodings = learn_encodings(file, file.table.view(), target, params.categories);
    file.table = encoded(file, file.table.view(), model.encodings);
  }
  model.features = file.table.names();
  const double begin = now();
  Grown own = grown(context, file.table.view(), target, params);
  result.seconds = now() - begin;
  result.alpha = own.alpha;
  result.alphas = std::move(own.alphas);
  result.out_of_bag = std::move(own.forest);
  model.trees = std::move(result.out_of_bag.trees);
  result.out_of_bag.out_of_bag_values = {};
  if (!params.validation.empty()) {
    TreeTable table = params.table;
    table.path = params.validation;
    table.columns.columns.clear();
    table.columns.categorical.clear();
    prune_with_table<T>(context, table, model);
  }
  look_back(context, file.table.view(), target, params, result);
  return result;
}

FitTreesResult fit_whole(Context& context, const FitTreesParams& params) {
  return params.table.single ? fit<float>(context, params) : fit<double>(context, params);
}

/// Reads and grows; nothing is written here, so that what is short is memory and not the disk.
FitTreesResult fit_where_it_fits(Context& context, const FitTreesParams& params) {
  if (!grows_in_parts(context, params)) return fit_whole(context, params);
  try {
    return fit_whole(context, params);
  } catch (const forest::TreesTooLarge&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources) throw;
  }
  context.note("the table does not fit in memory: it is read again for some parts at a time");
  FitTreesParams again = params;
  again.table.columns.notes = false;
  return params.table.single ? fit_in_parts<float>(context, again)
                             : fit_in_parts<double>(context, again);
}

/// PREFIX.json and, if `binary`, PREFIX.model.
void write_model(Context& context,
                 const Model& model,
                 const std::string& out,
                 bool binary,
                 std::vector<std::string>& names) {
  OutputFiles files;
  io::write_model_json(files.add(out + ".json"), model);
  if (binary) io::write_model_binary(files.add(out + ".model"), model);
  commit_files(context, files, names);
}

}  // namespace

FitTreesResult fit_trees(Context& context, const FitTreesParams& params) {
  check_fit(params);
  FitTreesResult result = fit_where_it_fits(context, params);
  if (context.rank() > 0) return result;
  if (!params.out.empty())
    write_model(context, result.model, params.out, params.binary, result.files);
  return result;
}

std::pair<std::int64_t, std::int64_t> prune_trees(Context& context, const PruneParams& params) {
  if (params.alpha.has_value() == !params.validation.path.empty()) {
    throw Error(ErrorCode::usage, "expected --ccp-alpha or --validation; give one of them");
  }
  Model model = io::read_model(params.model, context.memory());
  const auto leaves = [&] {
    std::int64_t count = 0;
    for (const forest::Tree& tree : model.trees) count += tree.leaves();
    return count;
  };
  const std::int64_t before = leaves();
  if (params.alpha) {
    check_alpha(*params.alpha);
    for (forest::Tree& tree : model.trees) tree = prune_cost_complexity(tree, *params.alpha);
  } else {
    params.validation.single ? prune_with_table<float>(context, params.validation, model)
                             : prune_with_table<double>(context, params.validation, model);
  }
  std::vector<std::string> names;
  write_model(context, model, params.out, false, names);
  return {before, leaves()};
}

}  // namespace yupana::job
