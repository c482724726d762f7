#pragma once

#include <cstdint>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/reduce_cpu.hpp"
#include "yupana/arrays/reduce_ref.hpp"
#include "yupana/core/context.hpp"

namespace yupana::arrays {

namespace detail {

template <class T, class Op>
T reduce_on_host(Context& context, const T* in, std::int64_t n, T init, Op op) {
  if (n <= 0) return init;
  if (context.backend() == Backend::reference) return reference::reduce(in, n, init, op);
  return op(init, cpu::reduce(context, in, n, op));
}

}  // namespace detail

/// init op in[0] op ... op in[n - 1]; init where n is 0. In host memory or on a GPU.
///   op: any associative operator, commutative or not; T: any trivially copyable type
///   work n operations, memory one T per 256 KiB of input
///   integers: Plus and Multiply go on modulo 2^bits, as in std and CUB; nothing is checked
///   determinism: the same bits on every backend (a GPU has Plus, Min and Max) and for any number
///   of threads, floats too: tiles of tile_size<T> values are folded each (reduce_ref.hpp has the
///   order of float sums), then joined by halves
///   error of float sums: <= (2,100 + log2 n) u sum of |in|, u being 2^-24 or 2^-53: 2,048
///   additions in a lane of a tile, a few to bring lanes together, tiles in pairs
template <class T, class Op = Plus>
T reduce(Context& context, const T* in, std::int64_t n, T init, Op op = {}) {
  if constexpr (cuda::has_fold<T, Op>) {
    if (context.backend() == Backend::cuda) {
      return cuda::reduce_anywhere(context, in, n, init, op);
    }
  }
  cuda::check_on_host(context, in);
  return detail::reduce_on_host(context, in, n, init, op);
}

/// Runs of equal neighbouring keys: out_keys[r] is the first key of run r, out_values[r] the fold
/// of its values, from left to right within a tile of tile_size<K> keys, then tile by tile. Returns
/// the number of runs. The outputs hold n entries in the worst case and must not overlap the
/// inputs.
///   equal: an equivalence; the default holds all NaN equal
///   determinism: as reduce
template <class K, class V, class Op = Plus, class Same = Equal>
std::int64_t reduce_by_key(Context& context,
                           const K* keys,
                           const V* values,
                           std::int64_t n,
                           K* out_keys,
                           V* out_values,
                           Op op = {},
                           Same equal = {}) {
  if (n <= 0) return 0;
  if (context.backend() == Backend::reference) {
    return reference::reduce_by_key(keys, values, n, out_keys, out_values, op, equal);
  }
  if constexpr (cuda::has_runs<K, V, Op, Same>) {
    if (context.backend() == Backend::cuda) {
      using U = cuda::KeyBits<K>;
      return cuda::reduce_by_key_anywhere(context,
                                          reinterpret_cast<const U*>(keys),
                                          values,
                                          n,
                                          reinterpret_cast<U*>(out_keys),
                                          out_values);
    }
  }
  cuda::check_on_host(context, keys);
  return cpu::reduce_by_key(context, keys, values, n, out_keys, out_values, op, equal);
}

}  // namespace yupana::arrays
