#pragma once

#include "yupana/arrays/easy_sort_cuda.hpp"
#include "yupana/arrays/host_cuda.cuh"
#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/quicksort_cuda.cuh"
#include "yupana/arrays/radix_key.hpp"
#include "yupana/arrays/radix_sort_cuda.hpp"

namespace yupana::arrays::cuda {

/// Sorts device memory in the order of Less, stable. Floats with values have no radix path,
/// integers of 4 bytes with values no quicksort: they go by merges.
template <class K, class V>
void sort_by_key(
    Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n, SortWay way) {
  using Limits = SortLimits<K, V>;
  if (n < 2) return;
  if (way == SortWay::quickest) {
    if (n >= easy_sort_min<K, V> &&
        sort_easy_input(space, stream, data.keys, n, data.values, sizeof(V))) {
      return;
    }
    way = n <= Limits::merges ? SortWay::merges : Limits::beyond;
  }
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
struct DeviceColumns {
  explicit DeviceColumns(std::int64_t n) : keys(n), values(Columns<K, V>::has_values ? n : 0) {}
  Columns<K, V> view() { return {keys.data(), values.data()}; }
  void upload(DeviceSession& session, Columns<const K, const V> from, std::int64_t n) {
    session.upload(keys, from.keys, n);
    if constexpr (Columns<K, V>::has_values) session.upload(values, from.values, n);
  }
  void download(DeviceSession& session, Columns<K, V> to, std::int64_t n) {
    session.download(to.keys, static_cast<const K*>(keys.data()), n);
    if constexpr (Columns<K, V>::has_values) {
      session.download(to.values, static_cast<const V*>(values.data()), n);
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
void sort_anywhere(Context& context, Columns<K, V> data, std::int64_t n, SortWay way) {
  if (n < 2) return;
  if (on_its_gpu(context, data.keys, [&](KeptSpace& kept, cudaStream_t stream) {
        sort_by_key(kept.space, stream, data, n, way);
      })) {
    return;
  }
  DeviceSession session(context);
  // The columns and a copy; quicksort a byte a key and its counts besides.
  const bool counts =
      way == SortWay::quicksort || (way == SortWay::quickest && n > SortLimits<K, V>::merges &&
                                    SortLimits<K, V>::beyond == SortWay::quicksort);
  session.require(2 * bytes_of_columns<K, V>(n) + (counts ? bytes_of<std::uint8_t>(n + n) : 0),
                  "sort");
  DeviceColumns<K, V> columns(n);
  columns.upload(session, data, n);
  sort_by_key(session.space(), session.stream(), columns.view(), n, way);
  columns.download(session, data, n);
}

template <class K, class V>
void merge_anywhere(Context& context,
                    Columns<const K, const V> a,
                    std::int64_t a_size,
                    Columns<const K, const V> b,
                    std::int64_t b_size,
                    Columns<K, V> out) {
  if (a_size + b_size <= 0) return;
  if (on_its_gpu(context, out.keys, [&](KeptSpace& kept, cudaStream_t stream) {
        merge_by_key<K, V>(kept.space, stream, a, a_size, b, b_size, out);
      })) {
    return;
  }
  DeviceSession session(context);
  session.require(2 * bytes_of_columns<K, V>(a_size + b_size), "merge");
  DeviceColumns<K, V> first(a_size), second(b_size), result(a_size + b_size);
  first.upload(session, a, a_size);
  second.upload(session, b, b_size);
  merge_by_key<K, V>(session.space(),
                     session.stream(),
                     first.view(),
                     a_size,
                     second.view(),
                     b_size,
                     result.view());
  result.download(session, out, a_size + b_size);
}

}  // namespace yupana::arrays::cuda
