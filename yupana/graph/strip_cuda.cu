#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/strip_cuda.cuh"

namespace yupana::graph::cuda {
namespace {

// Blocks of 32 x 8 threads move squares of 32 cells, turned in shared memory where rows become
// columns: both sides are touched in whole lines.
constexpr int edge = 32;
constexpr int block_rows = 8;

enum class Way { direct, turned, mixed };

// How a square of cells lies that begins at column j: strips and squares begin at multiples of 32.
__device__ Way way_of(Side side, std::int64_t j, std::int64_t first, std::int64_t height) {
  if (side == Side::rows) return Way::direct;
  if (side == Side::columns) return Way::turned;
  if (j < first) return Way::direct;
  return j < first + height ? Way::mixed : Way::turned;
}

template <class Stored, class Value>
__global__ void gather_kernel(StripRows<Stored> from,
                              Side side,
                              std::int64_t first,
                              std::int64_t first_column,
                              Value none,
                              Value* to,
                              std::int64_t to_stride) {
  __shared__ Value turned[edge][edge + 1];
  const std::int64_t k0 = std::int64_t{blockIdx.y} * edge;
  const std::int64_t j0 = first_column + std::int64_t{blockIdx.x} * edge;
  const int x = static_cast<int>(threadIdx.x);
  const Way way = way_of(side, j0, first, from.strip);
  const auto value = [&](std::int64_t i, std::int64_t j) -> Value {
    if (i >= from.size || j >= from.size) return i == j ? Value{0} : none;
    return length_of<Value>(row_of(from, i)[j]);
  };
  if (way == Way::turned) {
    for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
      turned[y][x] = value(j0 + y, first + k0 + x);
    }
    __syncthreads();
  }
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    const std::int64_t i = first + k0 + y;
    const std::int64_t j = j0 + x;
    Value cell;
    if (way == Way::turned) {
      cell = turned[x][y];
    } else {
      cell = way == Way::mixed && j > i ? value(j, i) : value(i, j);
    }
    to[(k0 + y) * to_stride + j - first_column] = cell;
  }
}

template <class Stored, class Value>
__global__ void scatter_kernel(const Value* values,
                               std::int64_t stride,
                               const Value* square,
                               std::int64_t square_stride,
                               Side side,
                               std::int64_t first,
                               StripRows<Stored> to) {
  __shared__ Value turned[edge][edge + 1];
  const std::int64_t k0 = std::int64_t{blockIdx.y} * edge;
  const std::int64_t j0 = std::int64_t{blockIdx.x} * edge;
  const int x = static_cast<int>(threadIdx.x);
  const Way way = way_of(side, j0, first, to.strip);
  const bool in_square = j0 >= first && j0 < first + to.strip;
  if (side == Side::columns && in_square) return;
  if (in_square) {
    values = square - first;
    stride = square_stride;
  }
  if (way == Way::turned) {
    for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
      turned[y][x] = values[(k0 + y) * stride + j0 + x];
    }
    __syncthreads();
  }
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    const std::int64_t i = way == Way::turned ? j0 + y : first + k0 + y;
    const std::int64_t j = way == Way::turned ? first + k0 + x : j0 + x;
    if (i >= to.size || j >= to.size || (way == Way::mixed && j > i)) continue;
    Stored* const row = row_of(to, i);
    if (row == nullptr) continue;
    const Value cell = way == Way::turned ? turned[x][y] : values[(k0 + y) * stride + j];
    row[j] = cell_of<Stored>(cell);
  }
}

template <class Value>
__global__ void transpose_kernel(const Value* from, Value* to, std::int64_t size) {
  const std::int64_t j = std::int64_t{blockIdx.x} * edge + threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.y} * block_rows + threadIdx.y;
  to[i * size + j] = from[j * size + i];
}

// A square of 32 cells of a group: its first row and column in the matrix.
template <class T>
__device__ void place_of(const TileGroup<T>& group, std::int64_t& i, std::int64_t& j) {
  constexpr std::int64_t tile = 64;
  const std::int64_t y = std::int64_t{blockIdx.y} * edge, x = std::int64_t{blockIdx.x} * edge;
  i = (group.first_row + y / tile * group.row_step) * tile + y % tile;
  j = (group.first_column + x / tile * group.column_step) * tile + x % tile;
}

template <class T>
__device__ T* cells_of(const TileGroup<T>& group, int y) {
  return group.cells + (std::int64_t{blockIdx.y} * edge + y) * group.columns +
         std::int64_t{blockIdx.x} * edge;
}

