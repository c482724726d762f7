#pragma once

/// Only files of the CUDA build, and tests, include this.
namespace yupana::cuda {

/// Facts of one GPU that launches are planned with. They say how large a launch may be, never which
/// variant of a kernel runs: that is a property of the compiled code (launch.hpp).
struct DeviceFacts {
  int multiprocessors = 0;
  int max_shared_bytes = 0;             ///< shared memory of one block, after opt-in
  int multiprocessor_shared_bytes = 0;  ///< of the blocks of one multiprocessor together
  int multiprocessor_threads = 0;
};

/// The facts of the current device, read from the driver once per process and device.
DeviceFacts device_facts();

/// For tests alone: from now on no device has more than these facts, in all threads; 0: no limit.
/// What a kernel would need beyond them is refused, as a smaller GPU refuses it.
void limit_device_facts_for_test(const DeviceFacts& limits);

}  // namespace yupana::cuda
