#include <type_traits>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/strip_cuda.hpp"

namespace yupana::graph::cuda {
namespace {

// A block of 256 threads closes the pivot tile of 64 x 64, 4 x 4 cells a thread, and then makes a
// part of 32 x 32 cells of the result.
constexpr int edge = static_cast<int>(square_tile);
constexpr int part = 32;
constexpr int cells = 4;
constexpr int across = edge / cells;
constexpr int threads = across * across;

template <class Value>
struct alignas(16) Four {
  Value v[cells];
};
template <class Value>
__device__ __forceinline__ Four<Value>& four(Value* at) {
  return *reinterpret_cast<Four<Value>*>(at);
}
template <class Value>
__device__ __forceinline__ const Four<Value>& four(const Value* at) {
  return *reinterpret_cast<const Four<Value>*>(at);
}

__device__ __forceinline__ std::int32_t lesser(std::int32_t a, std::int32_t b) { return min(a, b); }
__device__ __forceinline__ float lesser(float a, float b) { return fminf(a, b); }
__device__ __forceinline__ double lesser(double a, double b) { return b < a ? b : a; }

template <class Value>
struct SquareMemory {
  Value pivot[edge][edge];
  Value left[part][edge];
  Value right[edge][part];
  Value through[part][edge];
  Value row[2][2][edge];
  Value column[2][2][edge];
  int vertex;
};

// mine(i, j) = min(mine(i, j), left(i, k) + right(k, j)) over the tile's k, for rows of four cells.
template <int rows, class Value>
__device__ void product(const Value* left,
                        const Value* right,
                        int right_stride,
                        Four<Value> (&mine)[rows]) {
#pragma unroll 4
  for (int k = 0; k < edge; k += cells) {
    Four<Value> a[rows];
    Four<Value> b[cells];
#pragma unroll
    for (int i = 0; i < rows; ++i) a[i] = four(left + i * edge + k);
#pragma unroll
    for (int step = 0; step < cells; ++step) b[step] = four(right + (k + step) * right_stride);
#pragma unroll
    for (int step = 0; step < cells; ++step) {
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < cells; ++j) {
          mine[i].v[j] = lesser(mine[i].v[j], a[i].v[step] + b[step].v[j]);
        }
      }
    }
  }
}

// Two pivots for a thread's cells of no value below zero: no cycle to be found, and the bits of a
// float order as it does, so that one integer minimum of three takes both.
__device__ __forceinline__ void lower(const Four<float> (&columns)[2],
                                      const Four<float> (&rows)[2],
                                      Four<float> (&mine)[cells]) {
#pragma unroll
  for (int i = 0; i < cells; ++i) {
#pragma unroll
    for (int j = 0; j < cells; ++j) {
      mine[i].v[j] = __int_as_float(__vimin3_s32(__float_as_int(mine[i].v[j]),
                                                 __float_as_int(columns[0].v[i] + rows[0].v[j]),
                                                 __float_as_int(columns[1].v[i] + rows[1].v[j])));
    }
  }
}

// One pivot for a thread's cells; `found` becomes `pivot` where it makes a diagonal cell negative.
template <class Value>
__device__ __forceinline__ void lower(const Four<Value>& column,
                                      const Four<Value>& row,
                                      bool diagonal,
                                      int pivot,
                                      Four<Value> (&mine)[cells],
                                      int& found) {
#pragma unroll
  for (int i = 0; i < cells; ++i) {
#pragma unroll
    for (int j = 0; j < cells; ++j) {
      mine[i].v[j] = lesser(mine[i].v[j], column.v[i] + row.v[j]);
    }
  }
  if (diagonal && found == edge) {
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      if (!(mine[i].v[i] >= 0)) found = pivot;
    }
  }
}

// Floyd-Warshall on the tile that the block holds in registers. Rows and columns of two pivots at a
// time pass through shared memory, two buffers in turn, one barrier for both: every thread itself
// takes the first pivot into its cells of the second one's row and column. A vertex whose diagonal
// is negative before the first pivot was made so by closed vertices alone and lies on the cycle;
// one that becomes so at pivot k proves a cycle through k.
template <class Kind, class Value>
__device__ void close(SquareMemory<Value>& memory,
                      int down,
                      int along,
                      Four<Value> (&mine)[cells]) {
  int found = edge;
  const bool diagonal = down == along;
  if (diagonal) {
#pragma unroll
    for (int i = cells - 1; i >= 0; --i) {
      if (!(mine[i].v[i] >= 0)) found = down * cells + i - edge;
    }
  }
#pragma unroll 1
  for (int base = 0; base < edge; base += cells) {
#pragma unroll
    for (int p = 0; p < cells; p += 2) {
      auto& rows = memory.row[p / 2];
      auto& columns = memory.column[p / 2];
#pragma unroll
      for (int second = 0; second < 2; ++second) {
        if (down == base / cells) four(rows[second] + along * cells) = mine[p + second];
        if (along == base / cells) {
          Four<Value> values;
#pragma unroll
          for (int i = 0; i < cells; ++i) values.v[i] = mine[i].v[p + second];
          four(columns[second] + down * cells) = values;
        }
      }
      __syncthreads();
      const Four<Value> row = four(rows[0] + along * cells);
      const Four<Value> column = four(columns[0] + down * cells);
      Four<Value> next_row = four(rows[1] + along * cells);
      Four<Value> next_column = four(columns[1] + down * cells);
      const Value back = columns[0][base + p + 1];
      const Value forth = rows[0][base + p + 1];
#pragma unroll
      for (int i = 0; i < cells; ++i) {
        next_row.v[i] = lesser(next_row.v[i], back + row.v[i]);
        next_column.v[i] = lesser(next_column.v[i], column.v[i] + forth);
      }
      if constexpr (std::is_same_v<Kind, Float32>) {
        lower({column, next_column}, {row, next_row}, mine);
      } else {
        lower(column, row, diagonal, base + p, mine, found);
        lower(next_column, next_row, diagonal, base + p + 1, mine, found);
      }
    }
  }
  if (found < edge) atomicMin(&memory.vertex, found);
}

