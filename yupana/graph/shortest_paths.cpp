#include "yupana/graph/shortest_paths.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/shared_closure.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

template <class T>
std::int64_t dispatch(Context& context,
                      MatrixView<T> weights,
                      PathMethod method,
                      Signs signs,
                      SharedClosure& shared) {
  if (context.backend() == Backend::reference) return reference::shortest_paths(context, weights);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    if (method != PathMethod::symmetric) {
      return cuda::shortest_paths_directed(context, weights, signs);
    }
    cuda::shortest_paths_symmetric(context, weights);
    return -1;
  }
#endif
  if (method != PathMethod::symmetric) {
    return cpu::shortest_paths_directed(context, weights, signs, method);
  }
  shared.compute(context, weights);
  return -1;
}

// Sums of int32 weights stay below `unreachable` if nothing is negative and either there is an edge
// between all vertices, which no path exceeds, or n - 1 of the largest weight do not reach it.
bool sums_fit(const WeightStats<std::int32_t>& stats, std::int64_t n) {
  if (stats.smallest < 0) return false;
  return !stats.unreachable || (n - 1) * std::max(stats.largest, 0) < unreachable<std::int32_t>;
}

/// There is no such copy of weights on a GPU.
void check_on_host(const Context& context, MatrixView<std::int32_t> weights, std::int32_t least) {
  if (yupana::cuda::device_of(context, weights.data) < 0) return;
  throw input_error("shortest paths: {} array on a GPU{}; use float64 weights, or host memory",
                    least < 0 ? "a negative integer weight in an" : "a path of an",
                    least < 0 ? "" : " might be 2^30 long");
}

// Doubles hold every sum of 2^22 integers below 2^30 exactly, and their infinity stays one.
std::int64_t close_as_double(Context& context,
                             MatrixView<std::int32_t> weights,
                             PathMethod method,
                             Signs signs,
                             SharedClosure& shared) {
  constexpr std::int32_t none = unreachable<std::int32_t>;
  SquareMatrix<double> wide(weights.rows);
  const auto rows = [&](const auto& body) {
    context.parallel_for(weights.rows, 16, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < weights.cols; ++j) body(weights(i, j), wide(i, j));
    });
  };
  rows([](std::int32_t& narrow, double& value) {
    value = narrow == none ? unreachable<double> : narrow;
  });
  const std::int64_t vertex = dispatch(context, wide.view(), method, signs, shared);
  if (vertex >= 0) return vertex;
  rows([](std::int32_t& narrow, double& value) {
    if (value == unreachable<double>) {
      narrow = none;
    } else if (std::abs(value) < none) {
      narrow = static_cast<std::int32_t>(value);
    } else {
      throw input_error("shortest paths: a path is 2^30 long or more; use float64 weights");
    }
  });
  return -1;
}

constexpr std::int64_t tile_size = 64;

template <class T>
WeightStats<T> no_stats() {
  return {unreachable<T>, std::numeric_limits<T>::lowest(), false, false, false};
}

template <class T>
WeightStats<T> weight_stats(Context& context, MatrixView<const T> w, bool upper_only) {
  WeightStats<T> all = no_stats<T>();
  std::mutex mutex;
  const auto scan = cpu::simd_table<T>().scan_weights;
  context.parallel_for(w.rows, 64, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    WeightStats<T> mine = no_stats<T>();
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t from = upper_only ? i : 0;
      scan(w.row(i) + from, w.cols - from, mine);
    }
    const std::lock_guard lock(mutex);
    all.smallest = std::min(all.smallest, mine.smallest);
    all.largest = std::max(all.largest, mine.largest);
    all.unreachable |= mine.unreachable;
    all.not_a_number |= mine.not_a_number;
    all.negative_zero |= mine.negative_zero;
  });
  return all;
}

template <class T>
bool equal_tiles(MatrixView<const T> w, Range rows, Range columns) {
  T transposed[tile_size][tile_size];
  for (std::int64_t j = columns.begin; j < columns.end; ++j) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      transposed[i - rows.begin][j - columns.begin] = w(j, i);
    }
  }
  bool equal = true;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const T* row = w.row(i) + columns.begin;
    const T* other = transposed[i - rows.begin];
    for (std::int64_t j = 0; j < columns.size(); ++j) equal &= row[j] == other[j];
  }
  return equal;
}

// The first entry in row order that `bad` holds for. Only called where there is one.
template <class T, class Bad>
Error entry_error(MatrixView<const T> w, const Bad& bad, const char* what, const char* advice) {
  for (std::int64_t i = 0; i < w.rows; ++i) {
    for (std::int64_t j = 0; j < w.cols; ++j) {
      if (!bad(w(i, j))) continue;
      return input_error("shortest paths: the weight from {} to {} is {}{}; {}",
                         i,
                         j,
                         what,
                         std::is_integral_v<T> ? fmt::format(" ({})", w(i, j)) : "",
                         advice);
    }
  }
  return input_error("shortest paths: a weight is {}", what);
}

