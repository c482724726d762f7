#pragma once

#include <functional>
#include <string>
#include <vector>

#include "yupana/analysis/measures.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/io/table.hpp"

namespace yupana::job {

/// Measures of a model's rows, classes or numbers, that come some at a time. They take at most an
/// eighth of the context's memory; what needs more is left out with a note.
class TreeTally {
 public:
  TreeTally(const Context& context, const forest::Model& model);

  /// rows: labels of the rows that are predicted; a code of -1 is a class that the model does not
  /// know.
  void add(Context& context, const forest::Target& rows, MatrixView<const double> predicted);
  analysis::Measures measures(Context& context);

 private:
  bool is_class_;
  analysis::ClassTally classes_;
  analysis::NumberTally numbers_;
};

/// What becomes of the predictions (forest::predict_shares) of some rows, the first of them `row`.
using TakePredictions = std::function<void(std::int64_t row, MatrixView<const double> predicted)>;

/// Predicts some rows at a time: the shares of many classes would be larger than the table.
template <class T>
void predict_in_blocks(Context& context,
                       const forest::Model& model,
                       TableView<T> table,
                       const TakePredictions& take);

/// What the model says of labelled rows, measured.
template <class T>
analysis::Measures measure(Context& context,
                           const forest::Model& model,
                           TableView<T> table,
                           const forest::Target& target);

/// A page of measures, curves, confusion, the tree where there is one, importances and partial
/// dependence (report/trees_page.hpp). command: the command line; rows: which were measured, after
/// their number; command, folds, dependences: may be empty; warning: a sentence, or null;
/// has_missing: whether rows miss values, so that conditions say where these go.
void write_trees_page(AtomicFile& file,
                      const forest::Model& model,
                      const std::string& command,
                      const analysis::Measures& measured,
                      const std::string& rows,
                      const std::vector<analysis::Measures>& folds,
                      const std::vector<forest::PartialDependence>& dependences = {},
                      const char* warning = nullptr,
                      bool has_missing = true);

/// What is predicted of the rows of training, by trees that did not see them.
struct HeldOut {
  Array<double> values;  ///< rows x outputs; NaN where every tree saw the row
  std::int64_t outputs = 1;
  std::vector<std::int32_t> fold;  ///< of each row, from 0; empty out of bag
  std::vector<std::string> folds;  ///< names

  std::int64_t rows() const { return values.size() / outputs; }
  double* row(std::int64_t i) { return values.data() + i * outputs; }
  const double* row(std::int64_t i) const { return values.data() + i * outputs; }
  /// Of the rows of one fold, or of all that have a value.
  analysis::Measures measures(Context& context,
                              const forest::Model& model,
                              const forest::Target& target,
                              std::int32_t fold_only = -1) const;
  /// A line a row: its number from 1, its names, its fold, label, what is predicted, the share of
  /// each class; NA where every tree saw the row.
  void write(AtomicFile& file,
             const forest::Model& model,
             const forest::Target& target,
             const io::RowIds& ids) const;
};

}  // namespace yupana::job
