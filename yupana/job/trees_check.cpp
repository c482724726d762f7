#include <algorithm>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"
#include "yupana/job/trees_memory.hpp"

namespace yupana::job {
namespace {

void refuse_if(bool given, const char* message) {
  if (given) throw Error(ErrorCode::usage, message);
}

/// Options that have no effect without others, or with them.
void check_together(const FitTreesParams& params) {
  const bool folds = params.folds > 0 || params.alpha_folds > 0;
  refuse_if(params.stratified && params.regression,
            "--stratified with --regression: numbers have no classes to hold in proportion");
  refuse_if(params.stratified && !folds && !params.fold_column.empty(),
            "--stratified with --cv-column: the column says which fold a row is in");
  refuse_if(params.stratified && !folds,
            params.forest ? "--stratified has no effect without folds; give --cv"
                          : "--stratified has no effect without folds; give --cv or --ccp-cv");
  refuse_if(params.sparest_alpha && params.alpha_folds == 0,
            "--ccp-sparest has no effect without --ccp-cv; give both");
  refuse_if(
      params.categories == Categories::ordered && leaves_rows_out(params),
      "--categories ordered: its order is learned from the labels of all rows, with which "
      "--oob and --ccp-cv would judge the rows that trees leave out; take one-hot or by-name");
  refuse_if(params.categories == Categories::native &&
                params.forest_params.tree.criterion == forest::Criterion::absolute_error,
            "--categories native with --criterion absolute-error: no order of categories has their "
            "best parting; take ordered or one-hot");
  const bool monotonic = !params.increasing.empty() || !params.decreasing.empty();
  refuse_if(params.categories == Categories::native &&
                (monotonic || params.forest_params.tree.random_splits),
            "--categories native: categories have no order that --increasing, --decreasing or "
            "--random-splits could use; take one-hot");
  refuse_if(monotonic && params.forest_params.tree.criterion == forest::Criterion::absolute_error,
            "--increasing and --decreasing are not for --criterion absolute-error; take "
            "squared-error or poisson");
  const bool quantile = params.leaf_quantile != 0;
  refuse_if(quantile && !(params.leaf_quantile > 0 && params.leaf_quantile <= 1),
            "--leaf-quantile: expected above 0, at most 1");
  refuse_if(quantile && !params.regression,
            "--leaf-quantile: classes have none; give --regression");
  refuse_if(quantile && monotonic,
            "--leaf-quantile with --increasing or --decreasing, which bind the means; give one");
  refuse_if(
      quantile && (params.alpha_folds > 0 || !params.validation.empty()),
      "--leaf-quantile with --ccp-cv or --prune-with, which prune by the error of means; take "
      "--ccp-alpha");
  refuse_if(params.binary && params.out.empty(), "--binary: writes PREFIX.model; give -o PREFIX");
  refuse_if(params.report && params.out.empty(), "--report: writes PREFIX.html; give -o PREFIX");
  refuse_if(params.predictions && params.out.empty(),
            "--predictions: writes PREFIX.cv.tsv or PREFIX.oob.tsv; give -o PREFIX");
  refuse_if(params.folds > 0 && !params.fold_column.empty(),
            "--cv and --cv-column exclude each other; give one");
  refuse_if(params.alpha_folds > 0 && (params.forest || params.alpha > 0),
            "--ccp-cv and --ccp-alpha exclude each other; give one");
  refuse_if(
      params.forest && params.out_of_bag && params.forest_params.sampling == forest::Sampling::all,
      "--oob: with --all-rows every tree sees every row");
  refuse_if(params.forest && params.out_of_bag && params.forest_params.trees == 1 &&
                params.forest_params.sampling == forest::Sampling::partition,
            "--oob: with --partition and one tree that tree sees every row");
}

using forest::Target;

/// Weights that make all classes weigh alike.
std::vector<double> balanced(std::int64_t rows, const Target& target) {
  std::vector<double> counts(static_cast<std::size_t>(target.classes), 0);
  const auto weight = [&](std::int64_t i) {
    return target.weights != nullptr ? target.weights[i] : 1.0;
  };
  for (std::int64_t i = 0; i < rows; ++i) counts[static_cast<std::size_t>(target.codes[i])] += 1;
  std::vector<double> weights(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    weights[static_cast<std::size_t>(i)] =
        weight(i) * static_cast<double>(rows) /
        (target.classes * counts[static_cast<std::size_t>(target.codes[i])]);
  }
  return weights;
}

}  // namespace

void check_fit(const FitTreesParams& params) {
  for (const auto& [option, folds] :
       {std::pair{"--cv", params.folds}, std::pair{"--ccp-cv", params.alpha_folds}}) {
    if (folds == 0 || folds >= 2) continue;
    throw usage_error("{}: expected at least 2 folds, or 0 for none, got {}", option, folds);
  }
  check_together(params);
  if (params.table.columns.label.empty()) {
    throw usage_error(
        "--label: name the column to predict, or give its number; of a libsvm file: label");
  }
}

void note_equal_trees(Context& context, const FitTreesParams& params, std::int64_t features) {
  const forest::ForestParams& forest = params.forest_params;
  std::int64_t drawn = forest.max_features == 0 ? features : forest.max_features;
  if (drawn == forest::root_of_features) drawn = params.regression ? features : 1;
  const bool draws =
      forest.sampling != forest::Sampling::all || drawn < features || forest.tree.random_splits;
  if (!params.forest || forest.trees == 1 || draws) return;
  context.note(
      fmt::format("each of the {} trees sees all rows and features, so they are all the same; give "
                  "--bootstrap, --random-splits or fewer --max-features",
                  forest.trees));
}

void check_counts(const std::string& path, const Array<double>& labels) {
  const double* const end = labels.data() + labels.size();
  const double* const bad = std::find_if(labels.data(), end, [](double y) { return y < 0; });
  if (bad != end) {
    throw bad_file(path,
                   "row {}: expected a label of 0 or more for Poisson's deviance, got {}",
                   bad - labels.data() + 1,
                   *bad);
  }
  if (std::all_of(labels.data(), end, [](double y) { return y == 0; })) {
    throw bad_file(path, "expected a label above 0 for Poisson's deviance, got zeros alone");
  }
}

void name_monotonic(FitTreesParams& params) {
  if (io::is_libsvm(params.table.path)) return;
  for (auto* const names : {&params.increasing, &params.decreasing}) {
    for (std::string& name : *names) {
      name = io::column_named(params.table.path, params.table.columns, name, "monotonic");
    }
  }
}

std::vector<std::int8_t> monotonic_features(const FitTreesParams& params,
                                            const forest::Model& model) {
  if (params.increasing.empty() && params.decreasing.empty()) return {};
  if (model.classes.size() > 2) {
    throw usage_error(
        "--increasing and --decreasing: expected --regression or two classes to predict, got {} "
        "classes; leave them out",
        model.classes.size());
  }
  std::vector<std::int8_t> monotonic(model.features.size());
  const auto put = [&](const char* option, const std::string& name, std::int8_t direction) {
    const auto found = std::find(model.features.begin(), model.features.end(), name);
    const auto feature = found - model.features.begin();
    const auto is_text = [&](const forest::Encoding& own) {
      return feature >= own.feature && feature < own.feature + own.width();
    };
    if (found == model.features.end() ||
        std::any_of(model.encodings.begin(), model.encodings.end(), is_text)) {
      throw input_error("{}: '{}' is no feature of numbers; name one that is, or leave it out",
                        option,
                        io::printable(name));
    }
    std::int8_t& own = monotonic[static_cast<std::size_t>(feature)];
    if (own != 0) throw usage_error("{}: '{}' is named twice", option, io::printable(name));
    own = direction;
  };
  for (const std::string& name : params.increasing) put("--increasing", name, 1);
  for (const std::string& name : params.decreasing) put("--decreasing", name, -1);
  return monotonic;
}

void check_fold_rows(const std::vector<std::int32_t>& fold, std::int64_t folds) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(folds), 0);
  for (const std::int32_t own : fold) ++rows[static_cast<std::size_t>(own)];
  if (std::count(rows.begin(), rows.end(), 1) == 0) return;
  throw input_error("a fold has one row, and r2 needs two; give fewer folds");
}

