#pragma once

#include <functional>
#include <vector>

#include "yupana/forest/category_splits_cuda.hpp"
#include "yupana/forest/lists_cuda.hpp"

/// Trees from lists in device memory. Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// The threshold of a feature between the values of two rows.
using Threshold = std::function<double(std::int32_t, std::uint32_t, std::uint32_t)>;

/// The initial memory of rooms, allocated many at a time: an allocation takes 0.1 ms, and more
/// where several devices allocate.
class Site {
 public:
  static constexpr std::int64_t piece = std::int64_t{256} << 10;

  /// The next piece.
  void* next() {
    if (left_ == 0) {
      blocks_.emplace_back(pieces_per_block * piece);
      left_ = pieces_per_block;
    }
    return blocks_.back().data() + (pieces_per_block - left_--) * piece;
  }

 private:
  static constexpr std::int64_t pieces_per_block = 32;
  std::vector<ReservedArray<unsigned char>> blocks_;
  std::int64_t left_ = 0;
};

/// Device memory that grows on demand; contents are lost then.
template <class T>
class Room {
 public:
  explicit Room(Site& site) : data_(static_cast<T*>(site.next())) {}

  T* of(std::int64_t size) {
    if (size > size_) {
      // Tables of nodes are twice as long on each level.
      size_ = size + size / 2;
      array_ = {};
      array_ = ReservedArray<T>(size_);
      data_ = array_.data();
    }
    return data_;
  }

 private:
  T* data_;
  std::int64_t size_ = Site::piece / std::int64_t{sizeof(T)};
  ReservedArray<T> array_;  ///< in place of the piece
};

/// Grows trees side by side, a level at a time, from their lists, which it uses up.
class Grower {
 public:
  Grower(Context& context,
         const Problem& problem,
         const TreeParams& params,
         const Labels& labels,
         const std::vector<std::uint8_t>& has_missing,
         const CategoryRanks& ranks,
         Threshold threshold,
         cudaStream_t stream);
  /// `marks`: rows that marks are kept of, see Part::row_base.
  std::vector<Tree> grow(OwnLists lists, const std::vector<Part>& parts, std::int64_t marks);
  /// Lists that were used up, for the memory they have.
  OwnLists spare();

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
  /// The device's answer on a level.
  struct Answer {
    std::vector<NodeSplit> found;
    std::vector<unsigned long long> rows, sums, extremes;
  };

  void use_features(const std::vector<std::uint8_t>& has_missing);
  void start(const std::vector<Part>& parts);
  void place_nodes(const std::vector<std::int64_t>& sizes);
  void put_tables();
  void sample_features();
  void order_categories();
  Answer mark(const NodeSplit* found);
  Answer find_splits();
  std::vector<Open> next_nodes(const Answer& answer, std::int64_t depth);
  void partition_node(const Answer& answer,
                      std::size_t i,
                      std::int64_t depth,
                      std::vector<Open>& next);
  void partition_nodes(std::vector<Open> next);
  Totals left_totals(const Answer& answer, std::size_t i, const Totals& node) const;
  std::int32_t add_node(std::int32_t tree, const Totals& totals);
  LeftSums left_sums();

  Context& context_;
  const Problem& problem_;
  const TreeParams& params_;
  const Labels& labels_;
  Threshold threshold_;
  cudaStream_t stream_;
  CategorySplits categories_;
  OwnLists lists_, other_;
  Level level_;
  std::vector<Open> open_;
  std::vector<Move> moves_;
  std::vector<Tree> trees_;
  std::vector<std::int64_t> all_weight_;
  Site site_;
  Room<std::uint32_t> node_of_{site_}, bits_{site_}, missing_rows_{site_};
  Room<Place> places_{site_};
  Room<std::int64_t> totals_{site_}, before_{site_}, tile_sums_{site_}, missing_{site_},
      tile_lefts_{site_}, next_sums_{site_}, candidates_{site_};
  Room<Start> starts_{site_}, missing_starts_{site_};
  Room<std::uint64_t> best_{site_}, node_best_{site_}, least_{site_}, candidate_best_{site_};
  Room<std::uint8_t> sampled_{site_}, varies_{site_}, goes_left_{site_};
  Room<BestSplit> best_splits_{site_};
  Room<NodeSplit> node_splits_{site_};
  Room<Move> device_moves_{site_};
  Room<unsigned long long> left_rows_{site_}, left_sums_{site_}, extremes_{site_},
      candidate_count_{site_};
  Room<std::int32_t> slots_{site_};
  bool summed_ = false;  ///< the sums of tiles are there
};

}  // namespace yupana::forest::cuda
