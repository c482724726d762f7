#pragma once

#include <cstdint>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::arrays {

/// A host array on the device, `shift` values behind an aligned address.
template <class T>
class There {
 public:
  explicit There(const std::vector<T>& values, std::int64_t shift = 0)
      : memory_(ssize_of(values) + shift + 1), shift_(shift), size_(values.size()) {
    yupana::cuda::check(
        cudaMemcpy(data(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
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

}  // namespace yupana::arrays
