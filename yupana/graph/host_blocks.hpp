#pragma once

#include <cstdint>

#include "yupana/core/tiles.hpp"
#include "yupana/graph/closure.hpp"
#include "yupana/graph/min_plus.hpp"

namespace yupana::graph::cpu {

/// The store of a matrix in host memory, for the schedules of closure.hpp.
template <class T>
class HostBlocks {
 public:
  /// A block of 64 x 64 int32 is half of the first-level cache. These blocks are 64^2 n of the
  /// n^3 / 2 add+mins.
  static constexpr std::int64_t block_size = block_alignment;

  /// With upper_triangle the matrix is symmetric, its weights are not negative, and what lies below
  /// its diagonal is neither read nor written.
  HostBlocks(MinPlus<T>& min_plus, MatrixView<T> matrix, Part stored)
      : min_plus_(min_plus), matrix_(matrix), stored_(stored) {}

  bool symmetric() const { return stored_ == Part::upper_triangle; }
  std::int64_t close_block(Range v);
  void product(Range rows, Range steps, Range columns);

 private:
  MatrixView<T> block(Range rows, Range columns) const;
  Operand<T> operand(Range rows, Range columns) const;

  MinPlus<T>& min_plus_;
  MatrixView<T> matrix_;
  Part stored_;
};

}  // namespace yupana::graph::cpu
