#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/sums.hpp"
#include "yupana/arrays/tile.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

/// Running sums of floats in PrefixOrder, in the vectors of this processor. T: float, double.

/// sums[s] is the sum of slice s, for each whole slice of in[0, n).
template <class T>
void slice_sums(const T* in, std::int64_t n, T* sums);

/// The n values of a tile, or its first ones, after `before`; slices: slice_sums() of them.
template <class T>
void prefix_tile(
    const T* in, std::int64_t n, T before, const T* slices, T* out, PrefixParams params);

/// body(0), ..., body(count - 1), each written out.
template <std::size_t count, class Body>
void each(const Body& body) {
  [&]<std::size_t... k>(std::index_sequence<k...>) { (body(k), ...); }
  (std::make_index_sequence<count>());
}

/// Of `count` runs, each `apart` after the one before, the first values.
template <std::size_t count, class T>
std::array<T, count> firsts_of_runs(const T* in, std::int64_t apart) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return std::array<T, count>{in[static_cast<std::int64_t>(k) * apart]...};
  }
  (std::make_index_sequence<count>());
}

/// And what their `size` values fold to, from left to right.
template <std::size_t count, class T, class Op>
std::array<T, count> fold_runs(const T* in, std::int64_t apart, std::int64_t size, const Op& op) {
  std::array<T, count> totals = firsts_of_runs<count>(in, apart);
  for (std::int64_t i = 1; i < size; ++i) {
    each<count>([&](std::size_t k) {
      totals[k] = op(totals[k], in[static_cast<std::int64_t>(k) * apart + i]);
    });
  }
  return totals;
}

template <class T, class Op>
T fold(const T* in, std::int64_t n, const Op& op) {
  if constexpr (sums_fit<T, Op>) {
    return static_cast<T>(sum(as_sums(in), n));
  } else {
    return fold_runs<1>(in, 0, n, op)[0];
  }
}

/// How a scan folds a tile, joins folds and writes a tile after what comes before it: sums.
template <class T, class Op>
struct SumTileScan {
  using Carry = std::optional<T>;  ///< none: nothing comes before
  using Total = T;

  const Op& op;

  Total fold_tile(const T* in, std::int64_t n, bool is_last) const {
    return is_last ? in[0] : fold(in, n, op);  // of the last tile no one needs it
  }
  void add(Carry& carry, const Total& total) const { carry = carry ? op(*carry, total) : total; }
  void write(const T* in,
             std::int64_t n,
             const Carry& carry,
             const Total&,
             T* out,
             PrefixParams params) const {
    prefix_sums(as_sums(in), n, static_cast<SumType<T>>(carry.value_or(0)), as_sums(out), params);
  }
};

/// The same for any operator. Totals of a run alone, the carry put before each: a float carry grown
/// large would swallow small values one by one, but not their sum; and the second operation
/// overlaps the first's chain.
template <class T, class Op>
struct TileScan {
  using Carry = std::optional<T>;
  using Total = std::array<Carry, most_runs<T>>;  // of runs

  const Op& op;

  Total fold_tile(const T* in, std::int64_t n, bool is_last) const {
    Total totals;
    if (is_last) n = (n - 1) / run * run;  // of the last run no one needs it
    each_run(n, [&](std::int64_t r, std::int64_t size, auto runs) {
      const auto folds = fold_runs<runs>(in + r * run, run, size, op);
      std::copy(folds.begin(), folds.end(), totals.begin() + r);
    });
    return totals;
  }
  void add(Carry& carry, const Total& totals) const {
    for (const Carry& total : totals) {
      if (total) carry = carry ? op(*carry, *total) : *total;
    }
  }
  void write(const T* in,
             std::int64_t n,
             Carry carry,
             const Total& totals,
             T* out,
             PrefixParams params) const {
    if (!carry) {  // the first run of all
      const std::int64_t size = std::min(run, n);
      T local = in[0];
      out[0] = local;
      for (std::int64_t i = 1; i < size; ++i) out[i] = local = op(local, in[i]);
      if (size == n) return;
      return write_runs(in + size, n - size, *totals[0], &totals[1], out + size, false);
    }
    write_runs(in, n, *carry, totals.data(), out, params.exclusive);
  }

