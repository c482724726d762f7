#pragma once

#include <cstdint>

#include "yupana/arrays/columns.hpp"

namespace yupana::arrays::reference {

template <class K, class V, class Order>
void merge(Columns<const K, const V> a,
           std::int64_t a_size,
           Columns<const K, const V> b,
           std::int64_t b_size,
           Columns<K, V> out,
           Order less) {
  std::int64_t i = 0;
  std::int64_t j = 0;
  while (i < a_size || j < b_size) {
    const bool from_b = i == a_size || (j < b_size && less(b.keys[j], a.keys[i]));
    const Columns<const K, const V> from = from_b ? b + j : a + i;
    copy_columns(from, 1, out + (i + j));
    (from_b ? j : i) += 1;
  }
}

}  // namespace yupana::arrays::reference
