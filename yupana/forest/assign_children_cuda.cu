// Rows marked by the splits of a level, and the sums over the left children.
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/scan_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check_launch;

namespace {

constexpr int warps = 8;
constexpr int threads = 32 * warps;
// Of more classes, marks add to sums in device memory at once.
constexpr int most_shared_classes = 128;

using Count = unsigned long long;

__device__ std::int64_t warp_number() {
  return std::int64_t{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / 32;
}
unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}

/// Sums of a tile whose entries are all of one node, or of single entries.
class ChildSums {
 public:
  __device__ ChildSums(const Labels& labels, const LeftSums& left, Count* shared, bool one_node)
      : labels_(labels),
        left_(left),
        shared_(shared),
        one_node_(one_node),
        in_shared_(one_node && labels.codes != nullptr && left.width <= most_shared_classes) {
    if (!in_shared_) return;
    for (int c = lane_id(); c < left_.width; c += 32) shared_[c] = 0;
    __syncwarp();
  }

  __device__ void add(std::uint32_t node, std::uint32_t row, bool inside, bool is_left) {
    const unsigned alike = __match_any_sync(all_lanes, inside && is_left ? node : nowhere);
    if (one_node_) {
      rows_ += inside && is_left;
    } else if (inside && is_left && (alike & lanes_below()) == 0) {
      atomicAdd(left_.rows + node, Count(__popc(alike)));
    }
    if (labels_.codes != nullptr) {
      add_class(node, row, inside && is_left);
    } else if (inside) {
      add_number(node, row, is_left);
    }
  }

  __device__ void finish(std::uint32_t node) {
    if (!one_node_) return;
    const Count rows = warp_sum(rows_);
    if (lane_id() == 0 && rows > 0) atomicAdd(left_.rows + node, rows);
    Count* const sums = left_.sums + std::int64_t{node} * left_.width;
    if (in_shared_) {
      __syncwarp();
      for (int c = lane_id(); c < left_.width; c += 32) {
        if (shared_[c] > 0) atomicAdd(sums + c, shared_[c]);
      }
      __syncwarp();
    } else if (labels_.codes == nullptr) {
      for (int i = 0; i < 3; ++i) {
        const Count sum = warp_sum(sums_[i]);
        if (lane_id() == 0) atomicAdd(sums + i, sum);
      }
      for (int i = 0; i < 4; ++i) {
        Count most = extremes_[i];
        for (int d = 16; d > 0; d /= 2) most = max(most, shuffled(most, lane_id() ^ d));
        if (lane_id() == 0) atomicMax(left_.extremes + std::int64_t{node} * 4 + i, most);
      }
    }
  }

 private:
  __device__ Count weight(std::uint32_t row) const {
    return labels_.weights == nullptr ? 1 : static_cast<Count>(labels_.weights[row]);
  }

  __device__ void add_class(std::uint32_t node, std::uint32_t row, bool counts) {
    const int c = counts ? labels_.codes[row] : -1;
    Count* const sums = in_shared_ ? shared_ : left_.sums + std::int64_t{node} * left_.width;
    if (labels_.weights != nullptr) {
      if (counts) atomicAdd(sums + c, weight(row));
      return;
    }
    const std::int64_t place = counts ? std::int64_t{node} * left_.width + c : -1;
    const unsigned alike = __match_any_sync(all_lanes, place);
    if (!counts || (alike & lanes_below()) != 0) return;
    if (in_shared_) {
      sums[c] += Count(__popc(alike));
    } else {
      atomicAdd(sums + c, Count(__popc(alike)));
    }
  }

  __device__ void add_number(std::uint32_t node, std::uint32_t row, bool is_left) {
    const Count key = in_order(labels_.values[row]);
    const int side = is_left ? 0 : 2;
    const Count parts[3] = {weight(row),
                            static_cast<Count>(labels_.moments[row]),
                            static_cast<Count>(labels_.squares[row])};
    if (one_node_) {
      for (int i = 0; i < 3; ++i) sums_[i] += is_left ? parts[i] : 0;
      for (int i = 0; i < 4; i += 2) {
        if (i != side) continue;
        extremes_[i] = max(extremes_[i], ~key);
        extremes_[i + 1] = max(extremes_[i + 1], key);
      }
      return;
    }
    for (int i = 0; i < 3 && is_left; ++i) {
      atomicAdd(left_.sums + std::int64_t{node} * 3 + i, parts[i]);
    }
    atomicMax(left_.extremes + std::int64_t{node} * 4 + side, ~key);
    atomicMax(left_.extremes + std::int64_t{node} * 4 + side + 1, key);
  }

  const Labels& labels_;
  const LeftSums& left_;
  Count* shared_;
  bool one_node_, in_shared_;
  Count rows_ = 0;
  Count sums_[3] = {};
  Count extremes_[4] = {};
};

__global__ void __launch_bounds__(threads) assign_children_kernel(
    Level level, Labels labels, const NodeSplit* found, std::uint8_t* goes_left, LeftSums left) {
  __shared__ Count shared[warps][most_shared_classes];
  const Lists& lists = level.lists;
  const std::int64_t begin = warp_number() * tile_size;
  if (begin >= lists.size) return;
  const std::int64_t end = min(begin + tile_size, lists.size);
  const std::uint32_t first_node = level.node_of[begin];
  const bool one_node = first_node == level.node_of[end - 1];
  if (one_node && found[first_node].feature < 0) return;
  ChildSums sums(labels, left, shared[threadIdx.x / 32], one_node);
  for (std::int64_t first = begin; first < end; first += 32) {
    const std::int64_t place = min(first + lane_id(), lists.size - 1);
    const std::uint32_t node = level.node_of[place];
    const NodeSplit split = found[node];
    const bool inside = first + lane_id() < end && split.feature >= 0;
    const std::int64_t at = max(split.feature, 0) * lists.size + place;
    const std::uint32_t row = lists.rows[at];
    const Place own = level.places[node];
    const bool is_left = lists.keys[at] >= lists.missing_key ? split.missing_left != 0
                                                             : place - own.begin < split.known_left;
    if (inside) goes_left[own.row_base + row] = is_left;
    sums.add(node, row, inside, is_left);
    __syncwarp();
  }
  sums.finish(first_node);
}

}  // namespace

void launch_assign_children(const Level& level,
                            const Labels& labels,
                            const NodeSplit* found,
                            std::uint8_t* goes_left,
                            const LeftSums& left,
                            cudaStream_t stream) {
  const auto clear = [&](Count* to, std::int64_t count) {
    if (to == nullptr) return;
    yupana::cuda::check(
        cudaMemsetAsync(to, 0, static_cast<std::size_t>(count) * sizeof(Count), stream),
        "clear sums");
  };
  clear(left.rows, level.nodes);
  clear(left.sums, level.nodes * left.width);
  clear(left.extremes, level.nodes * 4);
  assign_children_kernel<<<blocks_of(level.lists.tiles()), threads, 0, stream>>>(
      level, labels, found, goes_left, left);
  check_launch("mark rows");
}

}  // namespace yupana::forest::cuda
