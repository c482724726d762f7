#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/common_values.hpp"
#include "yupana/arrays/line_buffers.hpp"
#include "yupana/arrays/merge_sort_cpu.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/sort_by_vectors.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays::cpu {

/// Keys (with values) of a bucket: 256 KiB, which with their copy take half of a core's
/// second-level cache.
template <class K, class V>
inline constexpr std::int64_t radix_bucket =
    (256 << 10) /
    static_cast<std::int64_t>(sizeof(K) + (Columns<K, V>::has_values ? sizeof(V) : 0));

/// Widest digit of the passes within a bucket; of small ones, whose counters would cost more than
/// the pass they save.
inline constexpr int bucket_digit = 11;
inline constexpr int small_bucket_digit = 8;
inline constexpr std::int64_t small_bucket = 4096;

/// Sorts up to radix_bucket keys on one thread by the `bits` low bits of their radix keys, least
/// significant digit first; digits in which no two keys differ cost nothing but their count.
template <class Order, class K, class V>
void sort_bucket(Columns<K, V> data, Columns<K, V> other, std::int64_t n, int bits, bool in_other) {
  // Counters would cost more than so few keys.
  if (n < 512) return sort_one_block(data, other, n, in_other, Order{});
  constexpr int max_digits =
      (8 * static_cast<int>(sizeof(K)) + small_bucket_digit - 1) / small_bucket_digit;
  std::array<std::array<std::uint32_t, 1 << bucket_digit>, max_digits> counts;
  const int widest = n < small_bucket ? small_bucket_digit : bucket_digit;
  const int digits = (bits + widest - 1) / widest;
  const int width = (bits + digits - 1) / digits;
  const std::uint32_t buckets = 1U << width;
  const auto digit_of = [&](const K& key, int digit) {
    return static_cast<std::uint32_t>(radix_key<Order>(key) >> (digit * width)) & (buckets - 1);
  };
  for (int digit = 0; digit < digits; ++digit) {
    std::fill_n(counts[static_cast<std::size_t>(digit)].begin(), buckets, 0);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const K key = data.keys[i];
    for (int digit = 0; digit < digits; ++digit) {
      ++counts[static_cast<std::size_t>(digit)][digit_of(key, digit)];
    }
  }
  Columns<K, V> from = data;
  Columns<K, V> to = other;
  for (int digit = 0; digit < digits; ++digit) {
    auto& next = counts[static_cast<std::size_t>(digit)];
    if (next[digit_of(from.keys[0], digit)] == static_cast<std::uint32_t>(n)) continue;
    std::uint32_t place = 0;
    for (std::uint32_t b = 0; b < buckets; ++b) place += std::exchange(next[b], place);
    for (std::int64_t i = 0; i < n; ++i) {
      const K key = from.keys[i];
      const std::uint32_t to_place = next[digit_of(key, digit)]++;
      to.keys[to_place] = key;
      if constexpr (Columns<K, V>::has_values) to.values[to_place] = from.values[i];
    }
    std::swap(from, to);
  }
  if ((from.keys == other.keys) != in_other) copy_columns<K, V>(from, n, to);
}

/// Fewer keys than this sort faster by merges.
inline constexpr std::int64_t radix_min = 1024;

/// Most significant digit first while a bucket is larger than a cache, least first within it.
template <class K, class V, class Order>
class RadixSort {
 public:
  explicit RadixSort(Context& context) : context_(context) {}

  /// `bits` low bits of the radix keys differ. The result goes to data, or to other if in_other.
  void sort(Columns<K, V> data,
            Columns<K, V> other,
            std::int64_t n,
            int bits,
            bool in_other,
            bool parallel) {
    if (n <= radix_bucket<K, V>) {
      context_.check_cancelled();
      return sort_bucket<Order>(data, other, n, bits, in_other);
    }
    // As many buckets as bring them to a quarter of what fits, so that their passes stay near the
    // first level; more than 2^11 would thrash the second level with their lines.
    constexpr std::int64_t target = radix_bucket<K, V> / 4;
    const int most = std::bit_width(static_cast<std::uint64_t>((n - 1) / target));
    const int digit = std::min({bits, most, 11});
    const int shift = bits - digit;
    const Array<std::int64_t> ends = distribute(data, other, n, shift, digit, parallel);
    if (shift == 0) {
      if (!in_other) copy(other, n, data, parallel);
      return;
    }
    // With few threads none may idle while one sorts most of the keys: buckets that large are
    // sorted by all of them, after the others.
    const std::int64_t large = parallel ? n / (4 * context_.threads()) : n;
    const auto size_of = [&](std::int64_t b) { return ends[b] - (b > 0 ? ends[b - 1] : 0); };
    const auto sort_one = [&](std::int64_t b, bool all) {
      const std::int64_t begin = ends[b] - size_of(b);
      sort(other + begin, data + begin, size_of(b), shift, !in_other, all);
    };
    each(ends.size(), parallel, [&](std::int64_t b) {
      if (size_of(b) > 0 && size_of(b) <= large) sort_one(b, false);
    });
    for (std::int64_t b = 0; b < ends.size(); ++b) {
      if (size_of(b) > large) sort_one(b, parallel);
    }
  }

