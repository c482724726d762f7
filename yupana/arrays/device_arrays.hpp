#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/workspace_cuda.hpp"

/// Algorithms on arrays in the memory of the current device. Defined in *_cuda.cuh for any type and
/// device function object; compiled once for plain types and the operators of operators.hpp, which
/// files without kernels of their own call. Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// out[i] = in[0] op ... op in[i], after *first if first is not null; exclusive: out[i] is what
/// precedes in[i], and first is required. out may be in. The host does not wait.
template <class T, class Op>
void scan(Workspace& space,
          cudaStream_t stream,
          const T* in,
          std::int64_t n,
          const T* first,
          bool exclusive,
          T* out,
          Op op);

/// *result = init op in[0] op ... op in[n - 1], on the device, on `stream`. The host does not wait.
///   determinism: the same bits as on a CPU, floats too
template <class T, class Op = Plus>
void reduce(Workspace& space,
            cudaStream_t stream,
            const T* in,
            std::int64_t n,
            T init,
            T* result,
            Op op = {});

/// Scans within segments [offsets[s], offsets[s + 1]), offsets ascend; exclusive ones begin with
/// init. out may be in. The host waits, to start a scan for each segment of more than 2^16 values.
///   determinism: a segment's result depends on the segment alone, floats to the last bit
template <bool exclusive, class T, class Op = Plus>
void segmented_scan(Workspace& space,
                    cudaStream_t stream,
                    const T* in,
                    const std::int64_t* offsets,
                    std::int64_t segments,
                    T init,
                    T* out,
                    Op op = {});

/// totals[s] = init op (values of segment s); last: offsets[segments], or more. The host does not
/// wait.
///   determinism: as reduce
template <class T, class Op = Plus>
void segmented_reduce(Workspace& space,
                      cudaStream_t stream,
                      const T* in,
                      const std::int64_t* offsets,
                      std::int64_t segments,
                      std::int64_t last,
                      T init,
                      T* totals,
                      Op op = {});

/// Runs of equal neighbouring keys: out_keys[r] is the first key of run r, out_values[r] the fold
/// of its values. The outputs hold n entries and overlap no input. Returns the number of runs, for
/// which the host waits.
///   determinism: a run is folded from left to right, cut where the CPU cuts it: the CPU's bits
///   memory: 8 bytes a key
template <class K, class V, class Op = Plus, class Same = Equal>
std::int64_t reduce_by_key(Workspace& space,
                           cudaStream_t stream,
                           const K* keys,
                           const V* values,
                           std::int64_t n,
                           K* out_keys,
                           V* out_values,
                           Op op = {},
                           Same equal = {});

/// Sorts in the order of Less, stable. V: NoValue, or std::uint32_t or std::uint64_t, which only
/// move.
template <class K, class V>
void sort_by_key(Workspace& space,
                 cudaStream_t stream,
                 Columns<K, V> data,
                 std::int64_t n,
                 SortWay way = SortWay::quickest);

/// places[i] = where the i-th key in the order of Less is; of equal keys the first comes first. The
/// host does not wait.
template <class K>
void argsort(
    Workspace& space, cudaStream_t stream, const K* keys, std::int64_t n, std::int64_t* places);

/// Merges two sorted arrays into out, which overlaps neither; stable, a's first.
///   less: a strict weak order; K and V together at most 32 bytes
///   determinism: the stable order is unique. The host does not wait
template <class K, class V, class Order = Less>
void merge_by_key(Workspace& space,
                  cudaStream_t stream,
                  Columns<const K, const V> a,
                  std::int64_t a_size,
                  Columns<const K, const V> b,
                  std::int64_t b_size,
                  Columns<K, V> out,
                  Order less = {});

}  // namespace yupana::arrays::cuda
