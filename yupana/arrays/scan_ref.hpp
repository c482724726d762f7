#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/tile.hpp"

namespace yupana::arrays::reference {

/// The sum of a slice, in PrefixOrder.
template <class T>
T slice_sum(const T* x) {
  using Order = PrefixOrder<T>;
  std::array<T, Order::row> columns;
  std::copy_n(x, Order::row, columns.begin());
  for (std::int64_t i = Order::row; i < Order::slice; ++i) {
    columns[static_cast<std::size_t>(i % Order::row)] += x[i];
  }
  std::array<T, Order::vectors> sums;
  for (std::size_t v = 0; v < sums.size(); ++v) {
    sums[v] = columns[v * Order::vector];
    for (std::size_t j = 1; j < Order::vector; ++j) sums[v] += columns[v * Order::vector + j];
  }
  return sum_by_neighbours(sums);
}

/// One row after `before`; returns what comes before the next.
template <class T>
T scan_row(const T* x, T before, T* out, bool exclusive) {
  using Order = PrefixOrder<T>;
  std::array<T, Order::row> inside;
  std::array<T, Order::vectors> through;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    inside[i] = i % Order::vector == 0 ? x[i] : inside[i - 1] + x[i];
    through[i / Order::vector] = inside[i];
  }
  sum_by_doubling(through);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const std::size_t v = i / Order::vector;
    const T sum = v == 0 ? before : before + through[v - 1];
    if (!exclusive) {
      out[i] = sum + inside[i];
    } else {
      out[i] = i % Order::vector == 0 ? sum : sum + inside[i - 1];
    }
  }
  return before + through.back();
}

/// The n values of a tile, or its first ones, after `before`; returns the sum of a whole tile.
template <class T>
T scan_tile(const T* in, std::int64_t n, T before, T* out, bool exclusive) {
  using Order = PrefixOrder<T>;
  std::array<T, Order::tile> x;
  std::fill(std::copy_n(in, n, x.begin()), x.end(), no_sum<T>);
  std::array<T, Order::slices> slices;
  for (std::size_t s = 0; s < slices.size(); ++s) slices[s] = slice_sum(&x[s * Order::slice]);
  sum_by_doubling(slices);
  for (std::size_t s = 0; s < slices.size(); ++s) {
    T carry = s == 0 ? before : before + slices[s - 1];
    for (std::size_t r = 0; r < Order::rows; ++r) {
      T* const row = &x[s * Order::slice + r * Order::row];
      carry = scan_row(row, carry, row, exclusive);
    }
  }
  std::copy_n(x.begin(), n, out);
  return slices.back();
}

template <class T>
void scan_sums(const T* in, std::int64_t n, T first, T* out, bool exclusive) {
  constexpr std::int64_t tile = PrefixOrder<T>::tile;
  SumBeforeTile<T> before(first);
  for (std::int64_t i = 0; i < n; i += tile) {
    before.add(scan_tile(in + i, std::min(tile, n - i), before.value(), out + i, exclusive));
  }
}

/// Folds within runs of run_size<T> values of each tile, what comes before a run put before each:
/// products of floats have the bits of the threads.
template <class T, class Op>
void scan(const T* in, std::int64_t n, std::optional<T> first, T* out, Op op, bool exclusive) {
  if constexpr (has_prefix_order<T, Op>) {
    return scan_sums(in, n, first.value_or(no_sum<T>), out, exclusive);
  } else {
    std::optional<T> carry;
    if (first) carry.emplace(*first);
    const auto after_carry = [&](const T& inside) { return carry ? op(*carry, inside) : inside; };
    for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
      const std::int64_t tile_end = (begin / tile_size<T> + 1) * tile_size<T>;
      end = std::min({n, tile_end, begin + run_size<T>});
      T local = in[begin];
      out[begin] = exclusive ? *carry : after_carry(local);
      for (std::int64_t i = begin + 1; i < end; ++i) {
        const T next = op(local, in[i]);
        out[i] = after_carry(exclusive ? local : next);
        local = next;
      }
      carry = after_carry(local);
    }
  }
}

}  // namespace yupana::arrays::reference
