#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_sort_cpu.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/radix_key.hpp"

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

}  // namespace yupana::arrays::cpu
