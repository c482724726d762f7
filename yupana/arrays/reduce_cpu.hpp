#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/scan_cpu.hpp"
#include "yupana/core/array.hpp"

namespace yupana::arrays::cpu {

/// Neighbours first: keeps the order of the operands, and float errors grow with log n.
template <class T, class Op>
T fold_pairwise(const T* values, std::int64_t n, const Op& op) {
  if (n == 1) return values[0];
  const std::int64_t half = n / 2;
  return op(fold_pairwise(values, half, op), fold_pairwise(values + half, n - half, op));
}

template <class T, class Op>
T reduce(Context& context, const T* in, std::int64_t n, const Op& op) {
  constexpr std::int64_t tile = tile_size<T>;
  const std::int64_t tiles = divide_up(n, tile);
  if (tiles == 1) return fold(in, n, op);
  Array<T> totals(tiles);
  context.parallel_for(tiles, 4, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    std::int64_t t = begin;
    if constexpr (!sums_fit<T, Op>) {
      for (; t + runs_at_once <= end && (t + runs_at_once) * tile <= n; t += runs_at_once) {
        const auto folds = fold_runs<runs_at_once>(in + t * tile, tile, tile, op);
        std::copy(folds.begin(), folds.end(), &totals[t]);
      }
    }
    for (; t < end; ++t) {
      totals[t] = fold(in + t * tile, std::min(tile, n - t * tile), op);
    }
  });
  return fold_pairwise(totals.data(), tiles, op);
}

}  // namespace yupana::arrays::cpu