void check_members(const std::vector<std::string>& classes,
                   const Array<std::int32_t>& codes,
                   std::int64_t folds) {
  std::vector<std::int64_t> members(classes.size(), 0);
  for (const std::int32_t code : codes) ++members[static_cast<std::size_t>(code)];
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (members[c] >= folds) continue;
    throw input_error(
        "--stratified: class '{}' has {} for {} folds; give fewer folds or "
        "leave --stratified out",
        io::printable(classes[c]),
        counted(members[c], "row"),
        folds);
  }
}

std::vector<double> class_weights(const std::vector<std::string>& classes,
                                  std::int64_t rows,
                                  const Target& target,
                                  const FitTreesParams& params) {
  std::vector<double> weights;
  if (params.balanced) weights = balanced(rows, target);
  if (params.class_weights.empty()) return weights;
  std::vector<double> factors(classes.size(), 1);
  std::vector<bool> given(classes.size(), false);
  for (const auto& [name, factor] : params.class_weights) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      throw input_error("--class-weight {}: no row has that class", io::printable(name));
    }
    const auto at = static_cast<std::size_t>(found - classes.begin());
    if (given[at]) throw usage_error("--class-weight: '{}' is given twice", io::printable(name));
    given[at] = true;
    factors[at] = factor;
  }
  if (weights.empty()) weights.assign(static_cast<std::size_t>(rows), 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    double& weight = weights[static_cast<std::size_t>(i)];
    if (!params.balanced && target.weights != nullptr) weight = target.weights[i];
    weight *= factors[static_cast<std::size_t>(target.codes[i])];
  }
  return weights;
}

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
      throw usage_error(
          "--cv-column: column '{}' is the {} as well; name it once", io::printable(name), role);
    };
    refuse_if(reading.label, "label");
    refuse_if(reading.weight, "weight");
    for (const std::string& ignored : reading.ignored) refuse_if(ignored, "ignored one");
    for (const std::string& text : reading.categorical) refuse_if(text, "categorical one");
    reading.categorical.push_back(name);
  }
  if (!reading.columns.empty()) reading.columns.push_back(name);
  return name;
}

