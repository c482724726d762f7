// The conversion of a view to one of constants exists for views of constants too, where it is never
// called; nvcc says so at every instance.
#pragma nv_diag_suppress 554
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/classical_cuda.cuh"
#include "yupana/spectral/device_matmul.hpp"

namespace yupana::spectral::cuda {
namespace {

constexpr int threads = 256;
constexpr int height = 128, width = 64;  // a block's cells of c; a warp has 32 x 32 of them
constexpr int depth = 16;
// Rows begin 32 bytes further on in the banks than the row before: the 4 x 4 values that half a
// warp reads at once lie in all of them.
constexpr int a_stride = depth + 4, b_stride = width + 4;

struct Stage {
  double a[height][a_stride];
  double b[depth][b_stride];
};

struct Slice {
  double2 a[4];
  double2 b[2];
};

__device__ __forceinline__ Slice fetch(const Product<double>& task,
                                       std::int64_t i0,
                                       std::int64_t j0,
                                       std::int64_t k0) {
  const int t = static_cast<int>(threadIdx.x);
  Slice slice;
#pragma unroll
  for (int pass = 0; pass < 4; ++pass) {
    slice.a[pass] = pair(task.a, i0 + t / 8 + pass * 32, k0 + t % 8 * 2);
  }
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    slice.b[pass] = pair(task.b, k0 + t / 32 + pass * 8, j0 + t % 32 * 2);
  }
  return slice;
}

__device__ __forceinline__ void keep(const Slice& slice, Stage& stage) {
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int pass = 0; pass < 4; ++pass) {
    *reinterpret_cast<double2*>(&stage.a[t / 8 + pass * 32][t % 8 * 2]) = slice.a[pass];
  }
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    *reinterpret_cast<double2*>(&stage.b[t / 32 + pass * 8][t % 32 * 2]) = slice.b[pass];
  }
}

/// Twice 8 x 8 cells += 8 x 4 times 4 x 8, one below the other: lane l holds row l / 4, place l % 4
/// of the left factor, column l / 4 of the right one and cells (l / 4, 2 (l % 4)) and the one
/// next to it.
__device__ __forceinline__ void tensor_products(
    double (&upper)[2], double (&lower)[2], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
      : "d"(a0), "d"(a1), "d"(b));
#else
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(upper[0]), "+d"(upper[1])
      : "d"(a0), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(lower[0]), "+d"(lower[1])
      : "d"(a1), "d"(b));
#endif
}

struct Place {
  int row, column;
};

__device__ __forceinline__ void multiply(const Stage& stage, Place warp, double (&sums)[4][4][2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int k = 0; k < depth; k += 4) {
    double a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = stage.a[warp.row + 8 * i + lane / 4][k + lane % 4];
#pragma unroll
    for (int j = 0; j < 4; ++j) b[j] = stage.b[k + lane % 4][warp.column + 8 * j + lane / 4];
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
#pragma unroll
      for (int j = 0; j < 4; ++j) tensor_products(sums[i][j], sums[i + 1][j], a[i], a[i + 1], b[j]);
    }
  }
}

__global__ void __launch_bounds__(threads, 2) product_kernel(Product<double> task) {
  __shared__ Stage stage;
  std::int64_t i0 = 0, j0 = 0;
  block_place(task.c, height, width, i0, j0);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Place at = {warp / 2 * 32, warp % 2 * 32};
  double sums[4][4][2] = {};
  const std::int64_t inner = task.a.cols;
  Slice next = fetch(task, i0, j0, 0);
  for (std::int64_t k = 0; k < inner; k += depth) {
    keep(next, stage);
    __syncthreads();
    if (k + depth < inner) next = fetch(task, i0, j0, k + depth);
    multiply(stage, at, sums);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::int64_t row = i0 + at.row + 8 * i + lane / 4;
      const std::int64_t column = j0 + at.column + 8 * j + lane % 4 * 2;
      put(task, row, column, sums[i][j][0]);
      put(task, row, column + 1, sums[i][j][1]);
    }
  }
}

}  // namespace

void classical(MatrixView<const double> a,
               MatrixView<const double> b,
               MatrixView<double> c,
               bool add,
               cudaStream_t stream) {
  if (c.rows == 0 || c.cols == 0) return;
  const auto blocks = static_cast<unsigned>(divide_up(c.rows, height) * divide_up(c.cols, width));
  product_kernel<<<blocks, threads, 0, stream>>>({operand(a), operand(b), c, add});
  yupana::cuda::check_launch("multiply matrices");
}

}  // namespace yupana::spectral::cuda
