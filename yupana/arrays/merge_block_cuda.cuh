#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/warp_cuda.cuh"

/// Sorting and merging in registers and shared memory: what one thread does.
namespace yupana::arrays::cuda {

/// A key and the value that moves with it, read and written as one word where they fill one.
template <class K, class V>
inline constexpr std::size_t item_alignment = sizeof(K) + sizeof(V) == 8 ||
                                                      sizeof(K) + sizeof(V) == 16
                                                  ? sizeof(K) + sizeof(V)
                                                  : (alignof(K) > alignof(V) ? alignof(K)
                                                                             : alignof(V));
template <class K, class V>
struct alignas(item_alignment<K, V>) Item {
  static constexpr bool has_value = true;
  K key;
  V value;
};
/// Twelve bytes take sixteen: the value as a word of eight, so that an item is read at once.
template <class K, class V>
requires(sizeof(K) == 8 && sizeof(V) == 4) struct alignas(16) Item<K, V> {
  static constexpr bool has_value = true;
  K key;
  std::uint64_t value;
};
template <class K>
struct Item<K, NoValue> {
  static constexpr bool has_value = false;
  K key;
};

/// A thread's own items, not constructed: a type may lack a default constructor. A union, not bytes
/// that are taken for items: those of two words stay in memory, which made a sort of pairs three
/// times as long.
template <class T, int count>
union Held {
  __device__ Held() {}
  T items[count];
};

template <class K, class V>
__device__ inline Item<K, V> load_item(const Columns<const K, const V>& from, std::int64_t i) {
  if constexpr (Item<K, V>::has_value) {
    if constexpr (sizeof(Item<K, V>::value) != sizeof(V)) {
      return {from.keys[i], to_words(from.values[i]).word[0]};
    } else {
      return {from.keys[i], from.values[i]};
    }
  } else {
    return {from.keys[i]};
  }
}
/// *to = load_item(from, i) in shared memory, once wait_for_copies() and a barrier have passed. By
/// way of registers a merge of 17 items a thread, which has 40 of them, waited for memory three
/// times.
template <class K, class V>
__device__ inline void bring_item(const Columns<const K, const V>& from,
                                  std::int64_t i,
                                  Item<K, V>* to) {
  if constexpr (!Item<K, V>::has_value && copies_ahead<K>) {
    copy_ahead<sizeof(K)>(&to->key, from.keys + i);
  } else if constexpr (copies_ahead<K> && copies_ahead<V>) {
    copy_ahead<sizeof(K)>(&to->key, from.keys + i);
    copy_ahead<sizeof(V)>(&to->value, from.values + i);
  } else {
    *to = load_item<K, V>(from, i);
  }
}
template <class K, class V>
__device__ inline void store_item(const Item<K, V>& item, const Columns<K, V>& to, std::int64_t i) {
  to.keys[i] = item.key;
  if constexpr (Item<K, V>::has_value) {
    if constexpr (sizeof(item.value) != sizeof(V)) {
      // Of the word the upper half means nothing.
      to.values[i] = from_words<V>(Words<V>{{static_cast<std::uint32_t>(item.value)}});
    } else {
      to.values[i] = item.value;
    }
  }
}

/// True where equal keys cannot be told apart: their order need not be kept.
template <class K, class V, class Order>
inline constexpr bool any_order_of_equals = std::is_same_v<V, NoValue>&& std::is_integral_v<K> &&
                                            (std::is_same_v<Order, Less> ||
                                             std::is_same_v<Order, Greater>);

/// first ? a : b, word by word: of two structs C++ would choose an address, and what has an address
/// is kept in memory.
template <class T>
__device__ inline T chosen(bool first, T a, T b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return first ? a : b;
  } else {
    Words<T> words = to_words(a);
    const Words<T> others = to_words(b);
#pragma unroll
    for (int i = 0; i < Words<T>::count; ++i) {
      words.word[i] = first ? words.word[i] : others.word[i];
    }
    return from_words<T>(words);
  }
}
template <class K, class V>
__device__ inline Item<K, V> chosen(bool first, Item<K, V> a, Item<K, V> b) {
  if constexpr (Item<K, V>::has_value) {
    return {chosen(first, a.key, b.key), chosen(first, a.value, b.value)};
  } else {
    return {chosen(first, a.key, b.key)};
  }
}

