#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/forest/packed.hpp"

namespace yupana::forest {

/// Rows that go on together, below complete levels or from the root: their values stay in the first
/// cache.
inline constexpr std::int64_t deep_groups = 16, deep_rows = deep_groups * packed_lanes;

/// Steps of packed_lanes rows before those that have arrived leave the list: first, and later.
inline constexpr int first_steps = 6, next_steps = 4;

/// From the nodes in `leaves` to the leaves of some rows, at most deep_rows. Those that stay where
/// they are have arrived and leave the list: rows of a tree without a limit end at very different
/// depths, and of sixteen side by side all would wait for the last. Some steps at a time, first
/// `steps`, of sixteen rows in turn: a row's next node is known long before it is read, and a leaf
/// takes the rest of them in vain. row_at(i): what of row i child_of(node, row) compares.
template <class RowAt, class ChildOf>
inline __attribute__((always_inline)) void step_rows(std::int64_t rows,
                                                     std::uint32_t* leaves,
                                                     const RowAt& row_at,
                                                     const ChildOf& child_of,
                                                     int steps = first_steps) {
  std::uint16_t moving[deep_rows + packed_lanes];
  for (std::int64_t i = 0; i < rows; ++i) moving[i] = static_cast<std::uint16_t>(i);
  for (std::int64_t count = rows; count > 0; steps = next_steps) {
    std::fill_n(moving + count, packed_lanes, moving[count - 1]);
    std::int64_t moved = 0;
    for (std::int64_t i = 0; i < count; i += packed_lanes) {
      std::size_t at[packed_lanes];
      decltype(row_at(0)) row[packed_lanes];
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < packed_lanes; ++k) {
        row[k] = row_at(moving[i + k]);
        at[k] = leaves[moving[i + k]];
      }
      for (int step = 1; step < steps; ++step) {
#pragma GCC unroll 16
        for (std::int64_t k = 0; k < packed_lanes; ++k) at[k] = child_of(at[k], row[k]);
      }
      for (std::int64_t k = 0; k < std::min(packed_lanes, count - i); ++k) {
        const std::uint16_t own = moving[i + k];
        const std::size_t next = child_of(at[k], row[k]);
        leaves[own] = static_cast<std::uint32_t>(next);
        moving[moved] = own;
        moved += next != at[k] ? 1 : 0;
      }
    }
    count = moved;
  }
}

}  // namespace yupana::forest
