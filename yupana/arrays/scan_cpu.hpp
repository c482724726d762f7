#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>

#include "yupana/arrays/sums.hpp"
#include "yupana/arrays/tile.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

template <class T, class Op>
T fold(const T* in, std::int64_t n, const Op& op) {
  if constexpr (sums_fit<T, Op>) {
    return static_cast<T>(sum(as_sums(in), n));
  } else {
    T total = in[0];
    for (std::int64_t i = 1; i < n; ++i) total = op(total, in[i]);
    return total;
  }
}

/// One tile of a scan; no carry: nothing comes before it.
template <class T, class Op>
void scan_tile(const T* in,
               std::int64_t n,
               const std::optional<T>& carry,
               T* out,
               const Op& op,
               PrefixParams params) {
  if constexpr (sums_fit<T, Op>) {
    // -0 is what a sum of floats begins with: -0 + x is x, where 0 + -0 would lose the sign.
    const T none = std::is_floating_point_v<T> ? T(-0.0) : T(0);
    prefix_sums(
        as_sums(in), n, static_cast<SumType<T>>(carry ? *carry : none), as_sums(out), params);
  } else {
    // Totals of the tile alone, the carry put before each: a float carry grown large would swallow
    // small values one by one, but not their sum. The second operation overlaps the first's
    // chain.
    T local = in[0];
    out[0] = params.exclusive ? *carry : (carry ? op(*carry, local) : local);
    for (std::int64_t i = 1; i < n; ++i) {
      const T value = in[i];
      if (params.exclusive) {
        out[i] = op(*carry, local);
        local = op(local, value);
      } else {
        local = op(local, value);
        out[i] = carry ? op(*carry, local) : local;
      }
    }
  }
}

/// Hands the carry from tile to tile. Only the holder of tile k touches it between ready == k and
/// ready == k + 1.
template <class T>
class CarryChain {
 public:
  explicit CarryChain(std::optional<T> first) : carry_(first) {}

  std::int64_t ticket() { return next_.fetch_add(1, std::memory_order_relaxed); }
  /// The carry into `tile`, after all tiles before it have added theirs; false if one failed.
  bool take(std::int64_t tile, std::optional<T>& carry) {
    // The holder of the tile before is running (tickets go out in order, at most one ahead), so the
    // wait is short unless the system has taken its core: then let it have this one.
    for (int spins = 0; ready_.load(std::memory_order_acquire) != tile; ++spins) {
      if (failed_.load(std::memory_order_relaxed)) return false;
      if (spins > 200) std::this_thread::yield();
    }
    carry = carry_;
    return true;
  }
  void pass(std::int64_t tile, const T& carry) {
    carry_ = carry;
    ready_.store(tile + 1, std::memory_order_release);
  }
  void fail() { failed_.store(true, std::memory_order_relaxed); }

 private:
  std::optional<T> carry_;
  alignas(64) std::atomic<std::int64_t> next_{0};
  alignas(64) std::atomic<std::int64_t> ready_{0};
  std::atomic<bool> failed_{false};
};

/// One pass over memory: each thread takes the next tile, folds it (which brings it into its
/// cache), waits for the carry, passes carry and fold on, and writes the tile from its cache.
/// Whatever the threads, tile k is combined with the same carry.
template <class T, class Op>
void scan(Context& context,
          const T* in,
          std::int64_t n,
          std::optional<T> first,
          T* out,
          const Op& op,
          bool exclusive) {
  constexpr std::int64_t tile = tile_size<T>;
  // Beyond a cache's size the output leaves it before anyone reads it: writing around the cache
  // saves reading the lines that are about to be overwritten, a third of all traffic.
  constexpr std::int64_t cached_bytes = std::int64_t{16} << 20;
  PrefixParams params{exclusive, false};
  params.past_cache = in != out && n > cached_bytes / static_cast<std::int64_t>(sizeof(T)) &&
                      reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  CarryChain<T> chain(first);
  const std::int64_t tiles = divide_up(n, tile);
  const auto work = [&](std::int64_t, std::int64_t) {
    try {
      std::int64_t next = chain.ticket();
      for (std::int64_t t = next; t < tiles; t = next) {
        context.check_cancelled();
        const std::int64_t begin = t * tile;
        const std::int64_t count = std::min(tile, n - begin);
        std::optional<T> carry;
        if (t + 1 < tiles) {
          const T total = fold(in + begin, count, op);
          if (!chain.take(t, carry)) return;
          chain.pass(t, carry ? op(*carry, total) : total);
        } else if (!chain.take(t, carry)) {
          return;
        }
        // The next tile is taken before this one is written, to be fetched meanwhile: else memory
        // is read and written in turns.
        next = chain.ticket();
        PrefixParams tile_params = params;
        if (params.past_cache && next + 1 < tiles) tile_params.ahead = in + next * tile;
        scan_tile(in + begin, count, carry, out + begin, op, tile_params);
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

}  // namespace yupana::arrays::cpu