template <class I, class Order>
__device__ inline void exchange(I& a, I& b, const Order& less) {
  const bool swapped = less(b.key, a.key);
  const I lower = chosen(swapped, b, a);
  b = chosen(swapped, a, b);
  a = lower;
}

/// Sorts a thread's items. Batcher's merge exchange (Knuth 5.2.2 M) where equal keys may change
/// places; else neighbours are exchanged, which is stable.
template <bool stable, int count, class I, class Order>
__device__ inline void sort_in_registers(I (&items)[count], const Order& less) {
  if constexpr (stable) {
#pragma unroll
    for (int round = 0; round < count; ++round) {
#pragma unroll
      for (int i = round & 1; i + 1 < count; i += 2) exchange(items[i], items[i + 1], less);
    }
  } else {
    constexpr int top = count > 32 ? 32 : (count > 16 ? 16 : (count > 8 ? 8 : (count > 4 ? 4 : 2)));
#pragma unroll
    for (int p = top; p > 0; p /= 2) {
      int q = top, r = 0, d = p;
#pragma unroll
      for (int stage = 0; stage < 7; ++stage) {
#pragma unroll
        for (int i = 0; i < count; ++i) {
          if (i + d < count && (i & p) == r) exchange(items[i], items[i + d], less);
        }
        if (q == p) break;
        d = q - p;
        q /= 2;
        r = p;
      }
    }
  }
}

/// How many of the first `diagonal` items of the merged order come from a; of equals a's are first.
template <class I, class Order>
__device__ inline int split_in_block(
    const I* a, int a_size, const I* b, int b_size, int diagonal, const Order& less) {
  int low = diagonal > b_size ? diagonal - b_size : 0;
  int high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (less(b[diagonal - 1 - middle].key, a[middle].key)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The next `count` items of two runs in shared memory. Behind their ends it reads up to `count`
/// items of no meaning, which it does not compare.
template <int count, class I, class Order>
__device__ inline void merge_in_registers(
    const I* items, int a, int a_end, int b, int b_end, const Order& less, I (&out)[count]) {
  I x = items[a];
  I y = items[b];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const bool from_b = a >= a_end || (b < b_end && less(y.key, x.key));
    out[i] = chosen(from_b, y, x);
    a += !from_b;
    b += from_b;
    if (i + 1 < count) {
      const I next = items[from_b ? b : a];
      x = chosen(from_b, x, next);
      y = chosen(from_b, next, y);
    }
  }
}

/// Sorts items [0, end) of shared memory by threads of `count` items each, threads * count >= end:
/// each in registers, then merges, twice as long each time. Behind the last thread's items there is
/// room for `count` more.
template <bool stable, int count, class I, class Order>
__device__ inline void sort_in_block(I* items, int end, int thread, const Order& less) {
  Held<I, count> room;
  I(&own)[count] = room.items;
  const int begin = thread * count;
#pragma unroll
  for (int i = 0; i < count; ++i) own[i] = items[begin + i];
  if (begin < end && begin + count > end) {
    // The last thread's missing items are copies of its greatest: they stay at the end.
    I greatest = own[0];
#pragma unroll
    for (int i = 1; i < count; ++i) {
      if (begin + i < end && less(greatest.key, own[i].key)) greatest = own[i];
      if (begin + i >= end) own[i] = greatest;
    }
  }
  if (begin < end) sort_in_registers<stable>(own, less);
  for (int width = count; width < end; width *= 2) {
    // Runs of one warp's threads are no other warp's affair.
    const bool in_warp = 2 * width <= 32 * count;
    in_warp ? __syncwarp() : __syncthreads();
#pragma unroll
    for (int i = 0; i < count; ++i) items[begin + i] = own[i];
    in_warp ? __syncwarp() : __syncthreads();
    const int threads_of_run = width / count;
    const int base = thread / (2 * threads_of_run) * 2 * width;
    const int middle = min(base + width, end);
    const int stop = min(base + 2 * width, end);
    if (base >= end) continue;
    const int diagonal = min(begin - base, stop - base);
    const int from_a =
        split_in_block(items + base, middle - base, items + middle, stop - middle, diagonal, less);
    merge_in_registers(items, base + from_a, middle, middle + diagonal - from_a, stop, less, own);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < count; ++i) items[begin + i] = own[i];
  __syncthreads();
}

}  // namespace yupana::arrays::cuda
