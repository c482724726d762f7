#include "yupana/spectral/spread_cuda.hpp"

#include <map>
#include <mutex>

#include "yupana/spectral/spread_kernel_cuda.cuh"
#include "yupana/spectral/tensor_map_cuda.hpp"

namespace yupana::spectral::cuda {

using yupana::cuda::check;

namespace {

template <Half Which, int LogS>
void launch_spread(SpreadPass& pass, std::int64_t values, cudaStream_t stream) {
  using K = Spread<Which, LogS>;
  const auto kernel = spread_kernel<Which, LogS>;
  pass.tiles = values >> (K::log_length + K::log_columns);
  allow_shared(reinterpret_cast<const void*>(kernel), K::shared_bytes);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = K::S;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(K::S);
  config.blockDim = dim3(K::threads);
  config.dynamicSmemBytes = K::shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  // Asked once for each device: the answer takes longer than a launch.
  static std::mutex mutex;
  static std::map<int, int> rooms;
  int device = 0, room = 0;
  check(cudaGetDevice(&device), "ask for the device");
  {
    const std::lock_guard lock(mutex);
    int& known = rooms[device];
    if (known == 0) {
      check(cudaOccupancyMaxActiveClusters(&known, kernel, &config), "ask for clusters");
    }
    room = known;
  }
  config.gridDim = dim3(static_cast<unsigned>(pass.tiles < room ? pass.tiles : room) * K::S);
  check(cudaLaunchKernelEx(&config, kernel, pass), "transform spread columns");
}

template <Half Which>
void launch_spread_of(SpreadPass& pass, int log, std::int64_t values, cudaStream_t stream) {
  if (log == 12) return launch_spread<Which, 2>(pass, values, stream);
  launch_spread<Which, 3>(pass, values, stream);
}

}  // namespace

bool spread_serves(int log) {
  return log == 24 && copy_engine_serves(Spread<Half::first, 2>::shared_bytes);
}

void run_spread(const SpreadTransform& transform,
                const float2* in,
                float2* out,
                std::int64_t count,
                bool inverse,
                cudaStream_t stream) {
  const auto [log1, log2] = transform.logs;
  const std::int64_t values = count << (log1 + log2);
  SpreadPass pass;
  pass.log_length = log1 + log2;
  pass.inverse = inverse;
  pass.scale =
      static_cast<float>(1.0L / static_cast<long double>(std::int64_t{1} << (log1 + log2)));
  pass.between = transform.between;

  pass.rows = matrix_of(in, std::int64_t{1} << log2, count << log1, {16, 1 << (log1 - 10), 256});
  pass.to = transform.work;
  pass.roots = transform.roots[0];
  pass.log_others = log2;
  launch_spread_of<Half::first>(pass, log1, values, stream);

  pass.rows = matrix_of(transform.work, 16, values / 16, {16, 1 << (log2 - 10), 256});
  pass.to = out;
  pass.roots = transform.roots[1];
  pass.log_others = log1;
  launch_spread_of<Half::second>(pass, log2, values, stream);
}

}  // namespace yupana::spectral::cuda
