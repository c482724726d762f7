#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/packed_cuda.hpp"

/// Rows go down the trees of a model on one device.
namespace yupana::forest::cuda {

/// One thread a row: a block's values are stored feature after feature in shared memory, where a
/// warp reads 32 banks whichever features its rows need.
struct PredictTuning {
  static constexpr int threads = 256;
  static constexpr int most_shared = 96 << 10;  ///< bytes; two blocks share a multiprocessor
  static constexpr int most_sums = 4;           ///< outputs that stay in registers
  static_assert(most_shared <= yupana::cuda::shared_bytes_everywhere);
};

template <class T>
struct Forest {
  const PackedNode<T>* nodes;
  const std::int64_t* first_node;
  const double* votes;
  const std::uint32_t* words;
  int trees;
  int outputs;
  int features;
};

/// A block's rows of the table: in shared memory, or where they are.
template <class T>
struct BlockRows {
  const T* values;
  std::int64_t stride;

  /// The leaf's number in its tree. words: null where no node asks for a category.
  template <bool categories>
  __device__ std::int32_t leaf(const PackedNode<T>* nodes, const std::uint32_t* words) const {
    PackedNode<T> node = nodes[0];
    while (node.child >= 0) {
      const std::int32_t turn = node.feature >> 31;  // all ones: missing goes left
      const std::int32_t feature = node.feature ^ turn;
      bool right;
      if constexpr (categories) {
        const T x = values[(feature & PackedNode<T>::feature_mask) * stride];
        right = x != x ? turn == 0 : known_goes_right(node, feature, x, turn == 0, words);
      } else {
        const T x = values[feature * stride];
        right = x != x ? turn == 0 : x > node.threshold;
      }
      node = nodes[node.child + right];
    }
    return ~node.child;
  }

 private:
  /// As Tree::goes_left. feature: with its flags.
  __device__ static bool known_goes_right(const PackedNode<T>& node,
                                          std::int32_t feature,
                                          T x,
                                          bool missing_right,
                                          const std::uint32_t* words) {
    if ((feature & PackedNode<T>::one_category) != 0) return x == node.threshold;
    if ((feature & PackedNode<T>::has_set) == 0) return x > node.threshold;
    std::uint32_t first;
    memcpy(&first, &node.threshold, sizeof(first));
    const std::uint32_t* const set = words + first;
    if (!(x >= 0 && x < static_cast<T>(set[0]))) return missing_right;
    const auto category = static_cast<std::uint32_t>(x);
    if (static_cast<T>(category) != x) return missing_right;
    return (set[1 + category / 32] >> (category % 32) & 1) == 0;
  }
};

template <class T, bool in_shared>
__device__ BlockRows<T> block_rows(
    const Forest<T>& forest, const T* table, std::int64_t rows, std::int64_t row, T* shared) {
  if constexpr (!in_shared) {
    return {table + min(row, rows - 1), rows};
  } else {
    for (int f = 0; f < forest.features; ++f) {
      shared[f * PredictTuning::threads + threadIdx.x] = table[f * rows + min(row, rows - 1)];
    }
    return {shared + threadIdx.x, PredictTuning::threads};  // each thread reads what it wrote
  }
}

/// few: outputs fit registers; otherwise shares, which are 0, are summed in place.
template <class T, bool in_shared, bool few, bool categories>
__global__ void __launch_bounds__(PredictTuning::threads)
    shares_kernel(Forest<T> forest, const T* table, std::int64_t rows, double* shares) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::int64_t row = std::int64_t{blockIdx.x} * PredictTuning::threads + threadIdx.x;
  const auto own = block_rows<T, in_shared>(forest, table, rows, row, reinterpret_cast<T*>(memory));
  if (row >= rows) return;
  double* const sums = shares + row * forest.outputs;
  double few_sums[PredictTuning::most_sums] = {};
  for (int t = 0; t < forest.trees; ++t) {
    const std::int64_t leaf =
        own.template leaf<categories>(forest.nodes + forest.first_node[t], forest.words);
    const double* vote = forest.votes + (forest.first_node[t] + leaf) * forest.outputs;
    if constexpr (few) {
#pragma unroll
      for (int c = 0; c < PredictTuning::most_sums; ++c) {
        if (c < forest.outputs) few_sums[c] += vote[c];
      }
    } else {
      for (int c = 0; c < forest.outputs; ++c) sums[c] += vote[c];
    }
  }
  const double trees = forest.trees;
  if constexpr (few) {
#pragma unroll
    for (int c = 0; c < PredictTuning::most_sums; ++c) {
      if (c < forest.outputs) sums[c] = few_sums[c] / trees;
    }
  } else {
    for (int c = 0; c < forest.outputs; ++c) sums[c] /= trees;
  }
}

