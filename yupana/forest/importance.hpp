#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace yupana::forest
