#include "yupana/arrays/scan_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_FOLDS_ON_DEVICE(std::int64_t, Plus)
YUPANA_FOLDS_ON_DEVICE(std::int64_t, Min)
YUPANA_FOLDS_ON_DEVICE(std::int64_t, Max)

}  // namespace yupana::arrays::cuda
