#pragma once

#include <cstdint>

#include "yupana/arrays/workspace_cuda.hpp"

/// Only files of the CUDA build include this.
namespace yupana::arrays::cuda {

/// counts[i] = counts[0] + ... + counts[i - 1] in device memory, on `stream`; the host does not
/// wait. Compiled once for all that count and then place: sorts, partitions.
void scan_counts(Workspace& space, cudaStream_t stream, std::int64_t* counts, std::int64_t n);

}  // namespace yupana::arrays::cuda