template <class T>
__global__ void tiles_to_rows_kernel(TileGroup<T> from, StripRows<T> to) {
  __shared__ T turned[edge][edge + 1];
  std::int64_t i0, j0;
  place_of(from, i0, j0);
  if (i0 > j0) return;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    turned[y][x] = cells_of(from, y)[x];
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    if (j0 + y >= to.size || i0 + x > j0 + y) continue;
    row_of(to, j0 + y)[i0 + x] = turned[x][y];
  }
}

template <class T>
__global__ void rows_to_tiles_kernel(StripRows<T> from, TileGroup<T> to, T none) {
  __shared__ T turned[edge][edge + 1];
  std::int64_t i0, j0;
  place_of(to, i0, j0);
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    const bool inside = j0 + y < from.size && i0 + x <= j0 + y;
    turned[y][x] = inside ? row_of(from, j0 + y)[i0 + x] : none;
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < edge; y += block_rows) {
    cells_of(to, y)[x] = turned[x][y];
  }
}

__global__ void pack_kernel(const std::int32_t* values,
                            std::int64_t pairs_count,
                            std::uint32_t* twice,
                            std::uint32_t* pairs) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t p = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < pairs_count;
       p += step) {
    const auto low = static_cast<std::uint32_t>(packed_zero / 2 - values[2 * p]);
    const auto high = static_cast<std::uint32_t>(packed_zero / 2 - values[2 * p + 1]);
    twice[2 * p] = low | low << 16;
    twice[2 * p + 1] = high | high << 16;
    pairs[p] = low | high << 16;
  }
}

unsigned pieces(std::int64_t size, std::int64_t piece) {
  return static_cast<unsigned>(divide_up(size, piece));
}

}  // namespace

template <class Stored, class Value>
void launch_gather(const StripRows<Stored>& from,
                   Side side,
                   std::int64_t first,
                   Range columns,
                   Value none,
                   Value* to,
                   std::int64_t to_stride,
                   cudaStream_t stream) {
  if (columns.size() <= 0) return;
  const dim3 grid(pieces(columns.size(), edge), pieces(from.strip, edge));
  gather_kernel<<<grid, dim3(edge, block_rows), 0, stream>>>(
      from, side, first, columns.begin, none, to, to_stride);
  yupana::cuda::check_launch("gather a strip");
}

template <class Stored, class Value>
void launch_scatter(const Value* values,
                    std::int64_t stride,
                    const Value* square,
                    std::int64_t square_stride,
                    Side side,
                    std::int64_t first,
                    const StripRows<Stored>& to,
                    cudaStream_t stream) {
  const dim3 grid(pieces(to.size, edge), pieces(to.strip, edge));
  scatter_kernel<<<grid, dim3(edge, block_rows), 0, stream>>>(
      values, stride, square, square_stride, side, first, to);
  yupana::cuda::check_launch("write a strip back");
}

template <class Value>
void launch_transpose(const Value* from, Value* to, std::int64_t size, cudaStream_t stream) {
  const dim3 grid(pieces(size, edge), pieces(size, block_rows));
  transpose_kernel<<<grid, dim3(edge, block_rows), 0, stream>>>(from, to, size);
  yupana::cuda::check_launch("transpose a square");
}

void launch_pack(const std::int32_t* values,
                 std::int64_t count,
                 std::uint32_t* twice,
                 std::uint32_t* pairs,
                 cudaStream_t stream) {
  pack_kernel<<<1024, 256, 0, stream>>>(values, count / 2, twice, pairs);
  yupana::cuda::check_launch("pack a strip");
}

template <class T>
void launch_tiles_to_rows(const TileGroup<T>& from, const StripRows<T>& to, cudaStream_t stream) {
  const dim3 grid(pieces(from.columns, edge), pieces(from.rows, edge));
  tiles_to_rows_kernel<<<grid, dim3(edge, block_rows), 0, stream>>>(from, to);
  yupana::cuda::check_launch("lay tiles in rows");
}

template <class T>
void launch_rows_to_tiles(const StripRows<T>& from,
                          const TileGroup<T>& to,
                          T none,
                          cudaStream_t stream) {
  const dim3 grid(pieces(to.columns, edge), pieces(to.rows, edge));
  rows_to_tiles_kernel<<<grid, dim3(edge, block_rows), 0, stream>>>(from, to, none);
  yupana::cuda::check_launch("lay rows in tiles");
}

#define YUPANA_STRIPS(make, name)                                                            \
  make(name, std::int32_t, std::int32_t) make(name, float, float) make(name, double, double) \
      make(name, std::uint16_t, std::int32_t)
YUPANA_FUNCTIONS(YUPANA_STRIPS, launch_gather, launch_scatter)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, launch_transpose, launch_tiles_to_rows, launch_rows_to_tiles)

}  // namespace yupana::graph::cuda
