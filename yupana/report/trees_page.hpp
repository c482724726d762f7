#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::report {

/// How much a model rests on one feature.
struct Importance {
  std::string feature;
  double impurity = 0;     ///< share of the decrease of impurity
  double permutation = 0;  ///< loss of score when its values are shuffled
  double deviation = 0;    ///< of that loss, over the shuffles
};

/// Horizontal bars of the most important features, at most 40, largest first: the decrease of
/// impurity, and where it was measured the loss of score under shuffling with its deviation.
void write_importances_svg(AtomicFile& file,
                           std::vector<Importance> importances,
                           bool has_permutation);

/// One class against all others.
struct ClassScores {
  std::string name;
  std::int64_t rows = 0;
  double precision = 0, recall = 0, f1 = 0, roc_auc = 0, pr_auc = 0;
  std::vector<std::pair<double, double>> roc;               ///< from (0, 0) to (1, 1)
  std::vector<std::pair<double, double>> precision_recall;  ///< recall, precision
  std::vector<std::pair<double, double>> calibration;       ///< predicted and observed share
};

/// What is predicted on average where a feature has one value or another.
struct Dependence {
  std::string feature;
  std::vector<double> values;      ///< ascending
  std::vector<std::string> names;  ///< of the values, where these number categories; else empty
  Matrix<double> means;            ///< values x classes, or x 1
  std::int64_t rows = 0;           ///< that the means are over
  std::int64_t of_rows = 0;        ///< of the table
};

/// A node of a tree, in words.
struct TreeLine {
  std::int64_t depth = 0;
  std::string condition;   ///< that leads there; empty: the root
  std::string prediction;  ///< the class, or the number
  std::int64_t rows = 0;
  double impurity = 0;
  bool is_leaf = false;
  std::vector<double> shares;  ///< of the classes, by weight; empty: numbers are predicted
};

/// Everything the page of a tree or forest shows. Plain data: the job fills it, this room draws it.
struct TreesReport {
  std::string title;
  std::vector<std::string> findings;  ///< sentences
  std::string rows;                   ///< which were measured: "600 rows of all folds"
  std::vector<std::pair<std::string, std::string>> measures;  ///< names and texts of values
  std::vector<ClassScores> classes;                           ///< empty: numbers are predicted
  Matrix<std::int64_t> confusion;                             ///< true, predicted; may be empty
  std::vector<TreeLine> tree;                                 ///< in preorder; may be empty
  std::vector<Importance> importances;                        ///< by impurity; may be empty
  bool has_deviations = false;                                ///< over the trees of a forest
  std::vector<Dependence> dependences;                        ///< may be empty
  std::vector<std::pair<std::string, std::string>> summary;   ///< sizes, options, versions
};

/// One self-contained page without network or external files, its charts drawn as SVG in it. The
/// same report gives the same bytes. Names may hold any bytes.
void write_trees_html(AtomicFile& file, const TreesReport& report);

/// Classes that have a curve in the charts of a page, and the rules c0, c1, ... of their colours.
inline constexpr std::size_t max_class_curves = 12;

/// The figure of a page that shows what predictions hang on; empty without any. Features of numbers
/// are curves, those of categories tables. Of two classes the second is shown.
std::string dependences_of(const TreesReport& report);

/// The tree of a page as nested lists that open and close, closed below depth 6; empty where there
/// is none.
std::string tree_of(const TreesReport& report);

}  // namespace yupana::report
