#include "yupana/core/cuda/runtime.hpp"
#include "yupana/graph/strip_cuda.hpp"

namespace yupana::graph::cuda {
namespace {

// A block of 256 threads works on one tile of 64 x 64, 4 x 4 cells a thread.
constexpr int edge = static_cast<int>(square_tile);
constexpr int cells = 4;
constexpr int across = edge / cells;
constexpr int threads = across * across;

template <class Value>
struct alignas(16) Four {
  Value v[cells];
};

__device__ __forceinline__ std::int32_t lesser(std::int32_t a, std::int32_t b) { return min(a, b); }
__device__ __forceinline__ float lesser(float a, float b) { return fminf(a, b); }
__device__ __forceinline__ double lesser(double a, double b) { return b < a ? b : a; }

template <class Value>
struct SquareMemory {
  Value pivot[edge * edge];
  Value left[edge * edge];
  Value right[edge * edge];
  Value row[2][edge];
  Value column[2][edge];
  int vertex;
};

template <class Value>
struct ThreadCells {
  Four<Value> row[cells];
};

// A thread's 4 x 4 cells of a tile whose rows are `stride` apart.
template <class Value>
__device__ ThreadCells<Value> read(const Value* tile, std::int64_t stride, int down, int along) {
  ThreadCells<Value> mine;
#pragma unroll
  for (int i = 0; i < cells; ++i) {
    mine.row[i] =
        *reinterpret_cast<const Four<Value>*>(tile + (down * cells + i) * stride + along * cells);
  }
  return mine;
}
template <class Value>
__device__ void write(
    const ThreadCells<Value>& mine, Value* tile, std::int64_t stride, int down, int along) {
#pragma unroll
  for (int i = 0; i < cells; ++i) {
    *reinterpret_cast<Four<Value>*>(tile + (down * cells + i) * stride + along * cells) =
        mine.row[i];
  }
}

// mine(i, j) = min(mine(i, j), left(i, k) + right(k, j)) over the tile's k.
template <class Value>
__device__ void product(
    const Value* left, const Value* right, int down, int along, ThreadCells<Value>& mine) {
#pragma unroll 2
  for (int k = 0; k < edge; k += cells) {
    Four<Value> a[cells];
    Four<Value> b[cells];
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      a[i] = *reinterpret_cast<const Four<Value>*>(left + (down * cells + i) * edge + k);
      b[i] = *reinterpret_cast<const Four<Value>*>(right + (k + i) * edge + along * cells);
    }
#pragma unroll
    for (int step = 0; step < cells; ++step) {
#pragma unroll
      for (int i = 0; i < cells; ++i) {
#pragma unroll
        for (int j = 0; j < cells; ++j) {
          mine.row[i].v[j] = lesser(mine.row[i].v[j], a[i].v[step] + b[step].v[j]);
        }
      }
    }
  }
}

// Floyd-Warshall on the tile that the block holds in registers, one barrier a pivot: its row and
// column pass through shared memory, two buffers in turn. A vertex whose diagonal is negative
// before the first pivot was made so by closed vertices alone and lies on the cycle; one that
// becomes so at pivot k proves a cycle through k.
template <class Value>
__device__ void close(SquareMemory<Value>& memory, int down, int along, ThreadCells<Value>& mine) {
  int found = edge;
  if (down == along) {
#pragma unroll
    for (int i = cells - 1; i >= 0; --i) {
      if (!(mine.row[i].v[i] >= 0)) found = down * cells + i - edge;
    }
  }
  for (int pivot = 0; pivot < edge; pivot += cells) {
#pragma unroll
    for (int p = 0; p < cells; ++p) {
      const int buffer = p % 2;
      if (down == pivot / cells) {
#pragma unroll
        for (int j = 0; j < cells; ++j) {
          memory.row[buffer][along * cells + j] = mine.row[p].v[j];
        }
      }
      if (along == pivot / cells) {
#pragma unroll
        for (int i = 0; i < cells; ++i) {
          memory.column[buffer][down * cells + i] = mine.row[i].v[p];
        }
      }
      __syncthreads();
      const auto row = *reinterpret_cast<const Four<Value>*>(memory.row[buffer] + along * cells);
      const auto column =
          *reinterpret_cast<const Four<Value>*>(memory.column[buffer] + down * cells);
#pragma unroll
      for (int i = 0; i < cells; ++i) {
#pragma unroll
        for (int j = 0; j < cells; ++j) {
          mine.row[i].v[j] = lesser(mine.row[i].v[j], column.v[i] + row.v[j]);
        }
      }
      if (down == along && found == edge) {
#pragma unroll
        for (int i = 0; i < cells; ++i) {
          if (!(mine.row[i].v[i] >= 0)) found = pivot + p;
        }
      }
    }
  }
  if (found < edge) atomicMin(&memory.vertex, found);
}

// Every block closes the pivot tile for itself: that costs less than another launch.
template <class Value>
__global__ void __launch_bounds__(threads) square_step_kernel(const Value* from,
                                                              Value* to,
                                                              std::int64_t stride,
                                                              int pivot,
                                                              std::int64_t first,
                                                              std::int64_t* vertex) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  auto& memory = *reinterpret_cast<SquareMemory<Value>*>(shared_memory);
  const int down = static_cast<int>(threadIdx.x) / across;
  const int along = static_cast<int>(threadIdx.x) % across;
  const int row = static_cast<int>(blockIdx.y);
  const int column = static_cast<int>(blockIdx.x);
  const auto tile = [&](auto* base, int r, int c) {
    return base + (std::int64_t{r} * stride + c) * edge;
  };
  if (threadIdx.x == 0) memory.vertex = edge;
  __syncthreads();
  ThreadCells<Value> closed = read(tile(from, pivot, pivot), stride, down, along);
  ThreadCells<Value> left = read(tile(from, row, pivot), stride, down, along);
  ThreadCells<Value> right = read(tile(from, pivot, column), stride, down, along);
  ThreadCells<Value> mine = read(tile(from, row, column), stride, down, along);
  write(left, memory.left, edge, down, along);
  write(right, memory.right, edge, down, along);
  close(memory, down, along, closed);
  write(closed, memory.pivot, edge, down, along);
  __syncthreads();
  if (row == pivot && column == pivot) {
    mine = closed;
    if (threadIdx.x == 0 && memory.vertex < edge && *vertex < 0) {
      *vertex = first + pivot * edge + (memory.vertex + edge) % edge;
    }
  } else if (row == pivot) {
    product(memory.pivot, memory.right, down, along, mine);
  } else if (column == pivot) {
    product(memory.left, memory.pivot, down, along, mine);
  } else {
    product(memory.left, memory.pivot, down, along, left);
    product(memory.pivot, memory.right, down, along, right);
    __syncthreads();
    write(left, memory.left, edge, down, along);
    write(right, memory.right, edge, down, along);
    __syncthreads();
    product(memory.left, memory.right, down, along, mine);
  }
  write(mine, tile(to, row, column), stride, down, along);
}

}  // namespace

template <class Value>
void launch_square_step(const Value* from,
                        Value* to,
                        std::int64_t tiles,
                        std::int64_t pivot,
                        std::int64_t first,
                        std::int64_t* vertex,
                        cudaStream_t stream) {
  const auto kernel = square_step_kernel<Value>;
  constexpr int bytes = static_cast<int>(sizeof(SquareMemory<Value>));
  yupana::cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      "close a square");
  const auto side = static_cast<unsigned>(tiles);
  kernel<<<dim3(side, side), threads, bytes, stream>>>(
      from, to, tiles * edge, static_cast<int>(pivot), first, vertex);
  yupana::cuda::check_launch("close a square");
}

template void launch_square_step(const std::int32_t*,
                                 std::int32_t*,
                                 std::int64_t,
                                 std::int64_t,
                                 std::int64_t,
                                 std::int64_t*,
                                 cudaStream_t);
template void launch_square_step(
    const float*, float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t*, cudaStream_t);
template void launch_square_step(
    const double*, double*, std::int64_t, std::int64_t, std::int64_t, std::int64_t*, cudaStream_t);

}  // namespace yupana::graph::cuda
