#pragma once

#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/there_cuda.hpp"

namespace yupana::arrays::cuda {

/// Sorts device memory in the order of Less: integers by radix, with values or without, floats
/// without; floats with values by merges.
template <class K, class V>
void sort(Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n) {
  if (n < 2) return;
  if constexpr (std::is_integral_v<K>) {
    const Columns<KeyBits<K>, V> bits{reinterpret_cast<KeyBits<K>*>(data.keys), data.values};
    if constexpr (std::is_signed_v<K>) flip_signs(stream, bits.keys, n);
    radix_sort_unsigned(space, stream, bits, n);
    if constexpr (std::is_signed_v<K>) flip_signs(stream, bits.keys, n);
  } else if constexpr (!Columns<K, V>::has_values) {
    radix_sort_floats(space, stream, data.keys, n);
  } else {
    merge_sort_by_key(space, stream, data, n);
  }
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
void sort_on_device(Context& context, Columns<K, V> data, std::int64_t n, bool by_merges) {
  if (n < 2) return;
  Visit visit(context);
  // The columns and a copy; floats by radix have their numbers and a copy of those besides.
  const bool numbered = std::is_floating_point_v<K> && !Columns<K, V>::has_values && !by_merges;
  visit.need(2 * bytes_of_columns<K, V>(n) + (numbered ? 2 * bytes_of<K>(n) : 0), "sort");
  ColumnsThere<K, V> there(n);
  there.bring(visit, data, n);
  if (by_merges) {
    merge_sort_by_key(visit.space(), visit.stream(), there.view(), n);
  } else {
    sort(visit.space(), visit.stream(), there.view(), n);
  }
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
  template void sort_on_device(Context&, Columns<K, V>, std::int64_t, bool);       \
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
