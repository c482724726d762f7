#pragma once

#include <cstdint>
#include <vector>

#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/context.hpp"
#include "yupana/forest/lists_cuda.hpp"

/// Categories of nodes on a device, see category_order.hpp. Only files of the CUDA build include
/// this.
namespace yupana::forest::cuda {

/// The categories of the ranks that a device's features have.
struct CategoryRanks {
  std::vector<std::int64_t> counts;                   ///< of each feature in the whole table; 0: it
                                                      ///< is not categorical. Empty: none is
  std::vector<std::vector<std::int32_t>> categories;  ///< of each feature, by rank
  RowList rows = nullptr;  ///< the rows of the table that the device holds; null: all

  bool any() const { return !counts.empty(); }
  bool is_categorical(std::int32_t feature) const {
    return any() && counts[static_cast<std::size_t>(feature)] > 0;
  }
};

/// counts: see count_categories()
template <class T>
CategoryRanks category_ranks(TableView<T> table,
                             const OwnRows& rows,
                             std::vector<std::int64_t> counts);

/// Runs of equal categories in a list. `numbers`: of each place that of its run, from 1.
struct CategoryRuns {
  struct Sums {
    std::int64_t sum, weight;  ///< of labels, or the weight of the second class; of all
  };
  std::uint32_t* numbers = nullptr;
  std::uint32_t* begins = nullptr;  ///< of each run, and where the last one ends
  Sums* sums = nullptr;
  std::uint32_t* to = nullptr;  ///< of each run, where it goes
};

/// Orders of the categories of a level's nodes, and the sets by which nodes are split. The device
/// sorts by the mean, or the share of the second of two classes; of more classes the host finds the
/// order, by the code of the CPU.
class CategorySplits {
 public:
  CategorySplits(Context& context,
                 const Problem& problem,
                 const CategoryRanks& ranks,
                 cudaStream_t stream);

  bool any() const { return ranks_.any(); }
  bool is_categorical(std::int32_t feature) const { return ranks_.is_categorical(feature); }
  /// Brings each node's entries of each categorical feature into the order of its categories.
  /// nodes: sums of each; least: what each wants of its children
  void order(const Level& level,
             const Labels& labels,
             const std::vector<const Totals*>& nodes,
             const std::vector<LeafLimits>& least);
  /// Reads which categories go left where nodes are split by some: found, on the host and there.
  void read_sets(const Level& level,
                 const std::vector<NodeSplit>& found,
                 const NodeSplit* device_found);
  /// The set of a node whose split was read.
  CategorySet set_of(std::size_t node, std::int32_t feature, bool missing_left) const;

 private:
  void order_on_device(const Level& level, const Labels& labels, int feature);
  void order_on_host(const Level& level,
                     const std::vector<const Totals*>& nodes,
                     const std::vector<LeafLimits>& least,
                     int feature);

  Context& context_;
  const Problem& problem_;
  const CategoryRanks& ranks_;
  cudaStream_t stream_;
  arrays::cuda::Workspace space_;
  ReservedArray<std::uint32_t> numbers_, begins_, to_, keys_, rows_;
  ReservedArray<std::uint64_t> values_, weights_;
  ReservedArray<CategoryRuns::Sums> sums_;
  ReservedArray<std::int64_t> device_offsets_;
  ReservedArray<std::uint32_t> device_words_;
  std::vector<std::int64_t> offsets_;  ///< of each node its first word; -1: no set
  std::vector<std::uint32_t> words_;   ///< two bits a rank: it is there, and goes left
};

}  // namespace yupana::forest::cuda
