#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/fft_two_pass_radix64_kernel_cuda.cuh"
#include "yupana/spectral/tensor_map_cuda.hpp"

namespace yupana::spectral::cuda {
namespace {

template <Half Which>
void launch_two_pass_radix64(const TwoPassRadix64Pass& pass, cudaStream_t stream) {
  using K = TwoPassRadix64<Which>;
  // As many blocks as share the rounds evenly: 128 with eight tiles each disturb one another less
  // than 132, of which 32 have seven (190.2 us for 193.1).
  const std::int64_t rounds = divide_up(pass.tiles, multiprocessors());
  yupana::cuda::launch_dependent("transform columns of 4096",
                                 two_pass_radix64_kernel<Which>,
                                 {divide_up(pass.tiles, rounds), K::threads, K::shared_bytes},
                                 stream,
                                 pass);
}

}  // namespace

bool two_pass_radix64_supports(int log) {
  using K = TwoPassRadix64<Half::first>;
  return log == 24 && has_tensor_maps() &&
         yupana::cuda::is_compiled(
             two_pass_radix64_kernel<Half::first>, K::threads, K::shared_bytes);
}

void run_two_pass_radix64(const TwoPassRadix64Transform& transform,
                          const float2* in,
                          float2* out,
                          std::int64_t count,
                          bool inverse,
                          cudaStream_t stream) {
  TwoPassRadix64Pass pass;
  pass.roots = transform.roots;
  pass.inter_pass_twiddles = transform.inter_pass_twiddles;
  pass.tiles = count << TwoPassRadix64<Half::first>::log_tiles;
  pass.inverse = inverse;
  pass.scale = 1.0f / (1 << 24);
  pass.rows = matrix_of(in, 1 << 12, count << 12, {4, 1, 256});
  pass.in = in;
  pass.out = transform.work;
  launch_two_pass_radix64<Half::first>(pass, stream);
  pass.in = transform.work;
  pass.out = out;
  launch_two_pass_radix64<Half::second>(pass, stream);
}

}  // namespace yupana::spectral::cuda
