#include "yupana/job/tree_measures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/version.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/trees_page.hpp"

namespace yupana::job {
namespace {

using forest::Model;
using forest::Target;

double max_bytes(const Context& context) { return static_cast<double>(context.memory()) / 8; }

/// The target of the rows from `row` on.
Target from_row(Target target, std::int64_t row) {
  if (target.is_class()) target.codes += row;
  if (!target.is_class()) target.values += row;
  if (target.weights != nullptr) target.weights += row;
  return target;
}

using analysis::ClassMeasures;
using analysis::Measures;
using report::percent;

std::string text_of(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "–";
}

std::vector<std::string> findings_of_classes(const Model& model, const Measures& measured) {
  std::size_t largest = 0, rarest = 0;
  const auto& classes = measured.classes;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].rows > classes[largest].rows) largest = c;
    if (classes[rarest].rows == 0 ||
        (classes[c].rows > 0 && classes[c].rows < classes[rarest].rows))
      rarest = c;
  }
  const double n = static_cast<double>(measured.rows);
  std::vector<std::string> findings = {
      fmt::format("{} of {} are predicted right. '{}' for every row would be right for {}.",
                  percent(measured.score()),
                  counted(measured.rows, "row"),
                  model.classes[largest],
                  percent(static_cast<double>(classes[largest].rows) / n))};
  if (largest != rarest) {
    const ClassMeasures& own = classes[rarest];
    findings.push_back(fmt::format(
        "No class is rarer than '{}': of its {} {} found, and {}.",
        model.classes[rarest],
        counted(own.rows, "row"),
        percent(own.recall()) + (own.rows == 1 ? " is" : " are"),
        own.predicted > 0 ? percent(own.precision()) + " of the rows taken for it are of it"
                          : "no row is taken for it"));
  }
  if (measured.unknown > 0) {
    findings.push_back(fmt::format("{} of classes that the model does not know {} as wrong.",
                                   counted(measured.unknown, "row"),
                                   measured.unknown == 1 ? "counts" : "count"));
  }
  return findings;
}

std::string within(double low, double high) {
  if (low == high) return text_of(low);
  return fmt::format("from {} to {}", text_of(low), text_of(high));
}

/// R2 in words. Labels that are all alike have 1 or 0 by convention.
std::string explained(const Measures& measured) {
  const double r2 = measured.score();
  if (measured.rows == 1) return "One row has no variance, so there is no R2.";
  if (std::isnan(r2)) return "The labels are too large or too close for an R2 in double.";
  if (r2 == 1) return "The predictions leave nothing of the labels unexplained (R2 = 1).";
  if (r2 < 0) {
    return fmt::format("To predict the mean label for every row would be better (R2 = {}).",
                       text_of(r2));
  }
  return fmt::format("The predictions leave {} of the label's variance unexplained (R2 = {}).",
                     percent(1 - r2),
                     text_of(r2));
}

std::vector<std::string> findings_of_numbers(const Measures& measured) {
  std::vector<std::string> findings = {explained(measured)};
  const auto& quantiles = measured.error_quantiles;
  if (quantiles.size() == 7) {
    findings.push_back(
        fmt::format("Half of the errors (predicted less true) are {}, nine of ten {}.",
                    within(quantiles[2].second, quantiles[4].second),
                    within(quantiles[1].second, quantiles[5].second)));
  }
  return findings;
}

/// Shares of the decrease of impurity, and how they differ from tree to tree.
std::vector<report::Importance> importances_of(const Model& model) {
  const auto features = std::ssize(model.features);
  const std::vector<double> means = forest::importances(model.trees, features);
  const std::vector<double> deviations = forest::importance_deviations(model.trees, means);
  std::vector<report::Importance> list;
  for (std::size_t f = 0; f < means.size(); ++f) {
    list.push_back({io::column_words(model.features[f]), means[f], 0, deviations[f]});
  }
  return list;
}

/// Names of a feature's values where these are categories of text; else empty.
std::vector<std::string> category_names(const Model& model, const forest::PartialDependence& of) {
  std::vector<std::string> names;
  for (const forest::Encoding& own : model.encodings) {
    if (own.feature != of.feature || own.one_hot) continue;
    for (const double value : of.values) {
      const auto at = std::find(own.values.begin(), own.values.end(), value);
      names.push_back(own.categories[static_cast<std::size_t>(at - own.values.begin())]);
    }
  }
  return names;
}

