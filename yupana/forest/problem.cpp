#include "yupana/forest/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/forest/median.hpp"

namespace yupana::forest {
namespace {

constexpr int weight_bits = 40;
constexpr int moment_bits = 61;

constexpr int too_large = std::numeric_limits<int>::min();

/// The largest exponent e with size * 2^e <= 2^bits; too_large for infinity.
int scale_exponent(double size, int bits) {
  if (size == 0) return 0;
  if (size == HUGE_VAL) return too_large;
  return std::clamp(bits - (std::ilogb(size) + 1), -1000, 1000);
}

Error bad_row(std::int64_t row, const std::string& what) {
  return input_error("row {}: {}", row + 1, what);
}

void check_target(std::int64_t rows, const Target& target) {
  if (target.is_class() && target.weights == nullptr) {
    // Without a branch a row, which compilers make vectors of; negative codes are large numbers.
    std::uint32_t most = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      most = std::max(most, static_cast<std::uint32_t>(target.codes[i]));
    }
    if (most < static_cast<std::uint32_t>(target.classes)) return;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    if (target.is_class()) {
      if (target.codes[i] < 0 || target.codes[i] >= target.classes) {
        throw bad_row(i, fmt::format("class {} is none of {}", target.codes[i], target.classes));
      }
    } else if (!std::isfinite(target.values[i])) {
      throw bad_row(i, "the label is missing or infinite; leave such rows out");
    }
    if (target.weights != nullptr && !(target.weights[i] >= 0 && target.weights[i] < HUGE_VAL)) {
      throw bad_row(i, fmt::format("expected a weight of 0 or more, got {}", target.weights[i]));
    }
  }
}

/// What a sum of sizes cannot pass. A tree that draws rows may draw the largest each time; draws:
/// 0: it sees each row once.
class Bound {
 public:
  void add(double size) {
    sum_ += size;
    most_ = std::max(most_, size);
  }
  double of(std::int64_t draws) const {
    return draws > 0 ? most_ * static_cast<double>(draws) : sum_;
  }

 private:
  double sum_ = 0;
  double most_ = 0;
};

void encode_weights(std::int64_t rows, const Target& target, std::int64_t draws, Problem& problem) {
  if (target.weights == nullptr) return;
  Bound bound;
  bool ones = true;
  for (std::int64_t i = 0; i < rows; ++i) {
    bound.add(target.weights[i]);
    ones = ones && target.weights[i] == 1;
  }
  if (!(bound.of(rows) > 0)) throw input_error("every weight is 0; some row must count");
  if (ones) return;
  if (!(bound.of(rows) < HUGE_VAL)) {
    throw input_error(
        "the weights add up to more than a double holds; divide them all by one number");
  }
  const int e = scale_exponent(bound.of(draws), weight_bits);
  problem.weight_unit = std::ldexp(1.0, -e);
  problem.weights = Array<std::int64_t>(rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t units = std::llround(std::ldexp(target.weights[i], e));
    // A weight that is not 0 keeps its row.
    problem.weights[i] = target.weights[i] > 0 ? std::max<std::int64_t>(1, units) : 0;
  }
}

void encode_values(std::int64_t rows, const Target& target, std::int64_t draws, Problem& problem) {
  const double* y = target.values;
  const bool squared = problem.criterion == Criterion::variance;
  const auto weight = [&](std::int64_t i) {
    return problem.weights.empty() ? 1.0
                                   : static_cast<double>(problem.weights[i]) * problem.weight_unit;
  };
  const auto [least, most] = std::minmax_element(y, y + rows);
  bool too_small = false;
  const auto exponents = [&](double center) {
    Bound sum, squares;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double d = y[i] - center;
      sum.add(weight(i) * std::fabs(d));
      squares.add(weight(i) * (squared ? d * d : problem.deviance(y[i])));
    }
    // Of smaller ones the exponent below would lose digits, up to all of them.
    too_small = squared && sum.of(draws) > 0 && squares.of(draws) < 0x1p-940;
    return std::pair(scale_exponent(sum.of(draws), moment_bits),
                     scale_exponent(squares.of(draws), moment_bits));
  };
  auto [moment, square] = exponents(0);
  bool whole = problem.weights.empty() && moment != too_large && square != too_large;
  for (std::int64_t i = 0; i < rows && whole; ++i) {
    const double scaled = std::ldexp(y[i], moment);
    whole = scaled == std::trunc(scaled);
  }
  if (!whole && squared) {
    problem.center = *least / 2 + *most / 2;
    std::tie(moment, square) = exponents(problem.center);
  }
  if (moment == too_large || square == too_large) {
    throw input_error(
        "the squares of the labels add up to more than a double holds; divide the labels by one "
        "number");
  }
  if (too_small) {
    throw input_error(
        "the squares of the labels' differences are less than a double holds; multiply the labels, "
        "or their weights, by one number");
  }
  problem.moment_unit = std::ldexp(1.0, -moment);
  problem.square_unit = std::ldexp(1.0, -square);
  problem.moments = Array<std::int64_t>(rows);
  problem.squares = Array<std::int64_t>(rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double d = y[i] - problem.center;
    problem.moments[i] = std::llround(std::ldexp(weight(i) * d, moment));
    const double own = squared ? d * d : problem.deviance(y[i]);
    problem.squares[i] = std::llround(std::ldexp(weight(i) * own, square));
  }
}

