#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"

/// Private to the family.
namespace yupana::forest {

/// Entries that go to the right while a list is parted, one block a thread at work.
class ListScratch {
 public:
  /// Stable partition of a part of a list by a byte a row, 1: it goes left. Returns how many do.
  std::int64_t partition(const std::uint8_t* goes_left,
                         std::uint32_t* keys,
                         std::uint32_t* rows,
                         std::int64_t n) {
    if (n == 0) return 0;
    auto block = take(n);
    std::uint32_t* right_keys = block->keys.data();
    std::uint32_t* right_rows = block->rows.data();
    std::int64_t left = 0, right = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t key = keys[i], row = rows[i];
      const std::int64_t is_left = goes_left[row];
      keys[left] = key;
      rows[left] = row;
      right_keys[right] = key;
      right_rows[right] = row;
      left += is_left;
      right += 1 - is_left;
    }
    std::memcpy(keys + left, right_keys, static_cast<std::size_t>(right) * sizeof(*keys));
    std::memcpy(rows + left, right_rows, static_cast<std::size_t>(right) * sizeof(*rows));
    give_back(std::move(block));
    return left;
  }

 private:
  struct Block {
    Array<std::uint32_t> keys, rows;
  };
  std::unique_ptr<Block> take(std::int64_t size) {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) {
        block = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!block) block = std::make_unique<Block>();
    if (block->keys.size() < size) {
      block->keys = Array<std::uint32_t>(size);
      block->rows = Array<std::uint32_t>(size);
    }
    return block;
  }
  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard guard(lock_);
    free_.push_back(std::move(block));
  }

  std::mutex lock_;
  std::vector<std::unique_ptr<Block>> free_;
};

}  // namespace yupana::forest
