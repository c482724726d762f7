// The lists of a forest's trees from those of the whole table.
#include <utility>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists_cuda.hpp"
#include "yupana/forest/scan_cuda.cuh"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

constexpr int warps = 8;
constexpr int threads = 32 * warps;

unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}

/// A sorted table's place of a lane: how often its row appears in a tree's list, and its rank.
struct Source {
  std::int64_t rows;
  int features;
  const std::uint32_t* ranks;
  const std::uint32_t* order;

  __host__ __device__ std::int64_t tiles() const { return (rows + tile_size - 1) / tile_size; }
};

__device__ int times(const Labels& labels, const std::uint8_t* repeats, std::uint32_t row) {
  return labels.weights != nullptr && labels.weights[row] == 0 ? 0 : repeats[row];
}

__global__ void __launch_bounds__(threads) count_repeats_kernel(Source source,
                                                                Labels labels,
                                                                const std::uint8_t* repeats,
                                                                std::int64_t* tile_sums) {
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t tile = warp / source.features;
  if (tile >= source.tiles()) return;
  const std::int64_t feature = warp % source.features;
  std::int64_t sum = 0;
  for (int i = lane_id(); i < tile_size; i += 32) {
    const std::int64_t place = tile * tile_size + i;
    if (place < source.rows) {
      sum += times(labels, repeats, source.order[feature * source.rows + place]);
    }
  }
  sum = warp_sum(sum);
  if (lane_id() == 0) tile_sums[feature * source.tiles() + tile] = sum;
}

__global__ void __launch_bounds__(threads) repeat_kernel(Source source,
                                                         Labels labels,
                                                         const std::uint8_t* repeats,
                                                         const std::int64_t* tile_sums,
                                                         std::int64_t begin,
                                                         Lists to) {
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t tile = warp / source.features;
  if (tile >= source.tiles()) return;
  const std::int64_t feature = warp % source.features;
  std::int64_t before = begin + tile_sums[feature * source.tiles() + tile];
  for (int i = lane_id(); i < tile_size; i += 32) {
    const std::int64_t place = tile * tile_size + i;
    const bool inside = place < source.rows;
    const std::int64_t at = feature * source.rows + place;
    const std::uint32_t row = inside ? source.order[at] : 0;
    const int count = inside ? times(labels, repeats, row) : 0;
    const int through = inclusive(count);
    if (count > 0) {
      const std::uint32_t key = packed(source.ranks[at], row, to.class_bits, labels);
      const std::int64_t target = feature * to.size + before + through - count;
      for (int time = 0; time < count; ++time) {
        to.keys[target + time] = key;
        to.rows[target + time] = row;
      }
    }
    before += shuffled(through, 31);
  }
}

/// The tree of a row; `trees` for none.
__device__ std::uint32_t part_of_row(const Labels& labels,
                                     const std::uint32_t* part_of,
                                     std::uint32_t first,
                                     std::uint32_t row,
                                     std::uint32_t trees) {
  if (labels.weights != nullptr && labels.weights[row] == 0) return trees;
  return min(part_of[row] - first, trees);  // of trees before: a large number
}

/// counts(feature, tree, tile): rows of a tile that a tree holds.
__global__ void __launch_bounds__(threads) count_parts_kernel(Source source,
                                                              Labels labels,
                                                              const std::uint32_t* part_of,
                                                              std::uint32_t first,
                                                              std::uint32_t trees,
                                                              std::int64_t* counts) {
  __shared__ int places[warps][max_partition_trees];
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t tile = warp / source.features;
  if (tile >= source.tiles()) return;
  const std::int64_t feature = warp % source.features;
  int* const own = places[threadIdx.x / 32];
  for (std::uint32_t t = lane_id(); t < trees; t += 32) own[t] = 0;
  __syncwarp();
  for (int i = lane_id(); i < tile_size; i += 32) {
    const std::int64_t place = tile * tile_size + i;
    if (place >= source.rows) break;
    const std::uint32_t row = source.order[feature * source.rows + place];
    const std::uint32_t tree = part_of_row(labels, part_of, first, row, trees);
    if (tree < trees) atomicAdd(own + tree, 1);
  }
  __syncwarp();
  for (std::uint32_t t = lane_id(); t < trees; t += 32) {
    counts[(feature * trees + t) * source.tiles() + tile] = own[t];
  }
}

/// A warp's tile, put in order of the trees: what goes to one tree is then written side by side.
struct PartitionRows {
  uint2 entries[tile_size];                   ///< key, row
  std::uint8_t trees[tile_size];              ///< of the entries
  int begins[max_partition_trees];            ///< of the trees among the entries
  std::int64_t targets[max_partition_trees];  ///< of each tree's first entry
};

