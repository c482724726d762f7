#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/product_cuda.hpp"

namespace yupana::spectral::cuda {

int longest_product_row() {
  using Kernel = PassKernel<Tile<GoldilocksField, long_row, 0>>;
  return Kernel::exchange_bytes + Kernel::fetch_bytes <=
                 yupana::cuda::device_facts().max_shared_bytes
             ? long_row
             : row;
}

}  // namespace yupana::spectral::cuda
