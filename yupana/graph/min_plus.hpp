#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/min_plus_kernels.hpp"

/// Private to the family: the min-plus product on the CPU.
namespace yupana::graph::cpu {

/// How an operand lies in memory.
enum class Layout {
  plain,       ///< element (i, j) at row i, column j
  transposed,  ///< element (i, j) at row j, column i
  symmetric,   ///< element (i, j) = (j, i) at row min(i, j): only the upper triangle is read
};

template <class T>
struct Operand {
  MatrixView<const T> stored;  ///< as it lies in memory
  Layout layout = Layout::plain;
};

/// Steps of k that are packed at a time.
inline constexpr std::int64_t min_plus_panel = 1024;

enum class Part { whole, upper_triangle };

/// The min-plus product with its packing buffers. One product at a time.
template <class T>
class MinPlus {
 public:
  /// `largest`: most rows, columns or steps of any product.
  MinPlus(Context& context, Stage& stage, Signs signs, std::int64_t largest);

  Stage& stage() { return stage_; }
  const MinPlusKernels<T>& kernels() const { return kernels_; }

  /// c(i, j) = min(c(i, j), left(i, k) + right(k, j)) over all k.
  /// `c` may be one of the operands if the other is closed (its own square) with a zero diagonal:
  /// panels of k are copied before c changes, and a value that an earlier panel lowered still is
  /// the length of a path. With upper_triangle, `c` lies on the diagonal of a symmetric matrix and
  /// cells below its diagonal are left alone.
  /// Each cell is one minimum over the same sums in any order: blocks and threads change no bit.
  void product(Operand<T> left, Operand<T> right, MatrixView<T> c, Part part = Part::whole);

 private:
  struct Blocks;  // one panel of k, packed, and the cutting of c
  void pack(Operand<T> operand,
            std::int64_t first,
            std::int64_t depth,
            std::int64_t width,
            Array<T>& packed);
  void multiply(const Blocks& blocks, MatrixView<T> c);
  template <class Move>
  void each_tile_row(MatrixView<T> c, Range rows, Range columns, bool upper, const Move& move);
  void multiply_block(const Blocks& blocks, std::int64_t index, MatrixView<T> c);

  Context& context_;
  Stage& stage_;
  const MinPlusKernels<T>& kernels_;
  Array<T> left_;
  Array<T> right_;
  tbb::enumerable_thread_specific<Array<T>> tiles_;  // a block of c, one a thread
};

enum class Triangle { lower, upper };
/// Copies one triangle of a square matrix onto the other. Returns the number of cells that it did
/// not change.
template <class T>
std::int64_t mirror(Context& context, MatrixView<T> square, Triangle from = Triangle::upper);

}  // namespace yupana::graph::cpu
