#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/forest/row_ranks.hpp"

/// Private to the family.
namespace yupana::forest {

namespace cpu {

/// How many keys are pairs[k] and pairs[k] + 1, into counts[2 k] and counts[2 k + 1]: many are
/// compared at once, where sums in memory would each wait for the last. Up to 64 bytes beyond the
/// keys are read.
void count_pairs(const std::uint16_t* keys,
                 std::int64_t count,
                 const std::vector<std::uint32_t>& pairs,
                 std::int64_t* counts);
void count_pairs(const std::uint32_t* keys,
                 std::int64_t count,
                 const std::vector<std::uint32_t>& pairs,
                 std::int64_t* counts);

}  // namespace cpu

/// Keys of rows that go right: `size` of them from `first` on, and others.
struct RightKeys {
  std::uint32_t first, size, also_first, also_size;

  bool has(std::uint32_t key) const { return key - first < size || key - also_first < also_size; }
};

/// The short keys of the rows of one tree (RowRanks), column after column, those of a node's rows
/// adjacent in each. They are parted with their node, in vectors: to
/// find keys by their rows takes a step for every key that is read.
class PartedKeys {
 public:
  /// rows: of the tree, a row as often as it was drawn
  template <class T>
  PartedKeys(const RowRanks<T>& ranks, const Array<std::uint32_t>& rows)
      : features_(ranks.features),
        stride_(rows.size() + padding),
        keys_(features_ * stride_),
        right_(stride_),
        left_(stride_) {
    const std::uint16_t* const all = ranks.short_keys.data();
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::uint16_t* const row = all + rows[i] * features_;
      for (std::int64_t f = 0; f < features_; ++f) keys_[f * stride_ + i] = row[f];
    }
  }

  const std::uint16_t* column(std::int64_t f) const { return keys_.data() + f * stride_; }

  /// Of rows that go left.
  struct Marked {
    std::int64_t rows, odd;  ///< odd: whose key is
  };
  /// Marks which rows of a node, `count` from `begin` on, go left, by a column's keys.
  Marked mark(std::int64_t column, std::int64_t begin, std::int64_t count, const RightKeys& right);
  /// is_left: of each rank
  Marked mark(std::int64_t column,
              std::int64_t begin,
              std::int64_t count,
              int class_bits,
              const std::vector<std::uint8_t>& is_left);
  /// Of row number i of the node that was marked last.
  bool is_left(std::int64_t i) const { return left_[i] != 0; }
  /// Brings those marked to the front, all in order.
  void part(std::int64_t begin, std::int64_t count);

 private:
  static constexpr std::int64_t padding = 64;  ///< vectors begin at any key, and end beyond

  std::int64_t features_, stride_;
  Array<std::uint16_t> keys_, right_;
  Array<std::uint16_t> left_;  ///< of each row of a node: not 0 if it goes left
};

}  // namespace yupana::forest
