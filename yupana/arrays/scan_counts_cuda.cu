#include "yupana/arrays/scan_counts_cuda.hpp"
#include "yupana/arrays/scan_cuda.cuh"

namespace yupana::arrays::cuda {

void scan_counts(Workspace& space, cudaStream_t stream, std::int64_t* counts, std::int64_t n) {
  exclusive_scan<std::int64_t>(space, stream, counts, n, 0, counts);
}

}  // namespace yupana::arrays::cuda
