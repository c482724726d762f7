#pragma once

#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/scan_cuda.cuh"

/// A warp's way through a tile of a list, and the launch for all tiles of a level. `Keep` says
/// what is done with the scores.
namespace yupana::forest::cuda {

inline constexpr int warps = 4;
inline constexpr int threads = 32 * warps;

__device__ inline std::int64_t warp_number() {
  return std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
}

inline unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}

/// Blocks of a kernel whose warps keep the weight of each class in shared memory: fewer warps a
/// block where there are too many classes for all.
struct ClassBlocks {
  std::int64_t bytes = 0;  ///< of shared memory a block
  int warps = forest::cuda::warps;

  explicit ClassBlocks(const Level& level) {
    if (level.sums != Sums::classes) return;
    const std::int64_t bytes_a_warp = std::int64_t{8} * level.channels;
    const std::int64_t fit = yupana::cuda::device_facts().max_shared_bytes / bytes_a_warp;
    warps = static_cast<int>(std::clamp<std::int64_t>(fit, 1, warps));
    bytes = warps * bytes_a_warp;
  }
  yupana::cuda::LaunchShape of(std::int64_t warp_count) const {
    return {divide_up(warp_count, warps), 32 * warps, bytes};
  }
};

// A score whose float is below this share of another score's cannot win: floats of
// scores are within 2^-20 of them, the share of the other is rounded twice by 2^-24, and what is
// within 2^-42 of the best is wanted: (1 - 2^-42) (1 - 2^-20) > (1 - 2^-16) (1 + 2^-24)^2.
inline constexpr float float_closeness = 1 - 0x1p-16f;

/// The entries of 32 places, as lanes load them.
struct Loaded {
  std::uint32_t key = 0, row = 0, node = 0, behind = 0;

  template <class Scan, bool one_node>
  __device__ void load(const Tile& tile, std::int64_t first) {
    const Lists& lists = tile.level.lists;
    const std::int64_t place = min(first + lane_id(), lists.size - 1);
    const std::int64_t at = tile.feature * lists.size + place;
    key = __ldg(lists.keys + at);
    node = one_node ? tile.first_node : __ldg(tile.level.node_of + place);
    if (Scan::needs_rows(tile.level)) row = __ldg(lists.rows + at);
    if (lane_id() == 31 && place + 1 < lists.size) behind = __ldg(lists.keys + at + 1);
  }
};

__device__ inline Place place_of(const Level& level, std::uint32_t node) {
  const auto words = __ldg(reinterpret_cast<const uint2*>(level.places + node));
  return {words.x, words.y, 0};
}

/// Whether a node may be partitioned after this entry.
__device__ inline bool splits(const Tile& tile, const Entry& entry, std::uint32_t next) {
  const Level& level = tile.level;
  const int bits = level.lists.class_bits;
  const std::uint32_t left = entry.offset + 1 + tile.missing_rows(entry.node);
  bool valid = entry.inside && entry.offset + 1 < entry.size && entry.key >> bits != next >> bits &&
               left >= level.min_leaf && entry.size - left >= level.min_leaf;
  // With the missing values left, some known value must be right.
  if (tile.slot >= 0) {
    valid = valid && next < level.lists.missing_key && tile.missing_rows(entry.node) > 0;
  }
  if (level.drawn != nullptr) {
    valid = valid && level.drawn[std::int64_t{entry.node} * level.lists.features + tile.feature];
  }
  return valid;
}

/// one_node: all entries of the tile are of its first node.
template <class Scan, bool one_node, class Keep>
__device__ void scan_tile(const Tile& tile, Keep& keep, std::int64_t* shared) {
  const Level& level = tile.level;
  const std::int64_t begin = tile.tile * tile_size;
  const std::int64_t end = min(begin + tile_size, level.lists.size);
  [[maybe_unused]] float bound = 0;
  if constexpr (one_node) bound = keep.bound(tile.first_node);
  Scan scan(tile, shared);
  std::uint32_t running = nowhere;
  constexpr int ahead = Scan::ahead;
  Loaded loaded[ahead];
  for (std::int64_t first = begin; first < end; first += 32 * ahead) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (first + 32 * i < end) loaded[i].template load<Scan, one_node>(tile, first + 32 * i);
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (first + 32 * i >= end) break;
      const Loaded& own = loaded[i];
      const std::int64_t place = first + 32 * i + lane_id();
      const Place at = place_of(level, own.node);
      Entry entry{place < end, own.key, own.row, own.node, 0, at.size};
      entry.offset = static_cast<std::uint32_t>(min(place, end - 1)) - at.begin;
      scan.move(entry);
      const std::uint32_t shifted = shuffled(own.key, lane_id() + 1);
      const bool valid = splits(tile, entry, lane_id() == 31 ? own.behind : shifted);
      if constexpr (one_node) {
        if (valid && scan.reaches(bound)) keep.add(entry, scan, entry.offset + 1, tile.slot >= 0);
      } else {
        const std::uint32_t node = shuffled(own.node, 0);
        const bool uniform = __all_sync(all_lanes, own.node == node);
        if (running != nowhere && (!uniform || node != running)) keep.flush(running);
        if (valid) keep.add(entry, scan, entry.offset + 1, tile.slot >= 0);
        running = uniform ? node : nowhere;
        if (!uniform) keep.flush_lanes(own.node);
      }
    }
  }
  if (one_node || running != nowhere) keep.flush(one_node ? tile.first_node : running);
}