/// The mean of numbers, whose deviance from it is to be summed.
double mean_of_counts(std::int64_t rows, const Target& target) {
  double sum = 0, weight = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (target.values[i] < 0) {
      throw bad_row(
          i, fmt::format("expected 0 or more for Poisson's deviance, got {}", target.values[i]));
    }
    const double own = target.weights == nullptr ? 1 : target.weights[i];
    sum += own * target.values[i];
    weight += own;
  }
  if (sum > 0 && sum < HUGE_VAL) return sum / weight;
  throw input_error("the labels add up to {}; Poisson's deviance needs more than 0, and a double",
                    sum);
}

void encode_numbers(std::int64_t rows, const Target& target, std::int64_t draws, Problem& problem) {
  if (problem.criterion == Criterion::absolute_error) return sort_labels(problem);
  if (problem.criterion == Criterion::poisson) problem.reference = mean_of_counts(rows, target);
  encode_values(rows, target, draws, problem);
}

void tabulate_logs(std::int64_t total, Problem& problem) {
  // The largest is total log2 total; four sums of them are added.
  const int bits = std::ilogb(static_cast<double>(total) * 64) + 4;
  problem.count_log_bits = std::max(0, 61 - bits);
  // Weights are mostly larger than any table.
  const bool counts = problem.weights.empty();
  const std::int64_t size = counts ? std::min(total + 1, std::int64_t{1} << 22) : 0;
  Array<std::int64_t> logs(size);
  for (std::int64_t n = 0; n < size; ++n) logs[n] = problem.count_log_of(n);
  problem.count_logs = std::move(logs);
}

/// Weight of each class, or the mean or median.
void put_value(const Problem& problem, const Totals& totals, double* value) {
  if (problem.classes > 0) {
    for (const std::int64_t count : totals.classes) {
      *value++ = static_cast<double>(count) * problem.weight_unit;
    }
    return;
  }
  if (totals.labels != nullptr) {
    *value = totals.labels->median();
    return;
  }
  const double weight = static_cast<double>(totals.weight) * problem.weight_unit;
  *value = totals.least == totals.most
               ? totals.least
               : problem.center + static_cast<double>(totals.moment) * problem.moment_unit / weight;
}

}  // namespace

std::int64_t Problem::count_log_of(std::int64_t n) const {
  return forest::count_log(n, count_log_bits, log_table);
}

double Problem::deviance(double y) const {
  return (y > 0 ? y * std::log(y / reference) : 0) - (y - reference);
}

Problem make_problem(std::int64_t rows,
                     const Target& target,
                     Criterion criterion,
                     std::int64_t draws) {
  if (rows == 0) throw input_error("the table has no rows");
  if (rows >= std::numeric_limits<std::uint32_t>::max()) {
    throw input_error("{} rows; a tree takes fewer than 2^32, train on a part", rows);
  }
  check_target(rows, target);
  Problem problem;
  problem.rows = rows;
  const bool of_classes = criterion == Criterion::gini || criterion == Criterion::entropy;
  if (target.is_class() && !of_classes) {
    throw usage_error("criterion: expected gini or entropy, of classes; got one of numbers");
  }
  problem.criterion = target.is_class() || !of_classes ? criterion : Criterion::variance;
  problem.classes = target.is_class() ? target.classes : 0;
  problem.codes = target.codes;
  problem.values = target.values;
  encode_weights(rows, target, draws, problem);
  if (!target.is_class()) encode_numbers(rows, target, draws, problem);
  if (problem.criterion == Criterion::entropy) {
    tabulate_logs(problem.weights.empty() ? std::max(rows, draws) : std::int64_t{1} << 41, problem);
  }
  return problem;
}

