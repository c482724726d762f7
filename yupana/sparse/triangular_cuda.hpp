#pragma once

#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/sparse/triangular.hpp"

/// Triangular systems in the memory of a GPU. Only files of the CUDA build include this.
namespace yupana::sparse::cuda {

using yupana::cuda::DeviceArray;
using yupana::cuda::Stream;

/// A checked triangular matrix in device memory. Does not own. Rows and columns below 2^31 - 1.
template <class Value, class Index>
struct DeviceCsr {
  std::int64_t rows = 0;
  Triangle triangle = Triangle::lower;
  const Index* begin = nullptr;
  const Index* columns = nullptr;
  const Value* values = nullptr;
  /// The pivots; null: each row holds its own, at the end (lower) or the beginning (upper).
  const Value* diagonal = nullptr;
};

/// How the rows are dealt out, for tests and benches.
struct DeviceTuning {
  int strip_warps = 16;  ///< warps of a block that solves strips
  static constexpr int most_strip_warps = 16;
  int strips = -1;  ///< 1: solve in strips, 0: not, -1: by structure
};

/// Tasks of one warp: rows of one level and class that lie at positions [first, first + count).
/// Their entries are interleaved so that a warp reads them in one go.
struct Task {
  std::int64_t entry;   ///< where the entries begin
  std::int32_t first;   ///< position
  std::uint32_t shape;  ///< count (6 bits), class (3 bits), slices of a row of class 5 (23 bits)
};

/// A matrix in the order and layout in which it is solved.
template <class Value>
struct Packed {
  const Task* tasks;
  const std::int32_t* task_begin;  ///< of every strip, one more; null without strips
  const std::int32_t* row;         ///< of every position
  const Value* diagonal;           ///< of every position
  const std::int32_t* columns;     ///< -1 where a row has no entry
  const Value* values;
  std::int32_t rows;
  std::int32_t count;       ///< tasks
  std::int32_t strip_rows;  ///< 0 without strips
  std::int32_t strips;
  bool upper;
};

/// Solves for `sides` columns of b and x, row-major with `sides` numbers a row. x must not be b.
/// All bits of every x are set first, a NaN that no result can be: results that are NaN are the
/// one without payload. So one load returns a value and whether it is final.
template <class Value>
void launch_solve(const Packed<Value>& matrix,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  const DeviceTuning& tuning,
                  cudaStream_t stream);
/// The same for tasks [first, last), whose rows need none of each other; x is not marked.
template <class Value>
void launch_tasks(const Packed<Value>& matrix,
                  std::int32_t first,
                  std::int32_t last,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  cudaStream_t stream);

/// Scratch of launch_levels: the first entries of a row, a word each.
struct alignas(16) RowEntries {
  std::uint32_t entry[4];
};

/// levels[row] from 1 and key[row] = (level - 1) * 7 + class of every row; rows[i] = i; *deepest is
/// the largest level. One launch: blocks own strips of rows, warps parts of them, and wait for the
/// levels they need.
template <class Value, class Index>
void launch_levels(const DeviceCsr<Value, Index>& matrix,
                   std::int32_t* levels,
                   std::uint32_t* keys,
                   std::int32_t* rows,
                   RowEntries* entries,
                   std::int32_t* deepest,
                   cudaStream_t stream);

/// A system on the current device.
template <class Value, class Index>
class DeviceSystem {
 public:
  explicit DeviceSystem(const DeviceTuning& tuning = {}) : tuning_(tuning) {}

  /// Levels, classes, order, keys. Memory of an earlier call is used again.
  void analyse(const DeviceCsr<Value, Index>& matrix);
  /// Lays the matrix out for solve(): in strips where that pays, or, for solve_levels(), by level.
  void pack(const DeviceCsr<Value, Index>& matrix, bool by_level = false);
  /// The layout's copy of new values.
  void update_values(const DeviceCsr<Value, Index>& matrix);
  /// Device memory, rows x sides. Returns before it is done: see stream().
  void solve(const Value* b, Value* x, std::int64_t sides);
  /// The same, level after level; after pack(matrix, true) alone.
  void solve_levels(const Value* b, Value* x, std::int64_t sides);

  LevelAnalysis<Index> analysis() const;
  std::int64_t levels() const { return levels_; }
  std::int64_t warps() const { return warps_; }
  bool in_strips() const { return packed_.strip_rows > 0; }
  const Stream& stream() const { return stream_; }

 private:
  template <class Call>
  void with_scratch(const Call& call);
  void order_by_strips();
  void make_tasks(const DeviceCsr<Value, Index>& matrix);
  void fill(const DeviceCsr<Value, Index>& matrix);
  void find_level_tasks();

  DeviceTuning tuning_;
  Stream stream_;
  std::int64_t rows_ = 0;
  std::int64_t levels_ = 0;
  std::int64_t warps_ = 0;
  std::int64_t runs_ = 0;  ///< non-empty keys
  bool upper_ = false;
  std::int32_t strip_rows_ = 0;
  std::int32_t strips_ = 0;
  DeviceArray<std::int32_t> level_, row_, order_, strip_row_, run_length_, wide_run_length_;
  DeviceArray<std::int32_t> run_begin_, run_tasks_;
  DeviceArray<std::int32_t> task_begin_, column_;
  DeviceArray<std::uint32_t> key_, sorted_key_, run_key_;
  DeviceArray<std::uint64_t> wide_key_, wide_run_key_;
  DeviceArray<std::int64_t> entries_, totals_;
  DeviceArray<Task> tasks_;
  DeviceArray<Value> value_, diagonal_;
  DeviceArray<char> scratch_;
  Packed<Value> packed_ = {};
  std::vector<std::int32_t> level_task_;  ///< first task of each level, one more
};

}  // namespace yupana::sparse::cuda
