#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/solve_tasks_cuda.cuh"

namespace yupana::sparse::cuda {
namespace {

constexpr int queue_threads = 256;

/// Places of a queue: task by task, `groups` groups of columns of each.
template <class Value, int sides>
struct QueuePlaces {
  typename Bits<Value>::Word* x;
  std::int64_t stride;
  int groups;
  std::int32_t last_row;
  bool upper;

  __device__ std::int64_t task(std::int64_t at) const { return groups == 1 ? at : at / groups; }
  __device__ int side(std::int64_t at) const {
    return groups == 1 ? 0 : static_cast<int>(at % groups) * sides;
  }
  __device__ Results<Value, sides, false> results(std::int64_t at) const {
    return {x + side(at), stride, 0, 0, last_row, upper};
  }
};

// Warps take tasks in turn. All blocks run (cooperative launch) and tasks are sorted by level, so
// the first task that is not done never waits for one that nobody works on.
template <class Value, int sides>
__global__ void __launch_bounds__(queue_threads) queue_kernel(Packed<Value> matrix,
                                                              std::int32_t first,
                                                              std::int32_t last,
                                                              const Value* b,
                                                              Value* x,
                                                              std::int64_t stride,
                                                              int groups) {
  const int warps = gridDim.x * (queue_threads / 32);
  const int warp = blockIdx.x * (queue_threads / 32) + threadIdx.x / 32;
  const QueuePlaces<Value, sides> places{reinterpret_cast<typename Bits<Value>::Word*>(x),
                                         stride,
                                         groups,
                                         matrix.rows - 1,
                                         matrix.upper};
  solve_tasks<Value, sides, false>(matrix,
                                   std::int64_t{first} * groups + warp,
                                   std::int64_t{last} * groups,
                                   warps,
                                   b,
                                   stride,
                                   places);
}

template <class Value>
struct StripPlaces {
  Results<Value, 1, true> here;

  __device__ std::int64_t task(std::int64_t at) const { return at; }
  __device__ int side(std::int64_t) const { return 0; }
  __device__ Results<Value, 1, true> results(std::int64_t) const { return here; }
};

// A block owns a strip of neighbouring rows at a time: most of what its rows need was left by
// itself in shared memory, some 50 ns away instead of 700; only rows at the strip's border wait for
// another multiprocessor. Strips are taken in ascending order, by blocks that all run.
template <class Value>
__global__ void __launch_bounds__(32 * DeviceTuning::most_strip_warps)
    strip_kernel(Packed<Value> matrix, const Value* b, Value* x, std::int64_t sides) {
  using Word = typename Bits<Value>::Word;
  extern __shared__ std::uint64_t memory[];
  Word* known = reinterpret_cast<Word*>(memory);
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::uint32_t shared = address_in_shared(known);
  for (std::int64_t s = blockIdx.x; s < matrix.strips * sides; s += gridDim.x) {
    const auto strip = static_cast<std::int32_t>(s / sides);
    const std::int64_t side = s % sides;
    for (int i = threadIdx.x; i < matrix.strip_rows; i += blockDim.x) known[i] = ~Word{0};
    __syncthreads();
    const StripPlaces<Value> places{{reinterpret_cast<Word*>(x) + side,
                                     sides,
                                     shared,
                                     strip * matrix.strip_rows,
                                     matrix.rows - 1,
                                     matrix.upper}};
    solve_tasks<Value, 1, true>(matrix,
                                matrix.task_begin[strip] + warp,
                                matrix.task_begin[strip + 1],
                                warps,
                                b + side,
                                sides,
                                places);
    __syncthreads();
  }
}

/// `groups` groups of `sides` columns from b and x on.
template <class Value, int sides>
void launch_queue(Packed<Value> matrix,
                  std::int32_t first,
                  std::int32_t last,
                  const Value* b,
                  Value* x,
                  std::int64_t stride,
                  int groups,
                  int blocks,
                  cudaStream_t stream) {
  if (groups == 0 || first == last) return;
  const auto kernel = queue_kernel<Value, sides>;
  const int room = yupana::cuda::resident_blocks(kernel, queue_threads);
  const std::int64_t useful = (std::int64_t{last - first} * groups + 7) / 8;
  const std::int64_t most =
      std::int64_t{std::min(room, blocks)} * yupana::cuda::device_facts().multiprocessors;
  yupana::cuda::launch_cooperative("solve",
                                   kernel,
                                   {std::min(useful, most), queue_threads},
                                   stream,
                                   matrix,
                                   first,
                                   last,
                                   b,
                                   x,
                                   stride,
                                   groups);
}

template <class Value>
void launch_columns(const Packed<Value>& matrix,
                    std::int32_t first,
                    std::int32_t last,
                    const Value* b,
                    Value* x,
                    std::int64_t sides,
                    int blocks,
                    cudaStream_t stream) {
  const auto fours = static_cast<int>(sides / 4), rest = static_cast<int>(sides % 4);
  launch_queue<Value, 4>(matrix, first, last, b, x, sides, fours, blocks, stream);
  launch_queue<Value, 1>(
      matrix, first, last, b + 4 * fours, x + 4 * fours, sides, rest, blocks, stream);
}

}  // namespace

template <class Value>
void launch_tasks(const Packed<Value>& matrix,
                  std::int32_t first,
                  std::int32_t last,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  cudaStream_t stream) {
  launch_columns(matrix, first, last, b, x, sides, 8, stream);
}

template <class Value>
void launch_solve(const Packed<Value>& matrix,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  const DeviceTuning& tuning,
                  cudaStream_t stream) {
  using yupana::cuda::check;
  const std::size_t words = static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(sides);
  check(cudaMemsetAsync(x, 0xff, words * sizeof(Value), stream), "mark the results");
  if (matrix.strip_rows == 0) {
    launch_columns(matrix, 0, matrix.count, b, x, sides, 1, stream);
    return;
  }
  const auto kernel = strip_kernel<Value>;
  const std::size_t bytes = sizeof(Value) * static_cast<std::size_t>(matrix.strip_rows);
  const int threads = 32 * tuning.strip_warps;
  const std::int64_t most = std::int64_t{yupana::cuda::resident_blocks(kernel, threads, bytes)} *
                            yupana::cuda::device_facts().multiprocessors;
  const std::int64_t blocks = std::min(std::int64_t{matrix.strips} * sides, most);
  yupana::cuda::launch_cooperative("solve",
                                   kernel,
                                   {blocks, threads, static_cast<std::int64_t>(bytes)},
                                   stream,
                                   matrix,
                                   b,
                                   x,
                                   sides);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, launch_tasks, launch_solve)

}  // namespace yupana::sparse::cuda
