#pragma once

#include <cstdint>
#include <vector>

#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/level_cuda.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/upload_cuda.hpp"

/// Sorted features and attribute lists in device memory. Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// Rows of a table that a device holds: all, or those of its trees alone. A row of it is a place in
/// the list.
struct OwnRows {
  std::int64_t count = 0;
  RowList host = nullptr;    ///< in order; null: all
  RowList device = nullptr;  ///< the same in the device's memory

  std::int64_t row_of(std::uint32_t own) const { return host == nullptr ? own : host[own]; }
};

/// See SortedTable.
struct DeviceSorted {
  std::int64_t rows = 0;
  int features = 0;
  ReservedArray<std::uint32_t> ranks;
  ReservedArray<std::uint32_t> order;
  std::uint32_t max_rank = 0;
  std::vector<std::uint8_t> has_missing;  ///< of each feature
};

/// Lists with their memory.
struct OwnLists {
  ReservedArray<std::uint32_t> keys;
  ReservedArray<std::uint32_t> rows;
  Lists view;

  /// Memory for so many entries of so many features; contents are lost if there is too little.
  void make_room(std::int64_t size, int features) {
    if (keys.size() < size * features) {
      keys = {};
      rows = {};
      keys = ReservedArray<std::uint32_t>(size * features);
      rows = ReservedArray<std::uint32_t>(size * features);
    }
    view.size = size;
    view.features = features;
    view.keys = keys.data();
    view.rows = rows.data();
  }
};

/// What one tree of a forest sees: its rows, one after the other in every list.
struct Part {
  std::int64_t size = 0;       ///< entries
  std::uint64_t seed = 0;      ///< of the draws of features
  std::uint64_t row_base = 0;  ///< of its marks of rows
};

/// Labels and weights in device memory.
class DeviceLabels {
 public:
  /// `most`: entries of a tree, at most.
  DeviceLabels(Upload& upload,
               const Problem& problem,
               const OwnRows& rows,
               std::int64_t most,
               cudaStream_t stream);
  const Labels& view() const { return view_; }

 private:
  ReservedArray<std::int32_t> codes_;
  ReservedArray<std::int64_t> weights_, moments_, squares_, count_logs_;
  ReservedArray<double> values_;
  ReservedArray<LogTable> log_table_;
  Labels view_;
};

/// Sorts every feature of some rows; NaN last. `resident`: the values of the whole table in device
/// memory, column after column; null: they are copied, and sorted column by column as they arrive.
/// Copies take as much device memory as the ranks (or twice it) until all is sorted.
template <class T>
DeviceSorted sort_table(TableView<T> table,
                        const OwnRows& rows,
                        const T* resident,
                        Upload& upload,
                        arrays::cuda::Workspace& space,
                        cudaStream_t stream);

__device__ inline std::uint32_t packed(std::uint32_t rank,
                                       std::uint32_t row,
                                       int bits,
                                       const Labels& labels) {
  return bits == 0 ? rank : rank << bits | static_cast<std::uint32_t>(labels.codes[row]);
}

Lists empty_lists(const DeviceSorted& sorted, const Problem& problem, std::int64_t size);
/// Lists of all rows, made from the sorted table's own memory.
OwnLists take_lists(DeviceSorted&& sorted,
                    const Problem& problem,
                    const Labels& labels,
                    cudaStream_t stream);
/// Lists of several trees: tree t holds row i repeats[t * rows + i] times.
/// spare: lists that nobody reads any more, whose memory is used where it is enough.
OwnLists repeated_lists(const DeviceSorted& sorted,
                        const Problem& problem,
                        const Labels& labels,
                        const std::uint8_t* repeats,
                        const std::vector<Part>& parts,
                        OwnLists spare,
                        cudaStream_t stream);
/// Lists of several trees: tree part_of[i] - first holds row i, if there is such a tree.
OwnLists partition_lists(const DeviceSorted& sorted,
                         const Problem& problem,
                         const Labels& labels,
                         const std::uint32_t* part_of,
                         std::int64_t first,
                         const std::vector<Part>& parts,
                         OwnLists spare,
                         cudaStream_t stream);
inline constexpr std::int64_t max_partition_trees = 64;  ///< trees that partition_lists takes

template <class T>
std::vector<T> downloaded(const ReservedArray<T>& from, cudaStream_t stream) {
  std::vector<T> to(from.size());
  yupana::cuda::check(
      cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream),
      "read from the device");
  yupana::cuda::check(cudaStreamSynchronize(stream), "read from the device");
  return to;
}

}  // namespace yupana::forest::cuda
