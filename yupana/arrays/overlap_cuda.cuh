#pragma once

#include <cstdint>

#include "yupana/arrays/workspace_cuda.hpp"

/// Copies that run beside the threads that asked for them, and launches that begin while the one
/// before ends.
namespace yupana::arrays::cuda {

/// True for types that copy_ahead moves.
template <class T>
inline constexpr bool copies_ahead = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                     alignof(T) == sizeof(T);

/// Copies `bytes` (4, 8 or 16, both addresses multiples of it) to shared memory without a register
/// in between: as many are under way as a thread asks for.
template <int bytes>
__device__ inline void copy_ahead(void* to, const void* from) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes)
                 : "memory");
  }
}
/// Waits for the thread's own copies; a barrier makes them the block's.
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// A kernel launched by launch_after begins while the one before still runs: what that wrote is
/// there, and what it read may be overwritten, behind this line.
__device__ inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Once every block has come here or ended, blocks of the launch after may take free places.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Launches a kernel that calls wait_for_launch_before() ahead of all it reads and writes, behind
/// one of this family on the same stream. Saves 1 to 2 us, which is what a launch waits for the
/// one before to end and be seen to end.
template <class... Wanted, class... Given>
void launch_after(const Workspace& space,
                  cudaStream_t stream,
                  void (*kernel)(Wanted...),
                  std::int64_t blocks,
                  int threads,
                  int shared_bytes,
                  const Given&... given) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = space.capability() >= 90 ? 1 : 0;
  yupana::cuda::check(cudaLaunchKernelEx(&config, kernel, Wanted(given)...), "launch a kernel");
}

}  // namespace yupana::arrays::cuda
