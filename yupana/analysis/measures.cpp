#include "yupana/analysis/measures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

using Wide = __int128;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double share_of(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

/// (right n - sum true predicted) / sqrt((n^2 - sum true^2) (n^2 - sum predicted^2)): correlation
/// of true and predicted classes (Gorodkin 2004); 0 where either has no spread.
double correlation(const std::vector<ClassMeasures>& classes,
                   std::int64_t rows,
                   std::int64_t unknown,
                   std::int64_t right) {
  Wide both = Wide{right} * rows, of_true = Wide{rows} * rows, of_predicted = of_true;
  of_true -= Wide{unknown} * unknown;
  for (const ClassMeasures& own : classes) {
    both -= Wide{own.rows} * own.predicted;
    of_true -= Wide{own.rows} * own.rows;
    of_predicted -= Wide{own.predicted} * own.predicted;
  }
  if (of_true == 0 || of_predicted == 0) return 0;
  // In long double, whose error is lost when it is rounded: 1 is 1, and nothing is beyond.
  using Long = long double;
  return static_cast<double>(
      static_cast<Long>(both) /
      (std::sqrt(static_cast<Long>(of_true)) * std::sqrt(static_cast<Long>(of_predicted))));
}

/// Mean over the classes that have the measure.
template <class Measure>
double mean_of(const std::vector<ClassMeasures>& classes, const Measure& measure) {
  LongSum sum;
  std::int64_t count = 0;
  for (const ClassMeasures& own : classes) {
    const double value = measure(own);
    if (value != value) continue;
    sum.add(value);
    ++count;
  }
  return count > 0 ? sum.value() / static_cast<double>(count) : none;
}

}  // namespace

void LongSum::add(double x) {
  const double sum = high_ + x, rounded = sum - high_;
  low_ += (high_ - (sum - rounded)) + (x - rounded);
  high_ = sum;
}

void LongSum::add_product(double x, double y) {
  const double product = x * y;
  add(product);
  low_ += std::fma(x, y, -product);
}

void LongSum::add_scaled(const LongSum& sum, double factor) {
  add_product(sum.high_, factor);
  add_product(sum.low_, factor);
}

double LongSum::value() const { return std::isfinite(high_) ? high_ + low_ : high_; }

double ClassMeasures::precision() const { return share_of(right, predicted); }
double ClassMeasures::recall() const { return share_of(right, rows); }
double ClassMeasures::f1() const { return share_of(2 * right, rows + predicted); }

std::pair<double, double> spread(const std::vector<Measures>& folds, std::size_t value) {
  std::vector<double> known;
  for (const Measures& fold : folds) {
    if (fold.values[value].second == fold.values[value].second) {
      known.push_back(fold.values[value].second);
    }
  }
  const double n = static_cast<double>(known.size());
  LongSum sum, squares;
  for (const double own : known) sum.add(own);
  const double mean = sum.value() / n;
  for (const double own : known) squares.add_product(own - mean, own - mean);
  return {mean, std::sqrt(squares.value() / n)};
}

void ClassTally::Ranks::merge() {
  std::sort(fresh.begin(), fresh.end());
  std::vector<Group> merged;
  auto old = groups.begin();
  for (auto key = fresh.begin(); key != fresh.end();) {
    Group own{*key >> 1};
    for (; key != fresh.end() && *key >> 1 == own.score; ++key) {
      ++((*key & 1) != 0 ? own.inside : own.outside);
    }
    for (; old != groups.end() && old->score < own.score; ++old) merged.push_back(*old);
    if (old != groups.end() && old->score == own.score) {
      own.inside += old->inside;
      own.outside += old->outside;
      ++old;
    }
    merged.push_back(own);
  }
  merged.insert(merged.end(), old, groups.end());
  groups = std::move(merged);
  fresh.clear();
}

double ClassTally::Ranks::roc_auc() const {
  // Twice the pairs of a row inside and one outside that are in order, and equal pairs once.
  Wide pairs = 0;
  std::int64_t inside = 0, outside = 0;
  for (const Group& group : groups) {
    pairs += Wide{group.inside} * (2 * outside + group.outside);
    inside += group.inside;
    outside += group.outside;
  }
  if (inside == 0 || outside == 0) return none;
  return static_cast<double>(pairs) / static_cast<double>(Wide{2} * inside * outside);
}

double ClassTally::Ranks::pr_auc() const {
  LongSum sum;
  std::int64_t inside = 0, outside = 0;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    inside += group->inside;
    outside += group->outside;
    sum.add(static_cast<double>(group->inside) * share_of(inside, inside + outside));
  }
  return inside > 0 ? sum.value() / static_cast<double>(inside) : none;
}

