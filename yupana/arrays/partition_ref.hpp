#pragma once

#include <cstdint>

namespace yupana::arrays::reference {

template <class T, class Predicate>
std::int64_t compact(const T* in, std::int64_t n, T* out, Predicate predicate) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (predicate(in[i])) out[count++] = in[i];
  }
  return count;
}

template <class T, class Predicate>
std::int64_t partition(const T* in, std::int64_t n, T* out, Predicate predicate) {
  const std::int64_t count = compact(in, n, out, predicate);
  compact(in, n, out + count, [&](const T& value) { return !predicate(value); });
  return count;
}

}  // namespace yupana::arrays::reference
