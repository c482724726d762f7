#include <chrono>
#include <thread>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/devices_cuda.hpp"

namespace yupana::splice::cuda {

void wait_for(const Context& context,
              cudaStream_t stream,
              std::int32_t* counters,
              const char* doing) {
  using yupana::cuda::check;
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  while (true) {
    const cudaError_t status = cudaStreamQuery(stream);
    if (status != cudaErrorNotReady) {
      check(status, doing);
      break;
    }
    if (context.cancelled() && !told) {
      const std::int32_t stop = 1;
      const yupana::cuda::Stream aside;
      check(cudaMemcpyAsync(counters + 2, &stop, sizeof(stop), cudaMemcpyHostToDevice, aside),
            "stop kernels");
      aside.wait();
      told = true;
    }
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(50)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  context.check_cancelled();
}

}  // namespace yupana::splice::cuda