bool Totals::is_pure() const {
  if (classes.empty()) return least == most;
  return std::count_if(classes.begin(), classes.end(), [](std::int64_t c) { return c > 0; }) < 2;
}

Totals totals_of(const Problem& problem, const std::uint32_t* rows, std::int64_t count) {
  Totals totals;
  totals.rows = count;
  totals.classes.resize(problem.classes);
  std::int64_t* const counts = totals.classes.begin();
  if (problem.classes > 0) {
    for (std::int64_t i = 0; i < count; ++i) {
      counts[problem.codes[rows[i]]] += problem.weight(rows[i]);
    }
    for (const std::int64_t weight : totals.classes) totals.weight += weight;
    return totals;
  }
  if (problem.criterion == Criterion::absolute_error) {
    totals.labels = std::make_shared<const SortedLabels>(problem, rows, count);
    totals.weight = totals.labels->weight();
    totals.least = totals.labels->least();
    totals.most = totals.labels->most();
    return totals;
  }
  totals.least = HUGE_VAL;
  totals.most = -HUGE_VAL;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t row = rows[i];
    totals.weight += problem.weight(row);
    totals.moment += problem.moments[row];
    totals.square += problem.squares[row];
    totals.least = std::min(totals.least, problem.values[row]);
    totals.most = std::max(totals.most, problem.values[row]);
  }
  return totals;
}

double impurity(const Problem& problem, const Totals& totals) {
  const double weight = static_cast<double>(totals.weight);
  if (problem.classes == 0) {
    if (totals.is_pure()) return 0;
    const double scale = weight * problem.weight_unit;
    if (totals.labels != nullptr) {
      return static_cast<double>(totals.labels->error()) * problem.label_unit *
             problem.weight_unit / scale;
    }
    const double mean = static_cast<double>(totals.moment) * problem.moment_unit / scale;
    const double square = static_cast<double>(totals.square) * problem.square_unit / scale;
    const bool squared = problem.criterion == Criterion::variance;
    return std::max(0.0, square - (squared ? mean * mean : problem.deviance(mean)));
  }
  double sum = 0;
  for (const std::int64_t count : totals.classes) {
    const double share = static_cast<double>(count) / weight;
    if (problem.criterion == Criterion::gini) {
      sum += share * share;
    } else if (count > 0) {
      sum -= share * std::log2(share);
    }
  }
  return problem.criterion == Criterion::gini ? 1 - sum : sum;
}

std::int32_t add_leaf(
    const Problem& problem, const Totals& totals, std::int32_t parent, bool is_right, Tree& tree) {
  const auto index = static_cast<std::int32_t>(tree.nodes.size());
  tree.set_child(parent, is_right, index);
  Node& node = tree.nodes.emplace_back();
  node.rows = totals.rows;
  node.weight = static_cast<double>(totals.weight) * problem.weight_unit;
  node.impurity = impurity(problem, totals);
  tree.values.resize(tree.values.size() + tree.outputs);
  put_value(problem, totals, tree.values.data() + std::int64_t{index} * tree.outputs);
  return index;
}

LeafLimits leaf_limits(const Problem& problem, const TreeParams& params, std::int64_t all_weight) {
  const double least = params.min_weight_fraction_leaf * static_cast<double>(all_weight);
  const auto weight = static_cast<std::int64_t>(std::ceil(least));
  if (!problem.weights.empty()) return {params.min_samples_leaf, weight};
  return {std::max(params.min_samples_leaf, weight), 0};
}

bool gains_enough(const Problem& problem,
                  const TreeParams& params,
                  const Totals& node,
                  const Totals& left,
                  const Totals& right,
                  std::int64_t all_weight) {
  if (params.min_gain <= 0 && params.min_impurity_decrease <= 0) return true;
  const double weight = static_cast<double>(node.weight);
  const double gain = impurity(problem, node) -
                      static_cast<double>(left.weight) / weight * impurity(problem, left) -
                      static_cast<double>(right.weight) / weight * impurity(problem, right);
  // As scikit-learn has it: what rounding takes away is given back.
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return gain + rounding >= params.min_gain &&
         gain * weight / static_cast<double>(all_weight) + rounding >= params.min_impurity_decrease;
}

bool is_leaf(const TreeParams& params, const Totals& totals, std::int64_t depth) {
  return (params.max_depth >= 0 && depth >= params.max_depth) ||
         totals.rows < params.min_samples_split || totals.rows < 2 * params.min_samples_leaf ||
         totals.is_pure();
}

}  // namespace yupana::forest
