#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "yupana/core/context.hpp"

namespace yupana::arrays::cpu {

/// Below this many keys insertion sort wins; beyond the second a half becomes a task of its own.
inline constexpr std::int64_t quicksort_few = 20;
inline constexpr std::int64_t quicksort_task = std::int64_t{1} << 14;

template <class K, class Order>
void insertion_sort(K* keys, std::int64_t n, const Order& less) {
  for (std::int64_t i = 1; i < n; ++i) {
    const K key = keys[i];
    std::int64_t j = i;
    for (; j > 0 && less(key, keys[j - 1]); --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

template <class K, class Order>
const K* median(const K* a, const K* b, const K* c, const Order& less) {
  if (less(*b, *a)) std::swap(a, b);
  if (less(*c, *b)) b = less(*c, *a) ? a : c;
  return b;
}

/// The median of three, of nine where that pays; depends on the keys alone.
template <class K, class Order>
K choose_pivot(const K* keys, std::int64_t n, const Order& less) {
  const K* middle = keys + n / 2;
  if (n < 256) return *median(keys, middle, keys + n - 1, less);
  const std::int64_t step = n / 8;
  return *median(median(keys, keys + step, keys + 2 * step, less),
                 median(middle - step, middle, middle + step, less),
                 median(keys + n - 1 - 2 * step, keys + n - 1 - step, keys + n - 1, less),
                 less);
}

/// Brings the keys that go left to the front; returns how many. Every key is swapped whatever the
/// answer, which saves the mispredicted branch: keys[front, i) all go right.
template <class K, class GoesLeft>
std::int64_t split(K* keys, std::int64_t n, const GoesLeft& goes_left) {
  std::int64_t front = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const K key = keys[i];
    keys[i] = keys[front];
    keys[front] = key;
    front += goes_left(key) ? 1 : 0;
  }
  return front;
}

template <class K, class Order>
class Quicksort {
 public:
  Quicksort(Context& context, const Order& less) : context_(context), less_(less) {}

  void run(K* keys, std::int64_t n) {
    sort(keys, n, 2 * std::bit_width(static_cast<std::uint64_t>(n)));
  }

 private:
  void sort(K* keys, std::int64_t n, int depth) {
    while (n > quicksort_few) {
      if (n >= quicksort_task) context_.check_cancelled();
      if (depth-- == 0) {
        std::make_heap(keys, keys + n, less_);
        std::sort_heap(keys, keys + n, less_);
        return;
      }
      const K pivot = choose_pivot(keys, n, less_);
      const std::int64_t lower = split(keys, n, [&](const K& key) { return less_(key, pivot); });
      K* rest = keys + lower;
      std::int64_t upper = n - lower;
      // A short left side hints at many keys equal to the pivot: they are in place once split off.
      // The pivot is among them, so that every round takes at least one key out.
      if (lower < n / 8) {
        const std::int64_t equal =
            split(rest, upper, [&](const K& key) { return !less_(pivot, key); });
        rest += equal;
        upper -= equal;
      }
      if (std::min(lower, upper) >= quicksort_task) {
        return context_.parallel_for(2, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t half = begin; half < end; ++half) {
            half == 0 ? sort(keys, lower, depth) : sort(rest, upper, depth);
          }
        });
      } else if (lower < upper) {
        sort(keys, lower, depth);
        keys = rest;
        n = upper;
      } else {
        sort(rest, upper, depth);
        n = lower;
      }
    }
    insertion_sort(keys, n, less_);
  }

  Context& context_;
  const Order& less_;
};

template <class K, class Order>
void quicksort(Context& context, K* keys, std::int64_t n, const Order& less) {
  Quicksort<K, Order>(context, less).run(keys, n);
}

}  // namespace yupana::arrays::cpu
