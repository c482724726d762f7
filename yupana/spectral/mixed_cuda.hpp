#pragma once

#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family.
namespace yupana::spectral::cuda {

/// The stages of a length up to longest_mixed made of 2, 3, 5 and 7, as run_mixed_pass() takes
/// them: as few as can be, four at most.
Radices radices_of(int length);

}  // namespace yupana::spectral::cuda
