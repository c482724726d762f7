// The tiles of a level in which a best split of two classes may be.
//
// With y rows of a node left, x of them of class 1, the score is
//   (x n - y t)^2 / (y (n - y)) = n (x^2 / y + (t - x)^2 / (n - y)) - t^2,
// squares over linear functions, so convex for 0 < y < n. A tile that begins after a rows with u
// of class 1 and has k more of them among its s entries passes only through the parallelogram of
// (a, u), (a + k, u + k), (a + s - k, u), (a + s, u + k): no score in it is above those of the four
// corners. They are known from the sums of tiles, and so is the score at each tile's end, of
// which the best is one that some split reaches. A tile whose corners are all below it is never
// looked at. In a large node that is nearly all of them.
#include "yupana/forest/tile_cuda.cuh"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

// Doubles of scores are within 2^-44 of them, and what is within 2^-42 of the best is wanted.
constexpr double margin = 1 - 0x1p-40;

/// A tile of a column: counts in its node before it and through it, missing values left or not.
struct TileBound {
  enum class Kind { none, bounded, all };  ///< none: no split is in it; all: nothing is known of it
  Kind kind = Kind::none;
  std::uint32_t node = 0;
  std::int64_t rows = 0, size = 0;  ///< of class 1: ones; size: the tile's entries
  std::int64_t ones = 0, ones_here = 0;
  std::int64_t n = 0, t = 0;

  __device__ double score(std::int64_t left, std::int64_t left_ones) const {
    return two_class_score(left_ones * n - left * t, left, n - left);
  }
  __device__ double most() const {
    return fmax(
        fmax(score(rows, ones), score(rows + size, ones + ones_here)),
        fmax(score(rows + ones_here, ones + ones_here), score(rows + size - ones_here, ones)));
  }
};

__device__ TileBound tile_bound_of(const Tile& tile) {
  const Level& level = tile.level;
  TileBound bound;
  const std::int64_t begin = tile.tile * tile_size;
  const std::int64_t end = min(begin + tile_size, level.lists.size);
  const std::uint32_t last_node = level.node_of[end - 1];
  bound.node = tile.first_node;
  bound.kind = TileBound::Kind::all;
  if (bound.node != last_node) return bound;
  bound.kind = TileBound::Kind::none;
  const std::int64_t drawn = std::int64_t{bound.node} * level.lists.features + tile.feature;
  if (level.drawn != nullptr && level.drawn[drawn] == 0) return bound;
  const Place place = place_of(level, bound.node);
  const std::int64_t missing = tile.missing_rows(bound.node);
  bound.n = place.size;
  bound.rows = begin - place.begin + missing;
  bound.size = end - begin;
  // With the missing values left: there are some, and known ones in the tile.
  if (tile.slot >= 0 && (missing == 0 || bound.rows >= bound.n)) return bound;
  bound.kind = TileBound::Kind::all;
  if (bound.rows == 0 || bound.rows + bound.size >= bound.n) return bound;
  bound.kind = TileBound::Kind::bounded;
  // The node continues after the tile, so there is a next one.
  const std::int64_t* const sums = tile.sums(0);
  bound.ones = sums[0] - level.before[bound.node] + tile.missing(bound.node, 0);
  bound.ones_here = sums[1] - sums[0];
  bound.t = level.totals[bound.node];
  return bound;
}

/// node_best: the best score at the end of a tile.
__global__ void __launch_bounds__(threads) ends_kernel(Level level, Labels labels) {
  const Lists& lists = level.lists;
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (int column = static_cast<int>(blockIdx.y); column < level.columns(); column += gridDim.y) {
    std::uint32_t node = nowhere;
    std::uint64_t score = 0;
    if (number < lists.tiles()) {
      const Tile tile = tile_of(level, labels, column, number);
      const TileBound bound = tile_bound_of(tile);
      if (bound.kind == TileBound::Kind::bounded) {
        const std::int64_t place = number * tile_size + bound.size - 1;
        const std::int64_t at = tile.feature * lists.size + place;
        const Place own = place_of(level, bound.node);
        const auto offset = static_cast<std::uint32_t>(place) - own.begin;
        const Entry entry{true, lists.keys[at], 0, bound.node, offset, own.size};
        if (splits(tile, entry, lists.keys[at + 1])) {
          node = bound.node;
          score = in_order(bound.score(bound.rows + bound.size, bound.ones + bound.ones_here));
        }
      }
    }
    // Mostly a warp is in one node, for which one lane speaks.
    const std::uint32_t first = warp_min(node);
    const std::uint64_t most = warp_max(node == first ? score : 0);
    const unsigned alike = __ballot_sync(all_lanes, node == first);
    if (node == first) score = (alike & lanes_below()) == 0 ? most : 0;
    if (node != nowhere && score > __ldcg(level.node_best + node)) {
      atomicMax(reinterpret_cast<unsigned long long*>(level.node_best + node), score);
    }
  }
}

/// Numbers of the tiles that may have a best split.
__global__ void __launch_bounds__(threads) split_bound_kernel(Level level, Labels labels) {
  const std::int64_t tiles = level.lists.tiles();
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (int column = static_cast<int>(blockIdx.y); column < level.columns(); column += gridDim.y) {
    bool can_win = false;
    if (number < tiles) {
      const TileBound bound = tile_bound_of(tile_of(level, labels, column, number));
      can_win = bound.kind == TileBound::Kind::all;
      if (bound.kind == TileBound::Kind::bounded) {
        const std::uint64_t best = level.node_best[bound.node];
        can_win = best == 0 || bound.most() >= from_order(best) * margin;
      }
    }
    const unsigned there = __ballot_sync(all_lanes, can_win);
    unsigned long long place = 0;
    if (lane_id() == 0 && there != 0) {
      place = atomicAdd(level.candidate_count, static_cast<unsigned long long>(__popc(there)));
    }
    place = shuffled(place, 0) + static_cast<unsigned>(__popc(there & lanes_below()));
    if (can_win) level.candidates[place] = column * tiles + number;
  }
}

}  // namespace

void launch_split_bounds(const Level& level, const Labels& labels, cudaStream_t stream) {
  check(cudaMemsetAsync(level.candidate_count, 0, sizeof(*level.candidate_count), stream),
        "clear a counter");
  const dim3 blocks(static_cast<unsigned>(divide_up(level.lists.tiles(), threads)),
                    static_cast<unsigned>(std::min(level.columns(), 65535)));
  ends_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  check_launch("score ends of tiles");
  split_bound_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  check_launch("bound the scores of tiles");
}

}  // namespace yupana::forest::cuda
