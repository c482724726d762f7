// What a level needs in addition to its scores: sums of missing values, splits for the host, parted
// lists. Over 400 lines: all of it walks the same lists tile by tile, with the same few device
// functions.
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/scan_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check_launch;

namespace {

constexpr int warps = 8;
constexpr int threads = 32 * warps;
constexpr int scan_threads = 1024;
constexpr int words_per_tile = tile_size / 32;

using Count = unsigned long long;

__device__ std::int64_t warp_number() {
  return std::int64_t{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / 32;
}
unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}
unsigned blocks_of_threads(std::int64_t count) {
  return static_cast<unsigned>(divide_up(count, threads));
}

/// A block goes through an array from left to right.
__global__ void __launch_bounds__(scan_threads)
    row_scan_kernel(std::int64_t* sums, std::int64_t length) {
  __shared__ std::int64_t warp_sums[32];
  std::int64_t* row = sums + std::int64_t{blockIdx.x} * length;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < length; first += scan_threads) {
    const std::int64_t i = first + threadIdx.x;
    const std::int64_t own = i < length ? row[i] : 0;
    const std::int64_t through = inclusive(own);
    if (lane_id() == 31) warp_sums[warp] = through;
    __syncthreads();
    if (warp == 0) warp_sums[lane_id()] = inclusive(warp_sums[lane_id()]);
    __syncthreads();
    if (i < length) row[i] = before + through - own + (warp > 0 ? warp_sums[warp - 1] : 0);
    before += warp_sums[31];
    __syncthreads();
  }
}

/// Sums over the missing entries of each node, which are last in it.
__global__ void __launch_bounds__(threads) missing_sums_kernel(Level level, Labels labels) {
  const Lists& lists = level.lists;
  const std::int64_t warp = warp_number();
  const std::int64_t tile = warp / level.missing_slots;
  if (tile >= lists.tiles()) return;
  const int slot = static_cast<int>(warp % level.missing_slots);
  const int feature = level.slot_feature[slot];
  const Tile place{level, labels, feature, slot, tile, 0};
  for (int i = lane_id(); i < tile_size; i += 32) {
    const std::int64_t p = tile * tile_size + i;
    const std::int64_t at = feature * lists.size + min(p, lists.size - 1);
    Entry entry{p < lists.size, lists.keys[at], 0, 0, 0, 0};
    const bool missing = entry.inside && entry.key >= lists.missing_key;
    if (__ballot_sync(all_lanes, missing) == 0) continue;
    entry.row = lists.rows[at];
    const std::uint32_t node = missing ? level.node_of[p] : nowhere;
    const unsigned alike = __match_any_sync(all_lanes, node);
    const std::int64_t there = place.slot_node(node);
    if (missing && (alike & lanes_below()) == 0) {
      atomicAdd(level.missing_rows + there, static_cast<unsigned>(__popc(alike)));
    }
    auto* sums = reinterpret_cast<Count*>(level.missing + (missing ? there * level.channels : 0));
    const std::int64_t w = labels.weights == nullptr || !missing ? 1 : labels.weights[entry.row];
    if (level.sums == Sums::two_classes) {
      const unsigned ones = alike & __ballot_sync(all_lanes, missing && (entry.key & 1) != 0);
      if (missing && (alike & lanes_below()) == 0) atomicAdd(sums, Count(__popc(ones)));
    } else if (level.sums == Sums::classes) {
      if (missing) atomicAdd(sums + place.class_of(entry), static_cast<Count>(w));
    } else if (missing) {
      atomicAdd(sums, static_cast<Count>(w));
      atomicAdd(sums + 1, static_cast<Count>(labels.moments[entry.row]));
    }
  }
}

