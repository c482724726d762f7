// The CUDA questions of a build without CUDA; device.cu answers them where it is built in.
#include "yupana/core/cuda/device.hpp"

#ifndef YUPANA_CUDA
namespace yupana::cuda {

int device_count() { return 0; }

std::vector<DeviceInfo> device_list() { return {}; }

std::uint64_t free_memory(int) { return 0; }

std::string why_no_device() {
  return "device: cuda wanted, but this yupana was built without it; build with 'cmake --preset "
         "cuda', or use --device cpu";
}

}  // namespace yupana::cuda
#endif
