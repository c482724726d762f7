#pragma once

#include <functional>
#include <vector>

#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// A fold of each row, from 0. Rows are shuffled by the seed and assigned in turn; stratified:
/// class by class. bad_input for fewer rows than folds.
std::vector<std::int32_t> folds_of(std::int64_t rows,
                                   const Target& target,
                                   std::int64_t folds,
                                   bool stratified,
                                   std::uint64_t seed);

/// Rows of a table and its target in memory of their own.
template <class T>
struct Part {
  Table<T> table;
  std::vector<std::int32_t> codes;
  std::vector<double> values;
  std::vector<double> weights;
  std::int32_t classes = 0;

  Target target() const;
};
/// The rows with in(row) true. `names`: of the columns.
template <class T>
Part<T> part_of(TableView<T> table,
                const std::vector<std::string>& names,
                const Target& target,
                const std::function<bool(std::int64_t)>& in);

/// R^2 of rows with such sums of squares; NaN of fewer than two rows.
double r2_of(std::int64_t rows, double errors, double spread);

/// Accuracy, or R^2 of numbers; rows weighted alike.
template <class T>
double score(Context& context, const Model& model, TableView<T> table, const Target& target);

}  // namespace yupana::forest
