#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yupana/analysis/measures.hpp"
#include "yupana/core/context.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/job/tree_tables.hpp"

namespace yupana::job {

struct FitTreesParams {
  TreeTable table = {};
  bool forest = false;      ///< many trees; else one, which sees every row
  bool regression = false;  ///< the label is a number
  bool balanced = false;    ///< classes weigh alike: n / (classes x rows of the class)
  std::vector<std::pair<std::string, double>> class_weights = {};  ///< factors; others 1
  Categories categories = Categories::automatic;                   ///< of columns of text
  forest::ForestParams forest_params = {};
  bool out_of_bag = false;  ///< measures on each row of the trees that did not see it
  std::vector<std::string> increasing = {};  ///< features that predictions only rise with
  std::vector<std::string> decreasing = {};  ///< or only fall with
  double leaf_quantile = 0;                  ///< of labels, that leaves predict; 0: their mean
  double alpha = 0;                          ///< cost-complexity pruning of each tree
  std::int64_t alpha_folds = 0;  ///< alpha of a single tree is chosen by cross-validation; 0: given
  bool sparest_alpha = false;    ///< the largest within one standard error, not the best
  std::string validation = {};   ///< a table to prune by reduced error with
  std::int64_t folds = 0;        ///< of cross-validation; 0: none
  bool stratified = false;
  std::string fold_column = {};  ///< a column that names each row's fold, instead of `folds`
  bool binary = false;           ///< the model as PREFIX.model too
  bool predictions = false;      ///< of rows held out, as PREFIX.cv.tsv and PREFIX.oob.tsv
  bool report = false;           ///< a page of measures, as PREFIX.html
  std::string command = {};      ///< the command line, for the page; may be empty
  std::string out = {};          ///< PREFIX.json (and the others)
};

struct FitTreesResult {
  forest::Model model;
  std::int64_t rows = 0;
  std::int64_t missing = 0;
  double seconds = 0;                     ///< of growing (and sorting)
  analysis::Measures train;               ///< of the rows of training
  analysis::Measures out_of_bag;          ///< no rows: not measured
  analysis::Measures cross_validated;     ///< of all rows, each by the trees of the other folds
  std::vector<analysis::Measures> folds;  ///< of each fold's rows
  std::vector<std::string> fold_names;
  std::vector<double> fold_seconds;
  std::vector<double> importances, importance_deviations;
  /// Of the most important features, where there is a report and the table was in memory.
  std::vector<forest::PartialDependence> dependences;
  std::vector<forest::PathPoint> path;  ///< of a single tree
  forest::AlphaChoice alphas;           ///< if alpha was chosen
  double alpha = 0;                     ///< that pruned the model
  std::vector<std::string> files;
};

FitTreesResult fit_trees(Context& context, const FitTreesParams& params);

struct PredictParams {
  std::string model;
  TreeTable table = {};
  bool shares = false;  ///< each class's share too
  bool nodes = false;   ///< the leaf of each tree, instead of predictions
  bool report = false;  ///< a page of measures, as PREFIX.html; the table has labels
  std::string command;  ///< the command line, for the page; may be empty
  std::string out;      ///< PREFIX.predicted.tsv, or PREFIX.nodes.tsv
};

struct PredictResult {
  std::int64_t rows = 0;
  std::vector<std::string> classes;  ///< empty: numbers are predicted
  analysis::Measures measures;       ///< of rows with a label, those of unknown classes wrong
  double seconds = 0;                ///< of predicting alone
  std::vector<std::string> files;
};

PredictResult predict_trees(Context& context, const PredictParams& params);

struct ImportanceParams {
  std::string model;
  TreeTable table = {};      ///< with labels, to shuffle features on; path empty: impurity alone
  std::int64_t repeats = 5;  ///< shuffles a feature
  std::uint64_t seed = 0;
  std::string out = {};  ///< PREFIX.importances.tsv and .importances.svg; empty: none
};

struct ImportanceResult {
  std::vector<std::string> features;
  std::vector<double> impurity, impurity_deviations;  ///< the second over the trees
  std::vector<double> permutation, deviations;        ///< empty without a table
  double score = 0;                                   ///< on the table
  std::vector<std::string> files;
};

ImportanceResult importances_of_trees(Context& context, const ImportanceParams& params);

struct PruneParams {
  std::string model;
  std::optional<double> alpha = {};  ///< by cost complexity, or
  TreeTable validation = {};         ///< by reduced error, if its path is not empty
  std::string out;
};
/// Writes PREFIX.json; returns leaves before and after.
std::pair<std::int64_t, std::int64_t> prune_trees(Context& context, const PruneParams& params);

}  // namespace yupana::job
