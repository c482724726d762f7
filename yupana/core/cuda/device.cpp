// The CUDA questions of a build without CUDA; device.cu answers them where it is built in.
#include "yupana/core/cuda/device.hpp"

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/core/cuda/place.hpp"

#ifndef YUPANA_CUDA
namespace yupana::cuda {

int device_count() { return 0; }

std::vector<DeviceInfo> device_list() { return {}; }

std::uint64_t free_memory(int) { return 0; }

bool was_used() { return false; }

void keep_at_most(std::uint64_t) {}

int device_of(const Context&, const void*) { return -1; }

std::string_view code_built() { return ""; }

std::string why_no_device() {
  return "device: expected cuda, but this yupana was built without it; build with 'cmake --preset "
         "cuda', or use --device cpu";
}

void limit_device_facts_for_test(const DeviceFacts&) {}

}  // namespace yupana::cuda
#endif
