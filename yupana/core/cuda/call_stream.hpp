#pragma once

#include <optional>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::cuda {

/// Where a call on arrays of the current device queues its work: the context's stream, or one of
/// its own. Only for CUDA builds.
class CallStream {
 public:
  explicit CallStream(const Context& context) {
    if (context.gpu_stream()) {
      stream_ = reinterpret_cast<cudaStream_t>(*context.gpu_stream());
    } else {
      stream_ = own_.emplace();
    }
  }
  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "wait for a stream"); }
  /// Waits for the work on a stream of its own.
  void finish() const {
    if (own_) wait();
  }

 private:
  std::optional<Stream> own_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace yupana::cuda
