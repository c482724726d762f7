#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/forest/exact.hpp"
#include "yupana/forest/growth_rules.hpp"
#include "yupana/forest/median.hpp"
#include "yupana/forest/problem.hpp"

namespace yupana::forest {

/// One node's range of one feature's list, missing values last.
struct NodeRange {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* rows = nullptr;  ///< null if only classes count, which are in the keys
  int class_bits = 0;
  std::int64_t known = 0;  ///< entries with a value
  std::int64_t all = 0;
  LeafLimits least = {};  ///< of each side
  SplitRule rule = {};    ///< dense features alone have one
  // A feature that is 0 in most rows: its entries are of its other values, [first, last), those
  // below 0 before `positive`; of missing values from `known` on, or else at missing_at.
  bool is_sparse = false;
  std::int64_t first = 0, positive = 0, last = 0;
  std::int64_t missing_at = 0;
  const Totals* missing = nullptr;  ///< sums of rows that miss the value, where they are at hand
  /// Sums of a sparse feature's entries, all of one value, where they are at hand: no entry is
  /// read.
  const Totals* together = nullptr;

  bool changes_after(std::int64_t i) const {
    return keys[i] >> class_bits != keys[i + 1] >> class_bits;
  }
  std::int64_t zeros() const { return known - (last - first); }
  /// The entry of a sparse feature's known value number `place`, in order; -1: the value is 0.
  std::int64_t entry_at(std::int64_t place) const {
    const std::int64_t entry = first + place;
    if (entry < positive) return entry;
    return entry - zeros() >= positive ? entry - zeros() : -1;
  }
  /// The node has two values, missing counted as one.
  bool varies() const {
    if (known == 0 || known < all) return known > 0;
    const std::int64_t from = is_sparse ? first : 0, to = is_sparse ? last : all;
    if (is_sparse && (from == to || zeros() > 0)) return from < to;
    if (together != nullptr) return false;
    return keys[from] >> class_bits != keys[to - 1] >> class_bits;
  }
};

// Sums of both sides of a split as entries move from right to left, one type a criterion:
//   move(i): entry i goes left, move(part): rows of those sums do; lighter(): weight of the lighter
//   side; values(): what both sides would predict; approximate(): a double that grows with the
//   gain, within 2^-44 of the truth; exact(): the same without rounding, compared by compare().

/// Two classes, weights 1. With L1 of N_L rows to the left in class 1, of T1 of N in all, the gain
/// is 2 / N^2 times d^2 / (N_L N_R), d = L1 N - N_L T1: no cancellation but in d, which is exact.
class TwoClassSides {
 public:
  TwoClassSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : problem_(problem), range_(range), n_(totals.weight), t1_(totals.classes[1]) {}
  void move(std::int64_t i) {
    l1_ += class_of(i);
    ++nl_;
  }
  void move(const Totals& part) { move(part.rows, part.classes[1]); }
  void move(std::int64_t rows, std::int64_t ones) {
    l1_ += ones;
    nl_ += rows;
  }
  std::int64_t lighter() const { return std::min(nl_, n_ - nl_); }
  std::pair<double, double> values() const {
    return {share_of(l1_, nl_), share_of(t1_ - l1_, n_ - nl_)};
  }
  double approximate() const {
    const double d = static_cast<double>(l1_ * n_ - nl_ * t1_);
    return d * d / (static_cast<double>(nl_) * static_cast<double>(n_ - nl_));
  }
  Fraction exact() const {
    const std::int64_t l0 = nl_ - l1_, r1 = t1_ - l1_, r0 = n_ - nl_ - r1;
    return {square(l0) + square(l1_),
            static_cast<std::uint64_t>(nl_),
            square(r0) + square(r1),
            static_cast<std::uint64_t>(n_ - nl_)};
  }

