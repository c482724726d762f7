// The best split of each node of a level, by exact comparison of what is close.
#include "yupana/forest/tile_cuda.cuh"

namespace yupana::forest::cuda {

namespace {

// Features whose best splits one warp looks for: most have none in a tile.
constexpr int features_per_warp = 8;
// Threads a block where one thread takes a node.
constexpr int node_threads = 256;

/// Keeps the split that is best by exact comparison, then by the least feature and threshold.
class ExactSplits {
 public:
  __device__ ExactSplits(const Level& level, int feature, BestSplit* best_splits)
      : level_(level), feature_(feature), best_splits_(best_splits) {}
  static constexpr int group = features_per_warp;
  static constexpr bool knows_one_node = false;  ///< few tiles come so far
  /// Whether a node of [first, last] has a score by this feature that is to be compared.
  __device__ bool wanted(std::uint32_t first, std::uint32_t last) const {
    bool any = false;
    for (std::uint32_t node = first + lane_id(); node <= last && !any; node += 32) {
      any = level_.best[feature_ * level_.nodes + node] >= level_.least[node];
    }
    return __any_sync(all_lanes, any);
  }
  /// most: the best score of a tile of `node` alone.
  __device__ bool can_win(std::uint32_t node, std::uint64_t most) const {
    return most >= level_.least[node];
  }
  __device__ void end_tile(std::uint64_t*, bool) const {}
  template <class Scan>
  __device__ void add(const Entry& entry, const Scan& scan, std::uint32_t known_left, bool left) {
    if (in_order(scan.approximate()) < level_.least[entry.node]) return;
    take({0, feature_, known_left, left ? 1u : 0u, scan.exact()});
  }
  __device__ void flush(std::uint32_t node) {
    for (int d = 16; d > 0; d /= 2) take(shuffled_split(own_, lane_id() ^ d));
    if (lane_id() == 0) tell(node);
    own_.feature = -1;
  }
  __device__ void flush_lanes(std::uint32_t node) {
    tell(node);
    own_.feature = -1;
  }

 private:
  // Not inline: compiled in each place, it takes minutes.
  __device__ __noinline__ static bool better(const BestSplit& a, const BestSplit& b) {
    if (a.feature < 0 || b.feature < 0) return b.feature < 0 && a.feature >= 0;
    int order = compare(a.exact.logs, b.exact.logs);
    if (order == 0) order = compare(a.exact.fraction, b.exact.fraction);
    if (order != 0) return order > 0;
    if (a.feature != b.feature) return a.feature < b.feature;
    if (a.known_left != b.known_left) return a.known_left < b.known_left;
    return a.missing_left < b.missing_left;
  }
  __device__ void take(const BestSplit& other) {
    if (better(other, own_)) own_ = other;
  }
  static constexpr int words = sizeof(BestSplit) / 4;
  static_assert(sizeof(BestSplit) % 4 == 0);
  __device__ static BestSplit shuffled_split(const BestSplit& best_split, int from) {
    std::uint32_t parts[words];
    memcpy(parts, &best_split, sizeof(BestSplit));
#pragma unroll
    for (int i = 0; i < words; ++i) parts[i] = shuffled(parts[i], from);
    BestSplit result;
    memcpy(&result, parts, sizeof(BestSplit));
    return result;
  }
  __device__ void tell(std::uint32_t node) {
    if (own_.feature < 0) return;
    BestSplit* const best_split = best_splits_ + node;
    auto* place = reinterpret_cast<volatile std::uint32_t*>(best_split);
    bool told = false;
    while (!told) {
      if (atomicCAS(&best_split->lock, nowhere, 0u) != nowhere) continue;
      __threadfence();
      std::uint32_t parts[words];
      for (int i = 0; i < words; ++i) parts[i] = place[i];
      BestSplit before;
      memcpy(&before, parts, sizeof(BestSplit));
      if (better(own_, before)) {
        memcpy(parts, &own_, sizeof(BestSplit));
        // Word 0 is the lock.
        for (int i = 1; i < words; ++i) place[i] = parts[i];
      }
      __threadfence();
      atomicExch(&best_split->lock, nowhere);
      told = true;
    }
  }
  const Level& level_;
  int feature_;
  BestSplit* best_splits_;
  BestSplit own_ = {0, -1, 0, 0, {}};
};

__global__ void __launch_bounds__(node_threads)
    node_splits_kernel(Level level, const BestSplit* best_splits, NodeSplit* found) {
  const std::int64_t node = std::int64_t{blockIdx.x} * node_threads + threadIdx.x;
  if (node >= level.nodes) return;
  const BestSplit& best_split = best_splits[node];
  NodeSplit result;
  result.feature = best_split.feature;
  if (best_split.feature >= 0) {
    const Place place = level.places[node];
    const std::int64_t at = best_split.feature * level.lists.size + place.begin;
    const std::uint32_t* keys = level.lists.keys + at;
    const std::uint32_t* rows = level.lists.rows + at;
    result.known_left = best_split.known_left;
    result.missing_left = best_split.missing_left != 0;
    result.has_missing = keys[place.size - 1] >= level.lists.missing_key;
    result.row_below = rows[best_split.known_left - 1];
    if (keys[best_split.known_left] < level.lists.missing_key) {
      result.row_above = rows[best_split.known_left];
    }
  }
  found[node] = result;
}

}  // namespace

void launch_best_splits(const Level& level,
                        const Labels& labels,
                        BestSplit* best_splits,
                        cudaStream_t stream) {
  launch_kind<ExactSplits>(level, labels, stream, best_splits);
}

void launch_node_splits(const Level& level,
                        const BestSplit* best_splits,
                        NodeSplit* found,
                        cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(divide_up(level.nodes, std::int64_t{node_threads}));
  node_splits_kernel<<<blocks, node_threads, 0, stream>>>(level, best_splits, found);
  yupana::cuda::check_launch("read splits");
}

}  // namespace yupana::forest::cuda
