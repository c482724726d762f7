#include "yupana/core/cuda/launch.hpp"
#include "yupana/spectral/tensor_map_cuda.hpp"
#include "yupana/spectral/wide_cuda.hpp"
#include "yupana/spectral/wide_kernel_cuda.cuh"

namespace yupana::spectral::cuda {
namespace {

template <Part Which, int LogB>
void launch_wide(WidePass& pass, std::int64_t values, cudaStream_t stream) {
  using W = Wide<Which, LogB>;
  pass.tiles = values / (W::length * W::columns);
  const std::int64_t room = multiprocessors() * W::blocks;
  yupana::cuda::launch_dependent(
      "transform wide columns",
      wide_kernel<Which, LogB>,
      {pass.tiles < room ? pass.tiles : room, W::threads, W::shared_bytes},
      stream,
      pass);
}

template <Part Which>
void launch_wide_of(WidePass& pass, int log, std::int64_t values, cudaStream_t stream) {
  if (log == 8) return launch_wide<Which, 3>(pass, values, stream);
  launch_wide<Which, 4>(pass, values, stream);
}

}  // namespace

bool wide_serves(int log) {
  using W = Wide<Part::first, 4>;
  return log >= 25 && log <= 27 && has_tensor_maps() &&
         yupana::cuda::is_compiled(wide_kernel<Part::first, 4>, W::threads, W::shared_bytes);
}

void run_wide(const WideTransform& transform,
              const float2* in,
              float2* out,
              std::int64_t count,
              bool inverse,
              cudaStream_t stream) {
  const auto [log1, log2, log3] = transform.logs;
  const int log = log1 + log2 + log3, log_rest = log2 + log3;
  const std::int64_t values = count << log;
  WidePass pass;
  pass.log_first = log1;
  pass.log_second = log2;
  pass.log_length = log;
  pass.inverse = inverse;
  pass.scale = static_cast<float>(1.0L / static_cast<long double>(std::int64_t{1} << log));

  pass.rows = matrix_of(in, std::int64_t{1} << log_rest, count << log1, {32, 1, 1 << (log1 - 2)});
  pass.to = transform.work;
  pass.roots = transform.roots[0];
  pass.between = transform.between[0];
  pass.log_across = log_rest - 5;
  pass.log_jump = log_rest + 5;
  launch_wide_of<Part::first>(pass, log1, values, stream);

  const std::int64_t width = std::int64_t{32} << log3;
  pass.rows = matrix_of(transform.work, width, values / width, {32, 1, 1 << (log2 - 2)});
  pass.roots = transform.roots[1];
  pass.between = transform.between[1];
  pass.log_across = log3;
  pass.log_jump = log3 + 5;
  launch_wide_of<Part::second>(pass, log2, values, stream);

  pass.rows = matrix_of(transform.work, 32, values / 32, {32, 1, 1 << (log3 - 2)});
  pass.to = out;
  pass.roots = transform.roots[2];
  pass.log_jump = log1 + log2;
  launch_wide_of<Part::third>(pass, log3, values, stream);
}

}  // namespace yupana::spectral::cuda