template <class T>
std::vector<std::int32_t> taken_folds(io::TableFile<T>& file,
                                      const std::string& column,
                                      std::vector<std::string>& folds) {
  const auto& names = file.table.names();
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    throw input_error("--cv-column {}: no column has that name", io::printable(column));
  }
  const auto at = found - names.begin();
  std::vector<std::int32_t> fold;
  std::vector<T> values;
  for (std::int64_t i = 0; i < file.table.rows(); ++i) {
    const T value = file.table.column(at)[i];
    if (value != value) {
      throw input_error(
          "--cv-column {}: row {} has no fold; fill it in", io::printable(column), i + 1);
    }
    const auto place = std::find(values.begin(), values.end(), value) - values.begin();
    if (place == std::ssize(values)) values.push_back(value);
    if (values.size() > 10000) {
      throw input_error("--cv-column {}: more than 10000 folds; name a column of fold numbers",
                        io::printable(column));
    }
    fold.push_back(static_cast<std::int32_t>(place));
  }
  if (values.size() < 2) {
    throw input_error("--cv-column {}: expected at least 2 folds, got 1; name another column",
                      io::printable(column));
  }
  const bool is_text = !file.categories.empty() && !file.categories[at].empty();
  for (const T value : values) {
    folds.push_back(is_text ? file.categories[at][static_cast<std::size_t>(value)]
                            : fmt::format("{}", value));
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

YUPANA_FUNCTIONS(YUPANA_FLOATS, taken_folds)

}  // namespace yupana::job
