#pragma once

#include "yupana/core/text.hpp"
#include "yupana/forest/level_cuda.hpp"

/// Sums of both sides of a split as a warp goes through a list: the device's version of the classes
/// of scan.hpp, 32 entries at a time, each lane after its own entry has moved to the left.
namespace yupana::forest::cuda {

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x) % 32; }
__device__ inline unsigned lanes_below() { return (1u << lane_id()) - 1; }

template <class X>
__device__ X shuffled(X x, int from) {
  return __shfl_sync(all_lanes, x, from);
}
__device__ inline Wide shuffled(Wide x, int from) {
  const std::uint64_t low = __shfl_sync(all_lanes, static_cast<std::uint64_t>(x), from);
  const std::uint64_t high = __shfl_sync(all_lanes, static_cast<std::uint64_t>(x >> 64), from);
  return Wide{high} << 64 | low;
}

__device__ inline std::uint64_t warp_max(std::uint64_t x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    x = max(x, static_cast<std::uint64_t>(__shfl_xor_sync(all_lanes, x, d)));
  }
  return x;
}
__device__ inline std::uint32_t warp_min(std::uint32_t x) {
  return __reduce_min_sync(all_lanes, x);
}

/// Sum over this lane and those before it.
template <class X>
__device__ X inclusive(X x) {
  const int lane = lane_id();
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const X y = shuffled(x, lane - d);
    if (lane >= d) x += y;
  }
  return x;
}

template <class X>
__device__ X warp_sum(X x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x += shuffled(x, lane_id() ^ d);
  return x;
}

/// The entry a lane looks at.
struct Entry {
  bool inside;  ///< lanes past the end repeat the last entry
  std::uint32_t key;
  std::uint32_t row;
  std::uint32_t node;
  std::uint32_t offset;  ///< in the node
  std::uint32_t size;    ///< of the node
};

/// A warp's tile of one feature's list. slot: of the feature's missing values if they are left, -1
/// if they stay right.
struct Tile {
  const Level& level;
  const Labels& labels;
  int feature;
  int slot;
  std::int64_t tile;
  std::uint32_t first_node;

  __device__ const std::int64_t* sums(int channel) const {
    return level.tile_sums +
           (std::int64_t{feature} * level.channels + channel) * level.lists.tiles() + tile;
  }
  __device__ std::int64_t at_node(std::uint32_t node, int channel) const {
    return std::int64_t{node} * level.channels + channel;
  }
  __device__ std::int64_t slot_node(std::uint32_t node) const { return slot * level.nodes + node; }
  __device__ std::int64_t missing(std::uint32_t node, int channel) const {
    return slot < 0 ? 0 : __ldg(level.missing + slot_node(node) * level.channels + channel);
  }
  __device__ std::uint32_t missing_rows(std::uint32_t node) const {
    return slot < 0 ? 0 : __ldg(level.missing_rows + slot_node(node));
  }
  __device__ int class_of(const Entry& entry) const {
    return level.lists.class_bits > 0
               ? static_cast<int>(entry.key & ((1u << level.lists.class_bits) - 1))
               : labels.codes[entry.row];
  }
};

/// d^2 / (N_l N_r), d being exact.
__device__ inline double two_class_score(std::int64_t d, std::int64_t left, std::int64_t right) {
  const auto x = static_cast<double>(d);
  return x * x / (static_cast<double>(left) * static_cast<double>(right));
}

class TwoClassScan {
 public:
  static constexpr Sums sums = Sums::two_classes;
  static constexpr int ahead = 4;  ///< times 32 entries whose loads are under way at once
  __device__ static bool needs_rows(const Level&) { return false; }
  __device__ TwoClassScan(const Tile& tile, std::int64_t*)
      : tile_(tile), ones_(static_cast<std::int32_t>(*tile.sums(0))) {}

  __device__ void move(const Entry& entry) {
    const unsigned set = __ballot_sync(all_lanes, entry.inside && (entry.key & 1) != 0);
    const bool own = (set >> lane_id() & 1) != 0;
    const Level& level = tile_.level;
    // Fewer than 2^31 entries: all counts are of 32 bits.
    l1_ = ones_ + __popc(set & lanes_below()) + own -
          static_cast<std::int32_t>(__ldg(level.before + entry.node)) +
          static_cast<std::int32_t>(tile_.missing(entry.node, 0));
    ones_ += __popc(set);
    n_ = static_cast<std::int32_t>(entry.size);
    nl_ = static_cast<std::int32_t>(entry.offset + 1 + tile_.missing_rows(entry.node));
    t1_ = static_cast<std::int32_t>(__ldg(level.totals + entry.node));
  }
  /// False only if the score is below `bound` (1 + 2^-20). Floats are within 2^-20 of the score: d
  /// and d^2 (below 2^124) take 3 roundings of 2^-24, N_l, N_r and their product 3, and the
  /// division is off by 2 units in the last place, at most 4 * 2^-24, as the divisor is below
  /// 2^126. A score of 0 stays 0, and the least other one, 2^-62, is far from where floats end.
  __device__ bool reaches(float bound) const {
    const auto d = static_cast<float>(difference());
    return __fdividef(d * d, static_cast<float>(nl_) * static_cast<float>(n_ - nl_)) >= bound;
  }
  __device__ double approximate() const { return two_class_score(difference(), nl_, n_ - nl_); }
  __device__ ExactScore exact() const {
    const std::int64_t l0 = nl_ - l1_, r1 = t1_ - l1_, r0 = n_ - nl_ - r1;
    return {{square(l0) + square(l1_),
             static_cast<std::uint64_t>(nl_),
             square(r0) + square(r1),
             static_cast<std::uint64_t>(n_ - nl_)}};
  }

