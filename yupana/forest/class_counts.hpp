#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Private to the family.
namespace yupana::forest {

/// A number for each class. Of a few classes it asks for no memory: a level of a forest makes sums
/// of tens of thousands of nodes, and giving back what other threads asked for takes longer than
/// all else that the host does with them.
class ClassCounts {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t* begin() { return size_ > few ? many_.data() : few_; }
  std::int64_t* end() { return begin() + size_; }
  const std::int64_t* begin() const { return size_ > few ? many_.data() : few_; }
  const std::int64_t* end() const { return begin() + size_; }
  std::int64_t& operator[](std::size_t i) { return begin()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return begin()[i]; }

  /// All become 0.
  void resize(std::size_t size) {
    if (size > few) many_.assign(size, 0);
    std::fill(few_, few_ + few, 0);
    size_ = size;
  }

 private:
  static constexpr std::size_t few = 4;
  std::size_t size_ = 0;
  std::int64_t few_[few] = {};
  std::vector<std::int64_t> many_;  ///< empty for a few
};

}  // namespace yupana::forest
