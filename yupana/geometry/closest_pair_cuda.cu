#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/closest_pair_cuda.hpp"
#include "yupana/geometry/closest_pair_kernels.cuh"

namespace yupana::geometry::cuda {
namespace {

using namespace yupana::cuda;

/// Most points for all pairs: a launch of that many blocks.
constexpr std::int64_t max_all_pairs_points = 1024;

std::int64_t sample_size(std::int64_t points, int dimensions) {
  return std::max(points / cpu::sample_of(dimensions), max_all_pairs_points / 2);
}

/// Slots of a hash table: at least `points`, at most four times that.
int table_bits(std::int64_t points) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points))) + 1;
}

/// What solving needs on the device, allocated once: a table and a chain for the points, which the
/// samples use in turn, and the samples, each of the one before.
template <class T>
struct Workspace {
  DeviceArray<std::uint32_t> table;
  DeviceArray<std::uint32_t> next;
  DeviceArray<T> samples;
  DeviceArray<std::uint32_t> origins;
  DeviceArray<Found> found;
  DeviceArray<unsigned long long> facts;
  int blocks = 0;

  Workspace(std::int64_t points, int dimensions) : facts(2) {
    std::int64_t sampled = 0;
    for (std::int64_t n = points; n > max_all_pairs_points;) {
      n = sample_size(n, dimensions);
      sampled += n;
    }
    table = DeviceArray<std::uint32_t>(std::int64_t{1} << table_bits(points));
    next = DeviceArray<std::uint32_t>(points);
    samples = DeviceArray<T>(sampled * dimensions);
    origins = DeviceArray<std::uint32_t>(sampled);
    blocks = 8 * yupana::cuda::device_facts().multiprocessors;  // 2,048 threads each
    found = DeviceArray<Found>(std::max<std::int64_t>(blocks, max_all_pairs_points));
  }
};

template <class T, int D>
class GridSolver {
 public:
  GridSolver(Context& context, Workspace<T>& space) : context_(context), space_(space) {}

  /// The largest absolute coordinate; throws for one that is not finite.
  double largest(const Points<T, D>& points) {
    const unsigned long long start[2] = {0, points.count};
    copy(space_.facts.data(), start, sizeof(start), cudaMemcpyHostToDevice);
    extent_kernel<<<blocks_for(points.count), block_threads, 0, stream_>>>(points,
                                                                           space_.facts.data());
    check_launch("look at the points");
    unsigned long long facts[2];
    copy(facts, space_.facts.data(), sizeof(facts), cudaMemcpyDeviceToHost);
    if (facts[1] < points.count) throw_not_finite(static_cast<std::int64_t>(facts[1]));
    return std::bit_cast<double>(facts[0]);
  }

  /// `sampled` points of the workspace's samples are in use.
  Candidate solve(const Points<T, D>& points,
                  const Unit& unit,
                  const Candidate& seed,
                  std::int64_t sampled = 0) {
    context_.check_cancelled();
    if (points.count <= max_all_pairs_points) return all_pairs(points, unit, seed);
    const Candidate bound = std::min(seed, of_sample(points, unit, sampled));
    if (bound.square < unit.least || std::isinf(bound.square)) return bound;
    if (bound.square == 0) return equal_pair(points);
    return near_pair(points, unit, bound);
  }

 private:
  Candidate of_sample(const Points<T, D>& points, const Unit& unit, std::int64_t sampled) {
    const std::int64_t count = sample_size(points.count, D);
    T* sample = space_.samples.data() + sampled * D;
    std::uint32_t* from = space_.origins.data() + sampled;
    const auto size = static_cast<std::uint32_t>(count);
    sample_kernel<<<blocks_for(count), block_threads, 0, stream_>>>(points, size, sample, from);
    check_launch("sample the points");
    Candidate best = solve({sample, D, size}, unit, {}, sampled + count);
    if (std::isinf(best.square)) return best;
    std::uint32_t i = 0, j = 0;
    copy(&i, from + best.i, sizeof(i), cudaMemcpyDeviceToHost);
    copy(&j, from + best.j, sizeof(j), cudaMemcpyDeviceToHost);
    return {best.square, i, j};
  }

  Candidate all_pairs(const Points<T, D>& points, const Unit& unit, const Candidate& seed) {
    const auto blocks = static_cast<int>(points.count);
    all_pairs_kernel<<<blocks, block_threads, 0, stream_>>>(
        points, unit, found_of(seed), space_.found.data());
    check_launch("meet all points");
    return least_of(blocks);
  }

