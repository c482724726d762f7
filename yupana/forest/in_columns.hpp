#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::forest {

/// The table column after column: itself where it lies so, else a copy in `memory`.
///   memory: in the latter case as much as the table
template <class T>
TableView<T> in_columns(Context& context, TableView<T> table, Array<T>& memory) {
  if (table.row_stride == 1) return table;
  // Few rows at a time: the first cache holds them while each of their columns is read.
  constexpr std::int64_t tile = 64;
  memory = Array<T>(table.rows * table.columns);
  context.parallel_for(divide_up(table.rows, tile), 64, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t first = begin * tile; first < end * tile; first += tile) {
      const std::int64_t last = std::min(first + tile, table.rows);
      for (std::int64_t c = 0; c < table.columns; ++c) {
        T* const column = memory.data() + c * table.rows;
        for (std::int64_t i = first; i < last; ++i) column[i] = table(i, c);
      }
    }
  });
  return {memory.data(), table.rows, table.columns, table.rows};
}

}  // namespace yupana::forest