 private:
  __device__ std::int64_t difference() const {
    return std::int64_t{l1_} * n_ - std::int64_t{nl_} * t1_;
  }
  const Tile& tile_;
  std::int32_t ones_;
  std::int32_t l1_ = 0, nl_ = 1, n_ = 2, t1_ = 0;
};

/// Any number of classes. Of the entries before, the warp keeps the weight of each class in shared
/// memory; an entry of class c and weight w changes the sum of L^2 by w (2 L_c + w) and the sum of
/// T L by w T_c, whose sums over the lanes, from where their node begins, give all the rest:
/// sum R^2 = sum T^2 - 2 sum T L + sum L^2.
template <bool weighted, bool entropy>
class ClassScan {
 public:
  static constexpr Sums sums = Sums::classes;
  static constexpr int ahead = 1;
  using Square = std::conditional_t<weighted, Wide, std::uint64_t>;
  __device__ static bool needs_rows(const Level& level) {
    return weighted || level.lists.class_bits == 0;
  }

  __device__ ClassScan(const Tile& tile, std::int64_t* left) : tile_(tile), left_(left) {
    const Level& level = tile.level;
    Square squares = 0, products = 0;
    std::int64_t logs = 0, weight = 0;
    for (int c = lane_id(); c < level.channels; c += 32) {
      const std::int64_t all = *tile.sums(c);
      left_[c] = all;
      const std::int64_t at = tile.at_node(tile.first_node, c);
      const std::int64_t l = all - level.before[at] + tile.missing(tile.first_node, c);
      const std::int64_t t = level.totals[at];
      weight += l;
      if constexpr (entropy) {
        logs += count_log(l) + count_log(t - l);
      } else {
        squares += product(l, l);
        products += product(t, l);
      }
    }
    weight_ = warp_sum(weight);
    if constexpr (entropy) {
      logs_ = warp_sum(logs);
    } else {
      squares_ = warp_sum(squares);
      products_ = warp_sum(products);
    }
    __syncwarp();
  }

  __device__ void move(const Entry& entry) {
    const Level& level = tile_.level;
    const int c = entry.inside ? tile_.class_of(entry) : -1 - lane_id();
    const std::int64_t w = !entry.inside ? 0 : weighted ? tile_.labels.weights[entry.row] : 1;
    const unsigned alike = __match_any_sync(all_lanes, c);
    std::int64_t below = __popc(alike & lanes_below()), all = __popc(alike);
    if constexpr (weighted) weigh(alike, w, below, all);
    std::int64_t l = 0, t = 0;
    if (entry.inside) {
      const std::int64_t at = tile_.at_node(entry.node, c);
      l = left_[c] + below - level.before[at] + tile_.missing(entry.node, c);
      t = level.totals[at];
    }
    __syncwarp();
    if (entry.inside && (alike >> lane_id()) == 1) left_[c] += all;
    __syncwarp();
    const Start own = level.starts[entry.node];
    all_weight_ = weighted ? own.weight : std::int64_t{entry.size};
    Start start;
    if (tile_.slot >= 0) {
      start = level.missing_starts[tile_.slot_node(entry.node)];
    } else if constexpr (entropy) {
      start.logs = own.logs;
    }
    const int begin = lane_id() - static_cast<int>(min(entry.offset, 64u));
    if constexpr (weighted) {
      weight_ = since(w, begin, start.weight, weight_);
    } else {
      weight_ = std::int64_t{entry.offset} + 1 + tile_.missing_rows(entry.node);
    }
    if constexpr (entropy) {
      std::int64_t change = 0;
      if (entry.inside) {
        change = count_log(l + w) - count_log(l) + count_log(t - l - w) - count_log(t - l);
      }
      logs_ = since(change, begin, start.logs, logs_);
    } else {
      squares_ = since(product(w, 2 * l + w), begin, joined(start.squares), squares_);
      products_ = since(product(w, t), begin, joined(start.products), products_);
      all_squares_ = joined(own.products);
    }
  }

