#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "yupana/forest/lists_cuda.hpp"

/// Trees from lists in device memory. Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// The threshold of a feature between the values of two rows.
using Threshold = std::function<double(std::int32_t, std::uint32_t, std::uint32_t)>;

/// Device memory that grows when more is asked for; contents are lost then.
template <class T>
class Room {
 public:
  T* of(std::int64_t size) {
    if (size > array_.size()) {
      array_ = {};
      array_ = yupana::cuda::DeviceArray<T>(std::max(size + size / 2, least));
    }
    return array_.data();
  }

 private:
  // Tables of nodes are twice as long on each level; asking for memory makes the device wait.
  static constexpr std::int64_t least = (std::int64_t{256} << 10) / std::int64_t{sizeof(T)};
  yupana::cuda::DeviceArray<T> array_;
};

/// Grows trees side by side, a level at a time, from their lists, which it uses up.
class Grower {
 public:
  Grower(Context& context,
         const Problem& problem,
         const TreeParams& params,
         const Labels& labels,
         const std::vector<std::uint8_t>& has_missing,
         Threshold threshold,
         cudaStream_t stream);
  /// `marks`: rows that marks are kept of, see Part::row_base.
  std::vector<Tree> grow(OwnLists lists, const std::vector<Part>& parts, std::int64_t marks);

 private:
  /// A node that may be parted.
  struct Open {
    std::int32_t tree = 0;
    std::int32_t index = 0;  ///< in its tree
    std::uint64_t key = 0;
    std::uint64_t row_base = 0;
    Totals totals;
    bool is_leaf = false;
  };
  /// What the device tells of a level.
  struct Answer {
    std::vector<Found> found;
    std::vector<unsigned long long> rows, sums, extremes;
  };

  void use_features(const std::vector<std::uint8_t>& has_missing);
  void start(const std::vector<Part>& parts);
  void place_nodes(const std::vector<std::int64_t>& sizes);
  void put_tables();
  void draw_features();
  Answer mark(const Found* found);
  Answer find_splits();
  std::vector<Open> next_nodes(const Answer& answer, std::int64_t depth);
  void part_node(const Answer& answer, std::size_t i, std::int64_t depth, std::vector<Open>& next);
  void part_nodes(std::vector<Open> next);
  Totals left_totals(const Answer& answer, std::size_t i, const Totals& node) const;
  std::int32_t add_node(std::int32_t tree, const Totals& totals);
  LeftSums left_sums();

  Context& context_;
  const Problem& problem_;
  const TreeParams& params_;
  const Labels& labels_;
  Threshold threshold_;
  cudaStream_t stream_;
  OwnLists lists_, other_;
  Level level_;
  std::vector<Open> open_;
  std::vector<Move> moves_;
  std::vector<Tree> trees_;
  std::vector<std::int64_t> all_weight_;
  Room<std::uint32_t> node_of_, bits_, missing_rows_;
  Room<Place> places_;
  Room<std::int64_t> totals_, before_, strip_sums_, missing_, strip_lefts_, next_sums_, reach_;
  Room<Start> starts_, missing_starts_;
  Room<std::uint64_t> best_, node_best_, least_, reach_best_;
  Room<std::uint8_t> drawn_, varies_, goes_left_;
  Room<Winner> winners_;
  Room<Found> found_;
  Room<Move> device_moves_;
  Room<unsigned long long> left_rows_, left_sums_, extremes_, reach_count_;
  Room<std::int32_t> slots_;
  bool summed_ = false;  ///< the sums of strips are there
};

}  // namespace yupana::forest::cuda