/// What sums of classes begin with if the missing entries are left.
__global__ void __launch_bounds__(threads) missing_starts_kernel(Level level, Labels labels) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= level.missing_slots * level.nodes) return;
  const std::int64_t* missing = level.missing + i * level.channels;
  const std::int64_t* totals = level.totals + i % level.nodes * level.channels;
  Wide squares = 0, products = 0;
  Start start;
  for (int c = 0; c < level.channels; ++c) {
    const auto m = static_cast<std::uint64_t>(missing[c]);
    squares += Wide{m} * m;
    products += Wide{m} * static_cast<std::uint64_t>(totals[c]);
    start.weight += missing[c];
    if (level.entropy) {
      start.logs += labels.count_log(missing[c]) + labels.count_log(totals[c] - missing[c]);
    }
  }
  start.squares[0] = static_cast<std::uint64_t>(squares);
  start.squares[1] = static_cast<std::uint64_t>(squares >> 64);
  start.products[0] = static_cast<std::uint64_t>(products);
  start.products[1] = static_cast<std::uint64_t>(products >> 64);
  level.missing_starts[i] = start;
}

__global__ void __launch_bounds__(threads) varies_kernel(Level level, std::uint8_t* varies) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= level.nodes * level.lists.features) return;
  const Place place = level.places[i / level.lists.features];
  const std::uint32_t* keys =
      level.lists.keys + i % level.lists.features * level.lists.size + place.begin;
  const int bits = level.lists.class_bits;
  varies[i] = keys[0] >> bits != keys[place.size - 1] >> bits;
}

/// Of each entry a bit, whether it goes left; entries that go nowhere have none.
__global__ void __launch_bounds__(threads) side_bits_kernel(Level level,
                                                            const Move* moves,
                                                            const std::uint8_t* goes_left,
                                                            std::uint32_t* bits,
                                                            std::int64_t* tile_lefts) {
  const Lists& lists = level.lists;
  const std::int64_t warp = warp_number();
  const std::int64_t tile = warp / lists.features;
  if (tile >= lists.tiles()) return;
  const std::int64_t feature = warp % lists.features;
  const std::int64_t begin = tile * tile_size;
  const std::int64_t end = min(begin + tile_size, lists.size);
  const std::uint32_t first_node = level.node_of[begin];
  const bool one_node = first_node == level.node_of[end - 1];
  const std::uint32_t* const rows = lists.rows + feature * lists.size;
  std::uint32_t own = 0;
  if (one_node) {
    const std::uint8_t* const marks = goes_left + level.places[first_node].row_base;
    if (moves[first_node].left_before != nowhere) {
      std::uint32_t row[words_per_tile];
#pragma unroll
      for (int i = 0; i < words_per_tile; ++i) {
        row[i] = __ldg(rows + min(begin + 32 * i + lane_id(), end - 1));
      }
#pragma unroll
      for (int i = 0; i < words_per_tile; ++i) row[i] = __ldg(marks + row[i]);
#pragma unroll
      for (int i = 0; i < words_per_tile; ++i) {
        const bool inside = begin + 32 * i + lane_id() < end;
        const std::uint32_t word = __ballot_sync(all_lanes, inside && row[i] != 0);
        if (lane_id() == i) own = word;
      }
    }
  } else {
#pragma unroll 4
    for (int i = 0; i < words_per_tile; ++i) {
      const std::int64_t place = begin + 32 * i + lane_id();
      bool is_left = false;
      if (place < end) {
        const std::uint32_t node = level.node_of[place];
        is_left = moves[node].left_before != nowhere &&
                  goes_left[level.places[node].row_base + rows[place]] != 0;
      }
      const std::uint32_t word = __ballot_sync(all_lanes, is_left);
      if (lane_id() == i) own = word;
    }
  }
  const std::int64_t at = feature * lists.tiles() + tile;
  if (lane_id() < words_per_tile) bits[at * words_per_tile + lane_id()] = own;
  const int lefts = warp_sum(__popc(own));
  if (lane_id() == 0) tile_lefts[at] = lefts;
}