void ClassTally::Ranks::draw_curves(ClassMeasures& own) const {
  std::int64_t all_inside = 0, all_outside = 0, inside = 0, outside = 0;
  for (const Group& group : groups) {
    all_inside += group.inside;
    all_outside += group.outside;
  }
  if (all_inside == 0 || all_outside == 0) return;
  const auto draw = [&](auto& points, double x, double y) {
    const bool is_last = inside == all_inside && outside == all_outside;
    if (!points.empty() && !is_last &&
        std::abs(x - points.back().first) + std::abs(y - points.back().second) < 1.0 / 200) {
      return;
    }
    points.emplace_back(x, y);
  };
  own.roc.emplace_back(0, 0);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    inside += group->inside;
    outside += group->outside;
    const double recall = share_of(inside, all_inside);
    draw(own.roc, share_of(outside, all_outside), recall);
    const double precision = share_of(inside, inside + outside);
    if (own.precision_recall.empty()) own.precision_recall.emplace_back(0, precision);
    draw(own.precision_recall, recall, precision);
  }
}

std::vector<Bin> ClassTally::Ranks::calibration() const {
  std::vector<Bin> bins;
  auto group = groups.begin();
  for (int k = 1; k <= 10; ++k) {
    LongSum shares;
    std::int64_t inside = 0, rows = 0;
    for (; group != groups.end(); ++group) {
      const double share = std::bit_cast<double>(group->score);
      // 0.1 k as NumPy's linspace rounds it.
      if (k < 10 && share > 0.1 * k) break;
      inside += group->inside;
      rows += group->inside + group->outside;
      shares.add_product(share, static_cast<double>(group->inside + group->outside));
    }
    if (rows == 0) continue;
    bins.push_back({shares.value() / static_cast<double>(rows), share_of(inside, rows), rows});
  }
  return bins;
}

ClassTally::ClassTally(std::int64_t classes, double max_bytes)
    : max_bytes_(max_bytes), classes_(static_cast<std::size_t>(classes)) {
  if (classes > max_classes) return;
  confusion_ = Matrix<std::int64_t>(classes, classes);
  std::fill_n(confusion_.data(), classes * classes, 0);
  ranks_.resize(classes_.size());
}

void ClassTally::add_row(std::int32_t code, const double* shares) {
  const auto classes = std::ssize(classes_);
  if (code < -1 || code >= classes) {
    throw input_error("row {}: expected a class from 0 to {}, or -1 for an unknown one, got {}",
                      rows_ + 1,
                      classes - 1,
                      code);
  }
  double squares = code < 0 ? 1 : 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    if (!(shares[c] >= 0 && shares[c] <= 1)) {
      throw input_error(
          "row {}, class {}: expected a share from 0 to 1, got {}", rows_ + 1, c, shares[c]);
    }
    const double error = shares[c] - (c == code ? 1 : 0);
    squares += error * error;
  }
  squares_.add(squares);
  constexpr double least = std::numeric_limits<double>::epsilon();
  log_loss_.add(-std::log(std::clamp(code < 0 ? 0 : shares[code], least, 1 - least)));
  const auto best = std::max_element(shares, shares + classes) - shares;
  ++rows_;
  ++classes_[static_cast<std::size_t>(best)].predicted;
  if (code < 0) {
    ++unknown_;
    return;
  }
  ClassMeasures& own = classes_[static_cast<std::size_t>(code)];
  ++own.rows;
  own.right += best == code;
  right_ += best == code;
  if (confusion_.rows() > 0) ++confusion_(code, best);
}

void ClassTally::add_ranks(Context& context,
                           const std::int32_t* codes,
                           MatrixView<const double> shares) {
  const double own_bytes = max_bytes_ / static_cast<double>(ranks_.size());
  const auto least = static_cast<std::size_t>(std::clamp(own_bytes / 32, 64.0, 65536.0));
  const auto max_groups = static_cast<std::size_t>(own_bytes / (sizeof(Group) + 16));
  context.parallel_for(std::ssize(ranks_), 1, [&](std::int64_t c) {
    Ranks& ranks = ranks_[static_cast<std::size_t>(c)];
    for (std::int64_t i = 0; i < shares.rows && !ranks.too_many; ++i) {
      // The bits of numbers from 0 on are in their order; those of 1 leave the highest free.
      const auto bits = std::bit_cast<std::uint64_t>(std::abs(shares(i, c)));
      ranks.fresh.push_back(bits << 1 | static_cast<std::uint64_t>(codes[i] == c));
      if (ranks.fresh.size() < std::max(least, 2 * ranks.groups.size())) continue;
      ranks.merge();
      ranks.too_many = ranks.groups.size() > max_groups;
    }
  });
  too_many_ =
      std::any_of(ranks_.begin(), ranks_.end(), [](const Ranks& ranks) { return ranks.too_many; });
  if (too_many_) ranks_ = {};
}

