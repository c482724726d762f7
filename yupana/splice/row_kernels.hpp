#pragma once

#include <cstdint>
#include <type_traits>

/// Private to the family: what the SIMD code offers to the plain C++ that plans around it.
///
/// Scores are kept as X(i,j) = S(i,j) - extend (i + j) + a bias, so that neither kind of gap costs
/// anything once it is open: with linear gaps a cell takes one addition and two maxima.
///
/// A row of columns is cut into as many pieces as a vector has lanes, lane l holds piece l
/// (Farrar's striping, 2007): column c of a block stands at (c % vectors) * lanes + c / vectors.
/// The best gap of letters then runs along the vectors, and only its ends cross the lanes.
namespace yupana::splice::cpu {

/// Rows of one exon over one block of columns.
template <class T>
struct RowsTask {
  std::int64_t rows = 0;
  std::int64_t vectors = 0;            ///< a row
  const char* bases = nullptr;         ///< of each row
  const T* const* profiles = nullptr;  ///< by base: score with each column - 2 extend, striped
  T open = 0;                          ///< gap_open
  T* best = nullptr;                   ///< in: the row above, out: the last row
  T* gap = nullptr;                    ///< the same of best gap of bases into the next row (affine)
  const T* left = nullptr;             ///< rows + 1: best in the column before the block, row 0 on
  const T* left_gap = nullptr;         ///< rows + 1: best gap of letters out of that column
  T* right = nullptr;                  ///< the same of the block's last column; may be `left`
  T* right_gap = nullptr;              ///< null where no block follows
  T* save_best = nullptr;              ///< rows x stride: each row, where it is wanted
  T* save_gap = nullptr;
};

/// Kernels of one score type on one instruction set. A `count` is of values, whole vectors.
template <class T>
struct RowKernels {
  std::int64_t lanes = 0;
  void (*linear)(const RowsTask<T>&);
  void (*affine)(const RowsTask<T>&);

  /// to = max(to, from + added); where it grew, the two halves of `winner` are stored beside.
  /// Without `low` there are no winners.
  void (*merge)(std::int64_t count,
                T* to,
                T* low,
                T* high,
                const T* from,
                T added,
                T winner_low,
                T winner_high);
  /// to = max(to, from); where it grew, the winners come along.
  void (*absorb)(std::int64_t count,
                 T* to,
                 T* low,
                 T* high,
                 const T* from,
                 const T* from_low,
                 const T* from_high);
  /// out = max(from + added, least). True if out or `from`, plus twice the room, does not fit T (in
  /// 32 bits: is beyond 2^30).
  bool (*enter)(std::int64_t count, T* out, const T* from, T added, T least, const T* room);
  /// The largest a + b.
  T (*largest_sum)(std::int64_t count, const T* a, const T* b);
  /// Cells of `steps` vectors on registers alone (one addition, two maxima), what the kernels are
  /// measured against: sets the number of cells, returns a value that depends on each.
  T (*register_loop)(std::int64_t steps, std::int64_t& cells);
};

struct KernelTable {
  RowKernels<std::int16_t> narrow;
  RowKernels<std::int32_t> wide;
};

/// Of the best instruction set of this machine.
const KernelTable& kernel_table();

template <class T>
const RowKernels<T>& row_kernels() {
  if constexpr (std::is_same_v<T, std::int16_t>) return kernel_table().narrow;
  if constexpr (std::is_same_v<T, std::int32_t>) return kernel_table().wide;
}

}  // namespace yupana::splice::cpu
