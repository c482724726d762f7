#include "yupana/job/tree_measures.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/tsv_cell.hpp"

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

}  // namespace yupana::job
