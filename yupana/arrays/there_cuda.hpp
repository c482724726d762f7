#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/workspace_cuda.hpp"

/// The functions of *_cuda.cuh that are compiled once (*_host_cuda.cu): arrays of plain types in
/// the memory of the current device, the operators of operators.hpp. For files without kernels of
/// their own. Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// first: what stands before the first value, or null, which an exclusive scan wants not to be. out
/// may be in. The host does not wait.
template <class T, class Op>
void scan_there(Workspace& space,
                cudaStream_t stream,
                const T* in,
                std::int64_t n,
                const T* first,
                bool exclusive,
                T* out,
                Op op);

/// *result: on the device. The host does not wait.
template <class T, class Op>
void reduce_there(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T init, T* result, Op op);

/// Segment s is [offsets[s], offsets[s + 1]); offsets on the device, ascending. out may be in.
template <class T, class Op>
void segmented_scan_there(Workspace& space,
                          cudaStream_t stream,
                          const T* in,
                          const std::int64_t* offsets,
                          std::int64_t segments,
                          T* out,
                          Op op);

/// last: offsets[segments], or more. The host does not wait.
template <class T, class Op>
void segmented_reduce_there(Workspace& space,
                            cudaStream_t stream,
                            const T* in,
                            const std::int64_t* offsets,
                            std::int64_t segments,
                            std::int64_t last,
                            T init,
                            T* totals,
                            Op op);

/// U: std::uint32_t or std::uint64_t. The outputs hold n entries. Returns the number of runs.
template <class U, class V>
std::int64_t reduce_by_key_there(Workspace& space,
                                 cudaStream_t stream,
                                 const U* keys,
                                 const V* values,
                                 std::int64_t n,
                                 U* out_keys,
                                 V* out_values);

/// V: NoValue, or 4 or 8 bytes that only move (std::uint32_t, std::uint64_t). Stable.
template <class K, class V>
void sort_there(Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n);

/// out overlaps neither a nor b.
template <class K, class V>
void merge_there(Workspace& space,
                 cudaStream_t stream,
                 Columns<const K, const V> a,
                 std::int64_t a_size,
                 Columns<const K, const V> b,
                 std::int64_t b_size,
                 Columns<K, V> out);

}  // namespace yupana::arrays::cuda
