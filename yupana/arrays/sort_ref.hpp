#pragma once

#include <cstdint>
#include <utility>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_ref.hpp"
#include "yupana/core/array.hpp"

namespace yupana::arrays::reference {

/// Top-down mergesort with one buffer.
template <class K, class V, class Order>
void sort(Columns<K, V> data, std::int64_t n, Columns<K, V> buffer, const Order& less) {
  if (n < 2) return;
  const std::int64_t half = n / 2;
  sort(data, half, buffer, less);
  sort(data + half, n - half, buffer, less);
  merge<K, V>(data, half, data + half, n - half, buffer, less);
  copy_columns<K, V>(buffer, n, data);
}

template <class K, class V, class Order>
void sort(Columns<K, V> data, std::int64_t n, const Order& less) {
  Array<K> keys(n);
  Array<V> values(Columns<K, V>::has_values ? n : 0);
  sort(data, n, {keys.data(), values.data()}, less);
}

}  // namespace yupana::arrays::reference
