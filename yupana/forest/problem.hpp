#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/exact.hpp"
#include "yupana/forest/tree.hpp"

/// Private to the family.
namespace yupana::forest {

/// A number for each class. Of a few classes it allocates nothing: a level of a forest makes sums
/// of tens of thousands of nodes, and freeing what other threads allocated takes longer than
/// all else that the host does with them.
class ClassCounts {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t* begin() { return size_ > small_size ? large_.data() : small_; }
  std::int64_t* end() { return begin() + size_; }
  const std::int64_t* begin() const { return size_ > small_size ? large_.data() : small_; }
  const std::int64_t* end() const { return begin() + size_; }
  std::int64_t& operator[](std::size_t i) { return begin()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return begin()[i]; }

  /// All become 0.
  void resize(std::size_t size) {
    if (size > small_size) large_.assign(size, 0);
    std::fill(small_, small_ + small_size, 0);
    size_ = size;
  }

 private:
  static constexpr std::size_t small_size = 4;
  std::size_t size_ = 0;
  std::int64_t small_[small_size] = {};
  std::vector<std::int64_t> large_;  ///< empty for a few
};

class SortedLabels;

/// Labels and weights as integers, so that sums are exact in any order.
struct Problem {
  std::int64_t rows = 0;
  Criterion criterion = Criterion::gini;
  std::int32_t classes = 0;             ///< 0: numbers
  const std::int32_t* codes = nullptr;  ///< of classes
  const double* values = nullptr;       ///< of numbers
  Array<std::int64_t> weights;          ///< of rows; empty: each 1
  Array<std::int64_t> moments;          ///< of numbers: w (y - center)
  Array<std::int64_t> squares;          ///< of numbers: w (y - center)^2, or w deviance(y)
  double weight_unit = 1;               ///< what an integer of each kind means
  double moment_unit = 1;
  double square_unit = 1;
  double center = 0;
  double reference = 1;              ///< of deviance(): the mean of all
  Array<std::uint32_t> label_ranks;  ///< for medians: of each row, the number of its label
  std::vector<double> labels;        ///< and the different labels, ascending,
  std::vector<std::int64_t> units;   ///< each as an integer
  double label_unit = 1;
  Array<std::int64_t> count_logs;  ///< n log2 n, for entropy, of small n
  int count_log_bits = 0;          ///< n log2 n is in units of 2^-this

  std::int64_t weight(std::int64_t row) const { return weights.empty() ? 1 : weights[row]; }
  std::int32_t outputs() const { return classes > 0 ? classes : 1; }
  /// n log2 n, rounded to an integer.
  std::int64_t count_log(std::int64_t n) const {
    return n < count_logs.size() ? count_logs[n] : count_log_of(n);
  }
  std::int64_t count_log_of(std::int64_t n) const;
  /// Half of Poisson's deviance of y from `reference`. Those of y add up to what they have from
  /// their mean and that of the mean, as squares do.
  double deviance(double y) const;
};

/// M log2(M / N), of sums M of numbers and N of weights: what a side adds to a gain by Poisson's
/// deviance, in units of 2^-57. M > 0.
inline __int128 deviance_gain(std::int64_t moment, std::int64_t weight) {
  return static_cast<__int128>(moment) * (fixed_log2(moment) - fixed_log2(weight));
}

/// Checks target and weights. draws: rows that a tree sees, some of them several times; 0: each
/// row once.
Problem make_problem(std::int64_t rows,
                     const Target& target,
                     Criterion criterion,
                     std::int64_t draws = 0);

/// Integer sums over the rows of a node.
struct Totals {
  std::int64_t rows = 0;
  std::int64_t weight = 0;
  ClassCounts classes;  ///< weight of each class
  std::int64_t moment = 0;
  std::int64_t square = 0;
  double least = 0;  ///< of the numbers
  double most = 0;
  std::shared_ptr<const SortedLabels> labels;  ///< where medians are asked for

  bool is_pure() const;
};

Totals totals_of(const Problem& problem, const std::uint32_t* rows, std::int64_t count);
double impurity(const Problem& problem, const Totals& totals);
/// Appends a leaf to the tree, the child of `parent` (-1: the root). Returns its index.
std::int32_t add_leaf(
    const Problem& problem, const Totals& totals, std::int32_t parent, bool is_right, Tree& tree);

/// What each child needs at least, as integers.
struct LeafLimits {
  std::int64_t rows = 1;
  std::int64_t weight = 0;  ///< 0 where rows weigh alike: `rows` says it then
};
/// all_weight: of the tree.
LeafLimits leaf_limits(const Problem& problem, const TreeParams& params, std::int64_t all_weight);

/// I - (W_l I_l + W_r I_r) / W suffices, by min_gain and min_impurity_decrease.
bool gains_enough(const Problem& problem,
                  const TreeParams& params,
                  const Totals& node,
                  const Totals& left,
                  const Totals& right,
                  std::int64_t all_weight);
/// No split is looked for.
bool is_leaf(const TreeParams& params, const Totals& totals, std::int64_t depth);

/// The threshold between two values of a feature, a < b.
template <class T>
T midpoint(T a, T b) {
  const T middle = a / 2 + b / 2;
  return middle < b && middle > a ? middle : a;
}

/// What names a node in the draws of features: its path from the root.
inline std::uint64_t root_key(std::uint64_t seed) { return Random(seed, 0x7265657).key(); }
inline std::uint64_t child_key(std::uint64_t key, bool right) {
  return Random::mix(key * 2 + (right ? 0x9e3779b97f4a7c15ull : 1));
}

/// The features of a node in the order they are drawn, one after the other.
class FeatureSampler {
 public:
  FeatureSampler(std::uint64_t key, std::int64_t features) : random_(key), order_(features) {
    std::iota(order_.begin(), order_.end(), 0);
  }
  bool empty() const { return sampled_ == order_.size(); }
  std::int32_t next() {
    const std::uint64_t left = order_.size() - sampled_;
    const std::size_t at = sampled_ + static_cast<std::size_t>(random_.word() % left);
    std::swap(order_[sampled_], order_[at]);
    return order_[sampled_++];
  }

 private:
  RandomSequence random_;
  std::vector<std::int32_t> order_;
  std::size_t sampled_ = 0;
};

}  // namespace yupana::forest
