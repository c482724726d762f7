#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/row_ranks.hpp"

/// Private to the family.
namespace yupana::forest {

/// Sorts keys with their rows by rank, the bits above those of the class: classes of equal values
/// need no order. Keeps its memory from one call to the next.
class RankSort {
 public:
  RankSort(int class_bits, int key_bits) : class_bits_(class_bits), key_bits_(key_bits) {}

  /// The first n of them. rows: null if none go along
  void sort(std::int64_t n, Array<std::uint32_t>& keys, Array<std::uint32_t>* rows) {
    // They change places with the caller's.
    if (other_keys_.empty()) {
      other_keys_ = Array<std::uint32_t>(keys.size());
      if (rows != nullptr) other_rows_ = Array<std::uint32_t>(keys.size());
    }
    rows != nullptr ? sort_by_rank<true>(n, keys, *rows)
                    : sort_by_rank<false>(n, keys, other_rows_);
  }

 private:
  /// Least digit first.
  template <bool with_rows>
  void sort_by_rank(std::int64_t n,
                    Array<std::uint32_t>& own_keys,
                    Array<std::uint32_t>& own_rows) {
    std::uint32_t* keys = own_keys.data();
    std::uint32_t* rows = own_rows.data();
    if (n <= small_keys) return insert_by_rank<with_rows>(n, keys, rows);
    const int rank_bits = key_bits_ - class_bits_;
    const int max_bits = n < large_keys ? small_digit : large_digit;
    const int digits = divide_up(rank_bits, max_bits);
    const int width = divide_up(rank_bits, digits);
    const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
    counts_.assign(static_cast<std::size_t>(digits) << width, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint32_t rank = keys[i] >> class_bits_;
      for (int digit = 0; digit < digits; ++digit, rank >>= width) {
        ++counts_[(static_cast<std::size_t>(digit) << width) + (rank & mask)];
      }
    }
    for (int digit = 0; digit < digits; ++digit) {
      std::uint32_t* next = counts_.data() + (static_cast<std::size_t>(digit) << width);
      std::uint32_t place = 0;
      for (std::uint32_t b = 0; b <= mask; ++b) place += std::exchange(next[b], place);
      const int shift = class_bits_ + digit * width;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint32_t to = next[keys[i] >> shift & mask]++;
        other_keys_[to] = keys[i];
        if (with_rows) other_rows_[to] = rows[i];
      }
      std::swap(own_keys, other_keys_);
      keys = own_keys.data();
      if (with_rows) {
        std::swap(own_rows, other_rows_);
        rows = own_rows.data();
      }
    }
  }

  template <bool with_rows>
  static void insert_by_rank(std::int64_t n, std::uint32_t* keys, std::uint32_t* rows) {
    for (std::int64_t i = 1; i < n; ++i) {
      const std::uint32_t key = keys[i], row = with_rows ? rows[i] : 0;
      std::int64_t j = i;
      for (; j > 0 && keys[j - 1] > key; --j) {
        keys[j] = keys[j - 1];
        if (with_rows) rows[j] = rows[j - 1];
      }
      keys[j] = key;
      if (with_rows) rows[j] = row;
    }
  }

  // Few keys are inserted; counters of digits of 7 bits cost a node of hundreds little.
  static constexpr std::int64_t small_keys = 40;
  static constexpr std::int64_t large_keys = 4096;
  static constexpr int small_digit = 7;
  static constexpr int large_digit = 11;

  int class_bits_, key_bits_;
  Array<std::uint32_t> other_keys_, other_rows_;
  std::vector<std::uint32_t> counts_;
};

namespace cpu {

/// How many keys are `pair` and how many `pair` + 1: many are compared at once, where sums in
/// memory would each wait for the last. Up to 64 bytes beyond the keys are read.
template <class K>
std::pair<std::int64_t, std::int64_t> count_pair(const K* keys,
                                                 std::int64_t count,
                                                 std::uint32_t pair);

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
      : features_(ranks.columns),
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
