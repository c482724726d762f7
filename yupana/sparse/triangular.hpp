#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/sparse/arithmetic.hpp"

namespace yupana::sparse {

/// A sparse matrix in compressed rows: entries [row_begin[i], row_begin[i + 1]) are those of row i.
/// Does not own. Value: float, double, std::complex of them; Index: std::int32_t, std::int64_t;
/// indices from 0.
template <class Value, class Index>
struct CsrView {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const Index* row_begin = nullptr;  ///< rows + 1 numbers
  const Index* columns = nullptr;
  const Value* values = nullptr;

  std::int64_t entries() const { return rows > 0 ? static_cast<std::int64_t>(row_begin[rows]) : 0; }
};

/// The same, owning.
template <class Value, class Index>
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<Index> row_begin;
  Array<Index> columns;
  Array<Value> values;

  CsrView<Value, Index> view() const {
    return {rows, cols, row_begin.data(), columns.data(), values.data()};
  }
};

/// The transpose, each row's entries in ascending order of columns, those of one place in the order
/// they had. work: O(entries + rows + columns)
template <class Value, class Index>
CsrMatrix<Value, Index> transposed(const CsrView<Value, Index>& matrix) {
  const std::int64_t entries = matrix.entries();
  CsrMatrix<Value, Index> result{matrix.cols,
                                 matrix.rows,
                                 Array<Index>::zeros(matrix.cols + 1),
                                 Array<Index>(entries),
                                 Array<Value>(entries)};
  // Of row r the begin is at r + 1 until its entries have moved it to its end: the next begin.
  Index* const next = result.row_begin.data() + 1;
  for (std::int64_t e = 0; e < entries; ++e) {
    if (matrix.columns[e] + 1 < matrix.cols) ++next[matrix.columns[e] + 1];
  }
  for (std::int64_t r = 1; r < matrix.cols; ++r) next[r] += next[r - 1];
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) {
      const Index to = next[matrix.columns[e]]++;
      result.columns[to] = static_cast<Index>(row);
      result.values[to] = matrix.values[e];
    }
  }
  return result;
}

enum class Triangle { lower, upper };
constexpr Triangle other(Triangle triangle) {
  return triangle == Triangle::lower ? Triangle::upper : Triangle::lower;
}

/// What is solved with: op(A) x = b. Of real values the last two are the same.
enum class Operation { none, transpose, conjugate_transpose };

/// How a system is solved; the result has the same bits in every case.
enum class SolveMethod {
  automatic,  ///< by structure, see TriangularSystem
  serial,     ///< row after row, on one core
  level_set,  ///< level after level, the rows of one in parallel
  sync_free,  ///< every row as soon as the rows it needs are solved; no barrier between levels
};

struct TriangularParams {
  Triangle triangle = Triangle::lower;  ///< of A, whatever the operation
  SolveMethod method = SolveMethod::automatic;
  bool unit_diagonal = false;  ///< the diagonal is 1, whatever the matrix stores
  bool sort_columns = false;   ///< accept rows in any order; entries of one place are added
  bool ignore_other = false;   ///< leave out entries of the other triangle, an error otherwise
  Operation operation = Operation::none;
};

/// Rows of one level and one class.
struct LevelKey {
  std::int64_t level = 0;  ///< from 1
  int row_class = 0;
  std::int64_t rows = 0;
  std::int64_t warps = 0;  ///< ceil(rows * 2^class / 32); class 6: ceil(rows / 32)

  bool operator==(const LevelKey&) const = default;
};

/// Which rows can be solved together. The level of a row is 1 + the largest level of the rows it
/// needs (1 if none); its class gives the number c of its entries off the diagonal:
///   c      0  1  2  3-4  5-8  9-16  17...
///   class  6  0  1  2    3    4     5
/// `order` is the stable order of the rows by key = (level - 1) * 7 + class.
template <class Index>
struct LevelAnalysis {
  std::int64_t levels = 0;
  std::int64_t warps = 0;         ///< sum over all keys
  Array<Index> level;             ///< of every row
  Array<std::uint8_t> row_class;  ///< of every row
  Array<Index> order;             ///< the published iorder
  std::vector<LevelKey> keys;     ///< non-empty ones, ascending
};

/// The class of a row with `count` entries off the diagonal.
constexpr int class_of(std::int64_t count) {
  if (count == 0) return 6;
  int row_class = 0;
  while (row_class < 5 && (std::int64_t{1} << row_class) < count) ++row_class;
  return row_class;
}

/// Warps of 32 lanes that the published packing gives to `rows` rows of a class.
constexpr std::int64_t warps_of(std::int64_t rows, int row_class) {
  return ((row_class == 6 ? rows : rows << row_class) + 31) / 32;
}

