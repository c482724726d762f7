#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/job/trees.hpp"

/// Steps of the jobs on trees; private to them.
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

}  // namespace yupana::job
