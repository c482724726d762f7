#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Values in the memory of the current device. Only for CUDA builds; queued on the stream.
namespace yupana::arrays::cuda {

/// to[i] = from[i]. Of types: std::uint32_t and std::uint64_t, float and double, both ways;
/// std::int32_t to std::int64_t.
template <class To, class From>
void convert(const From* from, std::int64_t n, To* to, cudaStream_t stream);

/// The place of the first offset that is less than the one before, or than 0, or more than
/// `values`; `count` where none is. Waits.
std::int64_t first_bad_offset(const std::int64_t* offsets,
                              std::int64_t count,
                              std::int64_t values,
                              cudaStream_t stream);

}  // namespace yupana::arrays::cuda
