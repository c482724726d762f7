#pragma once

#include <cstdint>

namespace yupana::arrays::reference {

template <class T, class Op>
T reduce(const T* in, std::int64_t n, T total, Op op) {
  for (std::int64_t i = 0; i < n; ++i) total = op(total, in[i]);
  return total;
}

template <class K, class V, class Op, class Same>
std::int64_t reduce_by_key(
    const K* keys, const V* values, std::int64_t n, K* out_keys, V* out_values, Op op, Same equal) {
  std::int64_t run = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0 && equal(keys[i - 1], keys[i])) {
      out_values[run] = op(out_values[run], values[i]);
    } else {
      out_keys[++run] = keys[i];
      out_values[run] = values[i];
    }
  }
  return run + 1;
}

}  // namespace yupana::arrays::reference