/// before: as counts, over all tiles before. begins: of the trees in the lists.
__global__ void __launch_bounds__(threads) partition_lists_kernel(Source source,
                                                                  Labels labels,
                                                                  const std::uint32_t* part_of,
                                                                  std::uint32_t first,
                                                                  std::uint32_t trees,
                                                                  const std::int64_t* before,
                                                                  const std::int64_t* begins,
                                                                  Lists to) {
  extern __shared__ PartitionRows all_assigned[];
  constexpr int steps = tile_size / 32;
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t tile = warp / source.features;
  if (tile >= source.tiles()) return;
  const std::int64_t feature = warp % source.features;
  PartitionRows& own = all_assigned[threadIdx.x / 32];
  // Rows of each tree so far.
  for (std::uint32_t t = lane_id(); t < trees; t += 32) own.begins[t] = 0;
  __syncwarp();
  std::uint32_t rows[steps], at_tree[steps];  // at_tree: tree, and place among its rows
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const std::int64_t place = tile * tile_size + 32 * i + lane_id();
    rows[i] = source.order[feature * source.rows + min(place, source.rows - 1)];
    at_tree[i] = place < source.rows ? part_of_row(labels, part_of, first, rows[i], trees) : trees;
  }
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const std::uint32_t tree = at_tree[i];
    const unsigned alike = __match_any_sync(all_lanes, tree);
    if (tree < trees) at_tree[i] |= (own.begins[tree] + __popc(alike & lanes_below())) << 8;
    __syncwarp();
    if (tree < trees && (alike & lanes_below()) == 0) own.begins[tree] += __popc(alike);
    __syncwarp();
  }
  int count = 0;
  for (std::uint32_t t = lane_id(); t < (trees + 31) / 32 * 32; t += 32) {
    const int size = t < trees ? own.begins[t] : 0;
    const int through = inclusive(size);
    if (t < trees) {
      own.begins[t] = count + through - size;
      own.targets[t] =
          feature * to.size + begins[t] + before[(feature * trees + t) * source.tiles() + tile];
    }
    count += shuffled(through, 31);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const std::uint32_t tree = at_tree[i] & 0xff;
    if (tree >= trees) continue;
    const std::int64_t at = feature * source.rows + tile * tile_size + 32 * i + lane_id();
    const int place = own.begins[tree] + static_cast<int>(at_tree[i] >> 8);
    own.entries[place] = {packed(source.ranks[at], rows[i], to.class_bits, labels), rows[i]};
    own.trees[place] = static_cast<std::uint8_t>(tree);
  }
  __syncwarp();
  for (int i = lane_id(); i < count; i += 32) {
    const int tree = own.trees[i];
    const std::int64_t target = own.targets[tree] + i - own.begins[tree];
    to.keys[target] = own.entries[i].x;
    to.rows[target] = own.entries[i].y;
  }
}

OwnLists new_lists(const DeviceSorted& sorted,
                   const Problem& problem,
                   const std::vector<Part>& parts,
                   OwnLists spare) {
  std::int64_t size = 0;
  for (const Part& part : parts) size += part.size;
  spare.view = empty_lists(sorted, problem, size);
  spare.make_room(size, sorted.features);
  return spare;
}

Source source_of(const DeviceSorted& sorted) {
  return {sorted.rows, sorted.features, sorted.ranks.data(), sorted.order.data()};
}

}  // namespace

OwnLists repeated_lists(const DeviceSorted& sorted,
                        const Problem& problem,
                        const Labels& labels,
                        const std::uint8_t* repeats,
                        const std::vector<Part>& parts,
                        OwnLists spare,
                        cudaStream_t stream) {
  OwnLists lists = new_lists(sorted, problem, parts, std::move(spare));
  const Source source = source_of(sorted);
  ReservedArray<std::int64_t> tile_sums(source.features * source.tiles());
  const unsigned blocks = blocks_of(source.features * source.tiles());
  std::int64_t begin = 0;
  for (const Part& part : parts) {
    count_repeats_kernel<<<blocks, threads, 0, stream>>>(source, labels, repeats, tile_sums.data());
    check_launch("count rows");
    launch_row_scans(tile_sums.data(), source.features, source.tiles(), stream);
    repeat_kernel<<<blocks, threads, 0, stream>>>(
        source, labels, repeats, tile_sums.data(), begin, lists.view);
    check_launch("repeat rows");
    begin += part.size;
    repeats += sorted.rows;
  }
  check(cudaStreamSynchronize(stream), "make lists");
  return lists;
}

OwnLists partition_lists(const DeviceSorted& sorted,
                         const Problem& problem,
                         const Labels& labels,
                         const std::uint32_t* part_of,
                         std::int64_t first,
                         const std::vector<Part>& parts,
                         OwnLists spare,
                         cudaStream_t stream) {
  OwnLists lists = new_lists(sorted, problem, parts, std::move(spare));
  const Source source = source_of(sorted);
  const auto trees = static_cast<std::uint32_t>(parts.size());
  std::vector<std::int64_t> begins{0};
  for (const Part& part : parts) begins.push_back(begins.back() + part.size);
  ReservedArray<std::int64_t> begin(std::ssize(begins));
  check(cudaMemcpyAsync(begin.data(), begins.data(), begin.bytes(), cudaMemcpyHostToDevice, stream),
        "copy to the device");
  ReservedArray<std::int64_t> counts(std::int64_t{source.features} * trees * source.tiles());
  const unsigned blocks = blocks_of(source.features * source.tiles());
  const auto from = static_cast<std::uint32_t>(first);
  count_parts_kernel<<<blocks, threads, 0, stream>>>(
      source, labels, part_of, from, trees, counts.data());
  check_launch("count parts");
  launch_row_scans(counts.data(), std::int64_t{source.features} * trees, source.tiles(), stream);
  constexpr int shared = warps * static_cast<int>(sizeof(PartitionRows));
  static_assert(shared <= yupana::cuda::shared_bytes_everywhere);
  yupana::cuda::launch("assign rows",
                       partition_lists_kernel,
                       {blocks, threads, shared},
                       stream,
                       source,
                       labels,
                       part_of,
                       from,
                       trees,
                       counts.data(),
                       begin.data(),
                       lists.view);
  check(cudaStreamSynchronize(stream), "make lists");
  return lists;
}

}  // namespace yupana::forest::cuda