template <class T>
void check_stats(MatrixView<const T> w, const WeightStats<T>& stats) {
  if (stats.not_a_number) {
    throw entry_error(
        w, [](T x) { return x != x; }, "not a number", "use infinity where there is no edge");
  }
  if constexpr (std::is_integral_v<T>) {
    constexpr T limit = unreachable<T>;
    if (stats.largest > limit || stats.smallest <= -limit) {
      throw entry_error(
          w,
          [](T x) { return x > limit || x <= -limit; },
          "2^30 or more in size",
          "use float64 weights");
    }
  } else if (std::isinf(stats.smallest) && stats.smallest < 0) {
    throw entry_error(
        w,
        [](T x) { return x < 0 && std::isinf(x); },
        "minus infinity",
        "no path is longer or shorter than that");
  }
}

}  // namespace

template <class T>
void shortest_paths(Context& context, MatrixView<T> weights, const ShortestPathsParams& params) {
  if (context.rank() > 0) return join_closure(context);
  SharedClosure shared(context);
  const WeightKind<T> kind = check_weights(context, weights);
  const Signs signs = kind.stats.smallest < 0 ? Signs::any : Signs::nonnegative;
  PathMethod method = params.method;
  if (method == PathMethod::automatic) {
    // A negative edge of a symmetric graph is a negative cycle, there and back: directed names it.
    method = kind.symmetric && signs == Signs::nonnegative ? PathMethod::symmetric
                                                           : PathMethod::directed;
  }
  if (method == PathMethod::symmetric && !(kind.symmetric && signs == Signs::nonnegative)) {
    throw input_error(
        "shortest paths: the symmetric method wants {}; use directed",
        kind.symmetric ? "weights that are not negative" : "weights equal in both directions");
  }
  std::int64_t vertex = -1;
  if constexpr (std::is_integral_v<T>) {
    const bool fit = sums_fit(kind.stats, weights.rows);
    if (!fit) check_on_host(context, weights, kind.stats.smallest);
    vertex = fit ? dispatch(context, weights, method, signs, shared)
                 : close_as_double(context, weights, method, signs, shared);
  } else {
    vertex = dispatch(context, weights, method, signs, shared);
  }
  if (vertex >= 0) {
    throw input_error(
        "shortest paths: vertex {} lies on a cycle of negative length, so that no path through it "
        "is shortest",
        vertex);
  }
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, shortest_paths)

template <class T>
bool is_symmetric(Context& context, MatrixView<const T> w) {
  std::atomic<bool> symmetric{true};
  const std::int64_t side = divide_up(w.rows, tile_size);
  context.parallel_for(
      triangle_tiles(w.rows, tile_size), 8, [&](std::int64_t begin, std::int64_t end) {
        context.check_cancelled();
        for (std::int64_t index = begin; index < end; ++index) {
          if (!symmetric.load(std::memory_order_relaxed)) return;
          const Tile tile = triangle_tile(index, side, side);
          const Range rows = {tile.row * tile_size, std::min(w.rows, (tile.row + 1) * tile_size)};
          const Range columns = {tile.column * tile_size,
                                 std::min(w.rows, (tile.column + 1) * tile_size)};
          if (!equal_tiles(w, rows, columns)) symmetric.store(false, std::memory_order_relaxed);
        }
      });
  return symmetric.load();
}

template <class T>
WeightKind<T> check_weights(Context& context, MatrixView<T> w) {
  if (w.rows != w.cols) {
    throw input_error("shortest paths: expected a square matrix, got {} x {}", w.rows, w.cols);
  }
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, w.data);
  if (device >= 0) return cuda::check_weights(device, w);
#endif
  for (std::int64_t i = 0; i < w.rows; ++i) {
    if (!(w(i, i) >= 0)) throw bad_diagonal(i, w(i, i));
    w(i, i) = 0;
  }
  WeightKind<T> kind;
  kind.symmetric = is_symmetric<T>(context, w);
  kind.stats = weight_stats<T>(context, w, kind.symmetric);
  check_stats<T>(w, kind.stats);
  if (kind.stats.negative_zero) {
    context.parallel_for(w.rows, 64, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < w.cols; ++j) w(i, j) += T{0};  // -0.0 + 0.0 = 0.0
    });
  }
  return kind;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, is_symmetric, check_weights)

}  // namespace yupana::graph
