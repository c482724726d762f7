#pragma once

#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/forest/spans.hpp"

/// Device memory that is allocated at once. The driver serves one device after the other, and each
/// question takes 0.1 ms and more, so 80 questions a device were what several devices waited for.
/// Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// Memory of the device that is current where it is made, of which each ReservedArray is cut that
/// this thread makes while this lives, if it has room. Arrays must end before it. What is freed is
/// cut again at once, while the device may still use it: all users of a reserve go to one stream,
/// or wait for it.
class Reserve {
 public:
  /// Where the device has less, or for 0 bytes, arrays allocate memory each on their own.
  explicit Reserve(std::uint64_t bytes);
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// Memory from here; null: no room.
  void* take(std::uint64_t bytes);
  void give_back(void* memory);
  /// Of this thread; null: none.
  static Reserve* current();

 private:
  yupana::cuda::DeviceArray<unsigned char> memory_;
  std::mutex mutex_;
  Spans spans_;
  Reserve* before_;
};

/// A yupana::cuda::DeviceArray from the thread's Reserve, or without one.
template <class T>
class ReservedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ReservedArray() = default;
  explicit ReservedArray(std::int64_t size) : size_(size) {
    if (size == 0) return;
    reserve_ = Reserve::current();
    if (reserve_ != nullptr) data_ = static_cast<T*>(reserve_->take(bytes()));
    if (data_ != nullptr) return;
    reserve_ = nullptr;
    own_ = yupana::cuda::DeviceArray<T>(size);
    data_ = own_.data();
  }
  ReservedArray(ReservedArray&& other) noexcept { *this = std::move(other); }
  ReservedArray& operator=(ReservedArray&& other) noexcept {
    std::swap(own_, other.own_);
    std::swap(reserve_, other.reserve_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ReservedArray() {
    if (reserve_ != nullptr) reserve_->give_back(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  bool empty() const { return size_ == 0; }

 private:
  yupana::cuda::DeviceArray<T> own_;  ///< without a reserve
  Reserve* reserve_ = nullptr;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace yupana::forest::cuda
