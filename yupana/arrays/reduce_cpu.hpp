#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/scan_cpu.hpp"
#include "yupana/arrays/tile.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

/// Of one tile: where its first run goes, and how far the last run of the tiles before reaches in.
struct RunTile {
  std::int64_t first_run = 0;  ///< index of the first run that begins here
  std::int64_t lead = 0;       ///< elements before that run
};

/// Counts the runs that begin in each tile, then places them; returns how many there are.
template <class K, class Same>
std::int64_t find_runs(
    Context& context, const K* keys, std::int64_t n, Array<RunTile>& tiles, const Same& equal) {
  constexpr std::int64_t tile = tile_size<K>;
  context.parallel_for(tiles.size(), 4, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t stop = std::min(n, (t + 1) * tile);
      std::int64_t runs = 0;
      std::int64_t lead = stop - t * tile;
      for (std::int64_t i = t * tile; i < stop; ++i) {
        const bool begins = i == 0 || !equal(keys[i - 1], keys[i]);
        if (begins && runs == 0) lead = i - t * tile;
        runs += begins;
      }
      tiles[t] = {runs, lead};
    }
  });
  std::int64_t runs = 0;
  for (RunTile& t : tiles) {
    const std::int64_t here = t.first_run;
    t.first_run = runs;
    runs += here;
  }
  return runs;
}

/// Each tile folds the runs that begin in it as far as it reaches, and apart from them its lead;
/// the leads are then added to their runs in order. A run of any length is thus folded in pieces
/// that depend on its place alone, by all threads.
template <class K, class V, class Op, class Same>
std::int64_t reduce_by_key(Context& context,
                           const K* keys,
                           const V* values,
                           std::int64_t n,
                           K* out_keys,
                           V* out_values,
                           const Op& op,
                           const Same& equal) {
  constexpr std::int64_t tile = tile_size<K>;
  Array<RunTile> tiles(divide_up(n, tile));
  Array<V> leads(tiles.size());
  const std::int64_t runs = find_runs(context, keys, n, tiles, equal);
  context.parallel_for(tiles.size(), 4, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t stop = std::min(n, (t + 1) * tile);
      std::int64_t i = t * tile;
      const std::int64_t run_begin = i + tiles[t].lead;
      if (i < run_begin) {
        V lead = values[i++];
        for (; i < run_begin; ++i) lead = op(lead, values[i]);
        leads[t] = lead;
      }
      for (std::int64_t run = tiles[t].first_run; i < stop; ++run) {
        out_keys[run] = keys[i];
        V total = values[i++];
        for (; i < stop && equal(keys[i - 1], keys[i]); ++i) total = op(total, values[i]);
        out_values[run] = total;
      }
    }
  });
  for (std::int64_t t = 1; t < tiles.size(); ++t) {
    if (tiles[t].lead == 0) continue;
    V& run = out_values[tiles[t].first_run - 1];
    run = op(run, leads[t]);
  }
  return runs;
}

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
