#include "yupana/core/machine.hpp"

#include <nanobind/stl/string.h>

#include "python/bindings/call.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/version.hpp"

namespace yupana::python {
namespace {

nb::dict info() {
  nb::dict answer;
  answer["version"] = version;
  answer["processor"] = processor_name();
  answer["simd"] = simd_target();
  answer["threads"] = usable_cores();
  answer["memory_free"] = free_memory();
  answer["cuda_built"] = yupana::cuda::built;
  nb::list devices;
  for (const yupana::cuda::DeviceInfo& gpu : yupana::cuda::device_list()) {
    nb::dict device;
    device["ordinal"] = gpu.ordinal;
    device["name"] = gpu.name;
    device["compute_capability"] = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
    device["multiprocessors"] = gpu.multiprocessors;
    device["memory"] = gpu.memory;
    device["works"] = gpu.works;
    devices.append(device);
  }
  answer["devices"] = devices;
  return answer;
}

}  // namespace

void bind_machine(nb::module_& module) {
  module.def("info", &info, "Processor, memory and GPUs as a dict.");
  module.def("peak_memory", &peak_memory, "Most bytes this process has held so far.");
}

}  // namespace yupana::python