// Every block closes the pivot tile D for itself: that costs less than another launch. Then
// to(i, j) = min(from(i, j), (from(i, .) D) + from(., j)); in the pivot's rows and columns the
// products with D alone.
template <class Kind, class Value = typename Kind::Value>
__global__ void __launch_bounds__(threads) square_step_kernel(const Value* from,
                                                              std::int64_t from_stride,
                                                              Value* to,
                                                              std::int64_t to_stride,
                                                              int pivot,
                                                              std::int64_t first,
                                                              std::int64_t* vertex) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  auto& memory = *reinterpret_cast<SquareMemory<Value>*>(shared_memory);
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / across;
  const int along = thread % across;
  const int row = static_cast<int>(blockIdx.y) * part;  // of the part
  const int column = static_cast<int>(blockIdx.x) * part;
  const int pivots = pivot * edge;
  const auto at = [&](int i, int j) { return from + i * from_stride + j; };
  if (thread == 0) memory.vertex = edge;
  Four<Value> closed[cells];
#pragma unroll
  for (int i = 0; i < cells; ++i) {
    closed[i] = four(at(pivots + down * cells + i, pivots + along * cells));
  }
  Four<Value> through[2];  // rows 2 * down and the next of the part
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    through[i] = four(at(row + 2 * down + i, pivots + along * cells));
    four(&memory.left[2 * down + i][along * cells]) = through[i];
    const int k = thread / 8 * 2 + i;
    four(&memory.right[k][thread % 8 * cells]) = four(at(pivots + k, column + thread % 8 * cells));
  }
  Four<Value> mine[1] = {four(at(row + thread / 8, column + thread % 8 * cells))};
  __syncthreads();
  close<Kind>(memory, down, along, closed);
#pragma unroll
  for (int i = 0; i < cells; ++i) four(&memory.pivot[down * cells + i][along * cells]) = closed[i];
  __syncthreads();
  const bool in_rows = row / edge == pivot;
  if (in_rows) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      through[i] = four(&memory.pivot[row - pivots + 2 * down + i][along * cells]);
    }
  } else {
    product(memory.left[2 * down], &memory.pivot[0][along * cells], edge, through);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) four(&memory.through[2 * down + i][along * cells]) = through[i];
  __syncthreads();
  if (column / edge == pivot) {
    mine[0] = four(&memory.through[thread / 8][column - pivots + thread % 8 * cells]);
  } else {
    product(memory.through[thread / 8], &memory.right[0][thread % 8 * cells], part, mine);
  }
  four(to + (row + thread / 8) * to_stride + column + thread % 8 * cells) = mine[0];
  if (thread == 0 && row == pivots && column == pivots && memory.vertex < edge && *vertex < 0) {
    *vertex = first + pivots + (memory.vertex + edge) % edge;
  }
}

}  // namespace

template <class Kind>
void launch_square_step(const typename Kind::Value* from,
                        std::int64_t from_stride,
                        typename Kind::Value* to,
                        std::int64_t tiles,
                        std::int64_t pivot,
                        std::int64_t first,
                        std::int64_t* vertex,
                        cudaStream_t stream) {
  static_assert(sizeof(SquareMemory<typename Kind::Value>) <=
                yupana::cuda::shared_bytes_everywhere);
  const auto side = static_cast<unsigned>(tiles * edge / part);
  yupana::cuda::launch(
      "close a square",
      square_step_kernel<Kind>,
      {dim3(side, side), dim3(threads), sizeof(SquareMemory<typename Kind::Value>)},
      stream,
      from,
      from_stride,
      to,
      tiles * edge,
      static_cast<int>(pivot),
      first,
      vertex);
}

YUPANA_FUNCTIONS(YUPANA_WHOLE_KINDS, launch_square_step)

}  // namespace yupana::graph::cuda
