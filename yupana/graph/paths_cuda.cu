// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <algorithm>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/paths_backends.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

namespace {

constexpr int threads = 256;
constexpr std::int64_t rows_at_once = 1024;

template <class T>
struct PathTask {
  const T* weights;      ///< n x n
  const T* closure;      ///< the rows at work
  std::int32_t* result;  ///< likewise
  std::int32_t* levels;  ///< steps from the source; open or out_of_reach
  std::int32_t* layer;   ///< vertices of a layer, ascending
  std::int32_t* gaps;    ///< per row: some vertex stayed open
  std::int64_t n;
  std::int64_t first;  ///< source of the first row
  double slack;
};
constexpr std::int32_t open = -1;
constexpr std::int32_t out_of_reach = -2;

// The vertices with `level` into `layer`, ascending; the block's threads together. Returns how
// many.
__device__ int collect(const std::int32_t* levels,
                       std::int64_t n,
                       std::int32_t level,
                       std::int32_t* layer,
                       int (&warps)[threads / 32]) {
  int count = 0;
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t first = 0; first < n; first += threads) {
    const std::int64_t j = first + thread;
    const bool in = j < n && levels[j] == level;
    const unsigned votes = __ballot_sync(0xffffffffu, in);
    if (thread % 32 == 0) warps[thread / 32] = __popc(votes);
    __syncthreads();
    int before = count;
    for (int w = 0; w < threads / 32; ++w) {
      if (w < thread / 32) before += warps[w];
      count += warps[w];
    }
    if (in) {
      layer[before + __popc(votes & ((1u << thread % 32) - 1))] = static_cast<std::int32_t>(j);
    }
    __syncthreads();
  }
  return count;
}

// The first vertex of the layer from which the edge to j ends a shortest path, as on the CPU: the
// same sums in double.
template <class T>
__device__ std::int32_t last_step(const PathTask<T>& task,
                                  const T* closure,
                                  const std::int32_t* layer,
                                  int count,
                                  std::int64_t j) {
  const double length = static_cast<double>(closure[j]);
  const double allowed = task.slack * fabs(length);
  for (int v = 0; v < count; ++v) {
    const std::int32_t k = layer[v];
    const T weight = task.weights[k * task.n + j];
    if (weight == unreachable<T>) continue;
    const double detour = static_cast<double>(closure[k]) + static_cast<double>(weight) - length;
    if (fmax(0.0, detour) <= allowed) return k;
  }
  return -1;
}

// A block does a source: layer by layer, a vertex of layer h + 1 has a shortest path of h + 1
// steps.
template <class T>
__global__ void __launch_bounds__(threads) predecessors_kernel(PathTask<T> task) {
  __shared__ int warps[threads / 32];
  const std::int64_t row = blockIdx.x;
  const std::int64_t source = task.first + row;
  const T* const closure = task.closure + row * task.n;
  std::int32_t* const result = task.result + row * task.n;
  std::int32_t* const levels = task.levels + row * task.n;
  std::int32_t* const layer = task.layer + row * task.n;
  for (std::int64_t j = threadIdx.x; j < task.n; j += threads) {
    result[j] = -1;
    levels[j] = j == source ? 0 : closure[j] == unreachable<T> ? out_of_reach : open;
  }
  __syncthreads();
  for (std::int32_t level = 0;; ++level) {
    const int count = collect(levels, task.n, level, layer, warps);
    if (count == 0) break;
    for (std::int64_t j = threadIdx.x; j < task.n; j += threads) {
      if (levels[j] != open) continue;
      const std::int32_t k = last_step(task, closure, layer, count, j);
      if (k < 0) continue;
      result[j] = k;
      levels[j] = level + 1;
    }
    __syncthreads();
  }
  for (std::int64_t j = threadIdx.x; j < task.n; j += threads) {
    if (levels[j] == open) task.gaps[row] = 1;
  }
}

template <class T>
std::vector<T> fetched_row(const T* from, std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  check(cudaMemcpy(values.data(), from, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "copy to the host");
  return values;
}

}  // namespace

