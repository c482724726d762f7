// The best score of each node and feature of a level.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/forest/tile_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check_launch;

namespace {

// Scores closer than this are compared exactly, as on the processor: doubles of a score are within
// 2^-44 of it.
constexpr double closeness = 0x1p-42;

template <bool weighted>
__device__ void sum_classes(
    const Level& level, const Labels& labels, int feature, std::int64_t tile, std::int64_t* left) {
  const Lists& lists = level.lists;
  for (int c = lane_id(); c < level.channels; c += 32) left[c] = 0;
  __syncwarp();
  const Tile place{level, labels, feature, -1, tile, 0};
  for (std::int64_t first = tile * tile_size; first < min((tile + 1) * tile_size, lists.size);
       first += 32) {
    const std::int64_t at = feature * lists.size + min(first + lane_id(), lists.size - 1);
    Entry entry{first + lane_id() < lists.size, lists.keys[at], 0, 0, 0, 0};
    if (ClassScan<weighted, false>::needs_rows(level)) entry.row = lists.rows[at];
    const int c = entry.inside ? place.class_of(entry) : -1;
    if constexpr (weighted) {
      if (c >= 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(left + c),
                  static_cast<unsigned long long>(labels.weights[entry.row]));
      }
    } else {
      const unsigned alike = __match_any_sync(all_lanes, c);
      if (c >= 0 && (alike & lanes_below()) == 0) left[c] += __popc(alike);
    }
    __syncwarp();
  }
  for (int c = lane_id(); c < level.channels; c += 32) {
    level.tile_sums[(std::int64_t{feature} * level.channels + c) * lists.tiles() + tile] = left[c];
  }
}

__global__ void __launch_bounds__(threads) class_sums_kernel(Level level, Labels labels) {
  extern __shared__ std::int64_t shared[];
  const std::int64_t warp = warp_number();
  if (warp >= level.lists.tiles() * level.lists.features) return;
  std::int64_t* left = shared + static_cast<int>(threadIdx.x) / 32 * level.channels;
  const int feature = static_cast<int>(warp % level.lists.features);
  const std::int64_t tile = warp / level.lists.features;
  if (labels.weights != nullptr) {
    sum_classes<true>(level, labels, feature, tile, left);
  } else {
    sum_classes<false>(level, labels, feature, tile, left);
  }
}

/// Two classes, or weights and moments.
__global__ void __launch_bounds__(threads) plain_sums_kernel(Level level, Labels labels) {
  const Lists& lists = level.lists;
  const std::int64_t warp = warp_number();
  if (warp >= lists.tiles() * lists.features) return;
  const int feature = static_cast<int>(warp % lists.features);
  const std::int64_t tile = warp / lists.features;
  const bool ones = level.sums == Sums::two_classes;
  std::int64_t first_sum = 0, second_sum = 0;
#pragma unroll 8
  for (int i = lane_id(); i < tile_size; i += 32) {
    const std::int64_t place = tile * tile_size + i;
    if (place >= lists.size) break;
    const std::int64_t at = feature * lists.size + place;
    if (ones) {
      first_sum += lists.keys[at] & 1;
    } else {
      const std::uint32_t row = lists.rows[at];
      first_sum += labels.weights == nullptr ? 1 : labels.weights[row];
      second_sum += labels.moments[row];
    }
  }
  first_sum = warp_sum(first_sum);
  second_sum = warp_sum(second_sum);
  if (lane_id() > 0) return;
  std::int64_t* sums =
      level.tile_sums + std::int64_t{feature} * level.channels * lists.tiles() + tile;
  sums[0] = first_sum;
  if (!ones) sums[lists.tiles()] = second_sum;
}

