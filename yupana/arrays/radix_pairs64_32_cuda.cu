#include "yupana/arrays/radix_sort_cuda.cuh"

namespace yupana::arrays::cuda {

template void radix_sort_unsigned(Workspace&,
                                  cudaStream_t,
                                  Columns<std::uint64_t, std::uint32_t>,
                                  std::int64_t);

}  // namespace yupana::arrays::cuda
