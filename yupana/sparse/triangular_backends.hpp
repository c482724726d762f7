#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>

#include "yupana/sparse/triangular.hpp"

/// What triangular.cpp chooses from. Not for users.
namespace yupana::sparse {

/// The rows of a Split without their values.
template <class Index>
struct SplitRows {
  std::int64_t rows = 0;
  Triangle triangle = Triangle::lower;
  Array<Index> begin;
  Array<Index> columns;
  /// Where the values came from: entry j is the sum of the caller's values from[group[j]] up to
  /// from[group[j + 1]], pivot i that of group entries + i; no value: 1. Both are
  /// empty where every row holds just its entries and its pivot, the pivot at the end (lower) or
  /// the beginning (upper): those of row i then begin at begin[i] + i.
  std::vector<Index> group;
  std::vector<Index> from;
  bool conjugate = false;  ///< the values are the conjugates of the caller's
};

/// A checked triangular matrix, diagonal apart: row p has the entries [begin[p], begin[p + 1]) off
/// the diagonal and the pivot diagonal[p].
template <class Value, class Index>
struct Split : SplitRows<Index> {
  Array<Value> values;
  Array<Value> diagonal;
  bool ones = false;  ///< every pivot is 1
};

/// The i-th row to be solved: rows that others need come first.
inline std::int64_t row_at(Triangle triangle, std::int64_t rows, std::int64_t i) {
  return triangle == Triangle::lower ? i : rows - 1 - i;
}

/// The NaN of results, see TriangularSystem.
template <class Value>
inline Value without_payload(Value x) {
  if (x != x) [[unlikely]] {
    asm volatile("");  // a branch: a choice without one would delay all that wait for x
    return std::numeric_limits<Value>::quiet_NaN();
  }
  return x;
}
template <class R>
inline std::complex<R> without_payload(std::complex<R> x) {
  return {without_payload(x.real()), without_payload(x.imag())};
}

/// Checks the matrix and sets it apart; see analyse for the errors.
template <class Value, class Index>
Split<Value, Index> split(Context& context,
                          CsrView<Value, Index> matrix,
                          const TriangularParams& params);
/// New values for the same places; errors: a zero pivot, and nothing is changed.
template <class Value, class Index>
void split_values(Context& context, const Value* values, Split<Value, Index>& split);

namespace reference {
template <class Value, class Index>
LevelAnalysis<Index> analyse(const Split<Value, Index>& matrix);
template <class Value, class Index>
void solve(const Split<Value, Index>& matrix, MatrixView<const Value> b, MatrixView<Value> x);
}  // namespace reference

namespace cpu {
template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context, const Split<Value, Index>& matrix);

/// A matrix in the order in which it is solved.
template <class Value, class Index>
struct Schedule {
  Split<Value, Index> matrix;  ///< its rows by position, its columns as they are
  Array<Index> row;            ///< of each position
  /// level_set: first position of each level, and the end.
  Array<std::int64_t> level_begin;
  /// sync_free: pieces in the order in which threads take them; a piece may begin when the first
  /// `needs` pieces are done.
  struct Piece {
    std::int64_t begin, end, needs;
  };
  std::vector<Piece> pieces;
};
template <class Value, class Index>
Schedule<Value, Index> schedule_levels(Context& context,
                                       const Split<Value, Index>& matrix,
                                       const LevelAnalysis<Index>& analysis);
template <class Value, class Index>
Schedule<Value, Index> schedule_pieces(Context& context,
                                       const Split<Value, Index>& matrix,
                                       const LevelAnalysis<Index>& analysis);
/// The schedule's copy of new values.
template <class Value, class Index>
void schedule_values(Context& context,
                     const Split<Value, Index>& matrix,
                     Schedule<Value, Index>& schedule);

template <class Value, class Index>
void solve_serial(Context& context,
                  const Split<Value, Index>& matrix,
                  MatrixView<const Value> b,
                  MatrixView<Value> x);
template <class Value, class Index>
void solve_levels(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x);
template <class Value, class Index>
void solve_pieces(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x);
}  // namespace cpu

namespace cuda {
/// A system on a GPU.
template <class Value, class Index>
class Resident {
 public:
  virtual ~Resident() = default;
  virtual LevelAnalysis<Index> analysis() const = 0;
  /// Before the first solve(): level_set or sync_free.
  virtual void prepare(SolveMethod method) = 0;
  virtual void update_values(const Split<Value, Index>& matrix) = 0;
  /// Rows of b and x are `b_stride` and `x_stride` numbers apart.
  virtual void solve(const Value* b,
                     std::int64_t b_stride,
                     Value* x,
                     std::int64_t x_stride,
                     std::int64_t sides) = 0;
  /// The same in the memory of the GPU, rows without gaps. x is not b.
  virtual void solve(const Value* b, Value* x, std::int64_t sides) = 0;
  virtual int device() const = 0;
};
template <class Value, class Index>
std::unique_ptr<Resident<Value, Index>> resident(Context& context,
                                                 const Split<Value, Index>& matrix);
}  // namespace cuda

}  // namespace yupana::sparse
