#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"

namespace yupana {

/// A host array on the device, `shift` values behind an aligned address. For CUDA builds alone.
template <class T>
class There {
 public:
  explicit There(const std::vector<T>& values, std::int64_t shift = 0)
      : There(values.data(), static_cast<std::int64_t>(values.size()), shift) {}
  There(const T* values, std::int64_t size, std::int64_t shift = 0)
      : memory_(size + shift + 1), shift_(shift), size_(static_cast<std::size_t>(size)) {
    yupana::cuda::upload("copy", data(), values, size);
  }
  T* data() { return memory_.data() + shift_; }
  std::vector<T> back() {
    std::vector<T> values(size_);
    yupana::cuda::check(
        cudaMemcpy(values.data(), data(), size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    return values;
  }

 private:
  yupana::cuda::DeviceArray<T> memory_;
  std::int64_t shift_;
  std::size_t size_;
};

}  // namespace yupana
