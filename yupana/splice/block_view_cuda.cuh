#pragma once

#include <cstdint>

#include "yupana/splice/device_batch_cuda.hpp"

/// Private to the family: where a warp finds its block, and how blocks tell each other their last
/// columns.
namespace yupana::splice::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// Where a warp finds its block.
struct BlockView {
  const DeviceCase* problem = nullptr;
  std::uint32_t* state = nullptr;       ///< rows of this lane: words 32 apart
  const std::uint64_t* left = nullptr;  ///< column before the block, by position; null: none
  std::uint64_t* right = nullptr;       ///< last column; null where no block follows
  const std::uint16_t* program = nullptr;
  std::int32_t block = 0;
  std::int32_t lane = 0;
  std::int32_t lanes = 0;   ///< of the warp that hold columns
  std::int64_t length = 0;  ///< of the program
};

template <class Scores>
__device__ BlockView
view_block(const DeviceBatch& batch, std::int32_t problem, std::int32_t block, bool affine) {
  const DeviceCase& c = batch.cases[problem];
  BlockView view;
  view.problem = &c;
  view.block = block;
  view.lane = static_cast<std::int32_t>(threadIdx.x % 32);
  view.lanes = c.lanes;
  view.length = c.length;
  view.state = batch.state + c.state + block * c.block_words + view.lane;
  const std::int64_t planes = Scores::halves == 1 && affine ? 2 : 1;
  std::uint64_t* columns = batch.boundaries + c.boundaries;
  view.left = block > 0 ? columns + (block - 1) * planes * c.length : nullptr;
  view.right = block + 1 < c.blocks ? columns + block * planes * c.length : nullptr;
  view.program = batch.program + c.program;
  return view;
}

inline constexpr std::uint64_t written = std::uint64_t{1} << 32;
/// Words between blocks carry a mark that they were written, so that the reader needs no fence.
__device__ inline std::uint64_t load_word(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void store_word(std::uint64_t* word, std::uint32_t value) {
  // No clobber: nothing else is told by it, so what is read from memory need not wait.
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(written | value));
}
template <class Batch>
__device__ inline bool stopped(const Batch& batch) {
  int flag;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(flag) : "l"(batch.counters + 2));
  return flag != 0;
}
template <class Batch>
__device__ inline std::uint32_t settle(const Batch& batch,
                                       std::uint64_t value,
                                       const std::uint64_t* word) {
  // A look at the flag takes as long as one at the word: seldom.
  for (int looks = 1; value >> 32 == 0; ++looks) {
    if (looks % 16 == 0 && stopped(batch)) break;
    if (looks > 4) __nanosleep(40);
    value = load_word(word);
  }
  return static_cast<std::uint32_t>(value);
}

/// Letters on their way along the lanes: a ring of 128 twice, so that 32 lie side by side.
inline constexpr int ring_size = 128;

/// Words between blocks and letters that a sweep needs first.
struct Arrivals {
  std::uint64_t corner = 0, told = 0, gap_told = 0;
  std::uint16_t selector = 0;
  std::uint8_t low = 0, high = 0;  ///< bases, where rows are read before the last
};

__device__ inline void prefetch(const void* memory) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(memory));
}

}  // namespace yupana::splice::cuda
