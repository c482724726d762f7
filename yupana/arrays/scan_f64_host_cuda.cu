#include "yupana/arrays/scan_host_cuda.cuh"

namespace yupana::arrays::cuda {

YUPANA_FOLDS_ON_DEVICE(double, Plus)
YUPANA_FOLDS_ON_DEVICE(double, Min)
YUPANA_FOLDS_ON_DEVICE(double, Max)

}  // namespace yupana::arrays::cuda
