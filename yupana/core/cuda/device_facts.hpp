#pragma once

#include <cstdint>

/// Only files of the CUDA build include this.
namespace yupana::cuda {

/// Facts of one GPU that launches are planned with. They say how large a launch may be, never which
/// variant of a kernel runs: that is a property of the compiled code (launch.hpp).
struct DeviceFacts {
  int multiprocessors = 0;
  int max_shared_bytes = 0;  ///< shared memory of one block, after opt-in
};

/// The facts of the current device, read from the driver once per process and device.
const DeviceFacts& device_facts();

}  // namespace yupana::cuda
