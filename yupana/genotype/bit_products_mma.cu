// The same products without Hopper's warp groups, by tensor instructions of compute capability 8.0.
// A block works 256 x 128 pairs, half a square, its warps 64 x 64 each. Rows come to shared memory
// through a ring of stages with one barrier a stage: whole rows of 1,024 sites where a block may
// have 144 KiB, else halves of them in 96 KiB.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/genotype/bit_products_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int block_rows = 256, block_columns = 128;
constexpr int warp_edge = 64;  // pairs of a warp on a side
constexpr int threads = 32 * (block_rows / warp_edge) * (block_columns / warp_edge);

__device__ void copy_16(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// `stages` stages, each with `row_bytes` of the rows and the columns of a block.
template <int row_bytes_, int stages_>
struct Ring {
  static constexpr int row_bytes = row_bytes_, stages = stages_;
  static constexpr int pieces = row_bytes / 16, instructions = row_bytes / 32;
  static constexpr int columns_at = block_rows * row_bytes;  // in a stage
  static constexpr int stage_bytes = (block_rows + block_columns) * row_bytes;
  static constexpr int shared_bytes = stages * stage_bytes;
  static constexpr int stages_of_step = product_bytes / row_bytes;

  /// Offset of the 16-byte piece `c` of row `r`: no two of eight neighbouring rows share a bank.
  static __device__ int piece_offset(int r, int c) {
    return r * row_bytes + (c ^ (pieces == 8 ? r % 8 : r / 2 % 4)) * 16;
  }
  /// The oldest stage under way has come, and no warp reads the one before it any more.
  static __device__ void next_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
  }
};
using WholeRows = Ring<128, 3>;
using HalfRows = Ring<64, 4>;

/// What one thread brings of an item's rows and columns, stage after stage: one piece of every
/// `pass`th of them.
template <class Ring>
class Copies {
 public:
  __device__ Copies(const DevicePlanes& planes,
                    const ProductItem& work,
                    std::int64_t row,
                    std::int64_t column,
                    std::uint32_t shared)
      : left_(Ring::stages_of_step * work.steps), step_(planes.rows * product_bytes) {
    const int r = threadIdx.x / Ring::pieces, c = threadIdx.x % Ring::pieces;
    const int place = (c ^ (r % 8)) * 16;  // rows start at multiples of 128
    rows_ = planes.tile(work.row_step, row + r) + place;
    columns_ = planes.tile(work.column_step, column + r) + place;
    hop_ = Ring::stages_of_step == 1 ? step_ : (place ^ Ring::row_bytes) - place;
    to_ = shared + Ring::piece_offset(r, c);
  }
  /// Part `part` of `parts` of a stage, if one is left.
  __device__ void begin(int part, int parts) const {
    if (left_ <= 0) return;
#pragma unroll
    for (int i = part * passes / parts; i < (part + 1) * passes / parts; ++i) {
      constexpr int of_rows = block_rows / pass;
      copy_16(to_ + i * pass * Ring::row_bytes,
              i < of_rows ? rows_ + i * pass * product_bytes
                          : columns_ + (i - of_rows) * pass * product_bytes);
    }
  }
  /// After the last part.
  __device__ void end() {
    asm volatile("cp.async.commit_group;" ::: "memory");
    --left_;
    rows_ += hop_;
    columns_ += hop_;
    if (Ring::stages_of_step == 2) hop_ = step_ - hop_;  // two hops are a step
    to_ += Ring::stage_bytes;
    if (++slot_ == Ring::stages) {
      slot_ = 0;
      to_ -= Ring::shared_bytes;
    }
  }

 private:
  static constexpr int pass = threads / Ring::pieces;  // rows that the block copies at a time
  static constexpr int passes = (block_rows + block_columns) / pass;

  int left_;  // stages
  std::int64_t step_, hop_;
  const std::uint8_t* rows_;
  const std::uint8_t* columns_;
  int slot_ = 0;
  std::uint32_t to_;
};

/// Sums of a warp's 64 x 64 pairs: 4 x 8 fragments of 16 x 8.
using Sums = int[4][8][4];

__device__ int warp_row() { return threadIdx.x / 32 % (block_rows / warp_edge) * warp_edge; }
__device__ int warp_column() { return threadIdx.x / 32 / (block_rows / warp_edge) * warp_edge; }

/// Four rows of eight 8 x 8 tables of 16 bits, as `mma` wants them.
__device__ void load_tables(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}

/// Where a lane reads a warp's operands.
template <class Ring>
class Places {
 public:
  __device__ explicit Places(std::uint32_t shared) {
    const int lane = threadIdx.x % 32;
    rows_ = shared + Ring::piece_offset(warp_row() + lane % 16, lane / 16);
    columns_ = shared + Ring::columns_at +
               Ring::piece_offset(warp_column() + lane % 8 + lane / 16 * 8, lane / 8 % 2);
  }
  /// Bytes from 32 x k on of the stage in this slot: pieces 2 k and 2 k + 1, swizzled by an
  /// exclusive or.
  __device__ std::uint32_t rows(int slot, int k) const {
    return (rows_ + slot * Ring::stage_bytes) ^ (k * 32);
  }
  __device__ std::uint32_t columns(int slot, int k) const {
    return (columns_ + slot * Ring::stage_bytes) ^ (k * 32);
  }

