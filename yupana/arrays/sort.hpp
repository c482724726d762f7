#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_sort_cpu.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/quicksort_cpu.hpp"
#include "yupana/arrays/radix_sort.hpp"
#include "yupana/arrays/sort_ref.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

/// Sorts keys and moves values with them; equal keys keep their order (stable). Integers and floats
/// in the orders Less, Greater and Descending go by radix, everything else by mergesort; on a GPU
/// plain types in the order Less in whichever of radix, mergesort and quicksort is quickest for n
/// of them, with the same bytes.
///   less: a strict weak order; the default puts NaN last, all NaN equal, -0 = +0
///   K, V: trivially copyable; in host memory, or both on one GPU
///   work: radix n for each 8 bits in which keys differ; mergesort n log2 n comparisons
///   memory: a copy of keys and values; of keys alone that vectors sort, of NaN,
///   zeros and those among common values only
///   determinism: the stable order is unique: the same bytes for any backend and any threads
///   errors (usage): an order that contradicts itself, where it is noticed (the keys are then in
///   no particular order and some may be lost); out_of_resources; interrupted
///   source: merge path (Green, Odeh, Birk 2014) for the merges; radix: most significant digit
///   first through write-combining buffers until a bucket fits in cache, then least first; keys of
///   4 and 8 bytes alone: up to 32 common values are counted and written anew, others go by
///   quicksort by vectors (Blacher, Giesen, Kühne 2021, "Fast and Robust Vectorized In-Place
///   Sorting of Primitive Types")
template <class K, class V, class Order = Less>
void sort_by_key(Context& context, K* keys, V* values, std::int64_t n, Order less = {}) {
  if (n < 2) return;
  const Columns<K, V> data{keys, values};
  if (context.backend() == Backend::reference) return reference::sort(data, n, less);
  if constexpr (cuda::has_order<K, V, Order>) {
    if (context.backend() == Backend::cuda) {
      return cuda::sort_anywhere(context, cuda::as_moved(data), n, cuda::SortWay::quickest);
    }
  }
  cuda::check_on_host(context, keys);
  if constexpr (cpu::has_radix_order<Order> && cpu::has_radix<K>) {
    if (n >= cpu::radix_min) return cpu::radix_sort<Order>(context, data, n);
  }
  cpu::merge_sort(context, data, n, less);
}

/// Keys alone.
template <class K, class Order = Less>
void sort(Context& context, K* keys, std::int64_t n, Order less = {}) {
  sort_by_key(context, keys, static_cast<NoValue*>(nullptr), n, less);
}

/// Mergesort whatever the type and order: sort() without the radix path.
template <class K, class Order = Less>
void merge_sort(Context& context, K* keys, std::int64_t n, Order less = {}) {
  if (n < 2) return;
  const Columns<K, NoValue> data{keys, nullptr};
  if (context.backend() == Backend::reference) return reference::sort(data, n, less);
  if constexpr (cuda::has_order<K, NoValue, Order>) {
    if (context.backend() == Backend::cuda) {
      return cuda::sort_anywhere(context, data, n, cuda::SortWay::merges);
    }
  }
  cuda::check_on_host(context, keys);
  cpu::merge_sort(context, data, n, less);
}

/// Quicksort. On threads in place, without a copy of the keys; equal keys come out in no stated
/// order, but in the same for any number of threads. The reference backend's and the GPU's order of
/// equal keys is the stable one.
///   work: n log n comparisons (a subarray that splits badly continues as heapsort, on a GPU as
///   mergesort); memory: O(log n), on the GPU a copy of the keys and a byte a key
///   source: Hoare 1961; block-free branchless partition after Lomuto; equal keys split off as in
///   Peters, Pattern-defeating quicksort, 2021; on a GPU up to 256 buckets a level (quicksort_cuda)
template <class K, class Order = Less>
void quicksort(Context& context, K* keys, std::int64_t n, Order less = {}) {
  if (n < 2) return;
  const Columns<K, NoValue> data{keys, nullptr};
  if (context.backend() == Backend::reference) return reference::sort(data, n, less);
  if constexpr (cuda::has_order<K, NoValue, Order>) {
    if (context.backend() == Backend::cuda) {
      return cuda::sort_anywhere(context, data, n, cuda::SortWay::quicksort);
    }
  }
  cuda::check_on_host(context, keys);
  cpu::quicksort(context, keys, n, less);
}

}  // namespace yupana::arrays
