// Of a build without CUDA; kernel_variants_cuda.cu answers where it is built in.
#include "yupana/job/kernel_variants.hpp"

#ifndef YUPANA_CUDA
namespace yupana::job {

std::vector<KernelVariant> kernel_variants(int) { return {}; }

}  // namespace yupana::job
#endif
