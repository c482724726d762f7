#include <cuda_runtime.h>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/genotype/bit_products.hpp"
#include "yupana/job/kernel_variants.hpp"
#include "yupana/som/filter_cuda.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"

namespace yupana::job {
namespace {

/// Compiled for the same architectures as every kernel.
__global__ void probe_kernel() {}

std::string pair_counts() {
  using namespace genotype::cuda;
  return compiled_methods().back() == BitMethod::wgmma ? "binary products of warp groups (wgmma)"
                                                       : "binary products of warps (mma.sync)";
}

std::string long_transforms() {
  using namespace spectral::cuda;
  std::string lengths;
  if (two_pass_supports(23)) lengths += ", 2^21 to 2^23";
  if (two_pass_radix64_supports(24)) lengths += ", 2^24";
  return lengths.empty() ? "small tiles for all lengths" : "large tiles for" + lengths.substr(1);
}

}  // namespace

std::vector<KernelVariant> kernel_variants(int device) {
  if (cudaSetDevice(device) != cudaSuccess) return {};
  const bool hopper_on = yupana::cuda::architecture_of(probe_kernel) >= 90;
  return {
      {"scan, float sums", hopper_on ? "bulk copies" : "asynchronous copies"},
      {"pair counts", pair_counts()},
      {"paths of 16 bits", hopper_on ? "maximum of integers" : "minimum of halves"},
      {"splice of 16 bits", hopper_on ? "addition with maximum of integers" : "maximum of halves"},
      {"maps over 32 features",
       som::cuda::has_wgmma() ? "products of warp groups (wgmma)" : "products of warps (mma.sync)"},
      {"FFT of floats", long_transforms()},
  };
}

}  // namespace yupana::job
