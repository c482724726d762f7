#pragma once

#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"

/// Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// Memory on the current device that the functions of this family work in, kept between calls so
/// that a call neither allocates nor clears. One call at a time: calls that share a workspace go to
/// one stream. Grows on demand (which waits for the device), never shrinks.
class Workspace {
 public:
  /// `bytes` of memory in undefined state, aligned to 256. The pointer of the call before is void.
  void* scratch(std::uint64_t bytes);
  /// The same apart from it, for what is sorted and the like with scratch memory of its own.
  void* beside(std::uint64_t bytes);

  /// Page-locked memory of the host for what it has to see of a launch: the copy is short.
  void* for_host(std::uint64_t bytes);

  /// Words in which blocks of one launch publish results. A word counts as written only if
  /// its upper half is `epoch`, which no earlier launch had: nothing needs to be cleared between.
  struct TileStatus {
    std::uint64_t* words = nullptr;
    std::uint32_t epoch = 0;
  };
  TileStatus tile_status(std::int64_t words, cudaStream_t stream);

  /// A counter that is 0 at the start of a launch; the launch leaves it at 0.
  std::uint32_t* counter(cudaStream_t stream);

  std::uint64_t bytes() const {
    return scratch_.bytes() + beside_.bytes() + status_.bytes() + counter_.bytes();
  }

 private:
  yupana::cuda::DeviceArray<unsigned char> scratch_, beside_;
  yupana::cuda::DeviceArray<std::uint64_t> status_;
  yupana::cuda::PinnedArray<unsigned char> for_host_;
  yupana::cuda::DeviceArray<std::uint32_t> counter_;
  std::uint32_t epoch_ = 0;
};

}  // namespace yupana::arrays::cuda
