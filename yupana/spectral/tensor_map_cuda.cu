#include <cudaTypedefs.h>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/tensor_map_cuda.hpp"

namespace yupana::spectral::cuda {

using yupana::cuda::check;

namespace {

// Looked up in the driver at run time: programs start without one.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    if (cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result) != cudaSuccess ||
        result != cudaDriverEntryPointSuccess) {
      cudaGetLastError();
      found = nullptr;
    }
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  }();
  return function;
}

}  // namespace

CUtensorMap matrix_of(const float2* data, std::int64_t width, std::int64_t height, Box box) {
  const auto wide = [](std::int64_t value) { return static_cast<cuuint64_t>(value); };
  const cuuint64_t sizes[2] = {wide(width), wide(height)};
  const cuuint64_t pitch = wide(width) * sizeof(float2);
  const cuuint32_t boxes[2] = {static_cast<cuuint32_t>(box.columns),
                               static_cast<cuuint32_t>(box.rows)};
  const cuuint32_t steps[2] = {1, 1};
  CUtensorMap map;
  const CUresult result = encoder()(&map,
                                    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,  // 8 bytes, as float2
                                    2,
                                    const_cast<float2*>(data),
                                    sizes,
                                    &pitch,
                                    boxes,
                                    steps,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    CU_TENSOR_MAP_SWIZZLE_NONE,
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue,
        "describe a matrix to the copy engine");
  return map;
}

bool has_tensor_maps() { return encoder() != nullptr; }

}  // namespace yupana::spectral::cuda