template <class T>
std::vector<std::int64_t> predecessors(Context& context,
                                       MatrixView<const T> weights,
                                       MatrixView<const T> closure,
                                       MatrixView<std::int32_t> result) {
  const std::int64_t n = weights.rows;
  std::vector<std::int64_t> gaps;
  if (n == 0) return gaps;
  const DeviceScope scope(context.devices().front());
  const std::int64_t batch = std::min(n, rows_at_once);
  const auto needed = static_cast<std::uint64_t>(n * n + batch * n) * sizeof(T) +
                      static_cast<std::uint64_t>(3 * batch * n) * sizeof(std::int32_t);
  if (needed > context.gpu_memory()) {
    throw gpu_memory_error(fmt::format("finding the predecessors of {} vertices", n),
                           static_cast<double>(needed),
                           context.gpu_memory());
  }
  DeviceArray<T> all(n * n), lengths(batch * n);
  DeviceArray<std::int32_t> rows(batch * n), levels(batch * n), layers(batch * n), flags(batch);
  const auto width = static_cast<std::size_t>(n) * sizeof(T);
  const auto pitch = [](const auto& view) {
    return static_cast<std::size_t>(view.stride) * sizeof(*view.data);
  };
  copy_rows("copy weights", {all.data(), width}, {weights.data, pitch(weights)}, width, n, nullptr);
  context.count_moved(width * static_cast<std::size_t>(n));
  Stage stage(context, "predecessors", static_cast<double>(n), "rows");
  for (std::int64_t first = 0; first < n; first += batch) {
    const std::int64_t count = std::min(batch, n - first);
    copy_rows("copy lengths",
              {lengths.data(), width},
              {closure.row(first), pitch(closure)},
              width,
              count,
              nullptr);
    check(cudaMemset(flags.data(), 0, flags.bytes()), "clear flags");
    const PathTask<T> task = {all.data(),
                              lengths.data(),
                              rows.data(),
                              levels.data(),
                              layers.data(),
                              flags.data(),
                              n,
                              first,
                              slack<T>()};
    predecessors_kernel<<<static_cast<unsigned>(count), threads>>>(task);
    yupana::cuda::check_launch("predecessors");
    const auto row = static_cast<std::size_t>(n) * sizeof(std::int32_t);
    copy_rows("copy predecessors",
              {result.row(first), pitch(result)},
              {rows.data(), row},
              row,
              count,
              nullptr);
    std::vector<std::int32_t> open_rows(static_cast<std::size_t>(batch));
    check(cudaMemcpy(open_rows.data(), flags.data(), flags.bytes(), cudaMemcpyDeviceToHost),
          "read flags");
    for (std::int64_t i = 0; i < count; ++i) {
      if (open_rows[static_cast<std::size_t>(i)] != 0) gaps.push_back(first + i);
    }
    context.count_moved((width + row) * static_cast<std::size_t>(count));
    stage.advance(static_cast<double>(count));
  }
  return gaps;
}

template <class W, class L>
std::vector<std::int64_t> path(MatrixView<const W> weights,
                               MatrixView<const L> closure,
                               std::int64_t u,
                               std::int64_t v) {
  using T = std::conditional_t<std::is_same_v<W, L>, W, double>;
  const std::int64_t n = weights.rows;
  if (u < 0 || v < 0 || u >= n || v >= n) {
    throw input_error(
        "path: expected weights and lengths of one size and vertices from 0 to {}, got {} and {}",
        n - 1,
        u,
        v);
  }
  const std::vector<L> row = fetched_row(closure.row(u), n);
  const std::vector<T> from_start(row.begin(), row.end());
  std::vector<T> column(row.size());
  DeviceArray<W> room(n);
  const auto column_of = [&](std::int64_t y) {
    const auto pitch = static_cast<std::size_t>(weights.stride) * sizeof(W);
    yupana::cuda::copy_rows("fetch a column",
                            {room.data(), sizeof(W)},
                            {weights.data + y, pitch},
                            sizeof(W),
                            n,
                            nullptr);
    const std::vector<W> found = fetched_row<W>(room.data(), n);
    std::copy(found.begin(), found.end(), column.begin());
    return static_cast<const T*>(column.data());
  };
  return path_by_columns<T>(
      from_start.data(), n, FunctionView<const T*(std::int64_t)>(column_of), u, v);
}

template <class T>
void fill_gaps(Context& context,
               MatrixView<const T> weights,
               MatrixView<const T> closure,
               const std::vector<std::int64_t>& gaps,
               MatrixView<std::int32_t> result) {
  const std::int64_t n = weights.rows;
  std::vector<T> edges;
  const auto row_of = [&](std::int64_t x) {
    edges = fetched_row(weights.row(x), n);
    return static_cast<const T*>(edges.data());
  };
  std::vector<std::int32_t> filled(static_cast<std::size_t>(n));
  for (const std::int64_t source : gaps) {
    context.check_cancelled();
    const std::vector<T> row = fetched_row(closure.row(source), n);
    complete_by_rows<T>(
        row.data(), n, FunctionView<const T*(std::int64_t)>(row_of), source, filled.data());
    yupana::cuda::upload("fill gaps", result.row(source), filled.data(), n);
  }
}

#define YUPANA_PAIRS(make, name)                                                                \
  make(name, std::int32_t, std::int32_t) make(name, std::int32_t, float)                        \
      make(name, std::int32_t, double) make(name, float, std::int32_t) make(name, float, float) \
          make(name, float, double) make(name, double, std::int32_t) make(name, double, float)  \
              make(name, double, double)
YUPANA_FUNCTIONS(YUPANA_PAIRS, path)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, predecessors, fill_gaps)

}  // namespace yupana::graph::cuda
