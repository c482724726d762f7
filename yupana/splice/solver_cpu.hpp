#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/row_kernels.hpp"

/// Private to the family: one case on the CPU.
namespace yupana::splice::cpu {

/// Columns [first, first + width) of the tables, counted from 1 (column 0 is before all blocks).
struct Block {
  std::int64_t first = 1;
  std::int64_t width = 0;
  std::int64_t vectors = 0;
};

/// The best values of a row with where they come from; absent parts are null.
template <class T>
struct Row {
  T* best = nullptr;
  T* best_low = nullptr;
  T* best_high = nullptr;
  T* gap = nullptr;
  T* gap_low = nullptr;
  T* gap_high = nullptr;
};

template <class T>
struct BlockState;

/// Scores in T: S(i,j) = X(i,j) - zero + extend (i + j).
template <class T>
struct Range {
  T zero = 0;
  T lowest = 0;
  bool fits = false;

  Range(const Case& problem, const AlignParams& params);
  /// A constant to be added, cut off where it can only lose.
  T constant(std::int64_t value) const { return static_cast<T>(value < lowest ? lowest : value); }
};

struct Trace {
  std::vector<ExonAlignment> chain;
  std::int64_t cells = 0;
};

/// The tables of one case, block of columns by block: within a block the starts follow one another
/// in order; a block needs, of the block before it, only the last column of the same start. So
/// blocks run side by side, each a start behind the one to its left.
template <class T>
class Solver {
 public:
  Solver(Context& context,
         const Case& problem,
         const AlignParams& params,
         const Plan& plan,
         const Tuning& tuning,
         int workers);

  /// False if T does not hold the scores. `stage`, unless null, hears of the cells.
  bool solve(Stage* stage, SplicedAlignment& result);

 private:
  // solver_cpu.cpp
  void cut_blocks(const Tuning& tuning);
  void make_profiles();
  void take_memory();
  Row<T> row_at(T* memory, std::int64_t block) const;
  std::int64_t row_size(std::int64_t block) const {
    return planes_ * (blocks_[block].vectors + 1) * kernels_.lanes;
  }
  std::int64_t stride(std::int64_t block) const { return blocks_[block].vectors * kernels_.lanes; }
  /// Values of a whole row; the first block has column 0 in a vector behind the others.
  std::int64_t count(std::int64_t block) const {
    return stride(block) + (block == 0 ? kernels_.lanes : 0);
  }
  void clear(const Row<T>& row, std::int64_t block) const;
  void run_block(std::int64_t block);
  void run_start(std::int64_t block, std::int64_t start, BlockState<T>& state);
  bool enter(std::int64_t block, const Start& start, const Row<T>& from, T* best, T* gap) const;
  void begin_left(const T* best, const T* gap, std::int64_t rows, T* left, T* left_gap) const;
  void run_rows(RowsTask<T>& task, std::int64_t block) const {
    task.vectors = blocks_[block].vectors;
    task.profiles = profile_of_.data() + block * 256;
    task.open = static_cast<T>(params_.gap_open);
    (affine_ ? kernels_.affine : kernels_.linear)(task);
  }
  void read(std::int64_t block, const Reading& reading, BlockState<T>& state);
  std::int64_t place(std::int64_t block, std::int64_t column) const {
    const std::int64_t c = column - blocks_[block].first;
    return c % blocks_[block].vectors * kernels_.lanes + c / blocks_[block].vectors;
  }
  bool wait_for(std::int64_t block, std::int64_t start) const;
  void tell(double cells) const {
    stage_ != nullptr ? stage_->advance(cells) : context_.check_cancelled();
  }
  void run_blocks();

  // traceback_cpu.cpp
  template <class>
  friend class Tracer;
  Trace trace_back(std::int64_t reading);

  Context& context_;
  const Case& problem_;
  const AlignParams& params_;
  const Plan& plan_;
  const Tuning tuning_;
  const int workers_;
  const RowKernels<T>& kernels_;
  const Range<T> range_;
  const bool affine_;
  const std::int64_t letters_;
  const std::int64_t planes_;
  Stage* stage_ = nullptr;

  std::vector<Block> blocks_;
  Array<T> profiles_;
  std::vector<const T*> profile_of_;  ///< 256 for each block
  Array<T> room_;
  std::vector<std::int64_t> room_of_;  ///< offsets, by block
  Array<T> left_, left_gap_;           ///< the column between two blocks, of every start
  Array<T> versions_;                  ///< running rows that starts saw, for the traceback
  std::vector<std::int64_t> versions_of_;
  std::vector<std::int64_t> scores_;  ///< by reading
  std::vector<std::atomic<std::int64_t>> progress_;
  std::atomic<bool> failed_{false}, overflow_{false};
};

/// The score of a case on the thread that asks, in no stage.
std::int64_t score_alone(Context& context, const Case& problem, AlignParams params);

}  // namespace yupana::splice::cpu