 private:
  std::uint32_t rows_, columns_;
};

/// 16 x 8 sums over 32 bytes.
template <Elements elements>
__device__ void multiply_tile(int (&s)[4],
                              const std::uint32_t (&a)[4],
                              std::uint32_t b0,
                              std::uint32_t b1) {
  if constexpr (elements == Elements::bits) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// A warp's operands of 32 bytes of sites: 4 x 16 rows, 4 x 16 columns.
struct Operands {
  std::uint32_t rows[4][4];
  std::uint32_t columns[4][4];

  template <class Ring>
  __device__ void load(const Places<Ring>& places, int slot, int k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      load_tables(rows[i], places.rows(slot, k) + i * 16 * Ring::row_bytes);
      load_tables(columns[i], places.columns(slot, k) + i * 16 * Ring::row_bytes);
    }
  }

  template <Elements elements>
  __device__ void multiply(Sums& sums) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const std::uint32_t(&b)[4] = columns[j / 2];
        multiply_tile<elements>(sums[i][j], rows[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
      }
    }
  }
};

/// Two neighbouring 32-bit sums in one 64-bit addition, as in the kernel of warp groups.
__device__ void add_sums(const Sums& sums,
                         const ProductItem& work,
                         const ProductList& list,
                         std::int64_t row,
                         std::int64_t column) {
  const int lane = threadIdx.x % 32;
  std::uint32_t* const to = work.sums +
                            (row - list.band_row + warp_row() + lane / 4) * list.sums_columns +
                            column + warp_column() + 2 * (lane % 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const auto low = static_cast<std::uint32_t>(sums[i][j][2 * e]),
                   high = static_cast<std::uint32_t>(sums[i][j][2 * e + 1]);
        std::uint32_t* const pair = to + (16 * i + 8 * e) * list.sums_columns + 8 * j;
        atomicAdd(reinterpret_cast<unsigned long long*>(pair),
                  static_cast<unsigned long long>(high) << 32 | low);
      }
    }
  }
}

/// The sums over all stages of an item. The next operands are in flight while these multiply,
/// across the barrier too; after the last stage they are never used.
template <Elements elements, class Ring>
__device__ void work_mma(Copies<Ring>& copies, int count, std::uint32_t shared, Sums& sums) {
  constexpr int instructions = Ring::instructions;
  const Places<Ring> places(shared);
  Operands operands[2];
  operands[0].load(places, 0, 0);
  int slot = 0;
  for (int stage = 0; stage < count; ++stage) {
    const int next_slot = (slot + 1) % Ring::stages;
#pragma unroll
    for (int k = 0; k < instructions; ++k) {
      copies.begin(k, instructions);
      const bool last = k + 1 == instructions;
      if (last) {
        copies.end();
        Ring::next_stage();
      }
      operands[(k + 1) % 2].load(places, last ? next_slot : slot, (k + 1) % instructions);
      operands[k % 2].template multiply<elements>(sums);
    }
    slot = next_slot;
  }
}

template <class Ring, Elements elements>
__global__ void __launch_bounds__(threads, 1)
    product_kernel(const __grid_constant__ DevicePlanes planes,
                   const __grid_constant__ ProductList list) {
  extern __shared__ __align__(128) unsigned char shared[];
  const auto ring = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  for (int index = blockIdx.x; index < 2 * list.items; index += gridDim.x) {
    const ProductItem work = product_item(list, index / 2);
    const std::int64_t row = std::int64_t{work.square.x} * product_edge;
    const std::int64_t column =
        std::int64_t{work.square.y} * product_edge + index % 2 * block_columns;
    Copies<Ring> copies(planes, work, row, column, ring);
    for (int stage = 0; stage < Ring::stages - 1; ++stage) {
      copies.begin(0, 1);
      copies.end();
    }
    Ring::next_stage();
    Sums sums = {};
    const int count = Ring::stages_of_step * work.steps;
    work_mma<elements>(copies, count, ring, sums);
    __syncthreads();  // the last operands are read before the next item's rows come
    add_sums(sums, work, list, row, column);
  }
}

template <class Ring>
auto kernel_of(Elements elements) {
  return elements == Elements::bits ? product_kernel<Ring, Elements::bits>
                                    : product_kernel<Ring, Elements::bytes>;
}

template <class Ring>
void launch(const DevicePlanes& planes,
            const ProductList& list,
            Elements elements,
            int pairs,
            cudaStream_t stream) {
  yupana::cuda::launch("count pairs",
                       kernel_of<Ring>(elements),
                       {2 * pairs, threads, Ring::shared_bytes},
                       stream,
                       planes,
                       list);
}

}  // namespace

bool has_mma_rows(Elements elements) {
  return is_compiled(kernel_of<WholeRows>(elements), threads, WholeRows::shared_bytes);
}

void launch_mma_rows(
    const DevicePlanes& p, const ProductList& list, Elements e, int pairs, cudaStream_t s) {
  launch<WholeRows>(p, list, e, pairs, s);
}

void launch_mma(
    const DevicePlanes& p, const ProductList& list, Elements e, int pairs, cudaStream_t s) {
  launch<HalfRows>(p, list, e, pairs, s);
}

}  // namespace yupana::genotype::cuda
