#pragma nv_diag_suppress 554  // as in paths_cuda.cu
#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/matrix_facts_cuda.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph::cuda {
namespace {

using yupana::cuda::check;

constexpr int edge = 32, rows_at_once = 8;

/// A thread meets its cells in their order.
__device__ void note(unsigned long long& first, bool is_there, unsigned long long cell) {
  if (is_there && first == nowhere) first = cell;
}

template <class T>
__device__ void look_at(T x, T back, unsigned long long cell, MatrixFacts& seen) {
  if constexpr (std::is_integral_v<T>) {
    note(seen.out_of_range, x > unreachable<T> || x <= -unreachable<T>, cell);
  } else {
    note(seen.not_a_number, x != x, cell);
    note(seen.out_of_range, x == -unreachable<T>, cell);
    note(seen.fractional, x < T{0x1p30} && rint(double{x}) != double{x}, cell);
  }
  note(seen.negative, x < 0, cell);
  note(seen.asymmetric, x != back, cell);
  note(seen.unreachable, x == unreachable<T>, cell);
  const auto value = static_cast<double>(x);
  if (x != unreachable<T> && value > seen.largest) seen.largest = value;
  if (value > 0 && value < seen.least) seen.least = value;
}

/// The first of a warp; an atomic operation only where it comes before all that were told.
__device__ void tell_first(unsigned long long mine, unsigned long long* first) {
  if (!__any_sync(~0u, mine != nowhere)) return;
  for (int step = 16; step > 0; step /= 2) mine = min(mine, __shfl_xor_sync(~0u, mine, step));
  if (threadIdx.x == 0 && mine < *first) atomicMin(first, mine);
}

/// Doubles of 0 and more are in the order of their bits.
__device__ void tell_range(double largest, double least, MatrixFacts* facts) {
  for (int step = 16; step > 0; step /= 2) {
    largest = fmax(largest, __shfl_xor_sync(~0u, largest, step));
    least = fmin(least, __shfl_xor_sync(~0u, least, step));
  }
  if (threadIdx.x != 0) return;
  const auto word = [](double& x) { return reinterpret_cast<unsigned long long*>(&x); };
  const auto bits = [](double x) {
    return static_cast<unsigned long long>(__double_as_longlong(x));
  };
  if (largest > facts->largest) atomicMax(word(facts->largest), bits(largest));
  if (least < facts->least) atomicMin(word(facts->least), bits(least));
}

/// A block compares a tile with the one across the diagonal. Cells there may change meanwhile, to
/// values that are equal to what they were; those of the diagonal are not compared.
template <bool prepare, class T>
__global__ void facts_kernel(T* w, std::int64_t n, std::int64_t stride, MatrixFacts* facts) {
  __shared__ std::remove_const_t<T> across[edge][edge + 1];
  const std::int64_t row = std::int64_t{blockIdx.y} * edge;
  const std::int64_t column = std::int64_t{blockIdx.x} * edge;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = column + k, j = row + threadIdx.x;
    if (i < n && j < n) across[k][threadIdx.x] = w[i * stride + j];
  }
  __syncthreads();
  MatrixFacts seen;
  for (int k = static_cast<int>(threadIdx.y); k < edge; k += rows_at_once) {
    const std::int64_t i = row + k, j = column + threadIdx.x;
    if (i >= n || j >= n) continue;
    const T x = w[i * stride + j];
    if (i == j) {
      note(seen.diagonal, !(x == 0), static_cast<unsigned long long>(i));
      note(seen.below_zero, !(x >= 0), static_cast<unsigned long long>(i));
    } else {
      look_at(x, across[threadIdx.x][k], static_cast<unsigned long long>(i * n + j), seen);
    }
    if constexpr (prepare) {
      if (i == j ? x >= 0 : x == 0) w[i * stride + j] = 0;  // also where it is -0.0
    }
  }
  tell_first(seen.diagonal, &facts->diagonal);
  tell_first(seen.below_zero, &facts->below_zero);
  tell_first(seen.not_a_number, &facts->not_a_number);
  tell_first(seen.out_of_range, &facts->out_of_range);
  tell_first(seen.negative, &facts->negative);
  tell_first(seen.asymmetric, &facts->asymmetric);
  tell_first(seen.unreachable, &facts->unreachable);
  tell_first(seen.fractional, &facts->fractional);
  tell_range(seen.largest, seen.least, facts);
}

}  // namespace

template <bool prepare, class T>
MatrixFacts matrix_facts(MatrixView<T> weights, cudaStream_t stream) {
  MatrixFacts facts;
  const std::int64_t n = weights.rows;
  if (n == 0) return facts;
  yupana::cuda::DeviceArray<MatrixFacts> there(1);
  check(cudaMemcpyAsync(there.data(), &facts, sizeof(facts), cudaMemcpyHostToDevice, stream),
        "check a matrix");
  const auto tiles = static_cast<unsigned>(divide_up(n, edge));
  facts_kernel<prepare><<<dim3(tiles, tiles), dim3(edge, rows_at_once), 0, stream>>>(
      weights.data, n, weights.stride, there.data());
  yupana::cuda::check_launch("check a matrix");
  check(cudaMemcpyAsync(&facts, there.data(), sizeof(facts), cudaMemcpyDeviceToHost, stream),
        "check a matrix");
  check(cudaStreamSynchronize(stream), "check a matrix");
  return facts;
}

template <class T>
WeightKind<T> check_weights(int device, MatrixView<T> weights) {
  const yupana::cuda::DeviceScope scope(device);
  const yupana::cuda::Stream stream;
  const MatrixFacts facts = matrix_facts<true>(weights, stream);
  if (facts.below_zero != nowhere) {
    const auto i = static_cast<std::int64_t>(facts.below_zero);
    throw bad_diagonal(i, fetched(weights.row(i) + i));
  }
  if (const auto bad = std::min(facts.not_a_number, facts.out_of_range); bad != nowhere) {
    const auto [i, j] = cell_of(bad, weights.rows);
    throw input_error("shortest paths: the weight from {} to {} is {}; {}",
                      i,
                      j,
                      fetched(weights.row(i) + j),
                      std::is_integral_v<T>
                          ? "use float64 weights where they are 2^30 or more in size"
                          : "use infinity where there is no edge");
  }
  WeightKind<T> kind;
  kind.symmetric = facts.asymmetric == nowhere;
  kind.stats.smallest = facts.negative == nowhere ? T{0} : T{-1};  // its sign alone counts
  kind.stats.largest = static_cast<T>(facts.largest);
  kind.stats.unreachable = facts.unreachable != nowhere;
  return kind;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, check_weights)
template MatrixFacts matrix_facts<false>(MatrixView<const std::int32_t>, cudaStream_t);
template MatrixFacts matrix_facts<false>(MatrixView<const float>, cudaStream_t);
template MatrixFacts matrix_facts<false>(MatrixView<const double>, cudaStream_t);

}  // namespace yupana::graph::cuda
