#pragma once

#include <cstdint>

#include "yupana/arrays/scan_block_cuda.cuh"
#include "yupana/arrays/tile_status_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {

/// One scan of n values in `tiles` tiles, as its kernel receives it.
template <class T, class Op>
struct ScanTask {
  ScanKind kind;
  const T* in;
  T* out;
  std::int64_t n;
  std::int64_t tiles;
  TileTotals<T> totals;
  Words<T> init;
  Op op;
  int stages = 0;  // of the ring
};

/// The task with `words` words for the totals of its tiles.
template <class T, class Op>
ScanTask<T, Op> with_totals(Workspace& space,
                            cudaStream_t stream,
                            ScanTask<T, Op> task,
                            std::int64_t words) {
  const Workspace::TileStatus status = space.tile_status(words, stream);
  task.totals.words = status.words;
  task.totals.epoch = status.epoch;
  if constexpr (!TileTotals<T>::packed) {
    task.totals.values = static_cast<Words<T>*>(
        space.scratch(static_cast<std::uint64_t>(task.tiles) * sizeof(Words<T>)));
  }
  return task;
}

}  // namespace yupana::arrays::cuda