std::vector<report::TreeLine> tree_lines(const Model& model, bool has_missing) {
  const forest::Tree& tree = model.trees[0];
  std::vector<report::TreeLine> lines;
  for (io::NodeWords& own : io::node_words(model, 0, {.missing = has_missing, .rounded = true})) {
    const forest::Node& node = tree.nodes[own.node];
    const double* const value = tree.value(own.node);
    std::vector<double> shares(value, value + (model.is_class() ? tree.outputs : 0));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    lines.push_back({own.depth,
                     std::move(own.condition),
                     std::move(own.prediction),
                     node.rows,
                     node.impurity,
                     node.is_leaf(),
                     std::move(shares)});
  }
  return lines;
}

void add_measures(const Measures& measured,
                  const std::vector<Measures>& folds,
                  report::TreesReport& page) {
  for (std::size_t m = 0; m < measured.values.size(); ++m) {
    const auto& [name, value] = measured.values[m];
    std::string text = text_of(value);
    if (!folds.empty()) {
      const auto [mean, deviation] = analysis::spread(folds, m);
      text += fmt::format(
          " (folds: mean {}, standard deviation {})", text_of(mean), text_of(deviation));
    }
    page.measures.emplace_back(name, std::move(text));
  }
  for (const auto& [p, error] : measured.error_quantiles) {
    page.measures.emplace_back(fmt::format("error, quantile {:g} %", 100 * p), text_of(error));
  }
}

}  // namespace

TreeTally::TreeTally(const Context& context, const Model& model)
    : is_class_(model.is_class()),
      classes_(std::ssize(model.classes), max_bytes(context)),
      numbers_(max_bytes(context)) {}

void TreeTally::add(Context& context, const Target& rows, MatrixView<const double> predicted) {
  is_class_ ? classes_.add(context, rows.codes, predicted) : numbers_.add(rows.values, predicted);
}

analysis::Measures TreeTally::measures(Context& context) {
  if (classes_.without_areas()) {
    context.note(
        "ROC and PR areas are left out: the shares of all rows do not fit in memory; give "
        "more --memory");
  }
  if (numbers_.without_quantiles()) {
    context.note(
        "quantiles of the error are left out: the errors of all rows do not fit in "
        "memory; give more --memory");
  }
  if (!is_class_) return numbers_.measures();
  analysis::Measures measures = classes_.measures(context);
  if (std::ssize(measures.classes) > analysis::max_classes) {
    context.note(
        fmt::format("{} classes: ROC and PR areas and the confusion are measured of {} and fewer",
                    measures.classes.size(),
                    analysis::max_classes));
  }
  return measures;
}

template <class T>
void predict_in_blocks(Context& context,
                       const Model& model,
                       TableView<T> table,
                       const TakePredictions& take) {
  constexpr double most = std::int64_t{64} << 20;
  const auto outputs = static_cast<double>(std::max<std::size_t>(1, model.classes.size()));
  const auto some =
      static_cast<std::int64_t>(std::max(64.0, std::min(most, max_bytes(context)) / (8 * outputs)));
  for (std::int64_t first = 0; first < table.rows; first += some) {
    TableView<T> part = table;
    part.data += first;
    part.rows = std::min(some, table.rows - first);
    take(first, forest::predict_shares(context, model, part).view());
  }
}

template <class T>
analysis::Measures measure(Context& context,
                           const Model& model,
                           TableView<T> table,
                           const Target& target) {
  TreeTally tally(context, model);
  predict_in_blocks<T>(
      context, model, table, [&](std::int64_t row, MatrixView<const double> predicted) {
        tally.add(context, from_row(target, row), predicted);
      });
  return tally.measures(context);
}

analysis::Measures HeldOut::measures(Context& context,
                                     const Model& model,
                                     const Target& target,
                                     std::int32_t fold_only) const {
  const auto counts = [&](std::int64_t i) {
    const bool in = fold_only < 0 || fold[static_cast<std::size_t>(i)] == fold_only;
    return in && *row(i) == *row(i);
  };
  constexpr std::int64_t at_a_time = 4096;
  TreeTally tally(context, model);
  Matrix<double> some(at_a_time, outputs);
  std::vector<std::int32_t> codes;
  std::vector<double> labels;
  std::int64_t filled = 0;
  const auto pass_on = [&] {
    Target rows;
    if (target.is_class()) rows.codes = codes.data();
    if (!target.is_class()) rows.values = labels.data();
    tally.add(context, rows, {some.data(), filled, some.cols()});
    codes.clear();
    labels.clear();
    filled = 0;
  };
  for (std::int64_t i = 0; i < rows(); ++i) {
    if (!counts(i)) continue;
    std::copy_n(row(i), outputs, some.row(filled++));
    if (target.is_class()) codes.push_back(target.codes[i]);
    if (!target.is_class()) labels.push_back(target.values[i]);
    if (filled == at_a_time) pass_on();
  }
  pass_on();
  return tally.measures(context);
}

