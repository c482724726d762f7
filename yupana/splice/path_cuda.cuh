#pragma once

#include <cstdint>

#include "yupana/splice/device_batch_cuda.hpp"

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
  __device__ std::int64_t count() const { return count_; }

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
