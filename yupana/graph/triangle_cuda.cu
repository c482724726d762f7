#include "yupana/core/cuda/runtime.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/strip_cuda.cuh"

namespace yupana::graph::cuda {
namespace {

constexpr int edge = 32;
constexpr int block_rows = 8;

// A block of 32 x 8 threads does one square of 32 x 32 cells above the diagonal.
template <class Stored>
__global__ void mirror_kernel(StripRows<Stored> rows,
                              StripRows<Stored> all,
                              unsigned long long* unchanged) {
  __shared__ Stored turned[edge][edge + 1];
  const std::int64_t i0 = std::int64_t{blockIdx.y} * edge;
  const std::int64_t j0 = std::int64_t{blockIdx.x} * edge;
  if (j0 < i0 || row_of(rows, i0) == nullptr) return;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    if (j0 + y < all.size && i0 + x < all.size) turned[y][x] = row_of(all, j0 + y)[i0 + x];
  }
  __syncthreads();
  int equal = 0;
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    const std::int64_t i = i0 + y;
    const std::int64_t j = j0 + x;
    if (j <= i || j >= rows.size) continue;
    Stored& cell = row_of(rows, i)[j];
    equal += cell == turned[x][y];
    cell = turned[x][y];
  }
  equal = __reduce_add_sync(0xffffffffu, equal);
  if (x == 0 && equal > 0) atomicAdd(unchanged, static_cast<unsigned long long>(equal));
}

__global__ void facts_kernel(StripRows<std::int32_t> rows, std::int32_t* facts) {
  std::int32_t largest = 0;
  int missing = 0;
  for (std::int64_t i = blockIdx.x; i < rows.size; i += gridDim.x) {
    const std::int32_t* const row = row_of(rows, i);
    if (row == nullptr) continue;
    for (std::int64_t j = threadIdx.x; j < i; j += blockDim.x) {
      const bool none = row[j] == unreachable<std::int32_t>;
      missing |= none;
      largest = max(largest, none ? 0 : row[j]);
    }
  }
  largest = __reduce_max_sync(0xffffffffu, largest);
  missing = __any_sync(0xffffffffu, missing);
  if (threadIdx.x % 32 == 0) {
    atomicMax(facts, largest);
    atomicMax(facts + 1, missing);
  }
}

template <class From, class To, class Convert>
__device__ void convert_rows(const StripRows<From>& from,
                             const StripRows<To>& to,
                             const Convert& convert) {
  for (std::int64_t i = blockIdx.x; i < from.size; i += gridDim.x) {
    const From* const source = row_of(from, i);
    To* const target = row_of(to, i);
    if (source == nullptr || target == nullptr) continue;
    for (std::int64_t j = threadIdx.x; j <= i; j += blockDim.x) target[j] = convert(source[j]);
  }
}

__global__ void narrow_kernel(StripRows<std::int32_t> from,
                              StripRows<std::uint16_t> to,
                              std::int32_t none) {
  convert_rows(from, to, [none](std::int32_t value) {
    return static_cast<std::uint16_t>(value == unreachable<std::int32_t> ? none : value);
  });
}

__global__ void widen_kernel(StripRows<std::uint16_t> from,
                             StripRows<std::int32_t> to,
                             std::int32_t none) {
  convert_rows(from, to, [none](std::uint16_t value) {
    return value == none ? unreachable<std::int32_t> : std::int32_t{value};
  });
}

constexpr unsigned row_blocks = 4096;

}  // namespace

template <class Stored>
void launch_mirror(const StripRows<Stored>& rows,
                   const StripRows<Stored>& all,
                   unsigned long long* unchanged,
                   cudaStream_t stream) {
  if (rows.size == 0) return;
  const auto side = static_cast<unsigned>(divide_up(rows.size, edge));
  mirror_kernel<<<dim3(side, side), dim3(edge, block_rows), 0, stream>>>(rows, all, unchanged);
  yupana::cuda::check_launch("mirror a triangle");
}

void launch_facts(const StripRows<std::int32_t>& rows, std::int32_t* facts, cudaStream_t stream) {
  facts_kernel<<<row_blocks, 256, 0, stream>>>(rows, facts);
  yupana::cuda::check_launch("look at the weights");
}

void launch_narrow(const StripRows<std::int32_t>& from,
                   const StripRows<std::uint16_t>& to,
                   cudaStream_t stream) {
  narrow_kernel<<<row_blocks, 256, 0, stream>>>(from, to, packed_unreachable);
  yupana::cuda::check_launch("pack the weights");
}

void launch_widen(const StripRows<std::uint16_t>& from,
                  const StripRows<std::int32_t>& to,
                  cudaStream_t stream) {
  widen_kernel<<<row_blocks, 256, 0, stream>>>(from, to, packed_unreachable);
  yupana::cuda::check_launch("unpack the lengths");
}

template void launch_mirror(const StripRows<std::int32_t>&,
                            const StripRows<std::int32_t>&,
                            unsigned long long*,
                            cudaStream_t);
template void launch_mirror(const StripRows<float>&,
                            const StripRows<float>&,
                            unsigned long long*,
                            cudaStream_t);
template void launch_mirror(const StripRows<double>&,
                            const StripRows<double>&,
                            unsigned long long*,
                            cudaStream_t);

}  // namespace yupana::graph::cuda
