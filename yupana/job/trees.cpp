#include "yupana/job/trees.hpp"

#include <algorithm>
#include <functional>

#include "yupana/core/messages.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/leaf_quantiles.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/tree_memory.hpp"
#include "yupana/forest/validate.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/tree_measures.hpp"
#include "yupana/job/trees_memory.hpp"

namespace yupana::job {
namespace {

using forest::Model;
using forest::Target;

/// Trees of some rows, and how they were pruned.
struct Grown {
  std::vector<forest::Tree> trees;
  forest::AlphaChoice alphas;
  double alpha = 0;
};

/// model: its features, made of the table's columns.
template <class T>
Grown grown(Context& context,
            TableView<T> table,
            const Target& target,
            const FitTreesParams& params,
            const Model& model) {
  Grown result;
  forest::ForestParams growth = params.forest_params;
  forest::TreeParams& tree_params = growth.tree;
  tree_params.one_hot = one_hot_of(model);
  tree_params.monotonic = monotonic_features(params, model);
  result.alpha = params.alpha;
  if (params.forest) {
    if (growth.max_features > std::ssize(model.features)) {
      throw input_error("--max-features: expected 1 to {}, 0 (all) or -1, got {}",
                        model.features.size(),
                        growth.max_features);
    }
    result.trees = forest::fit_forest(context, table, target, growth);
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
    result.trees = {forest::fit_tree(context, table, target, tree_params)};
  }
  if (params.leaf_quantile > 0) {
    forest::put_leaf_quantiles(context,
                               table,
                               target,
                               tree_params,
                               params.forest ? &growth : nullptr,
                               params.leaf_quantile,
                               result.trees);
  }
  if (result.alpha > 0) {
    for (forest::Tree& tree : result.trees) {
      tree = forest::prune_cost_complexity(tree, result.alpha);
    }
  }
  return result;
}

template <class T>
void learn_features(const io::TableFile<T>& file,
                    TableView<T> table,
                    const Target& target,
                    Categories how,
                    Model& model) {
  model.encodings = learn_encodings(file, table, target, how);
  model.features = feature_names(file.table.names(), model.encodings);
}

/// Predicts each fold's rows by trees of the others. `held`: its folds are given, or made here.
template <class T>
void cross_validate(Context& context,
                    const io::TableFile<T>& file,
                    const Target& target,
                    const FitTreesParams& params,
                    HeldOut& held,
                    FitTreesResult& result) {
  const TableView<T> table = file.table.view();
  if (held.fold.empty()) {
    held.fold = forest::folds_of(
        table.rows, target, params.folds, params.stratified, params.forest_params.tree.seed);
    for (std::int64_t k = 1; k <= params.folds; ++k) held.folds.push_back(std::to_string(k));
  }
  const std::int64_t folds = std::ssize(held.folds);
  result.fold_names = held.folds;
  if (!target.is_class()) check_fold_rows(held.fold, folds);
  held.outputs = target.is_class() ? target.classes : 1;
  held.values = Array<double>(table.rows * held.outputs);
  const TreeTable validation = validation_of<T>(params, 2 * table.rows * table.columns);
  Stage stage(context, "cross-validate", static_cast<double>(folds), "folds");
  for (std::int32_t k = 0; k < folds; ++k) {
    const auto in = [&](std::int64_t i) { return held.fold[static_cast<std::size_t>(i)] == k; };
    const auto rest = [&](std::int64_t i) { return !in(i); };
    auto part = forest::part_of(table, file.table.names(), target, rest);
    auto test = forest::part_of(table, file.table.names(), target, in);
    const double begin = now();
    Model model = result.model, made;
    model.features = file.table.names();
    if (shape_of(file).has_text()) {
      learn_features(file, part.table.view(), part.target(), params.categories, model);
      const auto encodings = on_columns(model, made).encodings;
      part.table = encoded(file, part.table.view(), encodings);
      test.table = encoded(file, test.table.view(), encodings);
    }
    model.trees = grown(context, part.table.view(), part.target(), params, model).trees;
    if (!params.validation.empty()) prune_with_table<T>(context, validation, model);
    result.fold_seconds.push_back(now() - begin);
    std::int64_t row = 0;
    const TakePredictions keep = [&](std::int64_t, MatrixView<const double> predicted) {
      for (std::int64_t i = 0; i < predicted.rows; ++row) {
        if (in(row)) std::copy_n(predicted.row(i++), predicted.cols, held.row(row));
      }
    };
    predict_in_blocks<T>(context, on_columns(model, made), test.table.view(), keep);
    result.folds.push_back(held.measures(context, model, target, k));
    stage.advance(1);
  }
  result.cross_validated = held.measures(context, result.model, target);
}

/// The features of the page's partial dependence.
std::vector<std::int64_t> most_important(const std::vector<double>& importances) {
  constexpr std::size_t most = 6;
  std::vector<std::int64_t> features;
  for (std::size_t f = 0; f < importances.size(); ++f) {
    if (importances[f] > 0) features.push_back(static_cast<std::int64_t>(f));
  }
  std::ranges::stable_sort(
      features, std::greater{}, [&](std::int64_t a) { return importances[a]; });
  features.resize(std::min(features.size(), most));
  return features;
}

/// What the model says of the rows it grew from.
template <class T>
void look_back(Context& context,
               TableView<T> table,
               const Target& target,
               const FitTreesParams& params,
               FitTreesResult& result) {
  const Model& model = result.model;
  Model columns;
  result.train = measure(context, on_columns(model, columns), table, target);
  result.importances = forest::importances(model.trees, std::ssize(model.features));
  result.importance_deviations = forest::importance_deviations(model.trees, result.importances);
  if (params.report) {
    const std::vector<std::int32_t> one_hot = one_hot_of(model);
    const auto made = one_hot.empty() ? Table<T>() : forest::with_features(table, one_hot);
    const TableView<T> features = one_hot.empty() ? table : made.view();
    for (const std::int64_t feature : most_important(result.importances)) {
      result.dependences.push_back(forest::partial_dependence(context, model, features, feature));
    }
  }
  if (!params.forest) result.path = forest::cost_complexity_path(model.trees[0]);
}

/// Adds what is predicted of rows held out to the files of the run, if these are to have it.
void write_held_out(const Context& context,
                    const FitTreesParams& params,
                    const char* end,
                    const Model& model,
                    const Target& target,
                    const HeldOut& held,
                    const io::RowIds& ids,
                    OutputFiles& files) {
  if (!params.predictions || context.rank() > 0) return;
  held.write(files.add(params.out + end), model, target, ids);
}

/// Rows by the trees that did not see them, pruned as the model has them.
template <class T>
void measure_out_of_bag(Context& context,
                        TableView<T> table,
                        const Target& target,
                        const FitTreesParams& params,
                        const io::RowIds& ids,
                        FitTreesResult& result,
                        OutputFiles& files) {
  const Model& model = result.model;
  Model made;
  const std::vector<forest::Tree>& trees = on_columns(model, made).trees;
  forest::OutOfBag found = forest::out_of_bag(context, trees, table, target, params.forest_params);
  if (found.rows == 0) {
    context.note("--oob: every row is in every tree, so that none is held out to measure by");
    return;
  }
  const std::int64_t outputs = found.values.size() / table.rows;
  const HeldOut held = {std::move(found.values), outputs, {}, {}};
  result.out_of_bag = held.measures(context, model, target);
  write_held_out(context, params, ".oob.tsv", model, target, held, ids, files);
}

template <class T>
FitTreesResult fit_table(Context& context,
                         FitTreesParams params,
                         const TreeTable& source,
                         io::TableFile<T>& file,
                         HeldOut& held,
                         OutputFiles& files) {
  if (params.categories == Categories::native) {
    for (const auto& categories : file.categories) {
      params.forest_params.tree.categorical.push_back(!categories.empty());
    }
  }
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
  model.zero_based = source.columns.zero_based;
  model.voting = params.forest ? params.forest_params.voting : forest::Voting::soft;
  if (file.classes.size() == 1) {
    context.note(fmt::format("every row has class '{}': each tree is one leaf",
                             io::printable(file.classes[0])));
  }
  if (params.folds > 0 || !params.fold_column.empty()) {
    cross_validate(context, file, target, params, held, result);
    write_held_out(context, params, ".cv.tsv", model, target, held, file.ids, files);
  }
  model.features = file.table.names();
  if (shape_of(file).has_text()) {
    learn_features(file, file.table.view(), target, params.categories, model);
    Model columns;
    file.table = encoded(file, file.table.view(), on_columns(model, columns).encodings);
  }
  note_equal_trees(context, params, std::ssize(model.features));
  const double begin = now();
  Grown own = grown(context, file.table.view(), target, params, model);
  result.seconds = now() - begin;
  result.alpha = own.alpha;
  result.alphas = std::move(own.alphas);
  model.trees = std::move(own.trees);
  if (!params.validation.empty()) {
    const std::int64_t values = file.table.rows() * file.table.columns();
    prune_with_table<T>(context, validation_of<T>(params, values), model);
  }
  if (params.forest && params.out_of_bag) {
    measure_out_of_bag(context, file.table.view(), target, params, file.ids, result, files);
  }
  look_back(context, file.table.view(), target, params, result);
  return result;
}

/// Where the table or its text alone does not fit, throws with the memory that the whole fit takes:
/// the reader knows of these alone.
template <class T>
io::TableFile<T> read_to_fit(Context& context,
                             const TreeTable& source,
                             const FitTreesParams& params) {
  try {
    return read_tree_table<T>(context, source);
  } catch (const Error& error) {
    const bool is_short = error.code() == ErrorCode::out_of_resources;
    if (!is_short || grows_in_parts(context, params)) throw;
    FitShape shape = shape_in_parts<T>(context, source, params);
    shape.text = io::packed_text_bytes(source.path) +
                 static_cast<double>(shape.rows * shape.columns() * std::int64_t{sizeof(T)});
    check_memory<T>(context, shape, params);
    throw;
  }
}

template <class T>
FitTreesResult fit(Context& context, FitTreesParams params, OutputFiles& files) {
  TreeTable source = params.table;
  source.columns.label_is_number = params.regression;
  const bool own_folds = !params.fold_column.empty();
  name_monotonic(params);
  const std::string fold_column = own_folds ? read_folds_too(source, params.fold_column) : "";
  auto file = read_to_fit<T>(context, source, params);
  check_classes(context, source, file.classes);
  if (params.forest_params.tree.criterion == forest::Criterion::poisson) {
    check_counts(source.path, file.values);
  }
  HeldOut held;
  if (own_folds) held.fold = taken_folds(file, fold_column, held.folds);
  const FitShape shape = shape_of(file);
  check_memory<T>(context, shape, params);
  if (!params.validation.empty()) {
    check_memory(context,
                 params.validation + ": pruning with the table, next to that of the training,",
                 static_cast<std::uint64_t>(pruning_bytes<T>(context, shape, params)));
  }
  const double will_do = bytes_that_do<T>(context, shape, params);
  try {
    return fit_table(context, std::move(params), source, file, held, files);
  } catch (const forest::TreesTooLarge& error) {
    throw with_bytes_that_do(error, will_do);
  }
}

FitTreesResult fit_whole(Context& context, const FitTreesParams& params, OutputFiles& files) {
  return params.table.single ? fit<float>(context, params, files)
                             : fit<double>(context, params, files);
}

/// Reads and grows. Trees that grow in parts write nothing here, so that what is short is memory
/// and not the disk.
FitTreesResult fit_where_it_fits(Context& context,
                                 const FitTreesParams& params,
                                 OutputFiles& files) {
  if (!grows_in_parts(context, params)) return fit_whole(context, params, files);
  try {
    return fit_whole(context, params, files);
  } catch (const forest::TreesTooLarge& error) {
    if (error.alone()) throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources) throw;
  }
  context.note("the table does not fit in memory: it is read again for some parts at a time");
  FitTreesParams again = params;
  again.table.columns.notes = false;
  // A part may be larger than the memory that the run is given.
  again.table.columns.scratch = folder_of_files(params.out);
  return params.table.single ? fit_in_parts<float>(context, again)
                             : fit_in_parts<double>(context, again);
}

/// The page shows the rows that say most: those of all folds, else those out of bag.
void write_page(const FitTreesParams& params, const FitTreesResult& result, AtomicFile& file) {
  const bool cv = !result.folds.empty(), oob = !cv && result.out_of_bag.rows > 0;
  const std::string rows = cv    ? "predicted by trees of other folds,"
                           : oob ? "predicted by the trees that did not see them,"
                                 : "that the trees have seen,";
  write_trees_page(file,
                   result.model,
                   params.command,
                   cv    ? result.cross_validated
                   : oob ? result.out_of_bag
                         : result.train,
                   rows + " of " + params.table.path,
                   result.folds,
                   result.dependences,
                   cv || oob ? nullptr
                             : "The trees have seen these rows: of others they know less. --cv, "
                               "--oob or a table of its own (predict) measure that.",
                   result.missing > 0);
}

}  // namespace

