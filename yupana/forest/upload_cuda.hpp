#pragma once

#include <cstddef>
#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"

/// Copies of ordinary host memory to a device, by way of page-locked pieces that all threads fill.
/// Only files of the CUDA build include this.
namespace yupana::forest::cuda {

class Upload {
 public:
  /// bytes: all that is to be copied. Page-locked memory is worth its making (3 ms, and 2 more to
  /// give it back) for much of it.
  Upload(Context& context, std::uint64_t bytes) : context_(context), pinned_(bytes >= most_plain) {}
  Context& context() { return context_; }
  /// Copies in the stream's order; `from` may change once this returns. One call at a time.
  void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

  template <class T>
  yupana::cuda::DeviceArray<T> array(const T* from, std::int64_t count, cudaStream_t stream) {
    yupana::cuda::DeviceArray<T> to(count);
    copy(to.data(), from, to.bytes(), stream);
    return to;
  }

 private:
  struct Piece {
    yupana::cuda::PinnedArray<unsigned char> memory;
    yupana::cuda::Event copied;
  };
  static constexpr int pieces = 3;
  static constexpr std::uint64_t most_plain = std::uint64_t{100} << 20;

  Context& context_;
  bool pinned_;
  Piece pieces_[pieces];
  int next_ = 0;
};

}  // namespace yupana::forest::cuda
