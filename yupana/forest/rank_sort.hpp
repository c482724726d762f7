#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/tiles.hpp"

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

}  // namespace yupana::forest
