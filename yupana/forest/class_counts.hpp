#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Private to the family.
namespace yupana::forest {

/// A number for each class. Of a few classes it allocates nothing: a level of a forest makes sums
/// of tens of thousands of nodes, and freeing what other threads allocated takes longer than
/// all else that the host does with them.
class ClassCounts {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t* begin() { return size_ > small_size ? large_.data() : small_; }
  std::int64_t* end() { return begin() + size_; }
  const std::int64_t* begin() const { return size_ > small_size ? large_.data() : small_; }
  const std::int64_t* end() const { return begin() + size_; }
  std::int64_t& operator[](std::size_t i) { return begin()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return begin()[i]; }

  /// All become 0.
  void resize(std::size_t size) {
    if (size > small_size) large_.assign(size, 0);
    std::fill(small_, small_ + small_size, 0);
    size_ = size;
  }

 private:
  static constexpr std::size_t small_size = 4;
  std::size_t size_ = 0;
  std::int64_t small_[small_size] = {};
  std::vector<std::int64_t> large_;  ///< empty for a few
};

}  // namespace yupana::forest