  /// Bits in which radix keys differ.
  std::uint64_t varying(const K* keys, std::int64_t n) {
    std::atomic<std::uint64_t> all{0};
    const auto first = radix_key<Order>(keys[0]);
    each((n + tile - 1) / tile, true, [&](std::int64_t t) {
      auto differ = first;
      differ = 0;
      const std::int64_t end = std::min(n, (t + 1) * tile);
      for (std::int64_t i = t * tile; i < end; ++i) {
        differ = static_cast<decltype(differ)>(differ | (radix_key<Order>(keys[i]) ^ first));
      }
      all.fetch_or(differ, std::memory_order_relaxed);
    });
    return all.load();
  }

 private:
  static constexpr std::int64_t tile = std::int64_t{1} << 18;

  template <class Body>
  void each(std::int64_t count, bool parallel, const Body& body) {
    if (!parallel) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    context_.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      context_.check_cancelled();
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  }

  /// Stable distribution by one digit. Blocks of the input count their digits; bucket by bucket and
  /// block by block within, the counts become places. Returns where each bucket ends.
  Array<std::int64_t> distribute(
      Columns<K, V> from, Columns<K, V> to, std::int64_t n, int shift, int digit, bool parallel) {
    const std::int64_t buckets = std::int64_t{1} << digit;
    const auto mask = static_cast<std::uint64_t>(buckets - 1);
    // At least 2^17 keys a block, so that lines fill; more blocks than threads even out the load.
    const std::int64_t blocks =
        parallel ? std::clamp<std::int64_t>(n >> 17, 1, 4 * context_.threads()) : 1;
    const auto digit_of = [=](const K& key) {
      return static_cast<std::int64_t>((std::uint64_t{radix_key<Order>(key)} >> shift) & mask);
    };
    const auto block_begin = [=](std::int64_t b) {
      return n / blocks * b + std::min(b, n % blocks);
    };
    auto places = Array<std::int64_t>::zeros(blocks * buckets);
    each(blocks, parallel, [&](std::int64_t b) {
      // Copies: what the counters might overwrite would be read and divided anew for every key.
      std::int64_t* const counts = places.data() + b * buckets;
      const K* const keys = from.keys;
      const auto own_digit = digit_of;
      const std::int64_t end = block_begin(b + 1);
      for (std::int64_t i = block_begin(b); i < end; ++i) ++counts[own_digit(keys[i])];
    });
    Array<std::int64_t> ends(buckets);
    std::int64_t place = 0;
    for (std::int64_t d = 0; d < buckets; ++d) {
      for (std::int64_t b = 0; b < blocks; ++b) {
        place += std::exchange(places[b * buckets + d], place);
      }
      ends[d] = place;
    }
    each(blocks, parallel, [&](std::int64_t b) {
      scatter(from,
              to,
              block_begin(b),
              block_begin(b + 1),
              places.data() + b * buckets,
              buckets,
              digit_of);
    });
    return ends;
  }

  template <class DigitOf>
  void scatter(Columns<K, V> from,
               Columns<K, V> to,
               std::int64_t begin,
               std::int64_t end,
               const std::int64_t* starts,
               std::int64_t buckets,
               const DigitOf digit_of) {
    constexpr std::int64_t stretch = std::int64_t{1} << 20;  // keys between two looks at Ctrl-C
    Array<std::int64_t> next(buckets);
    std::copy(starts, starts + buckets, next.begin());
    LineBuffers<K> keys(to.keys, starts, buckets);
    LineBuffers<V> values(to.values, starts, buckets);
    while (begin < end) {
      context_.check_cancelled();
      const std::int64_t stop = std::min(end, begin + stretch);
      for (; begin < stop; ++begin) {
        const K key = from.keys[begin];
        const std::int64_t bucket = digit_of(key);
        const std::int64_t place = next[bucket]++;
        keys.put(bucket, place, key);
        if constexpr (Columns<K, V>::has_values) values.put(bucket, place, from.values[begin]);
      }
    }
    for (std::int64_t b = 0; b < buckets; ++b) {
      keys.finish(b, next[b]);
      values.finish(b, next[b]);
    }
    finish_streams();
  }

  void copy(Columns<K, V> from, std::int64_t n, Columns<K, V> to, bool parallel) {
    each((n + tile - 1) / tile, parallel, [&](std::int64_t t) {
      copy_columns<K, V>(from + t * tile, std::min(tile, n - t * tile), to + t * tile);
    });
  }

  Context& context_;
};

template <class Order, class K, class V>
void radix_sort(Context& context, Columns<K, V> data, std::int64_t n) {
  const auto by_passes = [&](Columns<K, V> all, std::int64_t count) {
    RadixSort<K, V, Order> sorter(context);
    const int bits = std::bit_width(sorter.varying(all.keys, count));
    if (bits == 0) return;
    Array<K> keys(count);
    Array<V> values(Columns<K, V>::has_values ? count : 0);
    sorter.sort(all, {keys.data(), values.data()}, count, bits, false, true);
  };
  if constexpr (!Columns<K, V>::has_values && has_vectors<K>) {
    if (has_fast_vectors(sizeof(K)) && sorts_at_once(context, n)) {
      return sort_by_vectors<Order>(context, data.keys, n);
    }
    sort_common_values<Order>(context, data.keys, n, [&](K* keys, std::int64_t count) {
      if (has_fast_vectors(sizeof(K))) return sort_by_vectors<Order>(context, keys, count);
      by_passes({keys, nullptr}, count);
    });
  } else {
    by_passes(data, n);
  }
}

}  // namespace yupana::arrays::cpu