FitTreesResult fit_trees(Context& context, const FitTreesParams& given) {
  check_fit(given);
  FitTreesParams params = given;
  const bool automatic = params.categories == Categories::automatic;
  if (automatic && leaves_rows_out(params)) params.categories = Categories::one_hot;
  OutputFiles files;
  FitTreesResult result;
  try {
    result = fit_where_it_fits(context, params, files);
  } catch (const Error& error) {
    // The library's faults of a table's content do not name it; the reader's and those of options
    // have a name at the front.
    const std::string_view text = error.what();
    const bool is_named = text.substr(0, text.find(": ")).find(' ') == text.npos ||
                          text.starts_with(params.table.path) || text.starts_with("--");
    if (error.code() != ErrorCode::bad_input || (is_named && text.find(": ") != text.npos)) throw;
    throw bad_file(params.table.path, text, error.place());
  }
  if (context.rank() > 0) return result;
  if (params.out.empty()) return result;
  io::write_model_json(context, files.add(params.out + ".json"), result.model);
  if (params.binary)
    io::write_model_binary(context, files.add(params.out + ".model"), result.model);
  if (params.report) write_page(params, result, files.add(params.out + ".html"));
  commit_files(
      context, files, result.files, params.out, {".model", ".html", ".cv.tsv", ".oob.tsv"});
  return result;
}

}  // namespace yupana::job