 private:
  std::int64_t class_of(std::int64_t i) const {
    return range_.class_bits > 0 ? range_.keys[i] & 1 : problem_.codes[range_.rows[i]];
  }
  const Problem& problem_;
  const NodeRange& range_;
  std::int64_t n_;
  std::int64_t t1_;
  std::int64_t l1_ = 0;
  std::int64_t nl_ = 0;
};

/// What classes of weights have in common. A child class of Derived sees each change of a class.
template <class Derived>
class ClassSides {
 public:
  ClassSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : problem_(problem),
        range_(range),
        left_(totals.classes.size(), 0),
        right_(totals.classes.begin(), totals.classes.end()),
        mask_((std::uint32_t{1} << range.class_bits) - 1),
        nr_(totals.weight) {}
  void move(std::int64_t i) {
    const std::uint32_t row = range_.rows != nullptr ? range_.rows[i] : 0;
    const std::size_t c = range_.class_bits > 0 ? range_.keys[i] & mask_
                                                : static_cast<std::size_t>(problem_.codes[row]);
    move(c, problem_.weight(row));
  }
  void move(const Totals& part) {
    for (std::size_t c = 0; c < part.classes.size(); ++c) move(c, part.classes[c]);
  }
  std::int64_t lighter() const { return std::min(nl_, nr_); }
  /// Of two classes.
  std::pair<double, double> values() const {
    return {share_of(left_[1], nl_), share_of(right_[1], nr_)};
  }

 private:
  void move(std::size_t c, std::int64_t w) {
    static_cast<Derived*>(this)->change(left_[c], right_[c], w);
    left_[c] += w;
    right_[c] -= w;
    nl_ += w;
    nr_ -= w;
  }

 protected:
  const Problem& problem_;
  const NodeRange& range_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> right_;
  std::uint32_t mask_;
  std::int64_t nl_ = 0;
  std::int64_t nr_;
};

/// sum L_c^2 / N_L + sum R_c^2 / N_R. Square: an integer that holds the squares.
template <class Square>
class GiniSides : public ClassSides<GiniSides<Square>> {
 public:
  GiniSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : ClassSides<GiniSides>(problem, totals, range) {
    for (const std::int64_t count : totals.classes) b_ += static_cast<Square>(square(count));
  }
  void change(std::int64_t left, std::int64_t right, std::int64_t w) {
    a_ += static_cast<Square>(static_cast<Square>(w) * static_cast<Square>(2 * left + w));
    b_ -= static_cast<Square>(static_cast<Square>(w) * static_cast<Square>(2 * right - w));
  }
  double approximate() const {
    return number(a_) / static_cast<double>(this->nl_) +
           number(b_) / static_cast<double>(this->nr_);
  }
  Fraction exact() const {
    return {a_, static_cast<std::uint64_t>(this->nl_), b_, static_cast<std::uint64_t>(this->nr_)};
  }

 private:
  static double number(Square x) {
    if constexpr (sizeof(Square) > 8) return as_double(x);
    return static_cast<double>(x);
  }
  Square a_ = 0;
  Square b_ = 0;
};

/// Minus N times the weighted entropy: sum L_c log2 L_c - N_L log2 N_L and the same of the right.
class EntropySides : public ClassSides<EntropySides> {
 public:
  EntropySides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : ClassSides(problem, totals, range) {
    for (const std::int64_t count : totals.classes) sum_ += problem.count_log(count);
  }
  void change(std::int64_t left, std::int64_t right, std::int64_t w) {
    sum_ += problem_.count_log(left + w) - problem_.count_log(left);
    sum_ += problem_.count_log(right - w) - problem_.count_log(right);
  }
  std::int64_t exact() const { return sum_ - problem_.count_log(nl_) - problem_.count_log(nr_); }
  double approximate() const { return static_cast<double>(exact()); }

