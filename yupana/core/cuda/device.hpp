#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Facts about CUDA for the rest of core. Without the CUDA backend in the build, or without a
/// driver, there are simply no devices.
namespace yupana::cuda {

#ifdef YUPANA_CUDA
inline constexpr bool built = true;
#else
inline constexpr bool built = false;
#endif

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory = 0;  ///< bytes
  bool works = false;        ///< a kernel ran on it and answered
  std::string code;          ///< which of the program's code it runs; empty if none
};

/// What device code this program holds, as in "sm_90a, PTX of 8.0"; empty without the backend.
std::string_view code_built();

/// Devices this process can use; 0 without a driver.
int device_count();
/// One entry per device, each tried with a trivial kernel.
std::vector<DeviceInfo> device_list();
/// Bytes free on a device now.
std::uint64_t free_memory(int ordinal);
/// One line: why device_count() is 0.
std::string why_no_device();
/// True once this process has held memory of a GPU: nothing runs on one without.
bool was_used();
/// From now on the process keeps no more of its GPUs' memory than this for later calls
/// (runtime.hpp).
void keep_at_most(std::uint64_t bytes);

}  // namespace yupana::cuda