/// Levels, classes, order and warps of op(A), A a triangular matrix; its values are not looked at
/// unless they are on the diagonal. A row's entries ascend by column, the diagonal among them.
/// Value: float, double or std::complex of them; Index: std::int32_t, std::int64_t.
///   work O(entries); memory 3 numbers a row; exact, the same on every backend
///   errors (bad_input), naming the first row at fault, counted from 1: a matrix that is not
///   square; a column out of range; columns unsorted or twice (params.sort_columns takes them); an
///   entry of the other triangle (params.ignore_other drops it); a diagonal entry that is missing
///   or zero (params.unit_diagonal needs none). Infinite and NaN values are accepted.
///   source: Dufrechou, Ezzatti, Concurrency Computat. Pract. Exper. 32 (2020) e5103
template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context,
                             CsrView<Value, Index> matrix,
                             const TriangularParams& params = {});

/// A triangular system op(A) x = b, analysed once, solved for many right-hand sides.
///
/// Determinism: x has the same bits for every method, backend, number of threads and run. A row of
/// op(A) of c entries a_k off the diagonal, in stored order (of a transpose: by column), is
///   c <= 4:  x = (((b - a_0 x_0) - a_1 x_1) - ...) / d
///   c > 4:   x = (b - s) / d, where s adds L = 2^class partial sums of the a_k x_k with
///            k mod L = l (begun with the first, +0 where there is none) by halves:
///            s_l += s_(l + L/2), then L/4, ... 1
/// each operation rounded once. Complex products and quotients are those of arithmetic.hpp:
/// (a c - b d, a d + b c), and p conj(d) / |d|^2 of operands scaled by powers of two. A result that
/// is NaN is the positive quiet NaN without payload (a complex one: each part). Componentwise
/// backward error at most (4 + c) u for c <= 4, (8 + c / L + log2 L) u otherwise; of complex
/// values, in moduli, 6 u more.
///
/// `automatic`: serial where levels have fewer than `serial_below` rows on average (a GPU:
/// `serial_below_on_gpu`), on a CPU also there; else sync_free.
template <class Value, class Index>
class TriangularSystem {
 public:
  static constexpr std::int64_t serial_below = 32;
  /// The same on a GPU, which takes about 0.75 us a level and, as b and x cross the bus, half of
  /// the 7.5 ns that a CPU takes for a row.
  static constexpr std::int64_t serial_below_on_gpu = 192;

  /// Copies and analyses the matrix. Errors as analyse; (usage): complex values for a GPU.
  ///   memory: 2 numbers and an index an entry on the host, one copy more on the GPU
  TriangularSystem(Context& context,
                   CsrView<Value, Index> matrix,
                   const TriangularParams& params = {});
  ~TriangularSystem();
  TriangularSystem(TriangularSystem&&) noexcept;
  TriangularSystem& operator=(TriangularSystem&&) noexcept;

  std::int64_t rows() const;
  /// Numbers of the triangle that is solved: its diagonal, and the entries off it after those of
  /// the other triangle are left out and those of one place are added.
  std::int64_t entries() const;
  const LevelAnalysis<Index>& analysis() const;
  /// What solve() uses: never automatic.
  SolveMethod method() const;

  /// New values in the same places: as many, in the same order, as those of the matrix given to the
  /// constructor. The analysis stays. Errors: a zero on the diagonal (nothing is changed then).
  void update_values(Context& context, const Value* values);

  /// Solves A x = b for every column of b. x and b: rows x k, k >= 0; x may be b.
  ///   errors (usage): sizes that do not match
  void solve(Context& context, MatrixView<const Value> b, MatrixView<Value> x) const;
  /// The same where b and x lie in the memory of GPU `device`, rows x sides without gaps; x is not
  /// b. Whatever wrote b must have finished.
  ///   errors (usage): the system is not on that GPU: it was made for another one or for the CPU,
  ///   or method() is serial, with which the CPU solves
  void solve(Context& context, int device, const Value* b, Value* x, std::int64_t sides) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Largest componentwise relative residual max_i |b - op(A) x|_i / (|op(A)| |x| + |b|)_i over all
/// columns; rows where it is 0/0 count as 0. Infinity where a number of A, x or b that takes part
/// is infinite or NaN: x then solves nothing. For reports and tests: a solution is as good as one
/// may ask if the result is at most a few units of rounding. memory: a transpose is copied
template <class Value, class Index>
double backward_error(CsrView<Value, Index> matrix,
                      const TriangularParams& params,
                      MatrixView<const Value> b,
                      MatrixView<const Value> x);

/// Numbers of x that are infinite or NaN.
struct NotFinite {
  std::int64_t count = 0;
  std::int64_t first_row = 0;  ///< of the first of them, from 1; 0: there are none
};

/// Counts them, and notes how many there are, if any. A number is `parts` neighbours of a row: 2
/// where x is real and imaginary parts in turn.
template <class V>
NotFinite note_not_finite(Context& context, MatrixView<const V> x, std::int64_t parts = 1) {
  NotFinite found;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t column = 0; column < x.cols; column += parts) {
      if (is_finite(x(i, column)) && is_finite(x(i, column + parts - 1))) continue;
      if (found.count++ == 0) found.first_row = i + 1;
    }
  }
  if (found.count > 0) {
    context.note(fmt::format(
        "trisolve: {} of {} numbers of x {} infinite or NaN, the first in row {} (from 1)",
        found.count,
        x.rows * x.cols / parts,
        found.count == 1 ? "is" : "are",
        found.first_row));
  }
  return found;
}

}  // namespace yupana::sparse
