#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "yupana/spectral/pass_cuda.cuh"

namespace yupana::spectral::cuda {

using yupana::cuda::check;

namespace {

constexpr int most_devices = 64;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "ask for the device");
  return device;
}

}  // namespace

// Facts of the machine, the same for every Context: not state.
const DeviceFacts& device_facts() {
  static std::array<DeviceFacts, most_devices> facts;
  static std::array<std::once_flag, most_devices> asked;
  const int device = current_device() % most_devices;
  std::call_once(asked[static_cast<std::size_t>(device)], [&] {
    DeviceFacts& of = facts[static_cast<std::size_t>(device)];
    int major = 0;
    check(cudaDeviceGetAttribute(&of.multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "ask for multiprocessors");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "ask for the compute capability");
    of.waits = major >= 9;
  });
  return facts[static_cast<std::size_t>(device)];
}

void allow_shared(const void* kernel, int bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, int> allowed;
  const std::lock_guard lock(mutex);
  int& most = allowed[{kernel, current_device()}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "set shared memory");
  most = bytes;
}

}  // namespace yupana::spectral::cuda
