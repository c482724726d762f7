#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/core/cuda/runtime.hpp"

/// The one path to kernels that use dynamic shared memory, exist in variants, or overlap their
/// predecessor. Only files of the CUDA build include this.
///
/// A program carries each kernel compiled for several architectures, and the driver picks one per
/// device: on a GPU newer than all of them, the PTX of the oldest. Which variant of a kernel runs
/// is therefore a property of the compiled code, not of the device, and is read from the code.
namespace yupana::cuda {

/// The architecture that device code is being compiled for, 10 x major + minor; on the host, more
/// than any.
#ifdef __CUDA_ARCH__
inline constexpr int compiled_for = __CUDA_ARCH__ / 10;
#else
inline constexpr int compiled_for = 1 << 20;
#endif
/// Whether device code is being compiled with the instructions that Hopper alone has (sm_90a).
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline constexpr bool compiled_for_hopper = true;
#else
inline constexpr bool compiled_for_hopper = false;
#endif

/// Launch bound of a kernel whose body exists only in some variants: `threads` where it does. The
/// others take a single thread, so the driver refuses to launch them and is_compiled() is false.
constexpr int threads_if(bool has_body, int threads) { return has_body ? threads : 1; }

/// Shared memory of a block that every device grants for which programs are compiled: 99 KB
/// (compute capability 8.6, 8.9 and 12.0). A kernel that takes more has a smaller shape, too.
inline constexpr int shared_bytes_everywhere = 99 << 10;

/// Shape of a launch.
struct LaunchShape {
  LaunchShape(dim3 blocks_, dim3 threads_, std::int64_t shared_bytes_ = 0)
      : blocks(blocks_), threads(threads_), shared_bytes(static_cast<std::size_t>(shared_bytes_)) {}
  /// One dimension; throws out_of_resources for more blocks than a grid holds.
  LaunchShape(std::int64_t blocks, int threads, std::int64_t shared_bytes = 0);

  dim3 blocks;
  dim3 threads;              ///< of a block
  std::size_t shared_bytes;  ///< dynamic shared memory of a block
  unsigned cluster = 1;      ///< blocks of a cluster, along x
};

namespace detail {

enum class Order { after, overlapping, cooperative };

bool is_compiled(const void* kernel, int threads, std::size_t shared_bytes);
int architecture_of(const void* kernel);
int resident_blocks(const void* kernel, int threads, std::size_t shared_bytes);
void launch(const char* doing,
            const void* kernel,
            const LaunchShape& shape,
            cudaStream_t stream,
            Order order,
            void** arguments);

template <class... Parameters, class... Arguments>
void launch(const char* doing,
            void (*kernel)(Parameters...),
            const LaunchShape& shape,
            cudaStream_t stream,
            Order order,
            const Arguments&... arguments) {
  const auto call = [&](Parameters... values) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&values))...};
    launch(doing, reinterpret_cast<const void*>(kernel), shape, stream, order, pointers);
  };
  call(Parameters(arguments)...);
}

}  // namespace detail

/// True if the variant of `kernel` that the current device runs was compiled with a body for blocks
/// of `threads` threads (see threads_if), and the device grants it `shared_bytes`.
template <class... Parameters>
bool is_compiled(void (*kernel)(Parameters...), int threads, std::size_t shared_bytes = 0) {
  return detail::is_compiled(reinterpret_cast<const void*>(kernel), threads, shared_bytes);
}

/// The architecture that the variant of `kernel` that the current device runs was compiled for:
/// what compiled_for is in its body.
template <class... Parameters>
int architecture_of(void (*kernel)(Parameters...)) {
  return detail::architecture_of(reinterpret_cast<const void*>(kernel));
}

/// Blocks of this shape that one multiprocessor of the current device holds at a time.
template <class... Parameters>
int resident_blocks(void (*kernel)(Parameters...), int threads, std::size_t shared_bytes = 0) {
  return detail::resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared_bytes);
}

/// Launches `kernel` on the current device, in stream order. The kernel's limit of shared memory is
/// raised first where needed, and never lowered: other threads may be launching it too.
/// errors: device if the driver refuses the launch; `doing` names the step in the message
template <class... Parameters, class... Arguments>
void launch(const char* doing,
            void (*kernel)(Parameters...),
            const LaunchShape& shape,
            cudaStream_t stream,
            const Arguments&... arguments) {
  detail::launch(doing, kernel, shape, stream, detail::Order::after, arguments...);
}

/// As launch(), but the kernel may start while its predecessor in the stream still runs (saves 1 to
/// 2 us). The kernel must call wait_for_predecessor() before it reads or writes global memory.
/// Where its code was compiled without that wait, the launch is an ordinary one.
template <class... Parameters, class... Arguments>
void launch_dependent(const char* doing,
                      void (*kernel)(Parameters...),
                      const LaunchShape& shape,
                      cudaStream_t stream,
                      const Arguments&... arguments) {
  detail::launch(doing, kernel, shape, stream, detail::Order::overlapping, arguments...);
}

/// As launch(), with all blocks resident at once: they may wait for each other.
/// errors: device if they do not fit (see resident_blocks)
template <class... Parameters, class... Arguments>
void launch_cooperative(const char* doing,
                        void (*kernel)(Parameters...),
                        const LaunchShape& shape,
                        cudaStream_t stream,
                        const Arguments&... arguments) {
  detail::launch(doing, kernel, shape, stream, detail::Order::cooperative, arguments...);
}

#ifdef __CUDACC__
/// After this call the preceding grid of the stream has completed and its writes are visible.
__device__ inline void wait_for_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Once every block has called this or ended, blocks of the next grid may be scheduled.
__device__ inline void release_successor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif

}  // namespace yupana::cuda
