#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/row_samples.hpp"
#include "yupana/forest/tree_memory.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/tree_tables.hpp"
#include "yupana/job/trees.hpp"

/// Steps of the jobs on trees, and what trees take to grow, before they do; private to them.
namespace yupana::job {

/// Seconds of a steady clock.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// usage for what no table can make meaningful: no label, options that need or exclude others.
void check_fit(const FitTreesParams& params);

/// Whether trees are judged by rows of the table that they were not grown from, other than by a
/// cross-validation's, which learns its categories fold by fold.
inline bool leaves_rows_out(const FitTreesParams& params) {
  return params.alpha_folds > 0 || (params.forest && params.out_of_bag);
}

/// Says where nothing is drawn, so that a forest's trees are all one.
void note_equal_trees(Context& context, const FitTreesParams& params, std::int64_t features);

/// bad_input, which names the table, for labels that Poisson's deviance does not take.
void check_counts(const std::string& path, const Array<double>& labels);

/// Names of monotonic features become those of the table's columns.
void name_monotonic(FitTreesParams& params);

/// Directions of a model's features (TreeParams::monotonic).
///   errors: bad_input for a monotonic feature that is none of numbers, usage for one named twice
std::vector<std::int8_t> monotonic_features(const FitTreesParams& params,
                                            const forest::Model& model);

/// bad_input where a fold has one row, which has no r2.
void check_fold_rows(const std::vector<std::int32_t>& fold, std::int64_t folds);

/// bad_input where a class has rows, but fewer than stratified folds.
void check_members(const std::vector<std::string>& classes,
                   const Array<std::int32_t>& codes,
                   std::int64_t folds);

/// Adds the column of folds to those that are read, as text: any names may mark folds.
/// Returns its name in the file.
std::string read_folds_too(TreeTable& table, const std::string& column);

/// Takes the column of folds out of the file's features. Folds are numbered as their values first
/// come, `folds`: their names.
template <class T>
std::vector<std::int32_t> taken_folds(io::TableFile<T>& file,
                                      const std::string& column,
                                      std::vector<std::string>& folds);

/// The rows' weights by --balanced and --class-weight; empty if neither is given.
///   errors: usage for a class named twice; bad_input for one that no row has
std::vector<double> class_weights(const std::vector<std::string>& classes,
                                  std::int64_t rows,
                                  const forest::Target& target,
                                  const FitTreesParams& params);

/// Prunes a model's trees by reduced error on a table with the true labels.
template <class T>
void prune_with_table(Context& context, TreeTable table, forest::Model& model);
/// The table that the trees of a fit are pruned with, columns by the names of the model. `held`:
/// values of the tables that are in memory then.
template <class T>
TreeTable validation_of(const FitTreesParams& params, std::int64_t held);

/// If a forest can grow without its table in memory: each tree on a part of the rows of its own
/// (Sampling::partition), of classes by the Gini index, nothing weighed, folded or drawn again.
/// Numbers and weights are rounded by their sum over all rows, which a part does not know.
bool grows_in_parts(const Context& context, const FitTreesParams& params);

/// The model that fit_trees gives, not yet written, from a table that is read several times: once
/// for its labels, then for as many trees at a time as fit in memory, then to look back. --memory
/// changes no bit.
///   memory: 12 bytes a row of the table, a part's rows and sorted lists
///   errors: as fit_trees; out_of_resources if one part does not fit
template <class T>
FitTreesResult fit_in_parts(Context& context, const FitTreesParams& params);

/// What the memory of a fit depends on in its table.
struct FitShape {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  bool weighed = false;
  std::vector<std::int64_t> categories = {};  ///< of each column; 0: it holds numbers
  double text = 0;                            ///< bytes of a packed file's text and its table
  double ids = 0;                             ///< bytes of the rows' names

