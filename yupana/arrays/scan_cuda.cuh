#pragma once

#include <cstdint>

#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/scan_flat_cuda.cuh"
#include "yupana/arrays/scan_ring_cuda.cuh"

namespace yupana::arrays::cuda {

template <class T, class Op>
void scan_by_size(Workspace& space,
                  cudaStream_t stream,
                  ScanKind kind,
                  const T* in,
                  std::int64_t n,
                  Words<T> init,
                  T* out,
                  Op op) {
  if (n <= 0) return;
  if (n <= BlockScans<T, Op>::Many::most) {
    return launch_block_scan(stream, kind, in, n, init, out, op);
  }
  // By n alone, so that products of floats have the same bits on devices of other sizes.
  if (n <= FlatScanOf<T, Op>::most) {
    return launch_flat_scan(space, stream, kind, in, n, init, out, op);
  }
  launch_scan(space, stream, kind, in, n, init, out, op);
}

/// out[i] = in[0] op ... op in[i] in device memory, on `stream`; the host does not wait.
///   op: any associative operator, a device function object; T: trivially copyable, to 768 bytes
///   out: n values; may be `in` itself, must not overlap it otherwise. Full speed where both are
///   aligned to 16 bytes
///   determinism: sums of floats have the bits of the CPU (PrefixOrder); for other operators the
///   order of operations depends on n alone: the same bits on any device, in any run
template <class T, class Op = Plus>
void inclusive_scan(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T* out, Op op = {}) {
  scan_by_size(space, stream, {false, false}, in, n, Words<T>{}, out, op);
}

/// out[0] = init, out[i] = init op in[0] op ... op in[i - 1].
template <class T, class Op = Plus>
void exclusive_scan(Workspace& space,
                    cudaStream_t stream,
                    const T* in,
                    std::int64_t n,
                    T init,
                    T* out,
                    Op op = {}) {
  scan_by_size(space, stream, {true, true}, in, n, to_words(init), out, op);
}

template <class T, class Op>
void scan(Workspace& space,
          cudaStream_t stream,
          const T* in,
          std::int64_t n,
          const T* first,
          bool exclusive,
          T* out,
          Op op) {
  const Words<T> init = first != nullptr ? to_words(*first) : Words<T>{};
  scan_by_size(space, stream, {exclusive, first != nullptr}, in, n, init, out, op);
}

}  // namespace yupana::arrays::cuda
