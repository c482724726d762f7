#include "yupana/arrays/sort_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_SORTS_ON_DEVICE(std::int64_t, NoValue)
YUPANA_SORTS_ON_DEVICE(std::int64_t, std::uint32_t)
YUPANA_SORTS_ON_DEVICE(std::int64_t, std::uint64_t)

}  // namespace yupana::arrays::cuda
