#include "bench/genotype/distances_bench.hpp"
#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/wgmma.cuh"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;

constexpr int groups = 2;  // warp groups a block, as in the kernel
constexpr int shared_bytes = (64 * groups + 256) * 128 + 1024;
constexpr int rounds = 4000;

/// Multiplies one stage again and again: no copies, no sums written but one word.
__global__ void __launch_bounds__(128 * groups, 1) ceiling_kernel(std::uint32_t* out) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char shared[];
  const std::uint32_t tiles = (shared_address(shared) + 1023) / 1024 * 1024;
  std::uint32_t bits = threadIdx.x * 2654435761u + 1;
  auto* const words = reinterpret_cast<std::uint32_t*>(shared);
  for (int i = threadIdx.x; i < shared_bytes / 4; i += blockDim.x) {
    bits ^= bits << 13, bits ^= bits >> 17, bits ^= bits << 5;
    words[i] = bits;  // random: zeros would run cooler
  }
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  std::uint32_t counts[128] = {};
  const std::uint64_t rows = tile_descriptor(tiles + threadIdx.x / 128 * 64 * 128);
  const std::uint64_t columns = tile_descriptor(tiles + groups * 64 * 128);
  for (int round = 0; round < rounds; ++round) {
    wgmma_fence();
    for (int k = 0; k < 4; ++k) wgmma_and_popc(counts, rows + 2 * k, columns + 2 * k, true);
    wgmma_commit();
    wgmma_wait<0>();
  }
  std::uint32_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#endif
}

}  // namespace

double tensor_ceiling() {
  int device = 0, blocks = 0, major = 0;
  check(cudaGetDevice(&device), "ask for the device");
  check(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device), "ask");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "ask");
  if (major != 9) return 0;
  check(cudaFuncSetAttribute(
            ceiling_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "reserve shared memory");
  DeviceArray<std::uint32_t> out(blocks * 128 * groups);
  double best = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const Event begin(true), end(true);
    begin.record(nullptr);
    ceiling_kernel<<<blocks, 128 * groups, shared_bytes>>>(out.data());
    check_launch("measure the tensor cores");
    end.record(nullptr);
    end.wait();
    const double bits = 1.0 * blocks * groups * rounds * 4 * 64 * 256 * 256;
    best = std::max(best, bits / seconds_between(begin, end) * 1e-12);
  }
  return best;
}

}  // namespace yupana::bench
