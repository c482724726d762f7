#pragma once

#include <cstdint>

#include "yupana/arrays/scan_block_cuda.cuh"
#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {

/// The results of tiles, published to all blocks of a launch. A value of up to 4 bytes is in the
/// word that says it is ready; a larger one is written before its word, and read after it.
template <class T>
struct TileTotals {
  static constexpr bool packed = sizeof(T) <= 4;
  /// Groups of 32 tiles that a warp polls at a time: what a round of 132 blocks adds.
  static constexpr int batch = packed ? 5 : (sizeof(T) <= 16 ? 5 : 1);

  std::uint64_t* words = nullptr;
  std::uint32_t epoch = 0;
  Words<T>* values = nullptr;  ///< where not packed

  __device__ void publish(std::int64_t tile, const T& value) const {
    const std::uint64_t mark = std::uint64_t{epoch} << 32;
    if constexpr (packed) {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + tile),
                   "l"(mark | to_words(value).word[0])
                   : "memory");
    } else {
      const Words<T> parts = to_words(value);
#pragma unroll
      for (int i = 0; i < Words<T>::count; ++i) values[tile].word[i] = parts.word[i];
      asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(words + tile), "l"(mark) : "memory");
    }
  }

  __device__ std::uint64_t load_status(std::int64_t tile) const {
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(words + tile) : "memory");
    return word;
  }

  /// Waits for the values of tiles first + 32 g + lane, g < batch; of those at `end` and beyond
  /// the words are left as they are.
  __device__ void take(std::int64_t first,
                       std::int64_t end,
                       int lane,
                       Words<T> (&taken)[batch]) const {
    std::uint64_t word[batch];
#pragma unroll
    for (int g = 0; g < batch; ++g) {
      const std::int64_t tile = first + 32 * g + lane;
      word[g] = tile < end ? load_status(tile) : std::uint64_t{epoch} << 32;
    }
#pragma unroll
    for (int g = 0; g < batch; ++g) {
      while (static_cast<std::uint32_t>(word[g] >> 32) != epoch) {
        word[g] = load_status(first + 32 * g + lane);
      }
      if constexpr (packed) taken[g].word[0] = static_cast<std::uint32_t>(word[g]);
    }
    if constexpr (!packed) {
      __threadfence();
#pragma unroll
      for (int g = 0; g < batch; ++g) {
        const std::int64_t tile = first + 32 * g + lane;
        if (tile >= end) continue;
#pragma unroll
        for (int i = 0; i < Words<T>::count; ++i) {
          taken[g].word[i] = __ldcg(&values[tile].word[i]);
        }
      }
    }
    __syncwarp();
  }
};

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