  Candidate near_pair(const Points<T, D>& points, const Unit& unit, const Candidate& bound) {
    const Grid grid(bound.square, unit, ratio_of(D));
    const int bits = clear_table(points.count);
    const int blocks = blocks_for(points.count);
    chain_kernel<<<blocks, block_threads, 0, stream_>>>(
        points, grid, bits, space_.table.data(), space_.next.data());
    check_launch("fill the grid");
    near_kernel<<<blocks, block_threads, 0, stream_>>>(points,
                                                       unit,
                                                       grid,
                                                       bits,
                                                       space_.table.data(),
                                                       space_.next.data(),
                                                       found_of(bound),
                                                       space_.found.data());
    check_launch("search the grid");
    return least_of(blocks);
  }

  Candidate equal_pair(const Points<T, D>& points) {
    const int bits = clear_table(points.count);
    const int blocks = blocks_for(points.count);
    distinct_kernel<<<blocks, block_threads, 0, stream_>>>(points, bits, space_.table.data());
    check_launch("gather equal points");
    equal_kernel<<<blocks, block_threads, 0, stream_>>>(
        points, bits, space_.table.data(), space_.found.data());
    check_launch("find equal points");
    return least_of(blocks);
  }

  int clear_table(std::int64_t points) {
    const int bits = table_bits(points);
    check(cudaMemsetAsync(space_.table.data(), 0xff, sizeof(none) << bits, stream_),
          "clear a table");
    return bits;
  }

  int blocks_for(std::int64_t count) const {
    const std::int64_t blocks = (count + block_threads - 1) / block_threads;
    return static_cast<int>(std::min<std::int64_t>(blocks, space_.blocks));
  }

  static Found found_of(const Candidate& pair) {
    if (pair.i >= pair.j) return {pair.square, ~std::uint64_t{0}};
    return {pair.square,
            static_cast<std::uint64_t>(pair.i) << 32 | static_cast<std::uint64_t>(pair.j)};
  }

  Candidate least_of(int blocks) {
    std::vector<Found> found(static_cast<std::size_t>(blocks));
    copy(found.data(), space_.found.data(), found.size() * sizeof(Found), cudaMemcpyDeviceToHost);
    Candidate best;
    for (const Found& one : found) {
      if (std::isinf(one.square)) continue;
      best = std::min(best,
                      Candidate{one.square,
                                static_cast<std::int64_t>(one.pair >> 32),
                                static_cast<std::int64_t>(one.pair & none)});
    }
    return best;
  }

  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "copy");
    stream_.wait();
  }

  Context& context_;
  Workspace<T>& space_;
  Stream stream_;
};

}  // namespace

template <class T>
ClosestPair closest_pair(Context& context,
                         int device,
                         const T* points,
                         std::int64_t rows,
                         std::int64_t cols,
                         std::int64_t stride) {
  check_shape(rows, cols);
  if (rows >= none) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("closest pair: expected at most {} points on a GPU, got {}; use --device cpu",
                    none - 1,
                    rows));
  }
  const DeviceScope scope(device);
  return with_dimensions(cols, [&](auto dimensions) {
    constexpr int D = decltype(dimensions)::value;
    Workspace<T> space(rows, D);
    GridSolver<T, D> solver(context, space);
    const Points<T, D> device_points{points, stride, static_cast<std::uint32_t>(rows)};
    const double largest = solver.largest(device_points);
    const auto load = [&](std::int64_t i, T* x) {
      check(cudaMemcpy(x, points + i * stride, D * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    };
    return solve_in_units<T>(D, largest, load, [&](const Unit& unit, const Candidate& seed) {
      return solver.solve(device_points, unit, seed);
    });
  });
}

template <class T>
ClosestPair closest_pair_host(
    Context& context, const T* points, std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  Stage stage(context, "closest pair", static_cast<double>(rows), "points");
  const int device = context.devices().front();
  const DeviceScope scope(device);
  DeviceArray<T> copied(rows * cols);
  const auto width = static_cast<std::size_t>(cols) * sizeof(T);
  yupana::cuda::copy_rows("copy the points",
                          {copied.data(), width},
                          {points, static_cast<std::size_t>(stride) * sizeof(T)},
                          width,
                          rows,
                          nullptr);
  // Copies return when the host's memory may change, not when the device's has; the solver's stream
  // does not wait for them.
  check(cudaStreamSynchronize(nullptr), "copy the points");
  context.count_moved(copied.bytes());
  const ClosestPair pair = closest_pair<T>(context, device, copied.data(), rows, cols, cols);
  stage.advance(static_cast<double>(rows));
  return pair;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, closest_pair, closest_pair_host)

}  // namespace yupana::geometry::cuda
