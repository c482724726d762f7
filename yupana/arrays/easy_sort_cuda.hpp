#pragma once

#include <cstdint>

#include "yupana/arrays/arrays_cuda.hpp"
#include "yupana/arrays/workspace_cuda.hpp"

/// Inputs that one look at all keys sorts. Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// From so many keys on a look costs an input at random at most 6 % of its sort.
template <class K, class V>
inline constexpr std::int64_t easy_sort_min =
    std::int64_t{1} << (SortLimits<K, V>::beyond == SortWay::radix ? 25 : 24);

/// Sorts keys of device memory that are in the order of Less already, or in the opposite one, or,
/// without values, of at most 32 values whose bits tell their order. False: not one of these,
/// and nothing is changed. A block that meets a counterexample ends the look of all.
///   values: move with the keys; null, or of `value_bytes` 4 or 8 each
///   work: one pass that reads; a second one that writes where the order is not there yet
///   determinism: the stable order, as any other way
template <class K>
bool sort_easy_input(Workspace& space,
                     cudaStream_t stream,
                     K* keys,
                     std::int64_t n,
                     void* values,
                     std::size_t value_bytes);

}  // namespace yupana::arrays::cuda
