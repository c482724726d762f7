#pragma once

#include <string>
#include <vector>

namespace yupana::job {

/// Which of its kernels a family runs on one GPU.
struct KernelVariant {
  std::string family;
  std::string runs;
};

/// Of the families that have several kernels for one step; those that are not named have one for
/// every GPU. Which one runs depends on what this program's code was compiled for. Empty for a GPU
/// that does not run kernels.
#ifdef YUPANA_CUDA
std::vector<KernelVariant> kernel_variants(int device);
#else
inline std::vector<KernelVariant> kernel_variants(int) { return {}; }
#endif

}  // namespace yupana::job