__device__ inline Tile tile_of(const Level& level,
                               const Labels& labels,
                               int column,
                               std::int64_t number) {
  const int slot = column - level.lists.features;
  return {level,
          labels,
          slot < 0 ? column : level.slot_feature[slot],
          slot < 0 ? -1 : slot,
          number,
          level.node_of[number * tile_size]};
}

/// A warp for each candidate tile. Of two classes.
template <class Keep, class... More>
__global__ void __launch_bounds__(threads)
    candidate_scan_kernel(Level level, Labels labels, More... more) {
  const std::int64_t tiles = level.lists.tiles();
  const auto count = static_cast<std::int64_t>(*level.candidate_count);
  for (std::int64_t i = warp_number(); i < count; i += std::int64_t{gridDim.x} * warps) {
    const std::int64_t number = level.candidates[i] % tiles;
    const Tile tile = tile_of(level, labels, static_cast<int>(level.candidates[i] / tiles), number);
    const std::int64_t end = min((number + 1) * tile_size, level.lists.size);
    const std::uint32_t last_node = level.node_of[end - 1];
    const bool one_node = tile.first_node == last_node;
    Keep keep(level, tile.feature, more...);
    if (!keep.wanted(tile.first_node, last_node)) continue;
    if (!keep.can_win(tile.first_node, level.candidate_best[i])) continue;
    if (Keep::knows_one_node && one_node) {
      scan_tile<TwoClassScan, Keep::knows_one_node>(tile, keep, nullptr);
    } else {
      scan_tile<TwoClassScan, false>(tile, keep, nullptr);
    }
    keep.end_tile(level.candidate_best + i, one_node);
  }
}

/// A warp for a tile and a group of features.
template <class Scan, class Keep, class... More>
__global__ void __launch_bounds__(threads)
    scan_kernel(Level level, Labels labels, bool missing_left, More... more) {
  extern __shared__ std::int64_t shared[];
  const int features = missing_left ? level.missing_slots : level.lists.features;
  const int groups = (features + Keep::group - 1) / Keep::group;
  const std::int64_t warp = warp_number();
  const std::int64_t number = warp / groups;
  if (number >= level.lists.tiles()) return;
  const int begin = static_cast<int>(warp % groups) * Keep::group;
  const std::uint32_t first = level.node_of[number * tile_size];
  const std::uint32_t last = level.node_of[min((number + 1) * tile_size, level.lists.size) - 1];
  for (int i = begin; i < min(begin + Keep::group, features); ++i) {
    const int feature = missing_left ? level.slot_feature[i] : i;
    if (level.drawn != nullptr && first == last &&
        !level.drawn[std::int64_t{first} * level.lists.features + feature]) {
      continue;
    }
    Keep keep(level, feature, more...);
    if (!keep.wanted(first, last)) continue;
    const Tile tile{level, labels, feature, missing_left ? i : -1, number, first};
    std::int64_t* own = shared + static_cast<int>(threadIdx.x) / 32 * level.channels;
    scan_tile<Scan, false>(tile, keep, own);
    __syncwarp();
  }
}

template <class Scan, class Keep, class... More>
void launch_scan(const Level& level, const Labels& labels, cudaStream_t stream, More... more) {
  const auto kernel = scan_kernel<Scan, Keep, More...>;
  const ClassBlocks blocks(level);
  for (const bool missing_left : {false, true}) {
    const int features = missing_left ? level.missing_slots : level.lists.features;
    if (features == 0) continue;
    yupana::cuda::launch("scan lists",
                         kernel,
                         blocks.of(level.lists.tiles() * divide_up(features, Keep::group)),
                         stream,
                         level,
                         labels,
                         missing_left,
                         more...);
  }
}

// The host does not know the number of candidates.
inline constexpr unsigned max_candidate_blocks = 4096;

/// The scan of a level's kind of sums.
template <class Keep, class... More>
void launch_kind(const Level& level, const Labels& labels, cudaStream_t stream, More... more) {
  const bool weighted = labels.weights != nullptr;
  if (level.sums == Sums::two_classes) {
    candidate_scan_kernel<Keep>
        <<<max_candidate_blocks, threads, 0, stream>>>(level, labels, more...);
    yupana::cuda::check_launch("scan lists");
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

}  // namespace yupana::forest::cuda
