#include "yupana/arrays/radix_sort_cuda.cuh"

namespace yupana::arrays::cuda {

template void radix_sort_unsigned(Workspace&,
                                  cudaStream_t,
                                  Columns<std::uint32_t, NoValue>,
                                  std::int64_t);

}  // namespace yupana::arrays::cuda