template <class T, bool in_shared, bool categories>
__global__ void __launch_bounds__(PredictTuning::threads)
    leaves_kernel(Forest<T> forest, const T* table, std::int64_t rows, std::int32_t* leaves) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::int64_t row = std::int64_t{blockIdx.x} * PredictTuning::threads + threadIdx.x;
  const auto own = block_rows<T, in_shared>(forest, table, rows, row, reinterpret_cast<T*>(memory));
  if (row >= rows) return;
  for (int t = 0; t < forest.trees; ++t) {
    leaves[row * forest.trees + t] =
        own.template leaf<categories>(forest.nodes + forest.first_node[t], forest.words);
  }
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel,
            std::int64_t rows,
            int shared,
            cudaStream_t stream,
            const Arguments&... arguments) {
  yupana::cuda::launch("predict",
                       kernel,
                       {divide_up(rows, PredictTuning::threads), PredictTuning::threads, shared},
                       stream,
                       arguments...);
}

/// A model on one device.
template <class T>
class DeviceModel {
 public:
  DeviceModel(const Model& model, const PackedForest<T>& packed, std::int64_t outputs)
      : nodes_(packed.nodes.size()),
        first_node_(std::ssize(packed.first_node)),
        votes_(packed.votes.size()),
        words_(std::ssize(packed.words)),
        has_categories_(packed.has_categories) {
    const auto copy = [](auto& to, const auto& from) {
      yupana::cuda::upload("copy the model", to.data(), from.data(), to.size());
    };
    copy(nodes_, packed.nodes);
    copy(first_node_, packed.first_node);
    copy(votes_, packed.votes);
    copy(words_, packed.words);
    view_ = {nodes_.data(),
             first_node_.data(),
             votes_.data(),
             words_.data(),
             static_cast<int>(model.trees.size()),
             static_cast<int>(outputs),
             static_cast<int>(model.features.size())};
    const std::int64_t bytes =
        std::ssize(model.features) * PredictTuning::threads * static_cast<std::int64_t>(sizeof(T));
    shared_ = bytes <= PredictTuning::most_shared ? static_cast<int>(bytes) : 0;
  }

  void shares(const T* table, std::int64_t rows, double* to, cudaStream_t stream) const {
    const bool few = view_.outputs <= PredictTuning::most_sums;
    if (!few) {
      yupana::cuda::check(
          cudaMemsetAsync(
              to, 0, static_cast<std::size_t>(rows * view_.outputs) * sizeof(double), stream),
          "clear shares");
    }
    const auto run = [&](auto kernel) {
      launch(kernel, rows, shared_, stream, view_, table, rows, to);
    };
    const auto run_by_outputs = [&](auto in_shared, auto categories) {
      constexpr bool s = decltype(in_shared)::value, c = decltype(categories)::value;
      few ? run(shares_kernel<T, s, true, c>) : run(shares_kernel<T, s, false, c>);
    };
    by_kind(run_by_outputs);
  }
  void leaves(const T* table, std::int64_t rows, std::int32_t* to, cudaStream_t stream) const {
    const auto run = [&](auto kernel) {
      launch(kernel, rows, shared_, stream, view_, table, rows, to);
    };
    by_kind([&](auto in_shared, auto categories) {
      run(leaves_kernel<T, decltype(in_shared)::value, decltype(categories)::value>);
    });
  }

 private:
  /// run(whether rows are in shared memory, whether nodes ask for categories), as constants.
  template <class Run>
  void by_kind(const Run& run) const {
    const auto by_categories = [&](auto in_shared) {
      has_categories_ ? run(in_shared, std::true_type{}) : run(in_shared, std::false_type{});
    };
    shared_ > 0 ? by_categories(std::true_type{}) : by_categories(std::false_type{});
  }

  yupana::cuda::DeviceArray<PackedNode<T>> nodes_;
  yupana::cuda::DeviceArray<std::int64_t> first_node_;
  yupana::cuda::DeviceArray<double> votes_;
  yupana::cuda::DeviceArray<std::uint32_t> words_;
  bool has_categories_;
  Forest<T> view_;
  int shared_ = 0;
};

}  // namespace yupana::forest::cuda
