// The best split of each node of a level, by exact comparison of what is close.
#include "yupana/forest/strip_cuda.cuh"

namespace yupana::forest::cuda {

namespace {

// Features whose winners one warp looks for: most have none in a strip.
constexpr int features_a_warp = 8;

/// Keeps the split that is best by exact comparison, then by the least feature and threshold.
class ExactWinners {
 public:
  __device__ ExactWinners(const Level& level, int feature, Winner* winners)
      : level_(level), feature_(feature), winners_(winners) {}
  static constexpr int group = features_a_warp;
  static constexpr bool knows_one_node = false;  ///< few strips come so far
  /// Whether a node of [first, last] has a score by this feature that is to be compared.
  __device__ bool wanted(std::uint32_t first, std::uint32_t last) const {
    bool any = false;
    for (std::uint32_t node = first + lane_id(); node <= last && !any; node += 32) {
      any = level_.best[feature_ * level_.nodes + node] >= level_.least[node];
    }
    return __any_sync(all_lanes, any);
  }
  /// most: the best score of a strip of `node` alone.
  __device__ bool in_reach(std::uint32_t node, std::uint64_t most) const {
    return most >= level_.least[node];
  }
  __device__ void end_strip(std::uint64_t*, bool) const {}
  template <class Scan>
  __device__ void add(const Entry& entry, const Scan& scan, std::uint32_t known_left, bool left) {
    if (in_order(scan.approximate()) < level_.least[entry.node]) return;
    take({0, feature_, known_left, left ? 1u : 0u, scan.exact()});
  }
  __device__ void flush(std::uint32_t node) {
    for (int d = 16; d > 0; d /= 2) take(shuffled_winner(own_, lane_id() ^ d));
    if (lane_id() == 0) tell(node);
    own_.feature = -1;
  }
  __device__ void flush_lanes(std::uint32_t node) {
    tell(node);
    own_.feature = -1;
  }

 private:
  // Not inline: compiled in each place, it takes minutes.
  __device__ __noinline__ static bool better(const Winner& a, const Winner& b) {
    if (a.feature < 0 || b.feature < 0) return b.feature < 0 && a.feature >= 0;
    int order = compare(a.exact.logs, b.exact.logs);
    if (order == 0) order = compare(a.exact.fraction, b.exact.fraction);
    if (order != 0) return order > 0;
    if (a.feature != b.feature) return a.feature < b.feature;
    if (a.known_left != b.known_left) return a.known_left < b.known_left;
    return a.missing_left < b.missing_left;
  }
  __device__ void take(const Winner& other) {
    if (better(other, own_)) own_ = other;
  }
  static constexpr int words = sizeof(Winner) / 4;
  static_assert(sizeof(Winner) % 4 == 0);
  __device__ static Winner shuffled_winner(const Winner& winner, int from) {
    std::uint32_t parts[words];
    memcpy(parts, &winner, sizeof(Winner));
#pragma unroll
    for (int i = 0; i < words; ++i) parts[i] = shuffled(parts[i], from);
    Winner result;
    memcpy(&result, parts, sizeof(Winner));
    return result;
  }
  __device__ void tell(std::uint32_t node) {
    if (own_.feature < 0) return;
    Winner* const winner = winners_ + node;
    auto* place = reinterpret_cast<volatile std::uint32_t*>(winner);
    bool told = false;
    while (!told) {
      if (atomicCAS(&winner->lock, nowhere, 0u) != nowhere) continue;
      __threadfence();
      std::uint32_t parts[words];
      for (int i = 0; i < words; ++i) parts[i] = place[i];
      Winner before;
      memcpy(&before, parts, sizeof(Winner));
      if (better(own_, before)) {
        memcpy(parts, &own_, sizeof(Winner));
        // Word 0 is the lock.
        for (int i = 1; i < words; ++i) place[i] = parts[i];
      }
      __threadfence();
      atomicExch(&winner->lock, nowhere);
      told = true;
    }
  }
  const Level& level_;
  int feature_;
  Winner* winners_;
  Winner own_ = {0, -1, 0, 0, {}};
};

}  // namespace

void launch_winners(const Level& level,
                    const Labels& labels,
                    Winner* winners,
                    cudaStream_t stream) {
  launch_kind<ExactWinners>(level, labels, stream, winners);
}

}  // namespace yupana::forest::cuda
