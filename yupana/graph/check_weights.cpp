#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

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
