#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/forest/exact.hpp"

/// One level of the trees that grow, as kernels see it. Only files of the CUDA build include this.
///
/// Every feature has a list of entries (key, row) in order of its values, as on the processor; a
/// node is the same range of every list. So the sums over all entries before a node are the same
/// in every list, and sums within a node are differences of sums over whole lists: no scan has to
/// know where nodes begin. A warp goes through a tile of a list, 32 entries at a time, from sums
/// over all tiles before it.
namespace yupana::forest::cuda {

inline constexpr int tile_size = 512;
inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// Labels and weights of rows, see Problem.
struct Labels {
  const std::int32_t* codes = nullptr;
  const std::int64_t* weights = nullptr;  ///< null: each 1
  const std::int64_t* moments = nullptr;
  const std::int64_t* squares = nullptr;
  const double* values = nullptr;
  const std::int64_t* count_logs = nullptr;  ///< n log2 n of n < count_log_size
  std::int64_t count_log_size = 0;
  int count_log_bits = 0;
  const LogTable* log_table = nullptr;

  /// 0 for what arguments that no split uses.
  __device__ std::int64_t count_log(std::int64_t n) const {
    if (n < 2) return 0;
    return n < count_log_size ? count_logs[n] : forest::count_log(n, count_log_bits, *log_table);
  }
};

/// Where an open node is in every list.
struct Place {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  std::uint64_t row_base = 0;  ///< its tree's rows in marks of rows
};

/// What a sum over a node begins with: nothing left, or its missing entries. Gini: sums of L^2 and
/// of T L over the classes; entropy: of the n log2 n of L and of T - L.
struct Start {
  std::uint64_t squares[2] = {};   ///< low word, high word
  std::uint64_t products[2] = {};  ///< in a node's own: sum of T^2
  std::int64_t logs = 0;
  std::int64_t weight = 0;  ///< in a node's own: of all
  std::int64_t shift = 0;   ///< of numbers: about their mean, see VarianceSides
};

struct Lists {
  std::uint32_t* keys = nullptr;  ///< feature after feature
  std::uint32_t* rows = nullptr;
  std::int64_t size = 0;  ///< entries a feature
  int features = 0;
  int class_bits = 0;
  std::uint32_t missing_key = 0;

  __host__ __device__ std::int64_t tiles() const { return (size + tile_size - 1) / tile_size; }
};

/// What is summed along a list, `channels` numbers an entry: two classes of weight 1: whether it is
/// class 1; classes: the weight of each; numbers: weight and moment.
enum class Sums { two_classes, classes, numbers };

struct Level {
  Lists lists;
  Sums sums = Sums::two_classes;
  bool entropy = false;
  int channels = 1;
  std::int64_t nodes = 0;
  std::int64_t min_leaf = 1;
  const std::uint32_t* node_of = nullptr;  ///< of each place in the lists
  const Place* places = nullptr;
  const std::int64_t* totals = nullptr;        ///< (node, channel)
  const std::int64_t* before = nullptr;        ///< the same summed over all nodes before
  const Start* starts = nullptr;               ///< (node)
  std::int64_t* tile_sums = nullptr;           ///< (feature, channel, tile): over all tiles before
  const std::int32_t* slot_feature = nullptr;  ///< of each slot, a feature with missing values
  int missing_slots = 0;
  std::int64_t* missing = nullptr;        ///< (slot, node, channel): over the missing entries
  std::uint32_t* missing_rows = nullptr;  ///< (slot, node)
  Start* missing_starts = nullptr;        ///< (slot, node)
  const std::uint8_t* drawn = nullptr;    ///< (node, feature); null: all are
  std::uint64_t* best = nullptr;          ///< (feature, node): the best score, in order; 0: none
  std::uint64_t* node_best = nullptr;     ///< node: the best score so far by any feature
  // Of two classes, the tiles that are looked at, see split_bound_cuda.cu; in no order.
  std::int64_t* candidates = nullptr;             ///< column * tiles + tile
  unsigned long long* candidate_count = nullptr;  ///< how many
  std::uint64_t* candidate_best = nullptr;  ///< the best score in each; all bits set: not known
  std::uint64_t* least = nullptr;           ///< node: scores from here on are compared exactly

