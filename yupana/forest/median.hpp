#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "yupana/forest/problem.hpp"

/// Private to the family.
namespace yupana::forest {

/// What rows weigh, and their labels times their weights. Labels are below 2^62, all weights below
/// 2^42 together.
struct LabelSum {
  std::int64_t weight = 0;
  __int128 sum = 0;

  LabelSum& operator+=(const LabelSum& other) {
    weight += other.weight;
    sum += other.sum;
    return *this;
  }
  friend LabelSum operator+(LabelSum a, const LabelSum& b) { return a += b; }
  friend LabelSum operator-(const LabelSum& a, const LabelSum& b) {
    return {a.weight - b.weight, a.sum - b.sum};
  }
};

/// A node's rows in order of their labels. The median is the label at which half of the weight is
/// reached, or, where it is reached between two, their mean.
class SortedLabels {
 public:
  SortedLabels(const Problem& problem, const std::uint32_t* rows, std::int64_t count);

  std::int64_t weight() const { return all_.weight; }
  double least() const { return labels_[ranks_.front()]; }
  double most() const { return labels_[ranks_.back()]; }
  double median() const { return median_; }
  /// The sum of w |y - median|.
  __int128 error() const { return error_; }

 private:
  friend class PartedLabels;
  std::size_t place_of(std::uint32_t rank) const;

  const double* labels_;              ///< of each rank
  const std::int64_t* units_;         ///< and as integers
  std::vector<std::uint32_t> ranks_;  ///< the different ones of the node, ascending
  LabelSum all_;
  /// Sums of the labels before each end of a place: sums_[i] is of places (i - (i & -i), i]
  /// (Fenwick 1994), from 1.
  std::vector<LabelSum> sums_;
  double median_ = 0;
  __int128 error_ = 0;
};

/// A node's rows in two parts, all on the right at first.
///   work: log n steps a move or error, n distinct labels in the node
class PartedLabels {
 public:
  explicit PartedLabels(const SortedLabels& labels)
      : labels_(labels), left_(labels.sums_.size()), right_all_(labels.all_) {}

  /// A row goes left.
  void move(const Problem& problem, std::uint32_t row);
  std::int64_t lighter() const;
  /// The sum of w |y - median| of both parts.
  __int128 error() const;

 private:
  const SortedLabels& labels_;
  std::vector<LabelSum> left_;  ///< as SortedLabels::sums_
  LabelSum left_all_, right_all_;
};

/// Numbers the labels, and makes integers of them.
void sort_labels(Problem& problem);

}  // namespace yupana::forest
