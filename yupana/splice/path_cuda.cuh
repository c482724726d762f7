#pragma once

#include <cstdint>

#include "yupana/splice/block_view_cuda.cuh"

/// Private to the family: the words of an alignment, as tracers write them.
namespace yupana::splice::cuda {

/// Written by lane 0, from the last column to the first; equal runs become one.
class Path {
 public:
  __device__ explicit Path(std::uint32_t* words) : words_(words) {}
  __device__ void add(std::uint32_t operation, std::int32_t length) {
    if (length == 0) return;
    if (operation == operation_ && length_ > 0) {
      length_ += length;
      return;
    }
    flush();
    operation_ = operation;
    length_ = length;
  }
  __device__ void mark(std::int32_t reading) {
    flush();
    length_ = 0;
    write(std::uint32_t{word_exon} << word_shift);
    write(static_cast<std::uint32_t>(reading));
  }
  __device__ void flush() {
    if (length_ > 0) write(operation_ << word_shift | static_cast<std::uint32_t>(length_));
  }
  /// The words go past those of other cases.
  template <class Batch, class Result>
  __device__ void hand_over(const Batch& batch, std::int64_t traced_cells, Result& result) const {
    unsigned long long at = 0;
    if (threadIdx.x == 0) {
      at = atomicAdd(batch.words_used, static_cast<unsigned long long>(count_));
      result.words_at = static_cast<std::int64_t>(at);
      result.words = count_;
      result.traced_cells = traced_cells;
    }
    at = __shfl_sync(all_lanes, at, 0);
    __syncwarp();
    for (std::int64_t w = threadIdx.x; w < count_; w += 32) batch.words[at + w] = words_[w];
    __syncwarp();
  }

 private:
  __device__ void write(std::uint32_t word) {
    if (threadIdx.x == 0) words_[count_] = word;
    ++count_;
  }
  std::uint32_t* words_;
  std::int64_t count_ = 0;
  std::uint32_t operation_ = 0;
  std::int32_t length_ = 0;
};

}  // namespace yupana::splice::cuda