/// What a scan of one tile does with the scores: keeps the best of each node.
class BestScores {
 public:
  __device__ BestScores(const Level& level, int feature)
      : node_best_(level.node_best), best_(level.best + feature * level.nodes) {}
  static constexpr int group = 1;               ///< features a warp
  static constexpr bool knows_one_node = true;  ///< tiles of one node have code of their own
  __device__ bool wanted(std::uint32_t, std::uint32_t) const { return true; }
  __device__ bool can_win(std::uint32_t, std::uint64_t) const { return true; }
  __device__ void end_tile(std::uint64_t* best, bool one_node) const {
    if (lane_id() == 0) *best = one_node ? most_ : ~std::uint64_t{0};
  }
  /// What is below the best score of the node by any feature so far need not be known. Best scores
  /// only grow, so that what is told while this is read does no harm.
  __device__ float bound(std::uint32_t node) const {
    const std::uint64_t best = __ldcg(node_best_ + node);
    return best == 0 ? -1.0f : static_cast<float>(from_order(best)) * float_closeness;
  }
  template <class Scan>
  __device__ void add(const Entry&, const Scan& scan, std::uint32_t, bool) {
    own_ = max(own_, in_order(scan.approximate()));
  }
  /// The last 32 entries were all of `node`.
  __device__ void flush(std::uint32_t node) {
    most_ = warp_max(own_);
    if (lane_id() == 0) tell(node, most_);
    own_ = 0;
  }
  /// Each lane for its own node.
  __device__ void flush_lanes(std::uint32_t node) {
    const int lane = lane_id();
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const std::uint64_t other = shuffled(own_, lane - d);
      const std::uint32_t other_node = shuffled(node, lane - d);
      if (lane >= d && other_node == node) own_ = max(own_, other);
    }
    const std::uint32_t next = shuffled(node, lane + 1);
    if (lane == 31 || next != node) tell(node, own_);
    own_ = 0;
  }

 private:
  __device__ void tell(std::uint32_t node, std::uint64_t score) {
    if (score == 0 || score <= __ldcg(best_ + node)) return;
    atomicMax(reinterpret_cast<unsigned long long*>(best_ + node), score);
    if (score > __ldcg(node_best_ + node)) {
      atomicMax(reinterpret_cast<unsigned long long*>(node_best_ + node), score);
    }
  }
  std::uint64_t* node_best_;
  std::uint64_t* best_;
  std::uint64_t own_ = 0;
  std::uint64_t most_ = 0;  ///< of the last node
};

__global__ void least_kernel(Level level) {
  const std::int64_t node = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (node >= level.nodes) return;
  std::uint64_t most = 0;
  for (int f = 0; f < level.lists.features; ++f) {
    most = max(most, level.best[f * level.nodes + node]);
  }
  const double score = from_order(most);
  level.least[node] = most == 0 ? ~std::uint64_t{0} : in_order(score - fabs(score) * closeness);
}

}  // namespace

void launch_tile_sums(const Level& level, const Labels& labels, bool summed, cudaStream_t stream) {
  const unsigned blocks = blocks_of(level.lists.tiles() * level.lists.features);
  if (summed) {
    // Nothing but their prefixes is left to do.
  } else if (level.sums == Sums::classes) {
    yupana::cuda::launch("sum tiles",
                         class_sums_kernel,
                         ClassBlocks(level).of(level.lists.tiles() * level.lists.features),
                         stream,
                         level,
                         labels);
  } else {
    plain_sums_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  }
  check_launch("sum tiles");
  launch_row_scans(level.tile_sums,
                   std::int64_t{level.lists.features} * level.channels,
                   level.lists.tiles(),
                   stream);
}

void launch_scores(const Level& level, const Labels& labels, cudaStream_t stream) {
  launch_kind<BestScores>(level, labels, stream);
}

void launch_least(const Level& level, cudaStream_t stream) {
  least_kernel<<<static_cast<unsigned>(divide_up(level.nodes, threads)), threads, 0, stream>>>(
      level);
  check_launch("compare features");
}

}  // namespace yupana::forest::cuda
