#pragma once

#include <cstdint>

namespace yupana::arrays::reference {

template <class T, class Op>
void inclusive_scan(const T* in, std::int64_t n, T* out, Op op) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = i == 0 ? in[0] : op(out[i - 1], in[i]);
}

template <class T, class Op>
void inclusive_scan_from(T init, const T* in, std::int64_t n, T* out, Op op) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = init = op(init, in[i]);
}

template <class T, class Op>
void exclusive_scan(const T* in, std::int64_t n, T init, T* out, Op op) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T value = in[i];
    out[i] = init;
    init = op(init, value);
  }
}

}  // namespace yupana::arrays::reference
