// The same products without Hopper's warp groups: binary tensor instructions of compute capability
// 8.0, and AND + POPC on ordinary cores. One block works 128 x 128 pairs at a time.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/genotype/bit_products_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int edge = 128;       // pairs a block works on a side; a square has 2 x 2 of these
constexpr int threads = 256;    // eight warps of 32 rows x 64 columns
constexpr int half_bytes = 64;  // of a row: 512 sites are in shared memory at a time
constexpr int tile_bytes = edge * half_bytes;
constexpr int pieces = half_bytes / 16;

/// Where the 16-byte piece `c` of row `r` stands in shared memory: no two rows of a fragment share
/// a bank.
__device__ int piece_offset(int r, int c) { return r * half_bytes + (c ^ (r / 2 % pieces)) * 16; }

__device__ void copy_16(unsigned char* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from));
}

/// Brings 512 sites of 128 rows of one step: half `half` of their 128 bytes.
__device__ void load_tile(
    unsigned char* to, const DevicePlanes& planes, int step, std::int64_t row, int half) {
  for (int i = threadIdx.x; i < edge * pieces; i += threads) {
    const int r = i / pieces, c = i % pieces;
    const int stored = (half * pieces + c) ^ (r % 8);  // rows start at multiples of 128
    copy_16(to + piece_offset(r, c), planes.tile(step, row + r) + 16 * stored);
  }
}

/// 32 rows x 64 columns of a warp: 2 x 8 fragments of 16 x 8.
struct Fragments {
  int sums[2][8][4] = {};
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ void multiply_mma(const unsigned char* rows,
                             const unsigned char* columns,
                             Fragments& f) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = warp % 4 * 32, first_column = warp / 4 * 64;
  const auto word = [&](const unsigned char* tile, int r, int piece) {
    return *reinterpret_cast<const std::uint32_t*>(tile + piece_offset(r, piece) + 4 * (lane % 4));
  };
#pragma unroll
  for (int k = 0; k < pieces; k += 2) {  // 256 sites
    std::uint32_t a[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int r = first_row + 16 * i + lane / 4;
      a[i][0] = word(rows, r, k);
      a[i][1] = word(rows, r + 8, k);
      a[i][2] = word(rows, r, k + 1);
      a[i][3] = word(rows, r + 8, k + 1);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int c = first_column + 8 * j + lane / 4;
      const std::uint32_t b0 = word(columns, c, k), b1 = word(columns, c, k + 1);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        int(&s)[4] = f.sums[i][j];
        asm volatile(
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b0), "r"(b1));
      }
    }
  }
}
#endif

/// The same fragments by population counts.
__device__ void multiply_popc(const unsigned char* rows,
                              const unsigned char* columns,
                              Fragments& f) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = warp % 4 * 32, first_column = warp / 4 * 64;
  for (int k = 0; k < pieces; ++k) {
    uint4 a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int r = first_row + 8 * i + lane / 4;
      a[i] = *reinterpret_cast<const uint4*>(rows + piece_offset(r, k));
    }
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int c = first_column + j / 2 * 8 + 2 * (lane % 4) + j % 2;
      const uint4 b = *reinterpret_cast<const uint4*>(columns + piece_offset(c, k));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        f.sums[i / 2][j / 2][i % 2 * 2 + j % 2] += __popc(a[i].x & b.x) + __popc(a[i].y & b.y) +
                                                   __popc(a[i].z & b.z) + __popc(a[i].w & b.w);
      }
    }
  }
}

__device__ void add_sums(const Fragments& f,
                         const ProductItem& work,
                         const ProductList& list,
                         std::int64_t row,
                         std::int64_t column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t* const to = work.sums +
                            (row - list.band_row + warp % 4 * 32 + lane / 4) * list.sums_columns +
                            column + warp / 4 * 64 + 2 * (lane % 4);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        atomicAdd(to + (16 * i + e / 2 * 8) * list.sums_columns + 8 * j + e % 2,
                  static_cast<std::uint32_t>(f.sums[i][j][e]));
      }
    }
  }
}

template <bool tensor>
__global__ void __launch_bounds__(threads_if(!tensor || compiled_for >= 80, threads))
    product_kernel(const __grid_constant__ DevicePlanes planes,
                   const __grid_constant__ ProductList list) {
  __shared__ __align__(128) unsigned char tiles[2][2][tile_bytes];  // [stage][rows or columns]
  for (int index = blockIdx.x; index < 4 * list.items; index += gridDim.x) {
    const ProductItem work = product_item(list, index / 4);
    const std::int64_t row = std::int64_t{work.square.x} * product_edge + index / 2 % 2 * edge;
    const std::int64_t column = std::int64_t{work.square.y} * product_edge + index % 2 * edge;
    Fragments f;
    const auto load = [&](int half_step) {
      unsigned char(*const stage)[tile_bytes] = tiles[half_step % 2];
      load_tile(stage[0], planes, work.row_step + half_step / 2, row, half_step % 2);
      load_tile(stage[1], planes, work.column_step + half_step / 2, column, half_step % 2);
      asm volatile("cp.async.commit_group;");
    };
    load(0);
    for (int half_step = 0; half_step < 2 * work.steps; ++half_step) {
      if (half_step + 1 < 2 * work.steps) {
        load(half_step + 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
      } else {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
      }
      __syncthreads();
      const auto& stage = tiles[half_step % 2];
      if constexpr (tensor) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        multiply_mma(stage[0], stage[1], f);
#endif
      } else {
        multiply_popc(stage[0], stage[1], f);
      }
      __syncthreads();
    }
    add_sums(f, work, list, row, column);
  }
}

template <bool tensor>
void launch(const DevicePlanes& planes, const ProductList& list, int blocks, cudaStream_t stream) {
  yupana::cuda::launch(
      "count pairs", product_kernel<tensor>, {blocks, threads}, stream, planes, list);
}

}  // namespace

bool has_mma() { return is_compiled(product_kernel<true>, threads); }

void launch_mma(const DevicePlanes& p, const ProductList& list, int blocks, cudaStream_t stream) {
  launch<true>(p, list, blocks, stream);
}

void launch_popc(const DevicePlanes& p, const ProductList& list, int blocks, cudaStream_t stream) {
  launch<false>(p, list, blocks, stream);
}

}  // namespace yupana::genotype::cuda
