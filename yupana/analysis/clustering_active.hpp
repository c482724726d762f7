#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/clustering_backends.hpp"
#include "yupana/core/array.hpp"

namespace yupana::analysis {

/// Distances between active clusters. Those of two points stay where the caller has them; a merged
/// cluster has a row of its own, in a new column after the others, which holds its distances to
/// the columns before: a pair is stored once, with the younger of the two. A row that is searched
/// is completed from the rows of younger clusters; the last rows of points that were searched are
/// kept. A merged cluster goes by the larger of its two numbers. Columns of clusters that are gone
/// stay, barred, until there is no room; then the rows are closed up and move together.
class ActiveClusters {
 public:
  ActiveClusters(Context& context, const PointDistances& distances, Linkage method);

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
  void hold_row(std::int64_t number);
  void fill(std::int64_t column, std::int64_t begin, std::int64_t end);
  void complete(std::int64_t column);
  void join_rows(std::int64_t a, std::int64_t b);
  double* new_row();
  void close_up();
  void move_rows();

  Context& context_;
  const PointDistances& distances_;
  Linkage method_;
  std::int64_t alive_;
  std::int64_t width_;     ///< columns in use
  std::int64_t capacity_;  ///< columns that a row has room for
  std::int64_t singles_;   ///< the first columns, which are points
  std::int64_t first_ = 0;
  // Of each column: its row, none of points that were not searched lately, `apart_` where a merged
  // cluster is gone; how many columns the row holds; the number of its cluster; the points in it;
  // 0, +inf where it is gone.
  std::vector<double*> row_;
  std::vector<std::int64_t> filled_, number_;
  std::vector<double> points_, bar_;
  std::vector<double> lowest_;        ///< of each piece of a row
  std::vector<std::int64_t> place_;   ///< of each number: its column, -1 where it is gone
  std::vector<std::int64_t> recent_;  ///< numbers of the points that have a row, the last one last
  std::vector<Array<double>> slabs_;
  std::vector<double*> free_;
  std::vector<double> apart_;  ///< a row of +inf
};

namespace cpu {

/// What a merge of two clusters at distance `between` needs for Ward's update.
struct WardMerge {
  double other_points = 0, points = 0, between = 0;
};

/// What is done with rows of `count` columns, by the instructions of the processor.
struct RowKernels {
  /// Smallest of row[j] + bar[j]; +inf of none.
  double (*smallest)(const double* row, const double* bar, std::int64_t count);
  /// The smallest number[j] of those with row[j] + bar[j] == value; `none` if there is none.
  std::int64_t (*smallest_number)(const double* row,
                                  const double* bar,
                                  const std::int64_t* number,
                                  std::int64_t count,
                                  double value,
                                  std::int64_t none);
  /// row[j] = (other_points * other[j] + points * row[j]) / (other_points + points), each operation
  /// rounded.
  void (*average_rows)(
      const double* other, double* row, std::int64_t count, double other_points, double points);
  /// row[j] = sqrt((n + a) / s * other[j]^2 + (n + b) / s * row[j]^2 - n / s * between^2), n =
  /// sizes[j], a = other_points, b = points, s = a + b + n, each operation rounded, 1 / s first;
  /// +inf where other[j] or row[j] is.
  void (*ward_rows)(const double* other,
                    double* row,
                    const double* sizes,
                    std::int64_t count,
                    const WardMerge& merge);
  /// Where edges[j] < length[j], it becomes length[j] and `vertex` into[j]. Returns the smallest
  /// length.
  double (*shorten)(const double* edges,
                    double* length,
                    std::int64_t* into,
                    std::int64_t count,
                    std::int64_t vertex);
};
const RowKernels& row_kernels();

}  // namespace cpu

}  // namespace yupana::analysis