/// A tile of one node goes to two places. It is put in order in shared memory first: lanes that
/// write side by side what was apart would write each sector of memory twice.
__device__ void part_one_node(const Level& level,
                              const Move& move,
                              std::uint32_t offset,
                              std::uint32_t before,
                              std::uint32_t own,
                              std::int64_t source,
                              int count,
                              std::int64_t target,
                              const Lists& to,
                              uint2* parted,
                              std::int64_t* tile_sums) {
  const int all_lefts = warp_sum(__popc(own));
  int lefts = 0;
#pragma unroll 8
  for (int i = 0; i < words_per_tile; ++i) {
    const int at = 32 * i + lane_id();
    const std::uint32_t word = shuffled(own, i);
    const int left = lefts + __popc(word & lanes_below());
    lefts += __popc(word);
    if (at >= count) continue;
    const bool is_left = (word >> lane_id() & 1) != 0;
    parted[is_left ? left : all_lefts + at - left] = {__ldg(level.lists.keys + source + at),
                                                      __ldg(level.lists.rows + source + at)};
  }
  __syncwarp();
  const std::uint32_t left = before - move.left_before;
  const std::uint32_t places[2] = {move.right + offset - left, move.left + left};
  // Entries of class 1 that go right, left; each run is in a tile and perhaps the next: 4 numbers.
  std::uint64_t ones = 0;
  for (int at = lane_id(); at < count; at += 32) {
    const bool is_left = at < all_lefts;
    if ((is_left ? move.left : move.right) == nowhere) continue;
    const std::uint32_t first = is_left ? places[1] : places[0];
    const std::uint32_t place = first + static_cast<std::uint32_t>(is_left ? at : at - all_lefts);
    const uint2 entry = parted[at];
    to.keys[target + place] = entry.x;
    to.rows[target + place] = entry.y;
    const int which = (is_left ? 2 : 0) + (place / tile_size != first / tile_size ? 1 : 0);
    ones += std::uint64_t{entry.x & 1} << 16 * which;
  }
  if (tile_sums == nullptr) return;
  ones = warp_sum(ones);
  const int which = lane_id();
  const auto own_ones = static_cast<unsigned long long>(ones >> 16 * (which % 4) & 0xffff);
  if (which >= 4 || own_ones == 0) return;
  atomicAdd(reinterpret_cast<Count*>(tile_sums) + places[which / 2] / tile_size + which % 2,
            own_ones);
}

/// Adds the entries of class 1 that lanes put into tiles.
__device__ void add_ones(std::int64_t* tile_sums, std::uint32_t tile, bool is_one) {
  const unsigned alike = __match_any_sync(all_lanes, is_one ? tile : nowhere);
  if (is_one && (alike & lanes_below()) == 0) {
    atomicAdd(reinterpret_cast<Count*>(tile_sums) + tile, Count(__popc(alike)));
  }
}

__global__ void __launch_bounds__(threads) part_kernel(Level level,
                                                       const Move* moves,
                                                       const std::uint32_t* bits,
                                                       const std::int64_t* tile_lefts,
                                                       Lists to,
                                                       std::int64_t* tile_sums) {
  __shared__ uint2 parted[warps][tile_size];
  const Lists& lists = level.lists;
  const std::int64_t warp = warp_number();
  const std::int64_t tile = warp / lists.features;
  if (tile >= lists.tiles()) return;
  const std::int64_t feature = warp % lists.features;
  const std::int64_t at = feature * lists.tiles() + tile;
  const std::int64_t begin = tile * tile_size;
  const std::int64_t end = min(begin + tile_size, lists.size);
  auto lefts = static_cast<std::uint32_t>(tile_lefts[at]);
  const std::uint32_t own = lane_id() < words_per_tile ? bits[at * words_per_tile + lane_id()] : 0;
  if (tile_sums != nullptr) tile_sums += feature * to.tiles();
  const std::uint32_t first_node = level.node_of[begin];
  if (first_node == level.node_of[end - 1]) {
    const Move move = moves[first_node];
    if (move.left_before == nowhere) return;
    return part_one_node(level,
                         move,
                         static_cast<std::uint32_t>(begin) - level.places[first_node].begin,
                         lefts,
                         own,
                         feature * lists.size + begin,
                         static_cast<int>(end - begin),
                         feature * to.size,
                         to,
                         parted[threadIdx.x / 32],
                         tile_sums);
  }
#pragma unroll 4
  for (int i = 0; i < words_per_tile; ++i) {
    const std::int64_t place = begin + 32 * i + lane_id();
    const std::uint32_t word = shuffled(own, i);
    const std::uint32_t before = lefts + __popc(word & lanes_below());
    lefts += __popc(word);
    const std::uint32_t node = level.node_of[min(place, end - 1)];
    const Move move = moves[node];
    const bool is_left = (word >> lane_id() & 1) != 0;
    const std::uint32_t left = before - move.left_before;
    const std::uint32_t base = is_left ? move.left : move.right;
    const bool stays = place < end && move.left_before != nowhere && base != nowhere;
    std::uint32_t key = 0, target = 0;
    if (stays) {
      const auto offset = static_cast<std::uint32_t>(place) - level.places[node].begin;
      const std::int64_t source = feature * lists.size + place;
      target = base + (is_left ? left : offset - left);
      key = lists.keys[source];
      to.keys[feature * to.size + target] = key;
      to.rows[feature * to.size + target] = lists.rows[source];
    }
    if (tile_sums != nullptr) {
      add_ones(tile_sums, target / tile_size, stays && (key & 1) != 0);
    }
  }
}

