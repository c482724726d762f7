#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Rows with a share of a class in one of ten equal bins, (k / 10, (k + 1) / 10], the first with 0.
struct Bin {
  double share = 0;     ///< mean of what was predicted
  double observed = 0;  ///< share of the rows that are of the class
  std::int64_t rows = 0;
};

/// Counts of one class against all others. A measure without a row to count is 0, an area without
/// rows of both kinds NaN.
struct ClassMeasures {
  std::int64_t rows = 0;       ///< of the class
  std::int64_t predicted = 0;  ///< rows that are predicted to be of it
  std::int64_t right = 0;      ///< rows that are both
  double roc_auc = 0;          ///< P(score of its row > of another) + P(equal) / 2
  double pr_auc = 0;           ///< average precision: sum over scores of precision x gained recall
  /// Points (share of the other rows, recall) and (recall, precision) as the least score that
  /// counts falls; of neighbours closer than 1/200 the first.
  std::vector<std::pair<double, double>> roc = {}, precision_recall = {};
  std::vector<Bin> calibration = {};  ///< bins with rows

  double precision() const;  ///< right / predicted
  double recall() const;     ///< right / rows
  double f1() const;         ///< 2 right / (rows + predicted)
};

/// How good predictions are.
struct Measures {
  std::int64_t rows = 0;
  std::int64_t unknown = 0;  ///< rows of classes that the model does not know
  /// Names and values, the first of them the score. Classes: accuracy, balanced_accuracy, mcc,
  /// macro_f1, log_loss, brier, roc_auc and pr_auc (means over the classes that have them).
  /// Numbers: r2, rmse, mae, mean_error.
  std::vector<std::pair<std::string, double>> values;
  std::vector<ClassMeasures> classes;
  Matrix<std::int64_t> confusion;  ///< true class, predicted class; of at most `max_classes`
  /// Probability and quantile of predicted - true, between order statistics linearly.
  std::vector<std::pair<double, double>> error_quantiles;

  double score() const { return values.front().second; }
};

/// Mean and standard deviation of one of the values over the folds that have it; NaN for none.
std::pair<double, double> spread(const std::vector<Measures>& folds, std::size_t value);

/// A table of more classes by classes is no use to a reader, and soon larger than the trees; areas
/// of more are not measured either.
inline constexpr std::int64_t max_classes = 100;

/// A sum without the roundings of its terms: two doubles, within 2^-100 of the terms' sizes.
class LongSum {
 public:
  void add(double x);
  void add_product(double x, double y);
  /// Adds factor x sum.
  void add_scaled(const LongSum& sum, double factor);
  double value() const;

 private:
  double high_ = 0, low_ = 0;
};

/// Measures of rows with a class and a share predicted of each class; rows come some at a time.
/// The predicted class is that of the largest share, the first of equal ones. Rows of unknown
/// classes are one class more, which is never predicted.
///   exact: counts, and the areas' numerators, are integers; sums are of twice a double's digits
///   determinism: the same bits for any threads and however rows are parted
///   memory: 24 bytes a class and different share; beyond `max_bytes` areas are NaN
///   source: as scikit-learn's metrics of the same names; log_loss takes shares as at least 2^-52,
///   brier of two classes is that of one of them
class ClassTally {
 public:
  ClassTally(std::int64_t classes, double max_bytes);

  /// codes: from 0, -1 for a class that is none of them. Errors: bad_input for other codes and for
  /// shares that are not from 0 to 1.
  void add(Context& context, const std::int32_t* codes, MatrixView<const double> shares);
  Measures measures(Context& context);
  /// Whether there were more different shares than memory for them.
  bool without_areas() const { return too_many_; }

 private:
  struct Group {
    std::uint64_t score = 0;  ///< bits of a share, in its order
    std::int64_t inside = 0, outside = 0;
  };
  /// The shares of one class: `fresh` with the class in the lowest bit, then in groups.
  struct Ranks {
    std::vector<std::uint64_t> fresh;
    std::vector<Group> groups;
    bool too_many = false;
    void merge();
    double roc_auc() const;
    double pr_auc() const;
    void draw_curves(ClassMeasures& own) const;
    std::vector<Bin> calibration() const;
  };

  void add_row(std::int32_t code, const double* shares);
  void add_ranks(Context& context, const std::int32_t* codes, MatrixView<const double> shares);

  std::int64_t rows_ = 0, unknown_ = 0, right_ = 0;
  double max_bytes_;
  bool too_many_ = false;
  std::vector<ClassMeasures> classes_;
  Matrix<std::int64_t> confusion_;
  std::vector<Ranks> ranks_;
  LongSum log_loss_, squares_;
};

/// The same of rows with numbers.
///   r2 = 1 - sum (predicted - true)^2 / sum (true - mean)^2; 1 or 0 if all true ones are equal,
///   NaN of fewer than two rows and where a double does not hold the squares
///   memory: 8 bytes a row; beyond `max_bytes` quantiles are left out
///   errors: bad_input for NaN
class NumberTally {
 public:
  explicit NumberTally(double max_bytes) : max_bytes_(max_bytes) {}

  void add(const double* values, MatrixView<const double> predicted);
  Measures measures();
  bool without_quantiles() const { return too_many_; }

 private:
  double max_bytes_;
  bool too_many_ = false;
  std::int64_t rows_ = 0;
  double first_ = 0;
  bool differ_ = false;  ///< not all true ones are equal
  std::vector<double> errors_;
  LongSum sum_, squares_, absolute_, distances_, spread_;
};

}  // namespace yupana::analysis
