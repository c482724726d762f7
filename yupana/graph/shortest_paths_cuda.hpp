#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/dealt_rows_cuda.hpp"

/// Private to the family and to jobs that stay on the device. Only files of the CUDA build include
/// this.
namespace yupana::graph::cuda {

/// Where one way of closing gives place to the next, by the number of vertices; tests lower them.
struct ClosureLimits {
  std::int64_t small = 512;          ///< up to here: one kernel a step, no panels
  std::int64_t large_tiles = 5500;   ///< from here on the product uses its large tiles
  std::int64_t strip_tiles = 8000;   ///< and from here on for strips and panels too
  std::int64_t deep_strips = 16000;  ///< from here on strips of 512 pivots, not 256
  std::int64_t shared = 4096;        ///< from here on all devices work together
  std::int64_t packed = 4096;        ///< from here on 16-bit arithmetic where it is exact
  std::uint64_t held = 0;            ///< bytes of the caller's own on each device
};

/// The closure of symmetric, non-negative weights in the memory of a device, in place: reads the
/// lower triangle, writes both. Weights are as shortest_paths_backends.hpp wants them; row i begins
/// at weights + i * stride. Waits for `stream` first and is done when it returns.
/// Returns the number of edges that are their own shortest path.
template <class T>
std::int64_t close_symmetric(Context& context,
                             int device,
                             T* weights,
                             std::int64_t n,
                             std::int64_t stride,
                             cudaStream_t stream,
                             const ClosureLimits& limits = {});

/// The closure of any weights, in place. Returns a vertex on a negative cycle, or -1.
template <class T>
std::int64_t close_directed(Context& context,
                            int device,
                            T* weights,
                            std::int64_t n,
                            std::int64_t stride,
                            bool negative,
                            cudaStream_t stream,
                            const ClosureLimits& limits = {});

/// How a matrix is laid out on the devices that close it.
SquareShape resident_shape(std::int64_t n, const ClosureLimits& limits);

/// The closure of symmetric, non-negative weights that devices hold, of their lower triangle.
/// Collective where they are devices of ranks.
template <class T>
void close_symmetric_rows(Context& context,
                          const DealtRows<T>& rows,
                          Stage& stage,
                          const ClosureLimits& limits);

/// From host memory and back, by whatever fits the devices of `context`: whole on one or several,
/// or strip by strip through one.
template <class T>
std::int64_t close_symmetric(Context& context, MatrixView<T> weights, const ClosureLimits& limits);
template <class T>
std::int64_t close_directed(Context& context,
                            MatrixView<T> weights,
                            bool negative,
                            const ClosureLimits& limits);

}  // namespace yupana::graph::cuda
