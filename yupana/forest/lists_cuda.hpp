#pragma once

#include <cstdint>
#include <vector>

#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/level_cuda.hpp"
#include "yupana/forest/problem.hpp"

/// Sorted features and attribute lists in device memory. Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// See SortedTable.
struct DeviceSorted {
  std::int64_t rows = 0;
  int features = 0;
  yupana::cuda::DeviceArray<std::uint32_t> ranks;
  yupana::cuda::DeviceArray<std::uint32_t> order;
  std::uint32_t most_rank = 0;
  std::vector<std::uint8_t> has_missing;  ///< of each feature
};

/// Lists with their memory.
struct OwnLists {
  yupana::cuda::DeviceArray<std::uint32_t> keys;
  yupana::cuda::DeviceArray<std::uint32_t> rows;
  Lists view;
};

/// What one tree of a forest sees: its rows, one behind the other in every list.
struct Part {
  std::int64_t size = 0;       ///< entries
  std::uint64_t seed = 0;      ///< of the draws of features
  std::uint64_t row_base = 0;  ///< of its marks of rows
};

/// Labels and weights in device memory.
class DeviceLabels {
 public:
  /// `most`: entries of a tree, at most.
  DeviceLabels(Context& context, const Problem& problem, std::int64_t most, cudaStream_t stream);
  const Labels& view() const { return view_; }

 private:
  yupana::cuda::DeviceArray<std::int32_t> codes_;
  yupana::cuda::DeviceArray<std::int64_t> weights_, moments_, squares_, count_logs_;
  yupana::cuda::DeviceArray<double> values_;
  yupana::cuda::DeviceArray<LogTable> log_table_;
  Labels view_;
};

/// Sorts every feature; NaN last. `resident`: the table's values in device memory, column after
/// column; null: they are copied, a column at a time.
template <class T>
DeviceSorted sort_table(Context& context,
                        TableView<T> table,
                        const T* resident,
                        arrays::cuda::Workspace& space,
                        cudaStream_t stream);

/// Lists of all rows, made from the sorted table's own memory.
OwnLists take_lists(DeviceSorted&& sorted,
                    const Problem& problem,
                    const Labels& labels,
                    cudaStream_t stream);
/// Lists of several trees: tree t holds row i repeats[t * rows + i] times.
OwnLists repeated_lists(const DeviceSorted& sorted,
                        const Problem& problem,
                        const Labels& labels,
                        const std::uint8_t* repeats,
                        const std::vector<Part>& parts,
                        cudaStream_t stream);
/// Lists of several trees: tree part_of[i] - first holds row i, if there is such a tree.
OwnLists dealt_lists(const DeviceSorted& sorted,
                     const Problem& problem,
                     const Labels& labels,
                     const std::uint32_t* part_of,
                     std::int64_t first,
                     const std::vector<Part>& parts,
                     cudaStream_t stream);
inline constexpr std::int64_t most_dealt = 64;  ///< trees that dealt_lists takes

/// `count` values, copied to the device; the host's may go when the call returns.
template <class T>
yupana::cuda::DeviceArray<T> uploaded(const T* from, std::int64_t count, cudaStream_t stream) {
  yupana::cuda::DeviceArray<T> to(count);
  if (count == 0) return to;
  yupana::cuda::check(cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyHostToDevice, stream),
                      "copy to the device");
  yupana::cuda::check(cudaStreamSynchronize(stream), "copy to the device");
  return to;
}

}  // namespace yupana::forest::cuda
