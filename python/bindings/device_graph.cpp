// Graphs and points in the memory of a GPU.
#ifdef YUPANA_CUDA
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "python/bindings/device_summaries.hpp"
#include "python/bindings/device_views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/geometry/closest_pair_cuda.hpp"
#include "yupana/graph/paths_backends.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::python {
namespace {

using yupana::cuda::check;
using yupana::cuda::Stream;

/// As the checks of shortest_paths() on host memory.
template <class T>
void check_weights(const T* original, std::int64_t n, const device::WeightsSummary& summary) {
  if (summary.bad_diagonal != device::nowhere) {
    const auto i = static_cast<std::int64_t>(summary.bad_diagonal);
    throw input_error(
        "shortest paths: the weight from {} to itself is {}; the diagonal must be zero",
        i,
        fetched(original + i * n + i));
  }
  if (summary.bad != device::nowhere) {
    const auto at = static_cast<std::int64_t>(summary.bad);
    throw input_error("shortest paths: the weight from {} to {} is {}; {}",
                      at / n,
                      at % n,
                      fetched(original + at),
                      std::is_integral_v<T>
                          ? "use float64 weights where they are 2^30 or more in size"
                          : "use infinity where there is no edge");
  }
  if constexpr (std::is_integral_v<T>) {
    if (summary.negative != 0) {
      throw input_error(
          "shortest paths: a negative integer weight in an array on a GPU; use float64 weights, or "
          "host memory");
    }
    if (summary.unreachable != 0 && (n - 1) * summary.largest >= graph::unreachable<T>) {
      throw input_error(
          "shortest paths: a path of an array on a GPU might be 2^30 long; use float64 weights, or "
          "host memory");
    }
  }
}

/// Whether the symmetric closure serves.
bool is_symmetric(const std::string& method, const device::WeightsSummary& summary) {
  const bool can = summary.asymmetric == 0 && summary.negative == 0;
  if (method == "auto") return can;
  if (method == "symmetric") {
    if (can) return true;
    throw input_error("shortest paths: the symmetric method wants {}; use directed",
                      summary.asymmetric == 0 ? "weights that are not negative"
                                              : "weights equal in both directions");
  }
  if (method == "directed" || method == "floyd_warshall") return false;
  throw usage_error("method: '{}' is unknown; use auto, symmetric, directed or floyd_warshall",
                    method);
}

template <class T>
DeviceArray<T> closure_of(
    Context& context, int device, const T* weights, std::int64_t n, const std::string& method) {
  DeviceArray<T> closure(n * n);
  if (n == 0) return closure;
  check(cudaMemcpy(closure.data(), weights, closure.bytes(), cudaMemcpyDeviceToDevice),
        "copy weights");
  const device::WeightsSummary summary = device::prepare_weights(closure.data(), n);
  check_weights(weights, n, summary);
  const Stream stream;
  check(cudaDeviceSynchronize(), "check weights");
  if (is_symmetric(method, summary)) {
    graph::cuda::close_symmetric(context, device, closure.data(), n, n, stream);
    return closure;
  }
  const std::int64_t vertex = graph::cuda::close_directed(
      context, device, closure.data(), n, n, summary.negative != 0, stream);
  if (vertex >= 0) {
    throw input_error(
        "shortest paths: vertex {} lies on a cycle of negative length, so that no path through it "
        "is shortest",
        vertex);
  }
  return closure;
}

template <class T>
void bind_weights(nb::module_& m) {
  m.def(
      "shortest_paths",
      [](const Options& options, DeviceRows<T> weights, const std::string& method) {
        const int device = weights.device_id();
        if (weights.shape(0) != weights.shape(1)) {
          throw input_error(
              "weights: expected a square matrix, got {} x {}", weights.shape(0), weights.shape(1));
        }
        const auto n = static_cast<std::int64_t>(weights.shape(0));
        return made_on_device(
            options, device, {weights.shape(0), weights.shape(1)}, [&](Context& context) {
              return closure_of(context, device, weights.data(), n, method);
            });
      },
      nb::arg("options"),
      taken("weights"),
      nb::arg("method"));
}

/// The two matrices of a path.
template <class W, class L>
std::int64_t check_pair(const DeviceRows<W>& weights, const DeviceRows<L>& lengths) {
  check_same_device("lengths", lengths, weights);
  if (weights.shape(0) == weights.shape(1) && lengths.shape(0) == weights.shape(0) &&
      lengths.shape(1) == weights.shape(1)) {
    return static_cast<std::int64_t>(weights.shape(0));
  }
  throw input_error(
      "paths: weights ({} x {}) and their closure ({} x {}) must be square and of one size",
      weights.shape(0),
      weights.shape(1),
      lengths.shape(0),
      lengths.shape(1));
}

template <class T>
std::vector<T> fetched_row(const T* matrix, std::int64_t n, std::int64_t i) {
  std::vector<T> row(static_cast<std::size_t>(n));
  fetch(matrix + i * n, n, row.data());
  return row;
}

/// The lengths from `start` come to the host, and the weights into each vertex on the way. Numbers
/// of two types are compared as float64, as those in host memory are.
template <class W, class L>
std::vector<std::int64_t> path_there(
    const W* weights, const L* lengths, std::int64_t n, std::int64_t start, std::int64_t end) {
  using T = std::conditional_t<std::is_same_v<W, L>, W, double>;
  if (start < 0 || end < 0 || start >= n || end >= n) {
    throw input_error(
        "path: expected weights and lengths of one size and vertices from 0 to {}, got {} and {}",
        n - 1,
        start,
        end);
  }
  const std::vector<L> row = fetched_row(lengths, n, start);
  const std::vector<T> from_start(row.begin(), row.end());
  std::vector<W> fetched(row.size());
  std::vector<T> column(row.size());
  DeviceArray<W> room(n);
  const auto column_of = [&](std::int64_t y) {
    device::fetch_column(weights, n, y, room.data(), fetched.data());
    std::copy(fetched.begin(), fetched.end(), column.begin());
    return static_cast<const T*>(column.data());
  };
  return graph::path_by_columns<T>(
      from_start.data(), n, FunctionView<const T*(std::int64_t)>(column_of), start, end);
}

/// Rows in which rounding left gaps, hardly any, are filled on the host, which asks for weights row
/// by row.
template <class T>
DeviceArray<std::int32_t> predecessors_there(Context& context,
                                             const T* weights,
                                             const T* lengths,
                                             std::int64_t n) {
  DeviceArray<std::int32_t> result(n * n);
  const auto gaps = graph::cuda::predecessors<T>(
      context, {weights, n, n}, {lengths, n, n}, {result.data(), n, n});
  std::vector<T> edges;
  const auto row_of = [&](std::int64_t x) {
    edges = fetched_row(weights, n, x);
    return static_cast<const T*>(edges.data());
  };
  std::vector<std::int32_t> filled(static_cast<std::size_t>(n));
  for (const std::int64_t source : gaps) {
    context.check_cancelled();
    const std::vector<T> row = fetched_row(lengths, n, source);
    graph::complete_by_rows<T>(
        row.data(), n, FunctionView<const T*(std::int64_t)>(row_of), source, filled.data());
    yupana::cuda::upload("fill gaps", result.data() + source * n, filled.data(), n);
  }
  return result;
}

template <class W, class L>
void bind_path(nb::module_& m) {
  m.def(
      "path",
      [](const Options& options,
         DeviceRows<W> weights,
         DeviceRows<L> lengths,
         std::int64_t start,
         std::int64_t end) {
        const std::int64_t n = check_pair(weights, lengths);
        return call_on_device(options, weights.device_id(), [&](Context&) {
          return path_there(weights.data(), lengths.data(), n, start, end);
        });
      },
      nb::arg("options"),
      taken("weights"),
      taken("lengths"),
      nb::arg("start"),
      nb::arg("end"));
}

template <class T>
void bind_paths(nb::module_& m) {
  bind_path<T, std::int32_t>(m);
  bind_path<T, float>(m);
  bind_path<T, double>(m);
  m.def(
      "predecessors",
      [](const Options& options, DeviceRows<T> weights, DeviceRows<T> lengths) {
        const std::int64_t n = check_pair(weights, lengths);
        const auto find = [&](Context& context) {
          return predecessors_there(context, weights.data(), lengths.data(), n);
        };
        return made_on_device(
            options, weights.device_id(), {weights.shape(0), weights.shape(1)}, find);
      },
      nb::arg("options"),
      taken("weights"),
      taken("lengths"));
}

template <class T>
void bind_points(nb::module_& m) {
  m.def(
      "closest_pair",
      [](const Options& options, DeviceRows<T> points, const std::string& method) {
        if (method != "auto" && method != "grid") {
          throw usage_error("method: expected 'auto' or 'grid' for points on a GPU, got '{}'",
                            method);
        }
        const geometry::ClosestPair pair =
            call_on_device(options, points.device_id(), [&](Context& context) {
              const auto rows = static_cast<std::int64_t>(points.shape(0));
              const auto cols = static_cast<std::int64_t>(points.shape(1));
              return geometry::cuda::closest_pair(
                  context, points.device_id(), points.data(), rows, cols, cols);
            });
        return nb::make_tuple(pair.i, pair.j, pair.distance);
      },
      nb::arg("options"),
      taken("points"),
      nb::arg("method"));
}

}  // namespace

void bind_device_graph(nb::module_& m) {
  bind_weights<std::int32_t>(m);
  bind_weights<float>(m);
  bind_weights<double>(m);
  bind_paths<std::int32_t>(m);
  bind_paths<float>(m);
  bind_paths<double>(m);
}

void bind_device_geometry(nb::module_& m) {
  bind_points<float>(m);
  bind_points<double>(m);
}

}  // namespace yupana::python

#endif