  /// Features with their missing values right, then those that have some with these left.
  __host__ __device__ int columns() const { return lists.features + missing_slots; }
};

/// The exact score of a split: a fraction, or n log2 n summed.
struct ExactScore {
  Fraction fraction;
  std::int64_t logs = 0;
};

/// The best split of a node. All bits set: none yet.
struct BestSplit {
  std::uint32_t lock;  ///< all bits set: free
  std::int32_t feature;
  std::uint32_t known_left;
  std::uint32_t missing_left;
  ExactScore exact;
};

/// The part of it that the host reads.
struct NodeSplit {
  std::int32_t feature = -1;
  std::uint32_t known_left = 0;
  std::uint32_t row_below = 0;
  std::uint32_t row_above = nowhere;  ///< nowhere: all known values are left
  std::uint8_t missing_left = 0;
  std::uint8_t has_missing = 0;
};

/// Sums over left children.
struct LeftSums {
  unsigned long long* rows = nullptr;  ///< node
  unsigned long long* sums = nullptr;  ///< classes: (node, class); numbers: weight, moment, square
  unsigned long long* extremes = nullptr;  ///< numbers: (node, ~least left, most left, ~least
                                           ///< right, most right), in order
  int width = 0;                           ///< sums a node
};

/// Where the children of a node go in the next level's lists.
struct Move {
  std::uint32_t left = nowhere;
  std::uint32_t right = nowhere;
  std::uint32_t left_before = 0;  ///< entries that go left in all nodes before
};

/// A double as an integer of the same order; never 0.
__host__ __device__ inline std::uint64_t in_order(double x) {
#ifdef __CUDA_ARCH__
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  std::uint64_t bits;
  __builtin_memcpy(&bits, &x, 8);
#endif
  return bits >> 63 != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

__host__ __device__ inline double from_order(std::uint64_t key) {
  const std::uint64_t bits = key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key;
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  __builtin_memcpy(&x, &bits, 8);
  return x;
#endif
}

// Of a level, in this order. Sums of tiles and of missing entries; the best score of each node and
// feature; the best split of each node.
/// summed: the sums of each tile are there already.
void launch_tile_sums(const Level& level, const Labels& labels, bool summed, cudaStream_t stream);
void launch_missing_sums(const Level& level, const Labels& labels, cudaStream_t stream);
void launch_split_bounds(const Level& level, const Labels& labels, cudaStream_t stream);
void launch_scores(const Level& level, const Labels& labels, cudaStream_t stream);
void launch_least(const Level& level, cudaStream_t stream);
void launch_best_splits(const Level& level,
                        const Labels& labels,
                        BestSplit* best_splits,
                        cudaStream_t stream);

/// exclusive prefix sums within each of `count` arrays of `length`.
void launch_row_scans(std::int64_t* sums, std::int64_t count, std::int64_t length, cudaStream_t);
/// varies(node, feature): whether the feature has two values there, missing counted as one.
void launch_varies(const Level& level, std::uint8_t* varies, cudaStream_t stream);
void launch_node_splits(const Level& level,
                        const BestSplit* best_splits,
                        NodeSplit* found,
                        cudaStream_t stream);
/// goes_left[row_base + row] by the found splits; sums over the left children.
void launch_assign_children(const Level& level,
                            const Labels& labels,
                            const NodeSplit* found,
                            std::uint8_t* goes_left,
                            const LeftSums& left,
                            cudaStream_t stream);
/// Parts all lists stably into `to`. bits: a word a 32 entries; tile_lefts: (feature, tile).
/// tile_sums: those of `to`, (feature, tile), of two classes; null: not wanted.
void launch_partition(const Level& level,
                      const Move* moves,
                      const std::uint8_t* goes_left,
                      std::uint32_t* bits,
                      std::int64_t* tile_lefts,
                      const Lists& to,
                      std::int64_t* tile_sums,
                      cudaStream_t stream);
/// node_of from places.
void launch_node_of(const Place* places,
                    std::int64_t nodes,
                    std::int64_t size,
                    std::uint32_t* node_of,
                    cudaStream_t stream);

}  // namespace yupana::forest::cuda
