#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace yupana {

/// `bytes` of memory aligned to 64 bytes, on huge pages where it is large; the contents are
/// undefined. Throws out_of_resources where the system refuses. Release with release_host.
void* allocate_host(std::size_t bytes);
/// Blocks from this size on, that of a huge page, are pages just made by the system: all zero.
inline constexpr std::size_t fresh_bytes = std::size_t{2} << 20;
void release_host(void* memory, std::size_t bytes) noexcept;

/// An owning array of plain values. Never copied by accident; undefined contents unless zeroed.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::int64_t size)
      : data_(size > 0 ? static_cast<T*>(allocate_host(bytes_of(size))) : nullptr), size_(size) {}
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) release_host(data_, bytes_of(size_));
  }

  static Array zeros(std::int64_t size) {
    Array array(size);
    // Fresh pages are made by the threads that write them first: one thread would take longer than
    // many take to fill them.
    if (size > 0 && array.bytes() < fresh_bytes) {
      std::memset(static_cast<void*>(array.data_), 0, array.bytes());
    }
    return array;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return bytes_of(size_); }
  bool empty() const { return size_ == 0; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static std::size_t bytes_of(std::int64_t size) {
    return static_cast<std::size_t>(size) * sizeof(T);
  }
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace yupana