 private:
  std::int64_t sum_ = 0;
};

/// Sums of labels less `shift`.
class NumberSides {
 public:
  NumberSides(const Problem& problem,
              const Totals& totals,
              const NodeRange& range,
              std::int64_t shift)
      : problem_(problem),
        range_(range),
        shift_(shift),
        nr_(totals.weight),
        right_(totals.moment - shift * totals.weight) {}
  void move(std::int64_t i) {
    const std::uint32_t row = range_.rows[i];
    move(problem_.moments[row], problem_.weight(row));
  }
  void move(const Totals& part) { move(part.moment, part.weight); }
  std::int64_t lighter() const { return std::min(nl_, nr_); }
  std::pair<double, double> values() const {
    return {mean_of(problem_, left_ + shift_ * nl_, nl_),
            mean_of(problem_, right_ + shift_ * nr_, nr_)};
  }

 private:
  void move(std::int64_t moment, std::int64_t w) {
    left_ += moment - shift_ * w;
    right_ -= moment - shift_ * w;
    nl_ += w;
    nr_ -= w;
  }

  const Problem& problem_;
  const NodeRange& range_;
  std::int64_t shift_;

 protected:
  std::int64_t nl_ = 0;
  std::int64_t nr_;
  std::int64_t left_ = 0;
  std::int64_t right_;
};

/// S_L^2 / N_L + S_R^2 / N_R, with labels moved by about the node's mean, which changes no
/// difference of two splits and leaves no cancellation.
class VarianceSides : public NumberSides {
 public:
  VarianceSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : NumberSides(problem, totals, range, totals.moment / totals.weight) {}
  double approximate() const {
    const double l = static_cast<double>(left_), r = static_cast<double>(right_);
    return l * l / static_cast<double>(nl_) + r * r / static_cast<double>(nr_);
  }
  Fraction exact() const {
    return {square(left_),
            static_cast<std::uint64_t>(nl_),
            square(right_),
            static_cast<std::uint64_t>(nr_)};
  }
};

/// S_L log2(S_L / N_L) + S_R log2(S_R / N_R); no split where a sum is 0.
class PoissonSides : public NumberSides {
 public:
  PoissonSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : NumberSides(problem, totals, range, 0) {}
  __int128 exact() const { return deviance_gain(left_, nl_) + deviance_gain(right_, nr_); }
  double approximate() const {
    return std::min(left_, right_) > 0 ? static_cast<double>(exact()) : -HUGE_VAL;
  }
};

/// Minus the sum of |y - median| of both sides.
class AbsoluteSides {
 public:
  AbsoluteSides(const Problem& problem, const Totals& totals, const NodeRange& range)
      : problem_(problem), range_(range), parts_(*totals.labels) {}
  void move(std::int64_t i) { parts_.move(problem_, range_.rows[i]); }
  void move(const Totals&) {}  // of sparse features alone, which are made
  std::int64_t lighter() const { return parts_.lighter(); }
  std::pair<double, double> values() const { return {}; }  // check_rules refuses bounds
  __int128 exact() const { return -parts_.error(); }
  double approximate() const { return static_cast<double>(exact()); }

