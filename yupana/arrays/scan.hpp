#pragma once

#include <cstdint>
#include <optional>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/scan_cpu.hpp"
#include "yupana/arrays/scan_ref.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

namespace detail {

template <class T, class Op>
void scan_on_host(Context& context,
                  const T* in,
                  std::int64_t n,
                  std::optional<T> first,
                  T* out,
                  Op op,
                  bool exclusive) {
  if (n <= 0) return;
  if (context.backend() == Backend::reference) {
    return reference::scan(in, n, first, out, op, exclusive);
  }
  cpu::scan<T>(context, in, n, first, out, op, exclusive);
}

template <class T, class Op>
void scan(Context& context,
          const T* in,
          std::int64_t n,
          std::optional<T> first,
          T* out,
          Op op,
          bool exclusive) {
  if constexpr (cuda::has_fold<T, Op>) {
    if (context.backend() == Backend::cuda) {
      const T* const init = first ? &*first : nullptr;
      return cuda::scan_anywhere<T>(context, in, n, init, exclusive, out, op);
    }
  }
  cuda::check_on_host(context, in);
  scan_on_host(context, in, n, first, out, op, exclusive);
}

}  // namespace detail

/// out[i] = in[0] op in[1] op ... op in[i]; in and out in host memory, or both on one GPU.
///   op: any associative operator, commutative or not; T: any trivially copyable type
///   out: n values; may be `in` itself, must not overlap it otherwise
///   work 2n operations (n on the reference), memory O(threads); n beyond 2^32 is fine
///   integers: Plus and Multiply go on modulo 2^bits, as in std and CUB; nothing is checked
///   floats: from the first NaN on, sums and maxima are NaN; minima until the first other number
///   determinism: sums of floats have the same bits on every backend and for any number of threads:
///   PrefixOrder (prefix_order.hpp); so have own operators on threads and the reference: folds
///   within runs of run_size<T> values of a tile, what comes before a run put before each
///   error of float sums: |out[i] - exact| <= (40 + i / (32 tiles of 32 KiB)) u sum of |in[0..i]|,
///   u being 2^-24 or 2^-53: a number goes through at most 34 additions within a group of 32 tiles,
///   then one a group
///   errors: what op throws; interrupted
///   source: Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016,
///   reduced to a chain of carries, which a few dozen threads keep up with
template <class T, class Op = Plus>
void inclusive_scan(Context& context, const T* in, std::int64_t n, T* out, Op op = {}) {
  detail::scan<T>(context, in, n, std::nullopt, out, op, false);
}

/// out[i] = init op in[0] op ... op in[i]: continues another scan.
template <class T, class Op = Plus>
void inclusive_scan_from(
    Context& context, T init, const T* in, std::int64_t n, T* out, Op op = {}) {
  detail::scan<T>(context, in, n, init, out, op, false);
}

/// out[0] = init, out[i] = init op in[0] op ... op in[i - 1]. Otherwise as inclusive_scan.
template <class T, class Op = Plus>
void exclusive_scan(Context& context, const T* in, std::int64_t n, T init, T* out, Op op = {}) {
  detail::scan<T>(context, in, n, init, out, op, true);
}

}  // namespace yupana::arrays
