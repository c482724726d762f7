#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

struct PartialDependence {
  std::int64_t feature = 0;
  std::int64_t rows = 0;       ///< that the means are over
  std::int64_t of_rows = 0;    ///< of the table
  std::vector<double> values;  ///< ascending
  Matrix<double> means;        ///< values x outputs
};

inline constexpr std::int64_t max_dependence_rows = 1000;
inline constexpr std::int64_t max_dependence_values = 25;

/// What the model says (predict_shares) on average over rows of a table whose feature is set to a
/// value: all others stay as they are, so that where features hang together rows are made that
/// cannot be.
///   values: all that the feature has, up to max_dependence_values; of more quantiles from 0 to 1,
///   as far apart; of categories (nodes with sets) those of most rows
///   rows: all, of more than max_dependence_rows so many evenly over the table
///   memory: a copy of these rows for as many values as an eighth of the context's memory holds
///   determinism: the same for any threads and memory
///   source: Friedman, Greedy function approximation, Annals of Statistics 29, 2001
template <class T>
PartialDependence partial_dependence(Context& context,
                                     const Model& model,
                                     TableView<T> table,
                                     std::int64_t feature);

}  // namespace yupana::forest
