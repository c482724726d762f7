#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana {

/// Whether none of the values is infinite, nor NaN where that is not allowed either.
template <class T>
bool all_finite(const T* values, std::int64_t count, std::int64_t stride, bool allow_nan) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr Bits no_sign = ~Bits{0} >> 1;
  const Bits looked_at = allow_nan ? no_sign : infinity;
  Bits found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    found |= (std::bit_cast<Bits>(values[i * stride]) & looked_at) == infinity;
  }
  return found == 0;
}

/// A table as lines of values next to each other: the whole table, its columns, or its rows.
template <class T>
struct TableLines {
  const T* data;
  std::int64_t lines, length, step, stride;

  explicit TableLines(const TableView<T>& table)
      : data(table.data),
        lines(table.columns),
        length(table.rows),
        step(table.stride),
        stride(table.row_stride) {
    if (stride != 1) {
      std::swap(lines, length);
      std::swap(step, stride);
    }
    if (stride == 1 && step == length) {
      length *= lines;
      lines = 1;
    }
  }
  bool all_finite(std::int64_t line, std::int64_t first, std::int64_t count, bool allow_nan) const {
    const T* const from = data + line * step + first * stride;
    return stride == 1 ? yupana::all_finite(from, count, 1, allow_nan)
                       : yupana::all_finite(from, count, stride, allow_nan);
  }
};

/// The same of a table in any layout.
template <class T>
bool all_finite(TableView<T> table, bool allow_nan) {
  const TableLines<T> own(table);
  std::int64_t line = 0;
  while (line < own.lines && own.all_finite(line, 0, own.length, allow_nan)) ++line;
  return line == own.lines;
}

/// The same by all threads.
template <class T>
bool all_finite(Context& context, TableView<T> table, bool allow_nan) {
  const TableLines<T> own(table);
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t pieces = divide_up(own.length, piece);
  std::atomic<bool> finite{true};
  context.parallel_for(own.lines * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end && finite; ++p) {
      const std::int64_t first = p % pieces * piece;
      const std::int64_t count = std::min(piece, own.length - first);
      if (!own.all_finite(p / pieces, first, count, allow_nan)) finite = false;
    }
  });
  return finite;
}

}  // namespace yupana
