// Arrays that already lie on a GPU: the functions of the host, given the GPU's pointers, run there,
// and the results stay there.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/sort.hpp"

int main() {
  constexpr std::int64_t n = 1'000'000;
  std::vector<std::int64_t> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = n - i;

  std::int64_t* on_gpu = nullptr;
  if (cudaMalloc(&on_gpu, n * sizeof(std::int64_t)) != cudaSuccess) return 1;
  cudaMemcpy(on_gpu, values.data(), n * sizeof(std::int64_t), cudaMemcpyHostToDevice);

  yupana::Context context({.device = "cuda"});
  yupana::arrays::sort(context, on_gpu, n);
  yupana::arrays::inclusive_scan(context, on_gpu, n, on_gpu);

  std::int64_t total = 0;
  cudaMemcpy(&total, on_gpu + n - 1, sizeof(total), cudaMemcpyDeviceToHost);
  cudaFree(on_gpu);
  std::printf(
      "1 + 2 + ... + %lld is %lld\n", static_cast<long long>(n), static_cast<long long>(total));
}
