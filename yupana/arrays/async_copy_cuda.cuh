#pragma once

#include <cstdint>

#include "yupana/arrays/workspace_cuda.hpp"

/// Asynchronous copies from global to shared memory.
namespace yupana::arrays::cuda {

/// True for types that copy_ahead moves.
template <class T>
inline constexpr bool copies_ahead = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                     alignof(T) == sizeof(T);

/// Copies `bytes` (4, 8 or 16, both addresses multiples of it) to shared memory without a register
/// in between, in flight until wait_for_copies().
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

}  // namespace yupana::arrays::cuda
