#include "yupana/arrays/scan_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_FOLDS_ON_DEVICE(float, Plus)
YUPANA_FOLDS_ON_DEVICE(float, Min)
YUPANA_FOLDS_ON_DEVICE(float, Max)

}  // namespace yupana::arrays::cuda
