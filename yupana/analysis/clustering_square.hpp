#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/array.hpp"

namespace yupana::analysis {

/// Distances between active clusters, as a full square: the neighbours of a cluster are
/// contiguous in its row. Clusters go by their number; a merged one lives on under the
/// larger of the two, but in a new column after the others. Its distances enter the other rows
/// together with those of the next merged clusters, a line of memory at a time; until then a row
/// reads them from theirs when it is searched. Columns of clusters that are gone stay, barred,
/// until there is no room or half of them are; then the rows are closed up.
class SquareClusters {
 public:
  template <class T>
  SquareClusters(Context& context, MatrixView<const T> distances, Linkage method);

  std::int64_t alive() const { return alive_; }
  /// The smallest number.
  std::int64_t first();
  /// The nearest living cluster: `before` (if not negative) unless another is strictly nearer, then
  /// the smallest number.
  std::pair<std::int64_t, double> nearest(std::int64_t tip, std::int64_t before);
  /// Joins `gone` < `kept`.
  void merge(std::int64_t gone, std::int64_t kept);

  static std::uint64_t bytes(std::int64_t n);

 private:
  template <class Body>
  void over_columns(const Body& body);
  std::int64_t place(std::int64_t number) const { return place_[at(number)]; }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  void complete(std::int64_t column);
  void join_rows(const double* other, double* row, double other_points, double points);
  void spread();
  void close_up();

  Context& context_;
  Linkage method_;
  std::int64_t alive_;
  std::int64_t width_;   ///< columns in use
  std::int64_t spread_;  ///< of these every row holds
  std::int64_t first_ = 0;
  Array<double> cells_;
  // Of each column: the row of its cluster, none where it is gone; its number; the points in it;
  // 0, +inf where it is gone.
  std::vector<double*> row_;
  std::vector<std::int64_t> number_;
  std::vector<double> points_, bar_;
  std::vector<double> lowest_;       ///< of each piece of a row
  std::vector<std::int64_t> place_;  ///< of each number: its column, -1 where it is gone
};

namespace cpu {

/// Smallest of row[j] + bar[j] over `count` columns; +inf of none.
double smallest(const double* row, const double* bar, std::int64_t count);
/// The smallest number[j] of those with row[j] + bar[j] == value; `none` if there is none.
std::int64_t smallest_number(const double* row,
                             const double* bar,
                             const std::int64_t* number,
                             std::int64_t count,
                             double value,
                             std::int64_t none);
/// row[j] = (other_points * other[j] + points * row[j]) / (other_points + points), each operation
/// rounded.
void average_rows(
    const double* other, double* row, std::int64_t count, double other_points, double points);

}  // namespace cpu

}  // namespace yupana::analysis
