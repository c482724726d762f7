#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Distances of points where the caller has them, read and never copied: a square, or its upper
/// triangle row after row.
class PointDistances {
 public:
  template <class T>
  explicit PointDistances(MatrixView<const T> square);
  PointDistances(std::int64_t points, std::span<const double> condensed);

  std::int64_t count() const { return count_; }
  /// out[k] = distance of `point` and others[k], +inf where that is unreachable or the point
  /// itself. The others ascend.
  void gather(std::int64_t point, std::span<const std::int64_t> others, double* out) const {
    gather_(point, others, out);
  }

 private:
  std::int64_t count_;
  std::function<void(std::int64_t, std::span<const std::int64_t>, double*)> gather_;
};

}  // namespace yupana::analysis