__global__ void __launch_bounds__(threads) node_of_kernel(const Place* places,
                                                          std::int64_t nodes,
                                                          std::int64_t size,
                                                          std::uint32_t* node_of) {
  const std::int64_t place = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (place >= size) return;
  std::int64_t low = 0, high = nodes - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (places[middle].begin <= place) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  node_of[place] = static_cast<std::uint32_t>(low);
}

}  // namespace

void launch_row_scans(std::int64_t* sums,
                      std::int64_t count,
                      std::int64_t length,
                      cudaStream_t stream) {
  row_scan_kernel<<<static_cast<unsigned>(count), scan_threads, 0, stream>>>(sums, length);
  check_launch("scan sums");
}

void launch_missing_sums(const Level& level, const Labels& labels, cudaStream_t stream) {
  if (level.missing_slots == 0) return;
  const std::int64_t pairs = level.missing_slots * level.nodes;
  const auto clear = [&](void* to, std::size_t bytes) {
    yupana::cuda::check(cudaMemsetAsync(to, 0, bytes, stream), "clear sums");
  };
  clear(level.missing, static_cast<std::size_t>(pairs * level.channels) * sizeof(std::int64_t));
  clear(level.missing_rows, static_cast<std::size_t>(pairs) * sizeof(std::uint32_t));
  missing_sums_kernel<<<blocks_of(level.lists.tiles() * level.missing_slots), threads, 0, stream>>>(
      level, labels);
  check_launch("sum missing values");
  if (level.sums != Sums::classes) return;
  missing_starts_kernel<<<blocks_of_threads(pairs), threads, 0, stream>>>(level, labels);
  check_launch("sum missing values");
}

void launch_varies(const Level& level, std::uint8_t* varies, cudaStream_t stream) {
  varies_kernel<<<blocks_of_threads(level.nodes * level.lists.features), threads, 0, stream>>>(
      level, varies);
  check_launch("look for features that vary");
}

void launch_partition(const Level& level,
                      const Move* moves,
                      const std::uint8_t* goes_left,
                      std::uint32_t* bits,
                      std::int64_t* tile_lefts,
                      const Lists& to,
                      std::int64_t* tile_sums,
                      cudaStream_t stream) {
  const unsigned blocks = blocks_of(level.lists.tiles() * level.lists.features);
  side_bits_kernel<<<blocks, threads, 0, stream>>>(level, moves, goes_left, bits, tile_lefts);
  check_launch("look up sides");
  launch_row_scans(tile_lefts, level.lists.features, level.lists.tiles(), stream);
  if (tile_sums != nullptr) {
    const std::int64_t count = to.features * to.tiles();
    yupana::cuda::check(
        cudaMemsetAsync(tile_sums, 0, static_cast<std::size_t>(count) * sizeof(*tile_sums), stream),
        "clear sums");
  }
  part_kernel<<<blocks, threads, 0, stream>>>(level, moves, bits, tile_lefts, to, tile_sums);
  check_launch("part lists");
}

void launch_node_of(const Place* places,
                    std::int64_t nodes,
                    std::int64_t size,
                    std::uint32_t* node_of,
                    cudaStream_t stream) {
  node_of_kernel<<<blocks_of_threads(size), threads, 0, stream>>>(places, nodes, size, node_of);
  check_launch("number nodes");
}

}  // namespace yupana::forest::cuda
