#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_cpu.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

/// Keys a block that one thread sorts in its second-level cache: 2^15 keys of 4 bytes and their
/// copy take a quarter of 1 MiB, pairs of 8 bytes a whole one.
inline constexpr std::int64_t sort_block = merge_tile;

/// Four keys from in to out (which may be the same), stable: five comparisons, no branch.
template <class K, class V, class Order>
inline void sort_four(Columns<const K, const V> in, Columns<K, V> out, const Order& less) {
  const K k[4] = {in.keys[0], in.keys[1], in.keys[2], in.keys[3]};
  const int first = less(k[1], k[0]);
  const int second = 2 + less(k[3], k[2]);
  const int a = first, b = 1 - first;     // k[a] <= k[b]
  const int c = second, d = 5 - second;   // k[c] <= k[d]
  const bool c_first = less(k[c], k[a]);  // the least is c, else a
  const bool b_last = less(k[d], k[b]);   // the greatest is b, else d
  const int least = c_first ? c : a;
  const int greatest = b_last ? b : d;
  // The two left, in the order of their input where they may be equal.
  const int left = c_first ? a : (b_last ? c : b);
  const int right = b_last ? d : (c_first ? b : c);
  const bool swapped = less(k[right], k[left]);
  const int order[4] = {least, swapped ? right : left, swapped ? left : right, greatest};
  if constexpr (Columns<K, V>::has_values) {
    const V v[4] = {in.values[0], in.values[1], in.values[2], in.values[3]};
    for (int i = 0; i < 4; ++i) out.values[i] = v[order[i]];
  }
  for (int i = 0; i < 4; ++i) out.keys[i] = k[order[i]];
}

/// Fewer than four.
template <class K, class V, class Order>
void sort_few(Columns<const K, const V> in, std::int64_t n, Columns<K, V> out, const Order& less) {
  if (in.keys != out.keys) copy_columns(in, n, out);
  for (std::int64_t i = 1; i < n; ++i) {
    for (std::int64_t j = i; j > 0 && less(out.keys[j], out.keys[j - 1]); --j) {
      std::swap(out.keys[j], out.keys[j - 1]);
      if constexpr (Columns<K, V>::has_values) std::swap(out.values[j], out.values[j - 1]);
    }
  }
}

/// Two sorted halves of a length known at compile time: the loop unrolls.
template <std::int64_t half, class K, class V, class Order>
void merge_halves(Columns<const K, const V> in, Columns<K, V> out, const Order& less) {
  std::int64_t front_a = 0;
  std::int64_t back_a = 0;
  merge_ends(in, half, in + half, half, out, half, less, front_a, back_a);
  if (front_a + back_a != half) {
    throw Error(ErrorCode::usage,
                "sort: the order contradicts itself; it must be a strict weak order (less(x, x) is "
                "false, NaN included)");
  }
}

template <std::int64_t half, class K, class V, class Order>
void merge_all_halves(Columns<K, V> in, std::int64_t n, Columns<K, V> out, const Order& less) {
  std::int64_t i = 0;
  for (; i + 2 * half <= n; i += 2 * half) {
    merge_halves<half, K, V>(in + i, out + i, less);
  }
  const std::int64_t left = std::min(half, n - i);
  merge_runs<K, V>(in + i, left, in + (i + left), n - i - left, out + i, less);
}

/// Sorts n <= sort_block keys of `data` on one thread; the result ends in `temp` if in_temp, else
/// in data.
template <class K, class V, class Order>
void sort_one_block(
    Columns<K, V> data, Columns<K, V> temp, std::int64_t n, bool in_temp, const Order& less) {
  int levels = 0;
  for (std::int64_t width = 4; width < n; width *= 2) ++levels;
  Columns<K, V> from = (levels % 2 == 1) != in_temp ? temp : data;
  Columns<K, V> to = from.keys == data.keys ? temp : data;
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) sort_four<K, V>(data + i, from + i, less);
  sort_few<K, V>(data + i, n - i, from + i, less);
  for (std::int64_t width = 4; width < n; width *= 2) {
    if (width == 4) {
      merge_all_halves<4>(from, n, to, less);
    } else if (width == 8) {
      merge_all_halves<8>(from, n, to, less);
    } else {
      for (i = 0; i < n; i += 2 * width) {
        const std::int64_t left = std::min(width, n - i);
        const std::int64_t right = std::min(width, n - i - left);
        merge_runs<K, V>(from + i, left, from + (i + left), right, to + i, less);
      }
    }
    std::swap(from, to);
  }
}

/// Blocks sorted in cache, then passes of merges over the whole array, each cut into tiles of equal
/// work by merge path, so that the last merge too keeps all threads busy.
template <class K, class V, class Order>
void merge_sort(Context& context, Columns<K, V> data, std::int64_t n, const Order& less) {
  Array<K> keys(n);
  Array<V> values(Columns<K, V>::has_values ? n : 0);
  const Columns<K, V> temp{keys.data(), values.data()};
  int passes = 0;
  for (std::int64_t width = sort_block; width < n; width *= 2) ++passes;
  const std::int64_t blocks = divide_up(n, sort_block);
  const bool in_temp = passes % 2 == 1;
  context.parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * sort_block;
      sort_one_block(data + first, temp + first, std::min(sort_block, n - first), in_temp, less);
    }
  });
  Columns<K, V> from = in_temp ? temp : data;
  Columns<K, V> to = in_temp ? data : temp;
  for (std::int64_t width = sort_block; width < n; width *= 2) {
    context.parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      context.check_cancelled();
      for (std::int64_t block = begin; block < end; ++block) {
        const std::int64_t first = block * sort_block / (2 * width) * (2 * width);
        const std::int64_t left = std::min(width, n - first);
        const std::int64_t right = std::min(width, n - first - left);
        const std::int64_t at = block * sort_block - first;
        merge_part<K, V>(from + first,
                         left,
                         from + (first + left),
                         right,
                         to + first,
                         at,
                         std::min(at + sort_block, left + right),
                         less);
      }
    });
    std::swap(from, to);
  }
}

}  // namespace yupana::arrays::cpu