 private:
  static constexpr std::int64_t run = run_size<T>;
  static std::int64_t at(std::int64_t r, std::size_t k) {
    return (r + static_cast<std::int64_t>(k)) * run;
  }
  /// body(run, its size, how many of them go together)
  template <class Body>
  static void each_run(std::int64_t n, const Body& body) {
    std::int64_t r = 0;
    for (; (r + runs_at_once) * run <= n; r += runs_at_once) {
      body(r, run, std::integral_constant<std::size_t, runs_at_once>());
    }
    for (; r * run < n; ++r) {
      body(r, std::min(run, n - r * run), std::integral_constant<std::size_t, 1>());
    }
  }
  void write_runs(
      const T* in, std::int64_t n, T carry, const Carry* totals, T* out, bool exclusive) const {
    each_run(n, [&](std::int64_t r, std::int64_t size, auto runs) {
      auto local = firsts_of_runs<runs>(in + r * run, run), before = local;
      each<runs>([&](std::size_t k) {
        before[k] = carry;
        if (const Carry& total = totals[static_cast<std::size_t>(r) + k]) carry = op(carry, *total);
        out[at(r, k)] = exclusive ? before[k] : op(before[k], local[k]);
      });
      if (exclusive) {
        for (std::int64_t i = 1; i < size; ++i) {
          each<runs>([&](std::size_t k) {
            const T value = in[at(r, k) + i];
            out[at(r, k) + i] = op(before[k], local[k]);
            local[k] = op(local[k], value);
          });
        }
      } else {
        for (std::int64_t i = 1; i < size; ++i) {
          each<runs>([&](std::size_t k) {
            local[k] = op(local[k], in[at(r, k) + i]);
            out[at(r, k) + i] = op(before[k], local[k]);
          });
        }
      }
    });
  }
};

/// The same for sums of floats: tiles of PrefixOrder, as many as tile_size<T> holds.
template <class T>
struct FloatTileScan {
  using Order = PrefixOrder<T>;
  static_assert(tile_size<T> % Order::tile == 0);
  using Carry = SumBeforeTile<T>;
  using Total = std::array<T, tile_size<T> / Order::slice>;  // of slices

  static Carry carry_of(const std::optional<T>& first) { return Carry(first.value_or(no_sum<T>)); }
  Total fold_tile(const T* in, std::int64_t n, bool) const {
    Total slices{};
    slice_sums(in, n, slices.data());
    return slices;
  }
  void add(Carry& carry, const Total& slices) const {
    for (std::size_t at = 0; at < slices.size(); at += Order::slices) add(carry, &slices[at]);
  }
  void write(const T* in,
             std::int64_t n,
             Carry carry,
             const Total& slices,
             T* out,
             PrefixParams params) const {
    const T* from = slices.data();
    for (std::int64_t i = 0; i < n; i += Order::tile, from += Order::slices) {
      PrefixParams tile_params = params;
      if (params.ahead != nullptr) tile_params.ahead = static_cast<const T*>(params.ahead) + i;
      prefix_tile(in + i, std::min(Order::tile, n - i), carry.value(), from, out + i, tile_params);
      add(carry, from);
    }
  }

 private:
  static void add(Carry& carry, const T* from) {
    std::array<T, Order::slices> slices;
    std::copy_n(from, Order::slices, slices.begin());
    sum_by_doubling(slices);
    carry.add(slices.back());
  }
};

/// Hands the carry from tile to tile. Only the holder of tile k touches it between ready == k and
/// ready == k + 1.
template <class Carry>
class CarryChain {
 public:
  explicit CarryChain(const Carry& first) : carry_(first) {}

