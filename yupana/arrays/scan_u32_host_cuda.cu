#include "yupana/arrays/scan_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_FOLDS_ON_DEVICE(std::uint32_t, Plus)
YUPANA_FOLDS_ON_DEVICE(std::uint32_t, Min)
YUPANA_FOLDS_ON_DEVICE(std::uint32_t, Max)

}  // namespace yupana::arrays::cuda
