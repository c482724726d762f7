#pragma once

#include <cstdint>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_cpu.hpp"
#include "yupana/arrays/merge_ref.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

/// Merges two sorted arrays, and the values that move with their keys, into out (a_size + b_size of
/// them, overlapping neither), all in host memory or all on one GPU. Stable: equal keys keep their
/// order, those of a before those of b.
///   less: a strict weak order in which both are sorted; the default puts NaN last, -0 = +0
///   work n comparisons and log n a tile, memory O(1); the same result for any number of threads
///   errors (usage): an order that contradicts itself, where it is noticed; interrupted
///   source: Green, Odeh, Birk, Merge path, 2014 (each tile finds its diagonal by binary search)
template <class K, class V, class Order = Less>
void merge_by_key(Context& context,
                  Columns<const K, const V> a,
                  std::int64_t a_size,
                  Columns<const K, const V> b,
                  std::int64_t b_size,
                  Columns<K, V> out,
                  Order less = {}) {
  if (context.backend() == Backend::reference) {
    return reference::merge(a, a_size, b, b_size, out, less);
  }
  if constexpr (cuda::has_order<K, V, Order>) {
    if (context.backend() == Backend::cuda) {
      return cuda::merge_anywhere(
          context, cuda::as_moved(a), a_size, cuda::as_moved(b), b_size, cuda::as_moved(out));
    }
  }
  cuda::check_on_host(context, out.keys);
  cpu::merge(context, a, a_size, b, b_size, out, less);
}

/// The same without values.
template <class K, class Order = Less>
void merge(Context& context,
           const K* a,
           std::int64_t a_size,
           const K* b,
           std::int64_t b_size,
           K* out,
           Order less = {}) {
  merge_by_key<K, NoValue>(
      context, {a, nullptr}, a_size, {b, nullptr}, b_size, {out, nullptr}, less);
}

}  // namespace yupana::arrays
