// The strips of a level in which a best split of two classes may be.
//
// With y rows of a node left, x of them of class 1, the score is
//   (x n - y t)^2 / (y (n - y)) = n (x^2 / y + (t - x)^2 / (n - y)) - t^2,
// squares over linear functions, so convex for 0 < y < n. A strip that begins behind a rows with u
// of class 1 and has k more of them among its s entries passes only through the parallelogram of
// (a, u), (a + k, u + k), (a + s - k, u), (a + s, u + k): no score in it is above those of the four
// corners. They are known from the sums of strips, and so is the score at each strip's end, of
// which the best is one that some split reaches. A strip whose corners are all below it is never
// looked at. In a large node that is nearly all of them.
#include "yupana/forest/strip_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check;
using yupana::cuda::check_launch;

namespace {

// Doubles of scores are within 2^-44 of them, and what is within 2^-42 of the best is wanted.
constexpr double margin = 1 - 0x1p-40;

/// A strip of a column: counts in its node before it and through it, missing values left or not.
struct Reach {
  enum class Kind { none, bounded, all };  ///< none: no split is in it; all: nothing is known of it
  Kind kind = Kind::none;
  std::uint32_t node = 0;
  std::int64_t rows = 0, size = 0;  ///< of class 1: ones; size: the strip's entries
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

__device__ Reach reach_of(const Strip& strip) {
  const Level& level = strip.level;
  Reach reach;
  const std::int64_t begin = strip.strip * strip_size;
  const std::int64_t end = min(begin + strip_size, level.lists.size);
  const std::uint32_t last_node = level.node_of[end - 1];
  reach.node = strip.first_node;
  reach.kind = Reach::Kind::all;
  if (reach.node != last_node) return reach;
  reach.kind = Reach::Kind::none;
  const std::int64_t drawn = std::int64_t{reach.node} * level.lists.features + strip.feature;
  if (level.drawn != nullptr && level.drawn[drawn] == 0) return reach;
  const Place place = place_of(level, reach.node);
  const std::int64_t missing = strip.missing_rows(reach.node);
  reach.n = place.size;
  reach.rows = begin - place.begin + missing;
  reach.size = end - begin;
  // With the missing values left: there are some, and known ones in the strip.
  if (strip.slot >= 0 && (missing == 0 || reach.rows >= reach.n)) return reach;
  reach.kind = Reach::Kind::all;
  if (reach.rows == 0 || reach.rows + reach.size >= reach.n) return reach;
  reach.kind = Reach::Kind::bounded;
  // The node goes on behind the strip, so there is a next one.
  const std::int64_t* const sums = strip.sums(0);
  reach.ones = sums[0] - level.before[reach.node] + strip.missing(reach.node, 0);
  reach.ones_here = sums[1] - sums[0];
  reach.t = level.totals[reach.node];
  return reach;
}

/// node_best: the best score at the end of a strip.
__global__ void __launch_bounds__(threads) ends_kernel(Level level, Labels labels) {
  const Lists& lists = level.lists;
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (int column = static_cast<int>(blockIdx.y); column < level.columns(); column += gridDim.y) {
    std::uint32_t node = nowhere;
    std::uint64_t score = 0;
    if (number < lists.strips()) {
      const Strip strip = strip_of(level, labels, column, number);
      const Reach reach = reach_of(strip);
      if (reach.kind == Reach::Kind::bounded) {
        const std::int64_t place = number * strip_size + reach.size - 1;
        const std::int64_t at = strip.feature * lists.size + place;
        const Place own = place_of(level, reach.node);
        const auto offset = static_cast<std::uint32_t>(place) - own.begin;
        const Entry entry{true, lists.keys[at], 0, reach.node, offset, own.size};
        if (splits(strip, entry, lists.keys[at + 1])) {
          node = reach.node;
          score = in_order(reach.score(reach.rows + reach.size, reach.ones + reach.ones_here));
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

/// Numbers of the strips that may have a best split.
__global__ void __launch_bounds__(threads) reach_kernel(Level level, Labels labels) {
  const std::int64_t strips = level.lists.strips();
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (int column = static_cast<int>(blockIdx.y); column < level.columns(); column += gridDim.y) {
    bool in_reach = false;
    if (number < strips) {
      const Reach reach = reach_of(strip_of(level, labels, column, number));
      in_reach = reach.kind == Reach::Kind::all;
      if (reach.kind == Reach::Kind::bounded) {
        const std::uint64_t best = level.node_best[reach.node];
        in_reach = best == 0 || reach.most() >= from_order(best) * margin;
      }
    }
    const unsigned there = __ballot_sync(all_lanes, in_reach);
    unsigned long long place = 0;
    if (lane_id() == 0 && there != 0) {
      place = atomicAdd(level.reach_count, static_cast<unsigned long long>(__popc(there)));
    }
    place = shuffled(place, 0) + static_cast<unsigned>(__popc(there & lanes_below()));
    if (in_reach) level.reach[place] = column * strips + number;
  }
}

}  // namespace

void launch_reach(const Level& level, const Labels& labels, cudaStream_t stream) {
  check(cudaMemsetAsync(level.reach_count, 0, sizeof(*level.reach_count), stream),
        "clear a counter");
  const dim3 blocks(static_cast<unsigned>(divide_up(level.lists.strips(), threads)),
                    static_cast<unsigned>(std::min(level.columns(), 65535)));
  ends_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  check_launch("score ends of strips");
  reach_kernel<<<blocks, threads, 0, stream>>>(level, labels);
  check_launch("look for strips in reach");
}

}  // namespace yupana::forest::cuda
