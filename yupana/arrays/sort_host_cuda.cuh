#pragma once

#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/quicksort_cuda.cuh"
#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/there_cuda.hpp"

namespace yupana::arrays::cuda {

/// Which way is quickest on an H200. Up to `merges` keys mergesort, which has the fewest launches.
/// Beyond, integers of 4 bytes by CUB's radix sort; all others by quicksort, which passes over 8
/// bytes as often as over 4, where radix takes twice as many passes, and floats besides have to be
/// numbered for it.
template <class K, class V>
struct SortLimits {
  static constexpr bool short_integers = std::is_integral_v<K> && sizeof(K) == 4;
  static constexpr bool pairs = Columns<K, V>::has_values;
  static constexpr std::int64_t merges = std::int64_t{1}
                                         << (!pairs                             ? 20
                                             : short_integers && sizeof(V) == 8 ? 18
                                             : short_integers || sizeof(V) == 4 ? 19
                                                                                : 20);
  static constexpr SortWay beyond = short_integers ? SortWay::radix : SortWay::quicksort;
};

/// Sorts device memory in the order of Less, stable. Floats with values have no radix path,
/// integers of 4 bytes with values no quicksort: they go by merges.
template <class K, class V>
void sort(Workspace& space,
          cudaStream_t stream,
          Columns<K, V> data,
          std::int64_t n,
          SortWay way = SortWay::quickest) {
  using Limits = SortLimits<K, V>;
  if (n < 2) return;
  if (way == SortWay::quickest) way = n <= Limits::merges ? SortWay::merges : Limits::beyond;
  if constexpr (!Limits::pairs || !Limits::short_integers) {
    if (way == SortWay::quicksort) return quicksort_by_key(space, stream, data, n);
  }
  if constexpr (std::is_integral_v<K>) {
    if (way == SortWay::radix) {
      const Columns<KeyBits<K>, V> bits{reinterpret_cast<KeyBits<K>*>(data.keys), data.values};
      if constexpr (std::is_signed_v<K>) flip_signs(stream, bits.keys, n);
      radix_sort_unsigned(space, stream, bits, n);
      if constexpr (std::is_signed_v<K>) flip_signs(stream, bits.keys, n);
      return;
    }
  } else if constexpr (!Limits::pairs) {
    if (way == SortWay::radix) return radix_sort_floats(space, stream, data.keys, n);
  }
  merge_sort_by_key(space, stream, data, n);
}

/// Columns of host memory on the device.
template <class K, class V>
struct ColumnsThere {
  explicit ColumnsThere(std::int64_t n) : keys(n), values(Columns<K, V>::has_values ? n : 0) {}
  Columns<K, V> view() { return {keys.data(), values.data()}; }
  void bring(Visit& visit, Columns<const K, const V> from, std::int64_t n) {
    visit.bring(keys, from.keys, n);
    if constexpr (Columns<K, V>::has_values) visit.bring(values, from.values, n);
  }
  void fetch(Visit& visit, Columns<K, V> to, std::int64_t n) {
    visit.fetch(to.keys, static_cast<const K*>(keys.data()), n);
    if constexpr (Columns<K, V>::has_values) {
      visit.fetch(to.values, static_cast<const V*>(values.data()), n);
    }
  }
  yupana::cuda::DeviceArray<K> keys;
  yupana::cuda::DeviceArray<V> values;
};

/// Bytes of n keys and their values.
template <class K, class V>
std::uint64_t bytes_of_columns(std::int64_t n) {
  return bytes_of<K>(n) + (Columns<K, V>::has_values ? bytes_of<V>(n) : 0);
}

template <class K, class V>
void sort_on_device(Context& context, Columns<K, V> data, std::int64_t n, SortWay way) {
  if (n < 2) return;
  Visit visit(context);
  // The columns and a copy; quicksort a byte a key and its counts besides.
  const bool counts =
      way == SortWay::quicksort || (way == SortWay::quickest && n > SortLimits<K, V>::merges &&
                                    SortLimits<K, V>::beyond == SortWay::quicksort);
  visit.need(2 * bytes_of_columns<K, V>(n) + (counts ? bytes_of<std::uint8_t>(n + n) : 0), "sort");
  ColumnsThere<K, V> there(n);
  there.bring(visit, data, n);
  sort(visit.space(), visit.stream(), there.view(), n, way);
  there.fetch(visit, data, n);
}

template <class K, class V>
void merge_on_device(Context& context,
                     Columns<const K, const V> a,
                     std::int64_t a_size,
                     Columns<const K, const V> b,
                     std::int64_t b_size,
                     Columns<K, V> out) {
  if (a_size + b_size <= 0) return;
  Visit visit(context);
  visit.need(2 * bytes_of_columns<K, V>(a_size + b_size), "merge");
  ColumnsThere<K, V> first(a_size), second(b_size), result(a_size + b_size);
  first.bring(visit, a, a_size);
  second.bring(visit, b, b_size);
  merge_by_key<K, V>(
      visit.space(), visit.stream(), first.view(), a_size, second.view(), b_size, result.view());
  result.fetch(visit, out, a_size + b_size);
}

template <class K, class V>
void sort_there(Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n) {
  sort(space, stream, data, n);
}

template <class K, class V>
void merge_there(Workspace& space,
                 cudaStream_t stream,
                 Columns<const K, const V> a,
                 std::int64_t a_size,
                 Columns<const K, const V> b,
                 std::int64_t b_size,
                 Columns<K, V> out) {
  merge_by_key<K, V>(space, stream, a, a_size, b, b_size, out);
}

#define YUPANA_SORTS_ON_DEVICE(K, V)                                               \
  template void sort_on_device(Context&, Columns<K, V>, std::int64_t, SortWay);    \
  template void merge_on_device(Context&,                                          \
                                Columns<const K, const V>,                         \
                                std::int64_t,                                      \
                                Columns<const K, const V>,                         \
                                std::int64_t,                                      \
                                Columns<K, V>);                                    \
  template void sort_there(Workspace&, cudaStream_t, Columns<K, V>, std::int64_t); \
  template void merge_there(Workspace&,                                            \
                            cudaStream_t,                                          \
                            Columns<const K, const V>,                             \
                            std::int64_t,                                          \
                            Columns<const K, const V>,                             \
                            std::int64_t,                                          \
                            Columns<K, V>);

}  // namespace yupana::arrays::cuda