  std::int64_t ticket() { return next_.fetch_add(1, std::memory_order_relaxed); }
  /// The carry into `tile`, after all tiles before it have added theirs; false if one failed.
  bool take(std::int64_t tile, Carry& carry) {
    // The holder of the tile before is running (tickets go out in order, at most one ahead), so the
    // wait is short unless the system has taken its core: then let it have this one.
    for (int spins = 0; ready_.load(std::memory_order_acquire) != tile; ++spins) {
      if (failed_.load(std::memory_order_relaxed)) return false;
      if (spins > 200) std::this_thread::yield();
    }
    carry = carry_;
    return true;
  }
  void pass(std::int64_t tile, const Carry& carry) {
    carry_ = carry;
    ready_.store(tile + 1, std::memory_order_release);
  }
  void fail() { failed_.store(true, std::memory_order_relaxed); }

 private:
  Carry carry_;
  alignas(64) std::atomic<std::int64_t> next_{0};
  alignas(64) std::atomic<std::int64_t> ready_{0};
  std::atomic<bool> failed_{false};
};

/// One pass over memory: each thread takes the next tile, folds it (which brings it into its
/// cache), waits for the carry, passes carry and fold on, and writes the tile from its cache.
/// Whatever the threads, tile k is combined with the same carry.
template <class T, class Scan>
void scan_tiles(Context& context,
                const T* in,
                std::int64_t n,
                const typename Scan::Carry& first,
                T* out,
                const Scan& scan,
                bool exclusive) {
  constexpr std::int64_t tile = tile_size<T>;
  // Beyond a cache's size the output leaves it before anyone reads it: writing around the cache
  // saves reading the lines that are about to be overwritten, a third of all traffic.
  constexpr std::int64_t cached_bytes = std::int64_t{16} << 20;
  PrefixParams params{exclusive, false};
  params.past_cache = in != out && n > cached_bytes / static_cast<std::int64_t>(sizeof(T)) &&
                      reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  CarryChain<typename Scan::Carry> chain(first);
  const std::int64_t tiles = divide_up(n, tile);
  const auto work = [&](std::int64_t, std::int64_t) {
    try {
      std::int64_t next = chain.ticket();
      for (std::int64_t t = next; t < tiles; t = next) {
        context.check_cancelled();
        const std::int64_t begin = t * tile;
        const std::int64_t count = std::min(tile, n - begin);
        const bool is_last = t + 1 == tiles;
        const typename Scan::Total total = scan.fold_tile(in + begin, count, is_last);
        typename Scan::Carry carry = first;
        if (!chain.take(t, carry)) return;
        if (!is_last) {
          typename Scan::Carry next_carry = carry;
          scan.add(next_carry, total);
          chain.pass(t, next_carry);
        }
        // The next tile is taken before this one is written, to be fetched meanwhile: else memory
        // is read and written in turns.
        next = chain.ticket();
        PrefixParams tile_params = params;
        if (params.past_cache && next + 1 < tiles) tile_params.ahead = in + next * tile;
        scan.write(in + begin, count, carry, total, out + begin, tile_params);
      }
    } catch (...) {
      chain.fail();
      throw;
    }
  };
  if (tiles == 1) {
    work(0, 1);
  } else {
    context.parallel_for(std::min<std::int64_t>(context.threads(), tiles), 1, work);
  }
}

template <class T, class Op>
void scan(Context& context,
          const T* in,
          std::int64_t n,
          std::optional<T> first,
          T* out,
          const Op& op,
          bool exclusive) {
  if constexpr (has_prefix_order<T, Op>) {
    using Scan = FloatTileScan<T>;
    scan_tiles(context, in, n, Scan::carry_of(first), out, Scan{}, exclusive);
  } else if constexpr (sums_fit<T, Op>) {
    scan_tiles(context, in, n, first, out, SumTileScan<T, Op>{op}, exclusive);
  } else {
    scan_tiles(context, in, n, first, out, TileScan<T, Op>{op}, exclusive);
  }
}

}  // namespace yupana::arrays::cpu
