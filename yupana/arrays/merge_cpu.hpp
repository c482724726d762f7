#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/columns.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cpu {

/// Outputs a tile of a merge: two binary searches of 2 log n steps are negligible.
inline constexpr std::int64_t merge_tile = std::int64_t{1} << 15;

/// How many of the first `diagonal` keys of the merged order come from a.
template <class K, class Order>
std::int64_t merge_path(const K* a,
                        std::int64_t a_size,
                        const K* b,
                        std::int64_t b_size,
                        std::int64_t diagonal,
                        const Order& less) {
  std::int64_t low = std::max<std::int64_t>(0, diagonal - b_size);
  std::int64_t high = std::min(diagonal, a_size);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    // Of equal keys a's come first.
    if (less(b[diagonal - 1 - middle], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The first `steps` and the last `steps` keys of the merged order, from both ends at once: two
/// independent chains, no branch that depends on the keys. With steps <= min(a_size, b_size) no
/// reading leaves its array: before step i a front has taken at most i < steps keys of each. Sets
/// how much each end took from a.
template <class K, class V, class Order>
inline __attribute__((always_inline)) void merge_ends(Columns<const K, const V> a,
                                                      std::int64_t a_size,
                                                      Columns<const K, const V> b,
                                                      std::int64_t b_size,
                                                      Columns<K, V> out,
                                                      std::int64_t steps,
                                                      const Order& less,
                                                      std::int64_t& front_a,
                                                      std::int64_t& back_a) {
  std::int64_t i = 0;  // taken from a by the front; step - i from b
  std::int64_t k = 0;  // and by the back
  const std::int64_t a_last = a_size - 1;
  const std::int64_t b_last = b_size - 1;
  const std::int64_t out_last = a_size + b_size - 1;
  for (std::int64_t step = 0; step < steps; ++step) {
    const K* front_left = a.keys + i;
    const K* front_right = b.keys + (step - i);
    const bool right = less(*front_right, *front_left);
    out.keys[step] = *(right ? front_right : front_left);
    if constexpr (Columns<K, V>::has_values) {
      out.values[step] = *(right ? b.values + (step - i) : a.values + i);
    }
    i += !right;
    const K* back_left = a.keys + (a_last - k);
    const K* back_right = b.keys + (b_last - (step - k));
    const bool left = less(*back_right, *back_left);
    out.keys[out_last - step] = *(left ? back_left : back_right);
    if constexpr (Columns<K, V>::has_values) {
      out.values[out_last - step] =
          *(left ? a.values + (a_last - k) : b.values + (b_last - (step - k)));
    }
    k += left;
  }
  front_a = i;
  back_a = k;
}

/// Merges on one thread.
template <class K, class V, class Order>
void merge_runs(Columns<const K, const V> a,
                std::int64_t a_size,
                Columns<const K, const V> b,
                std::int64_t b_size,
                Columns<K, V> out,
                const Order& less) {
  while (a_size > 0 && b_size > 0) {
    const std::int64_t steps = std::min(a_size, b_size);
    std::int64_t front_a = 0;
    std::int64_t back_a = 0;
    merge_ends(a, a_size, b, b_size, out, steps, less, front_a, back_a);
    a_size -= front_a + back_a;
    b_size -= 2 * steps - front_a - back_a;
    if (a_size < 0 || b_size < 0) {
      throw Error(ErrorCode::usage,
                  "merge: expected two sorted inputs and a strict weak order (less(x, x) is false, "
                  "NaN included), got others; sort the inputs first");
    }
    a = a + front_a;
    b = b + (steps - front_a);
    out = out + steps;
  }
  copy_columns(a, a_size, out);
  copy_columns(b, b_size, out + a_size);
}

/// Outputs [begin, end) of a merge.
template <class K, class V, class Order>
void merge_part(Columns<const K, const V> a,
                std::int64_t a_size,
                Columns<const K, const V> b,
                std::int64_t b_size,
                Columns<K, V> out,
                std::int64_t begin,
                std::int64_t end,
                const Order& less) {
  const std::int64_t i = merge_path(a.keys, a_size, b.keys, b_size, begin, less);
  const std::int64_t i_end = merge_path(a.keys, a_size, b.keys, b_size, end, less);
  const std::int64_t j = begin - i;
  const std::int64_t j_end = end - i_end;
  if (i_end < i || j_end < j) {
    throw Error(ErrorCode::usage, "merge: the inputs are not sorted by the given order");
  }
  merge_runs(a + i, i_end - i, b + j, j_end - j, out + begin, less);
}

template <class K, class V, class Order>
void merge(Context& context,
           Columns<const K, const V> a,
           std::int64_t a_size,
           Columns<const K, const V> b,
           std::int64_t b_size,
           Columns<K, V> out,
           const Order& less) {
  const std::int64_t n = a_size + b_size;
  context.parallel_for(divide_up(n, merge_tile), 1, [&](std::int64_t first, std::int64_t last) {
    context.check_cancelled();
    merge_part(a, a_size, b, b_size, out, first * merge_tile, std::min(n, last * merge_tile), less);
  });
}

}  // namespace yupana::arrays::cpu
