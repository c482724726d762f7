#include <cuda_runtime.h>
#include <fmt/core.h>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::cuda {
namespace {

constexpr int probe_answer = 0x79757061;

__global__ void probe_kernel(int* answer) { *answer = probe_answer; }

/// True if a kernel runs on the current device and its result comes back.
bool launch_probe() {
  int* on_device = nullptr;
  int answer = 0;
  if (cudaMalloc(&on_device, sizeof(int)) != cudaSuccess) return false;
  probe_kernel<<<1, 1>>>(on_device);
  const bool ran =
      cudaGetLastError() == cudaSuccess &&
      cudaMemcpy(&answer, on_device, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(on_device);
  return ran && answer == probe_answer;
}

/// The caller's current device stays what it was.
class Visit {
 public:
  explicit Visit(int ordinal) {
    known_ = cudaGetDevice(&before_) == cudaSuccess;
    arrived_ = cudaSetDevice(ordinal) == cudaSuccess;
  }
  ~Visit() {
    if (known_) cudaSetDevice(before_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  bool arrived() const { return arrived_; }

 private:
  int before_ = 0;
  bool known_ = false, arrived_ = false;
};

/// What the current device runs of this program's code.
std::string code_of_probe() {
  cudaFuncAttributes probe{};
  if (cudaFuncGetAttributes(&probe, probe_kernel) != cudaSuccess) return "";
  const bool from_ptx = probe.binaryVersion != probe.ptxVersion;
  return fmt::format("{} {}.{}{}",
                     from_ptx ? "PTX of" : "compiled for",
                     probe.ptxVersion / 10,
                     probe.ptxVersion % 10,
                     from_ptx ? ", compiled by the driver" : "");
}

DeviceInfo describe(int ordinal) {
  cudaDeviceProp properties{};
  DeviceInfo info;
  info.ordinal = ordinal;
  const Visit visit(ordinal);
  if (!visit.arrived()) return info;
  if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) return info;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory = properties.totalGlobalMem;
  info.works = launch_probe();
  info.code = code_of_probe();
  return info;
}

}  // namespace

int device_count() {
  // The driver tells a process always the same.
  static const int known = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
  }();
  return known;
}

std::vector<DeviceInfo> device_list() {
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < device_count(); ++i) devices.push_back(describe(i));
  return devices;
}

int device_of(const Context& context, const void* memory) {
  if (context.backend() != Backend::cuda || memory == nullptr) return -1;
  cudaPointerAttributes facts{};
  check(cudaPointerGetAttributes(&facts, memory), "ask where an array is");
  return facts.type == cudaMemoryTypeDevice ? facts.device : -1;
}

std::uint64_t free_memory(int ordinal) {
  std::size_t available = 0, total = 0;
  const Visit visit(ordinal);
  if (!visit.arrived()) return 0;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

std::string_view code_built() { return YUPANA_CUDA_CODE; }

std::string why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  return std::string("device: expected cuda, but no GPU is usable here (") +
         cudaGetErrorString(status) + "); use --device cpu, or check the driver with nvidia-smi";
}

}  // namespace yupana::cuda