void HeldOut::write(AtomicFile& file,
                    const Model& model,
                    const Target& target,
                    const io::RowIds& ids) const {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::vector<std::string> cells;
  for (const std::string& name : model.classes) cells.push_back(io::tsv_cell(name));
  std::string text = "row\t" + ids.header();
  text += fold.empty() ? "label\tpredicted" : "fold\tlabel\tpredicted";
  for (const std::string& cell : cells) text += '\t' + cell;
  text += '\n';
  for (std::int64_t i = 0; i < rows(); ++i) {
    io::append_number(text, i + 1);
    text += '\t' + ids.of(i);
    if (!fold.empty()) {
      const auto held = static_cast<std::size_t>(fold[static_cast<std::size_t>(i)]);
      text += io::tsv_cell(folds[held]) + '\t';
    }
    const double* const own = row(i);
    const bool known = *own == *own;
    if (target.is_class()) {
      const auto best = std::max_element(own, own + outputs) - own;
      text += cells[static_cast<std::size_t>(target.codes[i])] + '\t';
      text += known ? cells[static_cast<std::size_t>(best)] : "NA";
    } else {
      io::append_number(text, target.values[i]);
    }
    for (std::int64_t c = 0; c < outputs; ++c) {
      text += '\t';
      known ? io::append_number(text, own[c]) : static_cast<void>(text += "NA");
    }
    text += '\n';
    if (text.size() < most) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, predict_in_blocks, measure)

void write_trees_page(AtomicFile& file,
                      const Model& model,
                      const std::string& command,
                      const Measures& measured,
                      const std::string& rows,
                      const std::vector<Measures>& folds,
                      const std::vector<forest::PartialDependence>& dependences,
                      const char* warning,
                      bool has_missing) {
  report::TreesReport page;
  const auto trees = std::ssize(model.trees);
  page.title = trees == 1 ? "Decision tree" : fmt::format("Forest of {} trees", trees);
  const std::string label = io::column_words(model.label);
  if (!model.label.empty()) {
    page.title += label == model.label ? fmt::format(" for '{}'", label) : " for " + label;
  }
  page.rows = counted(measured.rows, "row") + " " + rows;
  page.findings =
      model.is_class() ? findings_of_classes(model, measured) : findings_of_numbers(measured);
  if (warning != nullptr) page.findings.emplace_back(warning);
  add_measures(measured, folds, page);
  for (std::size_t c = 0; c < measured.classes.size(); ++c) {
    const ClassMeasures& own = measured.classes[c];
    page.classes.push_back({model.classes[c],
                            own.rows,
                            own.precision(),
                            own.recall(),
                            own.f1(),
                            own.roc_auc,
                            own.pr_auc,
                            own.roc,
                            own.precision_recall,
                            {}});
    for (const analysis::Bin& bin : own.calibration) {
      page.classes.back().calibration.emplace_back(bin.share, bin.observed);
    }
  }
  page.confusion = Matrix<std::int64_t>(measured.confusion.rows(), measured.confusion.cols());
  std::copy_n(measured.confusion.data(),
              measured.confusion.rows() * measured.confusion.cols(),
              page.confusion.data());
  if (trees == 1) page.tree = tree_lines(model, has_missing);
  page.importances = importances_of(model);
  page.has_deviations = trees > 1;
  for (const forest::PartialDependence& own : dependences) {
    report::Dependence& drawn = page.dependences.emplace_back();
    drawn.feature = io::column_words(model.features[static_cast<std::size_t>(own.feature)]);
    drawn.values = own.values;
    drawn.names = category_names(model, own);
    drawn.rows = own.rows;
    drawn.of_rows = own.of_rows;
    drawn.means = Matrix<double>(own.means.rows(), own.means.cols());
    std::copy_n(own.means.data(), own.means.rows() * own.means.cols(), drawn.means.data());
  }
  std::int64_t leaves = 0, depth = 0;
  for (const forest::Tree& tree : model.trees) {
    leaves += tree.leaves();
    depth = std::max(depth, tree.depth());
  }
  page.summary = {{"features", std::to_string(model.features.size())},
                  {"trees", std::to_string(trees)},
                  {"leaves", std::to_string(leaves)},
                  {"depth", std::to_string(depth)},
                  {"yupana", version}};
  if (!command.empty()) page.summary.emplace_back("command", command);
  report::write_trees_html(file, page);
}

}  // namespace yupana::job
