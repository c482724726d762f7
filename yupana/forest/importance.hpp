#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// What a model's score loses when one feature's values are shuffled among the rows.
struct PermutationImportance {
  std::vector<double> means;       ///< of each feature: score (accuracy or R^2) - shuffled score
  std::vector<double> deviations;  ///< over the repeats
  double score = 0;                ///< of the table as it is
};

/// Standard deviations over the trees of each feature's share of the decrease of impurity, around
/// `means`, which importances() returns.
std::vector<double> importance_deviations(const std::vector<Tree>& trees,
                                          const std::vector<double>& means);

/// On a table that the model should not have seen: on training rows an overgrown tree seems to rest
/// on every feature. Features that say the same replace one another.
///   work: features x repeats predictions; memory: a copy of the table
///   determinism: shuffle (feature, repeat) depends on the seed alone; errors: as predict_shares,
///   usage for less than one repeat
///   source: Breiman, Random Forests, 2001, section 10
template <class T>
PermutationImportance permutation_importances(Context& context,
                                              const Model& model,
                                              TableView<T> table,
                                              const Target& target,
                                              std::int64_t repeats,
                                              std::uint64_t seed);

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
