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
/// Blocks from this size on, that of a huge page, are pages just made by the system: all zero, but
/// where tests have new memory filled with ones.
inline constexpr std::size_t fresh_bytes = std::size_t{2} << 20;
#ifdef YUPANA_FILLED_MEMORY
inline constexpr bool is_filled = true;
#else
inline constexpr bool is_filled = false;
#endif
void release_host(void* memory, std::size_t bytes) noexcept;

/// An owning array of plain values in memory that is taken and given back so; contents undefined.
template <class T, void* (*allocate)(std::size_t bytes), void (*release)(void*, std::size_t bytes)>
class OwnedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  OwnedArray() = default;
  explicit OwnedArray(std::int64_t size)
      : data_(size > 0 ? static_cast<T*>(allocate(static_cast<std::size_t>(size) * sizeof(T)))
                       : nullptr),
        size_(size) {}
  OwnedArray(OwnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~OwnedArray() {
    if (data_ != nullptr) release(data_, bytes());
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  bool empty() const { return size_ == 0; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// An owning array of plain values. Never copied by accident; undefined contents unless zeroed.
template <class T>
class Array : public OwnedArray<T, allocate_host, release_host> {
 public:
  using OwnedArray<T, allocate_host, release_host>::OwnedArray;
  using OwnedArray<T, allocate_host, release_host>::data;

  static Array zeros(std::int64_t size) {
    Array array(size);
    // Fresh pages are made by the threads that write them first: one thread would take longer than
    // many take to fill them.
    if (size > 0 && (is_filled || array.bytes() < fresh_bytes)) {
      std::memset(static_cast<void*>(array.data()), 0, array.bytes());
    }
    return array;
  }

  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + this->size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + this->size(); }
};

}  // namespace yupana