  std::int64_t columns() const { return std::ssize(categories); }
  bool has_text() const {
    return std::any_of(categories.begin(), categories.end(), [](auto count) { return count > 0; });
  }
};

template <class T>
FitShape shape_of(const io::TableFile<T>& file) {
  FitShape shape{file.table.rows(), std::ssize(file.classes), !file.weights.empty()};
  for (const auto& names : file.categories) shape.categories.push_back(std::ssize(names));
  shape.ids = file.ids.bytes();
  return shape;
}

/// The same of a table that is read in parts and not kept.
template <class T>
FitShape shape_in_parts(Context& context, TreeTable source, const FitTreesParams& params) {
  source.columns.notes = false;
  // A part may be larger than the memory that the run is given.
  source.columns.scratch = folder_of_files(params.out);
  FitShape shape;
  io::Names classes;
  std::vector<io::Names> categories;
  constexpr std::int64_t part_bytes = 1 << 20;
  const io::TakeTable<T> count = [&](io::TableFile<T>&& part) {
    const FitShape own = shape_of(part);
    shape.rows += own.rows;
    shape.weighed = own.weighed;
    shape.ids += own.ids;
    categories.resize(part.categories.size());
    for (const std::string& name : part.classes) classes.number(name);
    for (std::size_t c = 0; c < categories.size(); ++c) {
      for (const std::string& name : part.categories[c]) categories[c].number(name);
    }
  };
  io::read_table_parts<T>(context, source.path, source.columns, part_bytes, count);
  shape.classes = std::ssize(classes.texts());
  for (const io::Names& names : categories) shape.categories.push_back(std::ssize(names.texts()));
  return shape;
}

/// How many features a table's columns become at most, each with all of the table's categories.
inline std::int64_t features_made(const FitShape& shape, Categories how) {
  if (how == Categories::automatic && shape.classes > 2) how = Categories::one_hot;
  std::int64_t features = 0;
  for (const std::int64_t categories : shape.categories) {
    features += how == Categories::one_hot && categories > 0 ? categories : 1;
  }
  return features;
}

/// Features that are made: of one-hot columns the processor, if it draws no page, makes none.
inline std::int64_t features_held(const Context& context,
                                  const FitShape& shape,
                                  const FitTreesParams& params) {
  const bool makes = forest::makes_features(context, params.forest_params.tree) ||
                     !params.increasing.empty() || !params.decreasing.empty() || params.report;
  return makes ? features_made(shape, params.categories) : shape.columns();
}

/// The most leaves of each tree of a fit.
inline double most_leaves_of_a_tree(const FitTreesParams& params, std::int64_t rows) {
  const forest::ForestParams& forest = params.forest_params;
  std::int64_t draws = rows;
  if (params.forest && forest.sampling == forest::Sampling::bootstrap) {
    draws = forest::rows_drawn(forest, rows);
  } else if (params.forest && forest.sampling == forest::Sampling::partition) {
    draws = divide_up(rows, forest.trees);
  }
  return forest::most_leaves(forest.tree, rows, draws);
}

/// The most that a fit holds at a time, besides trees: the table with what is grown from it, or
/// what is measured afterwards.
template <class T>
double bytes_to_fit(const Context& context, const FitShape& shape, const FitTreesParams& params) {
  const forest::ForestParams& forest = params.forest_params;
  const auto features = static_cast<double>(features_held(context, shape, params));
  const auto outputs = static_cast<double>(std::max<std::int64_t>(1, shape.classes));
  const bool weighed = shape.weighed || params.balanced || !params.class_weights.empty();
  const bool folds = params.folds > 0 || params.alpha_folds > 0 || !params.fold_column.empty();
  // Bytes a row. Labels and weights as read; their integers (forest::Problem).
  const double labels = (params.regression ? 8 : 4) + (weighed ? 8 : 0);
  const double integers = (params.regression ? 16 : 0) + (weighed ? 8 : 0);
  double kept = sizeof(T) * features + labels;
  // Columns of text are kept while their features are made.
  if (shape.has_text()) kept += sizeof(T) * static_cast<double>(shape.columns());
  // The parts of a fold; their labels are in lists that grow by doubling.
  if (folds) kept += sizeof(T) * features + 2 * labels;
  // What the trees that did not see a row say of it, and its voters or fold.
  const double held = folds || params.out_of_bag ? 8 * outputs + 8 : 0;
  // A column that is sorted, with its order, and once more.
  const double sorting = 2 * sizeof(T) + 4;
  const auto at_once = static_cast<double>(
      std::min<std::int64_t>(context.threads(), params.forest ? forest.trees : 1));
  const double share =
      forest.sampling == forest::Sampling::partition ? 1 / static_cast<double>(forest.trees) : 1;
  // Lists of a forest's trees at work; sides and halves of lists in a split.
  const double beside =
      std::min(features - 1, params.forest ? 1.0 : static_cast<double>(context.threads()));
  const double growing =
      params.forest ? at_once * (2 + 8 * share * (features + beside)) : 1 + 8 * beside;
  const double grown = integers + 8 * features + std::max(sorting, growing);
  const auto rows = static_cast<double>(shape.rows);
  // Predictions and their measures take an eighth of the memory each.
  const double measured = rows * (kept + held) * 4 / 3;
  return std::max(rows * (kept + grown + (folds ? held : 0)), measured) + shape.ids;
}

/// What --prune-with holds, at least: its table next to that of the training.
template <class T>
double pruning_bytes(const Context& context, const FitShape& shape, const FitTreesParams& params);

/// Bytes that no trees of these rows pass, with what bytes_to_fit() counts.
template <class T>
double bytes_that_do(const Context& context, const FitShape& shape, const FitTreesParams& params) {
  const std::int64_t rows = shape.rows, trees = params.forest ? params.forest_params.trees : 1;
  double set = 0;  // of a node that splits categories
  if (params.categories == Categories::native) {
    for (const std::int64_t count : shape.categories) {
      set = std::max(set, forest::bytes_of(forest::CategorySet(count)));
    }
  }
  const auto outputs = static_cast<std::int32_t>(std::max<std::int64_t>(1, shape.classes));
  const double leaves = most_leaves_of_a_tree(params, rows);
  const double tree = (2 * leaves - 1) * forest::bytes_of_node(outputs) + (leaves - 1) * set;
  const double pruning = params.validation.empty() ? 0 : pruning_bytes<T>(context, shape, params);
  return std::max({shape.text,
                   pruning,
                   bytes_to_fit<T>(context, shape, params) + static_cast<double>(trees) * tree});
}

/// The refusal with the memory that is enough.
inline forest::TreesTooLarge with_bytes_that_do(const forest::TreesTooLarge& error, double bytes) {
  return {fmt::format("{} ({} will do)", error.what(), memory_option(bytes)), error.alone()};
}

/// Throws where the lists of a table's features would pass what the run may hold.
template <class T>
void check_memory(Context& context, const FitShape& shape, const FitTreesParams& params) {
  const std::int64_t features = features_held(context, shape, params);
  const double bytes = bytes_to_fit<T>(context, shape, params);
  const double most = static_cast<double>(context.memory());
  if (bytes <= most) return;
  const char* const advice =
      features > shape.columns()
          ? params.report ? "leave --report out, give --categories by-name or ordered, --ignore "
                            "columns of many categories, or more --memory ({} will do)"
                          : "give --device cpu, --categories by-name or ordered, --ignore columns "
                            "of many categories, or more --memory ({} will do)"
      : params.forest ? "give --float32, fewer --threads or --columns, or more --memory ({} will "
                        "do); a forest of classes by "
                        "--partition needs one part at a time"
                      : "give --float32 or fewer --columns, or more --memory ({} will do); 'yupana "
                        "forest fit --partition' "
                        "needs one part of the rows at a time";
  throw resource_error(
      "{} x {}{} and their sorted lists take {}; memory is limited to {}; {}",
      counted(shape.rows, "row"),
      counted(features, "feature"),
      features > shape.columns() ? " (one a category)" : "",
      needed_bytes(bytes),
      allowed_bytes(most),
      fmt::format(fmt::runtime(advice), memory_option(bytes_that_do<T>(context, shape, params))));
}

}  // namespace yupana::job