void ClassTally::add(Context& context, const std::int32_t* codes, MatrixView<const double> shares) {
  for (std::int64_t i = 0; i < shares.rows; ++i) add_row(codes[i], shares.row(i));
  if (!ranks_.empty()) add_ranks(context, codes, shares);
}

Measures ClassTally::measures(Context& context) {
  for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c].roc_auc = classes_[c].pr_auc = none;
  context.parallel_for(std::ssize(ranks_), 1, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin) {
      const auto c = static_cast<std::size_t>(begin);
      ranks_[c].merge();
      classes_[c].roc_auc = ranks_[c].roc_auc();
      classes_[c].pr_auc = ranks_[c].pr_auc();
      ranks_[c].draw_curves(classes_[c]);
      classes_[c].calibration = ranks_[c].calibration();
    }
  });
  // The unknown classes' own recall and F1 are 0.
  std::vector<ClassMeasures> all = classes_;
  if (unknown_ > 0) all.push_back({unknown_, 0, 0, none, none, {}, {}, {}});
  const auto with_rows = [&](double value, std::int64_t rows) { return rows > 0 ? value : none; };
  const double n = static_cast<double>(rows_);
  Measures result;
  result.rows = rows_;
  result.unknown = unknown_;
  result.values = {
      {"accuracy", share_of(right_, rows_)},
      {"balanced_accuracy",
       mean_of(all, [&](const ClassMeasures& c) { return with_rows(c.recall(), c.rows); })},
      {"mcc", correlation(classes_, rows_, unknown_, right_)},
      {"macro_f1",
       mean_of(all,
               [&](const ClassMeasures& c) { return with_rows(c.f1(), c.rows + c.predicted); })},
      {"log_loss", log_loss_.value() / n},
      {"brier", squares_.value() / (classes_.size() == 2 ? 2 * n : n)},
      {"roc_auc", mean_of(all, [](const ClassMeasures& c) { return c.roc_auc; })},
      {"pr_auc", mean_of(all, [](const ClassMeasures& c) { return c.pr_auc; })}};
  result.classes = classes_;
  result.confusion = Matrix<std::int64_t>(confusion_.rows(), confusion_.cols());
  std::copy_n(confusion_.data(), confusion_.rows() * confusion_.cols(), result.confusion.data());
  return result;
}

void NumberTally::add(const double* values, MatrixView<const double> predicted) {
  if (rows_ == 0 && predicted.rows > 0) first_ = values[0];
  rows_ += predicted.rows;
  too_many_ = 8 * static_cast<double>(rows_) > max_bytes_;
  if (too_many_) errors_ = {};
  for (std::int64_t i = 0; i < predicted.rows; ++i) {
    const double error = predicted(i, 0) - values[i];
    if (error != error) {
      throw input_error("row {}: expected numbers, got {} predicted for {}",
                        rows_ - predicted.rows + i + 1,
                        predicted(i, 0),
                        values[i]);
    }
    sum_.add(error);
    squares_.add_product(error, error);
    absolute_.add(std::abs(error));
    // Distances from the first: squares of large numbers would cancel each other.
    const double distance = values[i] - first_;
    differ_ = differ_ || distance != 0;
    distances_.add(distance);
    spread_.add_product(distance, distance);
    if (!too_many_) errors_.push_back(error);
  }
}

Measures NumberTally::measures() {
  Measures result;
  result.rows = rows_;
  const double n = static_cast<double>(rows_);
  const double mean = distances_.value() / n;
  // sum (d - mean)^2, whatever the mean was rounded to.
  LongSum spread = spread_, mean_square;
  mean_square.add_product(mean, mean);
  spread.add_scaled(distances_, -2 * mean);
  spread.add_scaled(mean_square, n);
  const double errors = squares_.value();
  // Squares of smaller doubles lose their digits.
  const bool held = spread.value() >= 0x1p-900 && spread.value() < HUGE_VAL;
  const double r2 = differ_ ? 1 - errors / spread.value() : (errors == 0 ? 1.0 : 0.0);
  const bool errors_held = absolute_.value() == 0 || (errors >= 0x1p-900 && errors < HUGE_VAL);
  result.values = {{"r2", rows_ > 1 && (held || !differ_) ? r2 : none},
                   {"rmse", errors_held ? std::sqrt(errors / n) : none},
                   {"mae", absolute_.value() / n},
                   {"mean_error", sum_.value() / n}};
  std::sort(errors_.begin(), errors_.end());
  for (const double p : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0}) {
    if (errors_.empty()) break;
    const double at = p * static_cast<double>(errors_.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, errors_.size() - 1);
    const double quantile =
        std::lerp(errors_[below], errors_[above], at - static_cast<double>(below));
    result.error_quantiles.emplace_back(p, quantile);
  }
  return result;
}

}  // namespace yupana::analysis
