#include "yupana/arrays/sort_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_SORTS_ON_DEVICE(double, NoValue)
YUPANA_SORTS_ON_DEVICE(double, std::uint32_t)
YUPANA_SORTS_ON_DEVICE(double, std::uint64_t)

}  // namespace yupana::arrays::cuda
