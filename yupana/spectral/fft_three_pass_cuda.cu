#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/fft_three_pass_kernel_cuda.cuh"
#include "yupana/spectral/tensor_map_cuda.hpp"

namespace yupana::spectral::cuda {
namespace {

template <Part Which, int LogB>
void launch_three_pass(ThreePass& pass, std::int64_t values, cudaStream_t stream) {
  using W = ThreePassKernel<Which, LogB>;
  pass.tiles = values / (W::length * W::columns);
  const std::int64_t room = multiprocessors() * W::blocks;
  yupana::cuda::launch_dependent(
      "transform wide columns",
      three_pass_kernel<Which, LogB>,
      {pass.tiles < room ? pass.tiles : room, W::threads, W::shared_bytes},
      stream,
      pass);
}

template <Part Which>
void launch_three_pass_of(ThreePass& pass, int log, std::int64_t values, cudaStream_t stream) {
  if (log == 8) return launch_three_pass<Which, 3>(pass, values, stream);
  launch_three_pass<Which, 4>(pass, values, stream);
}

}  // namespace

bool three_pass_supports(int log) {
  using W = ThreePassKernel<Part::first, 4>;
  return log >= 25 && log <= 27 && has_tensor_maps() &&
         yupana::cuda::is_compiled(three_pass_kernel<Part::first, 4>, W::threads, W::shared_bytes);
}

void run_three_pass(const ThreePassTransform& transform,
                    const float2* in,
                    float2* out,
                    std::int64_t count,
                    bool inverse,
                    cudaStream_t stream) {
  const auto [log1, log2, log3] = transform.logs;
  const int log = log1 + log2 + log3, log_rest = log2 + log3;
  const std::int64_t values = count << log;
  ThreePass pass;
  pass.log_first = log1;
  pass.log_second = log2;
  pass.log_length = log;
  pass.inverse = inverse;
  pass.scale = static_cast<float>(1.0L / static_cast<long double>(std::int64_t{1} << log));

  pass.rows = matrix_of(in, std::int64_t{1} << log_rest, count << log1, {32, 1, 1 << (log1 - 2)});
  pass.to = transform.work;
  pass.roots = transform.roots[0];
  pass.inter_pass_twiddles = transform.inter_pass_twiddles[0];
  pass.log_across = log_rest - 5;
  pass.log_jump = log_rest + 5;
  launch_three_pass_of<Part::first>(pass, log1, values, stream);

  const std::int64_t width = std::int64_t{32} << log3;
  pass.rows = matrix_of(transform.work, width, values / width, {32, 1, 1 << (log2 - 2)});
  pass.roots = transform.roots[1];
  pass.inter_pass_twiddles = transform.inter_pass_twiddles[1];
  pass.log_across = log3;
  pass.log_jump = log3 + 5;
  launch_three_pass_of<Part::second>(pass, log2, values, stream);

  pass.rows = matrix_of(transform.work, 32, values / 32, {32, 1, 1 << (log3 - 2)});
  pass.to = out;
  pass.roots = transform.roots[2];
  pass.log_jump = log1 + log2;
  launch_three_pass_of<Part::third>(pass, log3, values, stream);
}

}  // namespace yupana::spectral::cuda
