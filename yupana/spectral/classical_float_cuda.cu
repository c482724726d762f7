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
constexpr int edge = 128;  // a block's cells of c: 128 x 128, 8 x 8 a thread
constexpr int depth = 16;
constexpr int pad = 4;

/// What a block loads at a time, in registers: 16 columns of 128 rows
/// of a, 16 rows of 128 columns of b.
struct Slice {
  float4 a[2];
  float4 b[2];
};

__device__ __forceinline__ Slice fetch(const Product<float>& task,
                                       std::int64_t i0,
                                       std::int64_t j0,
                                       std::int64_t k0) {
  const int t = static_cast<int>(threadIdx.x);
  Slice slice;
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    slice.a[pass] = quad(task.a, i0 + t / 4 + pass * 64, k0 + t % 4 * 4);
    slice.b[pass] = quad(task.b, k0 + t / 32 + pass * 8, j0 + t % 32 * 4);
  }
  return slice;
}

struct Stage {
  float a[depth][edge + pad];  // transposed, so that a thread reads four rows at once
  float b[depth][edge];
};

__device__ __forceinline__ void keep(const Slice& slice, Stage& stage) {
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    const int row = t / 4 + pass * 64, column = t % 4 * 4;
    stage.a[column][row] = slice.a[pass].x;
    stage.a[column + 1][row] = slice.a[pass].y;
    stage.a[column + 2][row] = slice.a[pass].z;
    stage.a[column + 3][row] = slice.a[pass].w;
    *reinterpret_cast<float4*>(&stage.b[t / 32 + pass * 8][t % 32 * 4]) = slice.b[pass];
  }
}

// Warps lie 2 x 4 over the block's cells, lanes 8 x 4 over a warp's: a step reads 8 + 4 different
// groups of four values for 64 multiply-adds.
struct Place {
  int row, column;
};
__device__ __forceinline__ Place place_of_thread() {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  return {warp / 4 * 64 + lane / 4 * 4, warp % 4 * 32 + lane % 4 * 4};
}

__device__ __forceinline__ void multiply(const Stage& stage, Place at, float (&sums)[8][8]) {
#pragma unroll
  for (int k = 0; k < depth; ++k) {
    float a[8], b[8];
    *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(&stage.a[k][at.row]);
    *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(&stage.a[k][at.row + 32]);
    *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&stage.b[k][at.column]);
    *reinterpret_cast<float4*>(b + 4) =
        *reinterpret_cast<const float4*>(&stage.b[k][at.column + 16]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
    }
  }
}

__global__ void __launch_bounds__(threads, 2) product_kernel(Product<float> task) {
  __shared__ Stage stages[2];
  std::int64_t i0 = 0, j0 = 0;
  block_place(task.c, edge, edge, i0, j0);
  const Place at = place_of_thread();
  float sums[8][8] = {};
  const std::int64_t inner = task.a.cols;
  keep(fetch(task, i0, j0, 0), stages[0]);
  __syncthreads();
  int current = 0;
  for (std::int64_t k = 0; k < inner; k += depth) {
    const bool more = k + depth < inner;
    Slice next;
    if (more) next = fetch(task, i0, j0, k + depth);
    multiply(stages[current], at, sums);
    if (more) keep(next, stages[current ^ 1]);
    __syncthreads();
    current ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      put(task, i0 + at.row + i % 4 + i / 4 * 32, j0 + at.column + j % 4 + j / 4 * 16, sums[i][j]);
    }
  }
}

}  // namespace

void classical(MatrixView<const float> a,
               MatrixView<const float> b,
               MatrixView<float> c,
               bool add,
               cudaStream_t stream) {
  if (c.rows == 0 || c.cols == 0) return;
  const auto blocks = static_cast<unsigned>(divide_up(c.rows, edge) * divide_up(c.cols, edge));
  product_kernel<<<blocks, threads, 0, stream>>>({operand(a), operand(b), c, add});
  yupana::cuda::check_launch("multiply matrices");
}

}  // namespace yupana::spectral::cuda