  __device__ double approximate() const {
    if constexpr (entropy) {
      return static_cast<double>(exact().logs);
    } else {
      return number(squares_) / static_cast<double>(weight_) +
             number(right_squares()) / static_cast<double>(all_weight_ - weight_);
    }
  }
  __device__ ExactScore exact() const {
    ExactScore score;
    if constexpr (entropy) {
      score.logs = logs_ - count_log(weight_) - count_log(all_weight_ - weight_);
    } else {
      score.fraction = {squares_,
                        static_cast<std::uint64_t>(weight_),
                        right_squares(),
                        static_cast<std::uint64_t>(all_weight_ - weight_)};
    }
    return score;
  }

 private:
  __device__ static Square product(std::int64_t a, std::int64_t b) {
    return static_cast<Square>(a) * static_cast<Square>(b);
  }
  __device__ static Square joined(const std::uint64_t (&words)[2]) {
    if constexpr (weighted) return Wide{words[1]} << 64 | words[0];
    return static_cast<Square>(words[0]);
  }
  __device__ static double number(Square x) {
    if constexpr (weighted) return as_double(x);
    return static_cast<double>(x);
  }
  __device__ Square right_squares() const { return all_squares_ - 2 * products_ + squares_; }
  __device__ std::int64_t count_log(std::int64_t n) const { return tile_.labels.count_log(n); }

  /// Weight of lanes of the same class: of those below this lane, and of all.
  __device__ static void weigh(unsigned alike,
                               std::int64_t w,
                               std::int64_t& below,
                               std::int64_t& all) {
    below = all = 0;
    for (int from = 0; from < 32; ++from) {
      const std::int64_t other = shuffled(w, from);
      if ((alike >> from & 1) == 0) continue;
      all += other;
      if (from < lane_id()) below += other;
    }
  }
  /// Sum from the begin of the lane's node on: in the lane `begin`, with `start`; or before the
  /// first lane, with what the last lane of the entries before had.
  template <class X>
  __device__ static X since(X change, int begin, X start, X last) {
    const X sum = inclusive(change);
    const X before = shuffled(sum, max(begin - 1, 0));
    const X carried = shuffled(last, 31);
    return begin < 0 ? carried + sum : begin == 0 ? start + sum : start + (sum - before);
  }

  const Tile& tile_;
  std::int64_t* left_;
  Square squares_ = 0, products_ = 0, all_squares_ = 0;
  std::int64_t logs_ = 0, weight_ = 0, all_weight_ = 0;
};

template <bool weighted>
class NumberScan {
 public:
  static constexpr Sums sums = Sums::numbers;
  static constexpr int ahead = 1;
  __device__ static bool needs_rows(const Level&) { return true; }
  __device__ NumberScan(const Tile& tile, std::int64_t*)
      : tile_(tile), weights_(*tile.sums(0)), moments_(*tile.sums(1)) {}

  __device__ void move(const Entry& entry) {
    const Level& level = tile_.level;
    const std::int64_t moment = entry.inside ? tile_.labels.moments[entry.row] : 0;
    const std::int64_t moments = moments_ + inclusive(moment);
    moments_ = shuffled(moments, 31);
    const std::int64_t at = tile_.at_node(entry.node, 0);
    const Start own = level.starts[entry.node];
    if constexpr (weighted) {
      const std::int64_t w = entry.inside ? tile_.labels.weights[entry.row] : 0;
      const std::int64_t weights = weights_ + inclusive(w);
      weights_ = shuffled(weights, 31);
      nl_ = weights - level.before[at] + tile_.missing(entry.node, 0);
      nr_ = own.weight - nl_;
    } else {
      nl_ = std::int64_t{entry.offset} + 1 + tile_.missing_rows(entry.node);
      nr_ = std::int64_t{entry.size} - nl_;
    }
    const std::int64_t left = moments - level.before[at + 1] + tile_.missing(entry.node, 1);
    left_ = left - own.shift * nl_;
    right_ = level.totals[at + 1] - left - own.shift * nr_;
  }
  __device__ double approximate() const {
    const double l = static_cast<double>(left_), r = static_cast<double>(right_);
    return l * l / static_cast<double>(nl_) + r * r / static_cast<double>(nr_);
  }
  __device__ ExactScore exact() const {
    return {{square(left_),
             static_cast<std::uint64_t>(nl_),
             square(right_),
             static_cast<std::uint64_t>(nr_)}};
  }

 private:
  const Tile& tile_;
  std::int64_t weights_, moments_;
  std::int64_t nl_ = 1, nr_ = 1, left_ = 0, right_ = 0;
};

}  // namespace yupana::forest::cuda