 private:
  const Problem& problem_;
  const NodeRange& range_;
  PartedLabels parts_;
};

/// body(Sides type) for the criterion and weights of a problem.
template <class Body>
auto with_sides(const Problem& problem, const Totals& totals, const Body& body) {
  if (problem.criterion == Criterion::variance) return body(static_cast<VarianceSides*>(nullptr));
  if (problem.criterion == Criterion::poisson) return body(static_cast<PoissonSides*>(nullptr));
  if (problem.criterion == Criterion::absolute_error) {
    return body(static_cast<AbsoluteSides*>(nullptr));
  }
  if (problem.criterion == Criterion::entropy) return body(static_cast<EntropySides*>(nullptr));
  // d = L1 N - N_L T1 must be an exact double.
  if (problem.classes == 2 && problem.weights.empty() && totals.rows < (1 << 26)) {
    return body(static_cast<TwoClassSides*>(nullptr));
  }
  if (totals.weight < (std::int64_t{1} << 31)) {
    return body(static_cast<GiniSides<std::uint64_t>*>(nullptr));
  }
  return body(static_cast<GiniSides<Wide>*>(nullptr));
}

template <class Sides>
void move_missing(const NodeRange& range, Sides& sides) {
  if (range.missing != nullptr) return sides.move(*range.missing);
  const std::int64_t begin = range.is_sparse ? range.missing_at : range.known;
  for (std::int64_t i = begin; i < begin + range.all - range.known; ++i) sides.move(i);
}

/// each_split() of a sparse feature, without a look at the rows of 0. From the least value up to 0
/// rows go left, from the greatest down to 0 right: scores are the same for both sides exchanged.
template <class Sides, class Visit>
void each_sparse_split(const NodeRange& range,
                       const Sides& none,
                       bool missing_left,
                       const Visit& visit) {
  const std::int64_t missing = range.all - range.known;
  const auto visit_if_enough = [&](std::int64_t known_left, const Sides& sides) {
    const std::int64_t left = known_left + (missing_left ? missing : 0);
    if (std::min(left, range.all - left) < range.least.rows) return;
    if (range.least.weight > 0 && sides.lighter() < range.least.weight) return;
    visit(known_left, sides);
  };
  const auto walk = [&](bool down, std::int64_t count) {
    if (count == 0) return;
    Sides sides = none;
    if (missing > 0 && missing_left != down) move_missing(range, sides);
    if (range.together != nullptr) {
      sides.move(*range.together);
      if (count < range.known) visit_if_enough(down ? range.known - count : count, sides);
      return;
    }
    for (std::int64_t k = 1; k <= count; ++k) {
      const std::int64_t i = down ? range.last - k : range.first + k - 1;
      sides.move(i);
      const bool changes = k == count || range.changes_after(down ? i - 1 : i);
      if (changes && k < range.known) visit_if_enough(down ? range.known - k : k, sides);
    }
  };
  walk(false, range.positive - range.first);
  walk(true, range.last - range.positive);
  // All known values left, the missing ones right.
  if (missing_left || missing == 0 || range.known == 0) return;
  Sides sides = none;
  move_missing(range, sides);
  visit_if_enough(range.known, sides);
}

/// Whether a node's rule lets it be split where so many known entries are to the left.
template <class Sides>
bool allows(const SplitRule& rule, std::int64_t known_left, const Sides& sides) {
  if (rule.has_place && known_left != rule.place) return false;
  if (rule.direction == 0) return true;
  const auto [left, right] = sides.values();
  return rule.allows(left, right);
}

/// visit(known entries to the left, sides) for every place where a node may be split, in order.
/// Missing values stay right, or go left first.
template <class Sides, class Visit>
void each_split(const NodeRange& range, Sides sides, bool missing_left, const Visit& visit) {
  if (range.is_sparse) return each_sparse_split(range, sides, missing_left, visit);
  const std::int64_t missing = range.all - range.known;
  const std::int64_t before = missing_left ? missing : 0;
  if (missing_left) move_missing(range, sides);
  const std::int64_t first = range.least.rows - before;
  const std::int64_t last = range.all - range.least.rows - before;
  const bool ruled = range.rule.binds();
  const auto suits = [&](std::int64_t known_left) {
    if (range.least.weight > 0 && sides.lighter() < range.least.weight) return false;
    return !ruled || allows(range.rule, known_left, sides);
  };
  std::int64_t i = 0;
  for (; i + 1 < range.known && i < last; ++i) {
    sides.move(i);
    if (i + 1 >= first && range.changes_after(i) && suits(i + 1)) visit(i + 1, sides);
  }
  // All known values left, the missing ones right.
  if (missing_left || missing == 0 || i + 1 != range.known || i >= last) return;
  sides.move(i);
  if (i + 1 >= first && suits(i + 1)) visit(i + 1, sides);
}

namespace cpu {

/// The largest TwoClassSides::approximate over all splits between known values, -1 without one.
/// `before_rows` rows with `before_ones` of class 1 are to the left of the first entry.
double best_of_two_classes(const NodeRange& range,
                           std::int64_t rows,
                           std::int64_t ones,
                           std::int64_t before_rows,
                           std::int64_t before_ones);

}  // namespace cpu
}  // namespace yupana::forest
