// Best splits of a level: sums of strips, scores, and the exact comparison of what is close.
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/scan_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check_launch;

namespace {

constexpr int warps = 4;
constexpr int threads = 32 * warps;
// Loads of this many times 32 entries are under way at once.
constexpr int ahead = 4;

// Scores closer than this are compared exactly, as on the processor: doubles of a score are within
// 2^-44 of it.
constexpr double closeness = 0x1p-42;

__device__ std::int64_t warp_number() {
  return std::int64_t{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / 32;
}

unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}

std::size_t shared_bytes(const Level& level) {
  return level.sums == Sums::classes ? static_cast<std::size_t>(warps * level.channels) * 8 : 0;
}

template <bool weighted>
__device__ void sum_classes(
    const Level& level, const Labels& labels, int feature, std::int64_t strip, std::int64_t* left) {
  const Lists& lists = level.lists;
  for (int c = lane_id(); c < level.channels; c += 32) left[c] = 0;
  __syncwarp();
  const Strip place{level, labels, feature, -1, strip, 0};
  for (std::int64_t first = strip * strip_size; first < min((strip + 1) * strip_size, lists.size);
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
    level.strip_sums[(std::int64_t{feature} * level.channels + c) * lists.strips() + strip] =
        left[c];
  }
}

__global__ void __launch_bounds__(threads) class_sums_kernel(Level level, Labels labels) {
  extern __shared__ std::int64_t shared[];
  const std::int64_t warp = warp_number();
  if (warp >= level.lists.strips() * level.lists.features) return;
  std::int64_t* left = shared + static_cast<int>(threadIdx.x) / 32 * level.channels;
  const int feature = static_cast<int>(warp % level.lists.features);
  const std::int64_t strip = warp / level.lists.features;
  if (labels.weights != nullptr) {
    sum_classes<true>(level, labels, feature, strip, left);
  } else {
    sum_classes<false>(level, labels, feature, strip, left);
  }
}

/// Two classes, or weights and moments.
__global__ void __launch_bounds__(threads) plain_sums_kernel(Level level, Labels labels) {
  const Lists& lists = level.lists;
  const std::int64_t warp = warp_number();
  if (warp >= lists.strips() * lists.features) return;
  const int feature = static_cast<int>(warp % lists.features);
  const std::int64_t strip = warp / lists.features;
  const bool ones = level.sums == Sums::two_classes;
  std::int64_t first_sum = 0, second_sum = 0;
#pragma unroll 8
  for (int i = lane_id(); i < strip_size; i += 32) {
    const std::int64_t place = strip * strip_size + i;
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
      level.strip_sums + std::int64_t{feature} * level.channels * lists.strips() + strip;
  sums[0] = first_sum;
  if (!ones) sums[lists.strips()] = second_sum;
}

/// What a scan of one strip does with the scores: keeps the best of each node.
class BestScores {
 public:
  __device__ BestScores(const Level& level, int feature)
      : level_(level), best_(level.best + feature * level.nodes) {}
  __device__ bool wanted(std::uint32_t, std::uint32_t) const { return true; }
  template <class Scan>
  __device__ void add(const Entry&, const Scan&, double score, std::uint32_t, bool) {
    const std::uint64_t key = in_order(score);
    own_ = max(own_, key);
  }
  /// The last 32 entries were all of `node`.
  __device__ void flush(std::uint32_t node) {
    const std::uint64_t most = warp_max(own_);
    if (lane_id() == 0) tell(node, most);
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
  __device__ static std::uint64_t warp_max(std::uint64_t x) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) x = max(x, shuffled(x, lane_id() ^ d));
    return x;
  }
  __device__ void tell(std::uint32_t node, std::uint64_t score) {
    if (score == 0 || score <= __ldcg(best_ + node)) return;
    atomicMax(reinterpret_cast<unsigned long long*>(best_ + node), score);
  }
  const Level& level_;
  std::uint64_t* best_;
  std::uint64_t own_ = 0;
};

/// Keeps the split that is best by exact comparison, then by the least feature and threshold.
class ExactWinners {
 public:
  __device__ ExactWinners(const Level& level, int feature, Winner* winners)
      : level_(level), feature_(feature), winners_(winners) {}
  /// Whether a node of [first, last] has a score by this feature that is to be compared.
  __device__ bool wanted(std::uint32_t first, std::uint32_t last) const {
    bool any = false;
    for (std::uint32_t node = first + lane_id(); node <= last && !any; node += 32) {
      any = level_.best[feature_ * level_.nodes + node] >= level_.least[node];
    }
    return __any_sync(all_lanes, any);
  }
  template <class Scan>
  __device__ void add(
      const Entry& entry, const Scan& scan, double score, std::uint32_t known_left, bool left) {
    if (in_order(score) < level_.least[entry.node]) return;
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
  __device__ static bool better(const Winner& a, const Winner& b) {
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

/// The entries of 32 places, as lanes load them.
struct Loaded {
  std::uint32_t key = 0, row = 0, node = 0, behind = 0;

  template <class Scan>
  __device__ void load(const Level& level, int feature, std::int64_t first) {
    const Lists& lists = level.lists;
    const std::int64_t place = min(first + lane_id(), lists.size - 1);
    const std::int64_t at = feature * lists.size + place;
    key = lists.keys[at];
    node = level.node_of[place];
    if (Scan::needs_rows(level)) row = lists.rows[at];
    if (lane_id() == 31 && place + 1 < lists.size) behind = lists.keys[at + 1];
  }
};

/// Whether a node may be parted behind this entry.
__device__ inline bool splits(const Strip& strip, const Entry& entry, std::uint32_t next) {
  const Level& level = strip.level;
  const int bits = level.lists.class_bits;
  const std::int64_t left = std::int64_t{entry.offset} + 1 + strip.missing_rows(entry.node);
  bool valid = entry.inside && entry.offset + 1 < entry.size && entry.key >> bits != next >> bits &&
               left >= level.min_leaf && entry.size - left >= level.min_leaf;
  // With the missing values left, some known value must be right.
  if (strip.slot >= 0) {
    valid = valid && next < level.lists.missing_key && strip.missing_rows(entry.node) > 0;
  }
  if (level.drawn != nullptr) {
    valid = valid && level.drawn[std::int64_t{entry.node} * level.lists.features + strip.feature];
  }
  return valid;
}

template <class Scan, class Keep>
__device__ void scan_strip(const Strip& strip, Keep& keep, std::int64_t* shared) {
  const Level& level = strip.level;
  const std::int64_t begin = strip.strip * strip_size;
  const std::int64_t end = min(begin + strip_size, level.lists.size);
  Scan scan(strip, shared);
  std::uint32_t running = nowhere;
  Loaded loaded[ahead];
  for (std::int64_t first = begin; first < end; first += 32 * ahead) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (first + 32 * i < end) loaded[i].load<Scan>(level, strip.feature, first + 32 * i);
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (first + 32 * i >= end) break;
      const Loaded& own = loaded[i];
      const std::int64_t place = first + 32 * i + lane_id();
      const Place at = level.places[own.node];
      const bool inside = place < end;
      Entry entry{inside, own.key, own.row, own.node, 0, at.size};
      entry.offset = static_cast<std::uint32_t>(min(place, end - 1)) - at.begin;
      scan.move(entry);
      const std::uint32_t shifted = shuffled(own.key, lane_id() + 1);
      const std::uint32_t next = lane_id() == 31 ? own.behind : shifted;
      const bool valid = splits(strip, entry, next);
      const std::uint32_t node = shuffled(own.node, 0);
      const bool uniform = __all_sync(all_lanes, own.node == node);
      if (running != nowhere && (!uniform || node != running)) keep.flush(running);
      if (valid) {
        keep.add(entry, scan, scan.approximate(), entry.offset + 1, strip.slot >= 0);
      }
      running = uniform ? node : nowhere;
      if (!uniform) keep.flush_lanes(own.node);
    }
  }
  if (running != nowhere) keep.flush(running);
}

template <class Scan, class Keep, class... More>
__global__ void __launch_bounds__(threads)
    scan_kernel(Level level, Labels labels, bool missing_left, More... more) {
  extern __shared__ std::int64_t shared[];
  const int features = missing_left ? level.missing_slots : level.lists.features;
  const std::int64_t warp = warp_number();
  const std::int64_t number = warp / features;
  if (number >= level.lists.strips()) return;
  const int slot = missing_left ? static_cast<int>(warp % features) : -1;
  const int feature = missing_left ? level.slot_feature[slot] : static_cast<int>(warp % features);
  const std::uint32_t first = level.node_of[number * strip_size];
  const std::uint32_t last = level.node_of[min((number + 1) * strip_size, level.lists.size) - 1];
  if (level.drawn != nullptr && first == last &&
      !level.drawn[std::int64_t{first} * level.lists.features + feature]) {
    return;
  }
  Keep keep(level, feature, more...);
  if (!keep.wanted(first, last)) return;
  const Strip strip{level, labels, feature, slot, number, first};
  scan_strip<Scan>(strip, keep, shared + static_cast<int>(threadIdx.x) / 32 * level.channels);
}

template <class Scan, class Keep, class... More>
void launch_scan(const Level& level, const Labels& labels, cudaStream_t stream, More... more) {
  const auto kernel = scan_kernel<Scan, Keep, More...>;
  const std::size_t shared = shared_bytes(level);
  if (shared > (48 << 10)) {
    yupana::cuda::check(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "ask for shared memory");
  }
  for (const bool missing_left : {false, true}) {
    const int features = missing_left ? level.missing_slots : level.lists.features;
    if (features == 0) continue;
    const unsigned blocks = blocks_of(level.lists.strips() * features);
    kernel<<<blocks, threads, shared, stream>>>(level, labels, missing_left, more...);
    check_launch("scan lists");
  }
}

/// The scan of a level's kind of sums.
template <class Keep, class... More>
void launch_kind(const Level& level, const Labels& labels, cudaStream_t stream, More... more) {
  const bool weighted = labels.weights != nullptr;
  if (level.sums == Sums::two_classes) {
    launch_scan<TwoClassScan, Keep>(level, labels, stream, more...);
  } else if (level.sums == Sums::numbers) {
    weighted ? launch_scan<NumberScan<true>, Keep>(level, labels, stream, more...)
             : launch_scan<NumberScan<false>, Keep>(level, labels, stream, more...);
  } else if (level.entropy) {
    weighted ? launch_scan<ClassScan<true, true>, Keep>(level, labels, stream, more...)
             : launch_scan<ClassScan<false, true>, Keep>(level, labels, stream, more...);
  } else {
    weighted ? launch_scan<ClassScan<true, false>, Keep>(level, labels, stream, more...)
             : launch_scan<ClassScan<false, false>, Keep>(level, labels, stream, more...);
  }
}

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

void launch_strip_sums(const Level& level, const Labels& labels, cudaStream_t stream) {
  const unsigned blocks = blocks_of(level.lists.strips() * level.lists.features);
  if (level.sums == Sums::classes) {
    const std::size_t shared = shared_bytes(level);
    yupana::cuda::check(cudaFuncSetAttribute(class_sums_kernel,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared)),
                        "ask for shared memory");
    class_sums_kernel<<<blocks, threads, shared, stream>>>(level, labels);
  } else {
    plain_sums_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  }
  check_launch("sum strips");
  launch_row_scans(level.strip_sums,
                   std::int64_t{level.lists.features} * level.channels,
                   level.lists.strips(),
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

void launch_winners(const Level& level,
                    const Labels& labels,
                    Winner* winners,
                    cudaStream_t stream) {
  launch_kind<ExactWinners>(level, labels, stream, winners);
}

}  // namespace yupana::forest::cuda
