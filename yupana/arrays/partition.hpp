#pragma once

#include <cstdint>

#include "yupana/arrays/partition_cpu.hpp"
#include "yupana/arrays/partition_ref.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

/// Stable partition: the values that satisfy `predicate` come first in out, the others after them,
/// both in their order. Returns how many satisfy it.
///   out: n values, must not overlap `in`; predicate is called twice for each value
///   work 2n, memory 8 bytes per 256 KiB; the same result for any number of threads
template <class T, class Predicate>
std::int64_t partition(Context& context, const T* in, std::int64_t n, T* out, Predicate predicate) {
  if (n <= 0) return 0;
  if (context.backend() == Backend::reference) return reference::partition(in, n, out, predicate);
  return cpu::partition<true>(context, in, n, out, predicate);
}

/// The values that satisfy `predicate`, in their order; out must hold them all. Returns how many.
template <class T, class Predicate>
std::int64_t compact(Context& context, const T* in, std::int64_t n, T* out, Predicate predicate) {
  if (n <= 0) return 0;
  if (context.backend() == Backend::reference) return reference::compact(in, n, out, predicate);
  return cpu::partition<false>(context, in, n, out, predicate);
}

}  // namespace yupana::arrays
