#include "yupana/spectral/pass_cuda.cuh"

namespace yupana::spectral::cuda {

template <>
void run_pass(const Pass<ResiduePairField>& pass, int log_length, cudaStream_t stream) {
  launch_pass_of(pass, log_length, stream);
}

}  // namespace yupana::spectral::cuda
